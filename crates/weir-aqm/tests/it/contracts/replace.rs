//! A queue that takes the place of another: nothing is lost or doubled, and one that takes the place of its like goes
//! on where that was.

use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::json;
use weir_aqm::{
    Aqm, Backlog, Discipline, Link, PacketInfo, Port, Reason, Verdict,
    aqm::AqmConfig,
    qdisc::{AnyDiscipline, Fifo, QueueConfig},
};
use weir_types::{Duration, Instant, Streams};

use super::{Operation, operations};
use crate::support::{Event, Numbered, Trace, link, stream};

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

/// Events that a port reports during the `operations`; before each of them, `meanwhile` is called.
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

/// Events that a queue with such an AQM reports during the `operations`, and the variables of the AQM after each. At
/// the operations in `at`, a new AQM with the same parameters replaces it.
fn story<A: Aqm>(build: impl Fn() -> A, operations: &[Operation], at: &[usize]) -> (Vec<Event>, Vec<u64>) {
    let new = || Fifo::new(build(), link().limit);
    let (mut fifo, mut trace, mut variables) = (new(), Trace::default(), Vec::new());
    let (mut now, mut id) = (Instant::ZERO, 0);
    for (place, operation) in operations.iter().enumerate() {
        if at.contains(&place) {
            let mut former = std::mem::replace(&mut fifo, new());
            Discipline::<Numbered>::take_over(&mut fifo, &mut former, now);
        }
        match *operation {
            Operation::Offer(info) => {
                fifo.enqueue(Numbered { id, info }, now, &mut trace);
                id += 1;
            }
            Operation::Advance(nanos) => {
                now += Duration::from_nanos(nanos);
                while let Some(due) = Discipline::<Numbered>::next_update(&fifo).filter(|due| *due <= now) {
                    Discipline::<Numbered>::update(&mut fifo, due);
                }
                fifo.dequeue(now, &mut trace);
            }
            Operation::Take | Operation::Rate(_) => {}
        }
        Discipline::<Numbered>::probe(&fifo, &mut |_, value| variables.push(value.to_bits()));
    }
    (trace.events, variables)
}

/// Drops every tenth packet, and has forgotten how many came when it is replaced.
#[derive(Default)]
struct Forgetful(u32);

impl Aqm for Forgetful {
    fn on_enqueue(&mut self, _: PacketInfo, _: Backlog, _: Instant) -> Verdict {
        self.0 += 1;
        if self.0.is_multiple_of(10) { Verdict::Drop(Reason::Early) } else { Verdict::Pass }
    }

    fn take_over(&mut self, _: &Self) {}

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("count", f64::from(self.0));
    }
}

fn aqm() -> impl Strategy<Value = AqmConfig> {
    prop::sample::select(AqmConfig::NAMES).prop_filter_map("of Rust", AqmConfig::from_name)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// An AQM that takes the place of its like has all of its variables.
    #[test]
    fn an_aqm_keeps_what_it_has_learned(
        config in aqm(),
        operations in operations(),
        at in prop::collection::vec(0_usize..400, 1..6),
    ) {
        let build = || config.build(link(), stream("aqm"));
        let same = story(build, &operations, &at) == story(build, &operations, &[]);
        prop_assert!(same, "{config:?} has forgotten something");
    }
}

/// The contract fails for one that forgets.
#[test]
fn an_aqm_that_forgets_is_found() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let worlds = (operations(), prop::collection::vec(0_usize..400, 1..6));
    let found = runner.run(&worlds, |(operations, at)| {
        prop_assert!(
            story(Forgetful::default, &operations, &at) == story(Forgetful::default, &operations, &[])
        );
        Ok(())
    });
    assert!(found.is_err(), "it was taken for one that keeps what it has learned");
}
