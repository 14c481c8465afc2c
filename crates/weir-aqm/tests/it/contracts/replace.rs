//! A queue that takes the place of another: nothing is lost or doubled, and one that takes the place of its like goes
//! on where that was.

use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::json;
use weir_aqm::{
    Discipline, Link, Port,
    qdisc::{AnyDiscipline, QueueConfig},
};
use weir_types::{Duration, Instant, Streams};

use super::{Operation, operations};
use crate::support::{Event, Numbered, Trace, link};

/// Every discipline as it comes, with few queues, and marking if it can.
fn all() -> Vec<QueueConfig> {
    let tables = [json!({}), json!({ "ecn": true }), json!({ "flows": 4 })];
    let read = |name: &&str| {
        let tables = tables.clone().into_iter().map(|table| json!({ *name: table }));
        tables.filter_map(|queue| serde_json::from_value(queue).ok()).collect::<Vec<QueueConfig>>()
    };
    QueueConfig::NAMES.iter().flat_map(read).collect()
}

fn choice() -> impl Strategy<Value = QueueConfig> {
    prop::sample::select(all())
}

fn build(queue: &QueueConfig, seed: u64) -> AnyDiscipline<Numbered> {
    queue.build(link(), Streams::new(seed), "aqm")
}

type AnyPort = Port<Numbered, AnyDiscipline<Numbered>>;

/// What a port tells that does the `operations`; before each of them, `meanwhile` is called.
fn drive(
    mut port: AnyPort,
    operations: &[Operation],
    mut meanwhile: impl FnMut(&mut AnyPort, usize, Instant, &mut Trace),
) -> Vec<Event> {
    let (mut trace, mut now, mut id) = (Trace::default(), Instant::ZERO, 0);
    for (place, operation) in operations.iter().enumerate() {
        meanwhile(&mut port, place, now, &mut trace);
        match *operation {
            Operation::Advance(nanos) => {
                now += Duration::from_nanos(nanos);
                port.advance(now, &mut trace);
            }
            Operation::Offer(info) => {
                port.offer(Numbered { id, info }, now, &mut trace);
                id += 1;
            }
            Operation::Take | Operation::Rate(_) => {}
        }
    }
    port.advance(now + Duration::from_secs(10), &mut trace);
    assert_eq!((port.backlog().packets, port.next_wake()), (0, None), "everything has left");
    trace.events
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn by_itself_changes_nothing(
        queue in choice(),
        operations in operations(),
        at in prop::collection::vec(0_usize..400, 1..6),
        seed in any::<u64>(),
    ) {
        let port = || Port::new(build(&queue, seed), link().rate);
        let expected = drive(port(), &operations, |_, _, _, _| {});
        let found = drive(port(), &operations, |port, place, now, trace| {
            if at.contains(&place) {
                port.replace(build(&queue, seed), now, trace);
            }
        });
        prop_assert_eq!(found, expected, "{:?}", queue);
    }

    #[test]
    fn by_any_other_loses_nothing(
        queues in prop::collection::vec(choice(), 2..6),
        operations in operations(),
        every in 1_usize..60,
        packets in 1_u32..40,
        seed in any::<u64>(),
    ) {
        let mut next = queues.iter().cycle().skip(1);
        let port = Port::new(build(&queues[0], seed), link().rate);
        let events = drive(port, &operations, |port, place, now, trace| {
            if place % every == every - 1 && let Some(queue) = next.next() {
                let waiting = port.backlog().packets;
                let link = Link { limit: weir_aqm::Limit::Packets(packets), ..link() };
                port.advance(now, trace);
                let before = port.backlog();
                port.replace(queue.build(link, Streams::new(seed), "next"), now, trace);
                let after = port.backlog();
                assert_eq!((before.packets, before.bytes), (after.packets, after.bytes), "of {waiting} before");
                assert!(port.discipline().next_update().is_none_or(|due| due > now), "{queue:?} lives in the past");
            }
        });
        let mut ends: HashMap<u64, u32> = HashMap::new();
        for event in &events {
            if let Event::Sent { id, .. } | Event::Dropped { id, .. } = event {
                *ends.entry(*id).or_default() += 1;
            }
        }
        let offered = operations.iter().filter(|operation| matches!(operation, Operation::Offer(_))).count();
        prop_assert!(ends.len() == offered && ends.values().all(|times| *times == 1), "{:?}", queues);
    }
}
