//! Fair queueing (RFC 8290), under CoDel, PIE and any other AQM.

use weir_aqm::{
    Aqm, Discipline, Limit, Packet, PacketInfo, Port, Reason,
    aqm::{AnyAqm, AqmConfig, CodelParameters, DropTail},
    qdisc::{
        AqmBacklog, FairQueue, FlowHashing, FqCodelParameters, FqParameters, FqPieParameters, OverflowPolicy,
        Scheduler,
    },
};
use weir_types::{Duration, Ecn, Instant, PacketSize, Streams};

use crate::support::{Event, Numbered, Trace, link, millis, packet, rate};

pub(super) fn scheduler() -> Scheduler {
    Scheduler {
        flows: 8,
        quantum: PacketSize::new(1514).unwrap(),
        memory_limit: 32 << 20,
        drop_batch: 64,
        aqm_backlog: AqmBacklog::Total,
        overflow: OverflowPolicy::Fattest,
        flow_hashing: FlowHashing::Modulo,
    }
}

fn drop_tails(limit: Limit) -> FairQueue<Numbered, DropTail> {
    FairQueue::new(&scheduler(), limit, 1, |_| DropTail)
}

pub(super) fn codel() -> AqmConfig {
    AqmConfig::Codel(CodelParameters {
        target: Duration::from_micros(50),
        interval: Duration::from_millis(1),
        ..CodelParameters::default()
    })
}

pub(super) fn build(aqm: &AqmConfig) -> AnyAqm {
    aqm.build(link(), Streams::new(1).at("aqm"))
}

/// Offers packets of these flows and sizes, numbered from `first`.
fn offer(
    fair: &mut impl Discipline<Numbered>,
    first: u64,
    packets: impl IntoIterator<Item = (u32, u32)>,
    trace: &mut Trace,
) {
    for (id, (flow, bytes)) in (first..).zip(packets) {
        let info = PacketInfo { bytes, flow, ..packet(Ecn::NotEct) };
        fair.enqueue(Numbered { id, info }, Instant::ZERO, trace);
    }
}

/// The flows of all that wait, in the order in which they leave, as letters.
fn order(fair: &mut impl Discipline<Numbered>, trace: &mut Trace) -> String {
    let packets = std::iter::from_fn(|| fair.dequeue(millis(1), trace));
    packets.map(|(packet, _)| char::from(b'A' + packet.info.flow as u8)).collect()
}

fn dropped(ids: impl IntoIterator<Item = u64>) -> Vec<Event> {
    let dropped = |id| Event::Dropped { id, reason: Reason::Overflow, waited: true, now: Instant::ZERO };
    ids.into_iter().map(dropped).collect()
}

/// A has 4 packets of 1500 bytes, B 6 of 500, both have just arrived, A first.
#[test]
fn flows_take_turns_by_bytes() {
    let mut trace = Trace::default();
    let streams = Streams::new(1);
    let mut codel = FqCodelParameters::default().build(link(), streams, "aqm");
    let mut pie = FqPieParameters::default().build(link(), streams, "aqm");
    let packets = || [(0, 1500); 4].into_iter().chain([(1, 500); 6]);
    offer(&mut codel, 0, packets(), &mut trace);
    offer(&mut pie, 0, packets(), &mut trace);
    assert_eq!(order(&mut codel, &mut trace), "AABBBBABBA");
    assert_eq!(order(&mut pie, &mut trace), "AABBBBABBA");
    assert_eq!(trace.events, []);
}

/// A flow that runs empty while it is new becomes old: its next packet waits for its turn. One
/// that has left the lists is new.
#[test]
fn a_new_flow_is_new_once() {
    let scheduler = Scheduler { quantum: PacketSize::new(3000).unwrap(), ..scheduler() };
    let mut fair = FairQueue::new(&scheduler, Limit::Packets(100), 1, |_| DropTail);
    let mut trace = Trace::default();
    offer(&mut fair, 0, [(0, 1000); 8], &mut trace);
    let mut next = |fair: &mut FairQueue<_, _>| fair.dequeue(millis(1), &mut trace).unwrap().0.info.flow;
    assert_eq!([next(&mut fair), next(&mut fair), next(&mut fair)], [0, 0, 0], "A has had its turn");
    offer(&mut fair, 8, [(1, 1000)], &mut Trace::default());
    assert_eq!(next(&mut fair), 1, "B is new");
    assert_eq!(next(&mut fair), 0, "B is empty, A old");
    offer(&mut fair, 9, [(1, 1000)], &mut Trace::default());
    assert_eq!(
        [next(&mut fair), next(&mut fair), next(&mut fair)],
        [0, 0, 1],
        "B is old and waits for A's turn"
    );
    assert_eq!(order(&mut fair, &mut Trace::default()), "AA");
    offer(&mut fair, 10, [(1, 1000), (0, 1000)], &mut Trace::default());
    assert_eq!(order(&mut fair, &mut Trace::default()), "BA", "both are new");
}

/// A full buffer costs the flow with most bytes half of them, from the head; the arrival stays.
#[test]
fn the_fattest_flow_makes_room() {
    let (mut fair, mut trace) = (drop_tails(Limit::Packets(10)), Trace::default());
    offer(&mut fair, 0, [(0, 1000); 8].into_iter().chain([(1, 1000); 3]), &mut trace);
    assert_eq!(trace.events, dropped([0, 1, 2, 3]));
    assert_eq!(fair.backlog().packets, 7);
}

/// Bytes count, not packets; of equal ones the first is taken; what arrives may be dropped itself.
#[test]
fn most_bytes_are_fattest() {
    let (mut fair, mut trace) = (drop_tails(Limit::Packets(4)), Trace::default());
    offer(&mut fair, 0, [(1, 100), (1, 100), (2, 900), (1, 100), (1, 100)], &mut trace);
    assert_eq!(trace.events, dropped([2]));
    let (mut fair, mut trace) = (drop_tails(Limit::Packets(4)), Trace::default());
    offer(&mut fair, 0, [(3, 500), (2, 500), (5, 500), (3, 500), (2, 500)], &mut trace);
    assert_eq!(trace.events, dropped([1]), "queue 2 comes before queue 3");
    let (mut fair, mut trace) = (drop_tails(Limit::Packets(4)), Trace::default());
    offer(&mut fair, 0, [(1, 100), (2, 100), (3, 100), (4, 100), (5, 500)], &mut trace);
    assert_eq!(trace.events, dropped([4]));
}

/// At most 64 at once.
#[test]
fn a_batch_has_an_end() {
    let (mut fair, mut trace) = (drop_tails(Limit::Packets(1000)), Trace::default());
    offer(&mut fair, 0, [(0, 1000); 1001], &mut trace);
    assert_eq!(trace.events, dropped(0..64));
}

/// Memory is a second limit, in bytes; a large packet may cost more than one batch.
#[test]
fn memory_is_limited() {
    let scheduler = Scheduler { memory_limit: 10_000, drop_batch: 1, ..scheduler() };
    let mut fair = FairQueue::new(&scheduler, Limit::Packets(1000), 1, |_| DropTail);
    let mut trace = Trace::default();
    offer(&mut fair, 0, [(0, 1000); 10].into_iter().chain([(1, 2500)]), &mut trace);
    assert_eq!(trace.events, dropped([0, 1, 2]));
    assert_eq!(fair.backlog().bytes, 9500);
}

/// Linux's FQ-PIE refuses what arrives.
#[test]
fn the_arrival_may_be_refused_instead() {
    let scheduler = Scheduler { overflow: OverflowPolicy::Arrival, ..scheduler() };
    let mut fair = FairQueue::new(&scheduler, Limit::Packets(3), 1, |_| DropTail);
    let mut trace = Trace::default();
    offer(&mut fair, 0, [(0, 1000), (0, 1000), (0, 1000), (1, 1000)], &mut trace);
    let refused = Event::Dropped { id: 3, reason: Reason::Overflow, waited: false, now: Instant::ZERO };
    assert_eq!(trace.events, [refused]);
}

/// CoDel spares a queue of one MTU: in all, or in the flow's own.
#[test]
fn a_aqm_is_told_of_all_queues_or_of_its_own() {
    for (backlog, drops) in [(AqmBacklog::Total, true), (AqmBacklog::Flow, false)] {
        let scheduler = Scheduler { aqm_backlog: backlog, ..scheduler() };
        let mut fair = FairQueue::new(&scheduler, Limit::Packets(1000), 1, |_| build(&codel()));
        let mut trace = Trace::default();
        // Flow 1 always has one packet more; flow 0 keeps the others busy.
        let mut id = 0;
        for step in 0..200 {
            let now = Instant::from_nanos(step * 100_000);
            for flow in [0, 0, 1] {
                let info = PacketInfo { flow, ..packet(Ecn::NotEct) };
                if flow == 0 || step % 2 == 0 {
                    fair.enqueue(Numbered { id, info }, now, &mut trace);
                    id += 1;
                }
            }
            fair.dequeue(now + Duration::from_micros(90), &mut trace);
        }
        let thin = |event: &&Event| matches!(event, Event::Dropped { id, .. } if id % 5 == 2);
        assert_eq!(trace.events.iter().find(thin).is_some(), drops, "{backlog:?}");
    }
}

/// A slow flow among greedy ones waits for at most what is on the wire, the packet before it
/// and one quantum.
#[test]
fn a_thin_flow_does_not_queue() {
    let fair = FairQueue::new(&scheduler(), Limit::Packets(100), 1, |_| build(&codel()));
    let mut port = Port::new(fair, rate(64_000_000));
    let mut trace = Trace::default();
    for id in 0..20_000 {
        let flow = if id % 20 == 0 { 7 } else { (id % 3) as u32 };
        let info = PacketInfo { flow, ..packet(Ecn::NotEct) };
        port.offer(Numbered { id, info }, Instant::from_nanos(id * 100_000), &mut trace);
    }
    let waits = trace.events.iter().filter_map(|event| match event {
        Event::Sent { id, sojourn, .. } if id % 20 == 0 => Some(*sojourn),
        _ => None,
    });
    let waits: Vec<_> = waits.collect();
    assert_eq!(waits.len(), 1000, "none is lost");
    assert!(waits.iter().all(|wait| *wait <= Duration::from_micros(4 * 125)), "{:?}", waits.iter().max());
}

/// Flows that always have something to send get the same bytes, whatever the size of their
/// packets, to within a quantum and a packet.
#[test]
fn shares_are_equal_in_bytes() {
    let (mut fair, mut trace) = (drop_tails(Limit::Packets(100_000)), Trace::default());
    let sizes = [40, 300, 1000, 1500, 9000];
    for _ in 0..10_000 {
        offer(&mut fair, 0, (0..).zip(sizes), &mut trace);
    }
    let mut sent = [0_u64; 5];
    for _ in 0..5000 {
        let (packet, _) = fair.dequeue(Instant::ZERO, &mut trace).unwrap();
        sent[packet.info.flow as usize] += u64::from(packet.info.bytes);
    }
    let (least, most) = (sent.iter().min().unwrap(), sent.iter().max().unwrap());
    assert!(most - least <= 1514 + 9000, "{sent:?}");
}

/// Where flows come to is a matter of the salt: about `n (1 - e^(-flows/n))` of n queues are used.
#[test]
fn flows_are_hashed_with_a_salt() {
    let fair = |salt| {
        let scheduler = Scheduler { flows: 1024, flow_hashing: FlowHashing::Salted, ..scheduler() };
        FairQueue::<Numbered, _>::new(&scheduler, Limit::Packets(1), salt, |_| DropTail)
    };
    let places = |salt| (0..1000).map(|flow| fair(salt).place_of(flow)).collect::<Vec<_>>();
    assert_eq!(places(1), places(1));
    assert_ne!(places(1), places(2));
    for salt in 0..20 {
        let mut used = places(salt);
        used.sort_unstable();
        used.dedup();
        assert!(*used.last().unwrap() < 1024);
        // 638 on average, with a deviation of 9.6.
        assert!((600..=676).contains(&used.len()), "{} of 1024 are used", used.len());
    }
}

/// PIE of each flow is steered by that flow's delay: the one that queues is signalled, the other
/// is not: FQ-PIE with the numbers of RFC 8033.
#[test]
fn every_flow_has_a_pie_of_its_own() {
    let link = weir_aqm::Link { limit: Limit::Packets(10_000), ..link() };
    let parameters =
        FqPieParameters { flow_hashing: FlowHashing::Modulo, flows: 2, ..FqPieParameters::default() };
    let mut fair = parameters.build(link, Streams::new(1), "aqm");
    let mut trace = Trace::default();
    let mut probabilities = Vec::new();
    // Flow 0 is given 4 packets of 1000 bytes in each interval and loses one: its delay grows.
    for tick in 1..40_u64 {
        for n in 0..4 {
            let info = PacketInfo { flow: 0, ..packet(Ecn::NotEct) };
            fair.enqueue(Numbered { id: 4 * tick + n, info }, millis(15 * tick - 10), &mut trace);
        }
        let info = PacketInfo { flow: 1, ..packet(Ecn::NotEct) };
        fair.enqueue(Numbered { id: 0, info }, millis(15 * tick - 10), &mut trace);
        (0..4).for_each(|_| {
            fair.dequeue(millis(15 * tick - 5), &mut trace);
        });
        assert_eq!(fair.next_update(), Some(millis(15 * tick)));
        fair.update(millis(15 * tick));
        probabilities.push([0, 1].map(|place| crate::support::read(fair.aqm(place), "probability")));
    }
    let [greedy, thin] = probabilities.last().unwrap();
    assert!(*greedy > 0.01 && *thin <= 0.0, "{greedy}, {thin}");
}

/// A flow that was silent for ten seconds, while another one kept its queue, begins anew: AQMs that
/// steer by the backlog see their own.
#[test]
fn silence_is_not_punished_for_what_others_queue() {
    for aqm in ["rem", "pi", "pie", "pi2", "codel"] {
        let aqm = AqmConfig::from_name(aqm).expect("a name of the registry");
        let parameters =
            FqParameters { aqm, flows: 2, flow_hashing: FlowHashing::Modulo, ..FqParameters::default() };
        let link = weir_aqm::Link { limit: Limit::Packets(10_000), rate: rate(8_000_000), ..link() };
        let mut port = Port::new(parameters.build(link, Streams::new(1), "aqm"), link.rate);
        let mut trace = Trace::default();
        let mut arrive = |id, flow, now| {
            port.offer(Numbered { id, info: PacketInfo { flow, ..packet(Ecn::NotEct) } }, now, &mut trace);
        };
        (0..60).for_each(|id| arrive(id, 0, millis(1)));
        // A packet a millisecond is what the link sends: what queues, stays.
        for ms in 2..10_000 {
            arrive(1000 + ms, 1, millis(ms));
        }
        (100_000..100_010).for_each(|id| arrive(id, 0, millis(10_000)));
        let refused = |event: &&Event| matches!(event, Event::Dropped { id: 100_000.., .. });
        assert_eq!(trace.events.iter().filter(refused).count(), 0, "{parameters:?}");
    }
}

/// The AQM of a queue that makes room is told how many packets it lost.
#[test]
fn aqms_hear_of_drops_for_want_of_room() {
    #[derive(Default)]
    struct Mourner(u32);
    impl Aqm for Mourner {
        fn take_over(&mut self, _: &Self) {}

        fn on_overflow(&mut self, packets: u32, _: Instant) {
            self.0 += packets;
        }
    }
    let mut fair = FairQueue::new(&scheduler(), Limit::Packets(10), 1, |_| Mourner::default());
    offer(&mut fair, 0, [(0, 1000); 8].into_iter().chain([(1, 1000); 3]), &mut Trace::default());
    assert_eq!([0, 1].map(|place| fair.aqm(place).0), [4, 0]);
}

/// An arrival that its AQM refuses at an empty queue, which the scheduler will not visit, tells
/// the AQM that its queue is idle.
#[test]
fn a_refusal_at_an_empty_queue_is_told() {
    #[derive(Default)]
    struct Doorman(Vec<Instant>);
    impl Aqm for Doorman {
        fn take_over(&mut self, _: &Self) {}

        fn on_enqueue(&mut self, packet: PacketInfo, _: weir_aqm::Backlog, _: Instant) -> weir_aqm::Verdict {
            if packet.bytes > 1000 { weir_aqm::Verdict::Drop(Reason::Early) } else { weir_aqm::Verdict::Pass }
        }
        fn on_idle(&mut self, now: Instant) {
            self.0.push(now);
        }
    }
    let mut fair = FairQueue::new(&scheduler(), Limit::Packets(10), 1, |_| Doorman::default());
    let mut trace = Trace::default();
    for (at, bytes) in [(1, 1500), (2, 1000), (3, 1500)] {
        let info = PacketInfo { bytes, ..packet(Ecn::NotEct) };
        fair.enqueue(Numbered { id: at, info }, millis(at), &mut trace);
    }
    assert!(fair.dequeue(millis(4), &mut trace).is_some());
    assert!(fair.dequeue(millis(5), &mut trace).is_none());
    assert_eq!(fair.aqm(0).0, [1, 5].map(millis), "once for each time that it is empty");
}

/// Half a kilobyte for each of 1024 queues, and no room for packets that nobody has sent.
#[test]
fn a_thousand_queues_are_not_large() {
    fn size<P: Packet, A: Aqm>(_: &FairQueue<P, A>) -> usize {
        size_of::<A>()
    }
    let codel = FqCodelParameters::default().build::<Numbered>(link(), Streams::new(1), "aqm");
    let pie = FqPieParameters::default().build::<Numbered>(link(), Streams::new(1), "aqm");
    assert!(size(&codel) <= 160 && size(&pie) <= 320, "{}, {}", size(&codel), size(&pie));
}
