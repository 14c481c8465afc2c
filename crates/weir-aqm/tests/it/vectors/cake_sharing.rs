//! CAKE shares the rate: among hosts and their flows, sparse flows first, and eight ways for each hash.

use weir_aqm::{
    Discipline, Label, Limit, PacketInfo, Port,
    qdisc::{CakeParameters, Isolation, Tins},
};
use weir_types::{Duration, Ecn, Instant};

use super::cake::{Labelled, Log, build, hash};
use crate::support::{millis, near, packet, rate};

const BITS: u64 = 8_000_000;

/// A flow that always has packets waiting.
#[derive(Clone, Copy)]
pub(super) struct Greedy {
    pub(super) label: Label,
    pub(super) bytes: u32,
}

/// Bytes that each flow sends in ten seconds at 8 Mbit/s, after half a second. Each has four packets in the queue.
pub(super) fn shares(parameters: &CakeParameters, flows: &[Greedy]) -> Vec<f64> {
    let (cake, _) = build(parameters, BITS, Limit::Packets(1000), 2);
    let (mut port, mut sent) = (Port::new(cake, rate(BITS)), vec![0.0; flows.len()]);
    let mut next: Vec<_> = (0..4).flat_map(|_| 0..flows.len()).collect();
    let (mut now, mut log) = (Instant::ZERO, Log::default());
    while now < millis(10_500) {
        for flow in next.drain(..) {
            let Greedy { label, bytes } = flows[flow];
            let info = PacketInfo { bytes, ecn: Ecn::Ect0, flow: flow as u32 };
            port.offer(Labelled { id: 0, info, label }, now, &mut log);
        }
        now = port.next_wake().expect("flows are greedy").max(now);
        port.advance(now, &mut log);
        assert!(log.lost.is_empty(), "it only marks");
        for one in log.sent.drain(..) {
            let flow = one.packet.info.flow as usize;
            next.push(flow);
            if one.start >= millis(500) {
                sent[flow] += f64::from(one.packet.info.bytes);
            }
        }
    }
    let all: f64 = sent.iter().sum();
    sent.into_iter().map(|bytes| bytes / all).collect()
}

fn between(from: u32, to: u32) -> Greedy {
    Greedy { label: Label { from, to, ..Label::default() }, bytes: 1000 }
}

/// The part of the second host where the first has nine flows and the second one.
fn of_the_second(isolation: Isolation, sides: [bool; 2]) -> f64 {
    let host = |number: u32| between(if sides[0] { number } else { 0 }, if sides[1] { number } else { 0 });
    let flows: Vec<_> = [1; 9].into_iter().chain([2]).map(host).collect();
    let tins = Tins::BestEffort;
    shares(&CakeParameters { isolation, tins, ..CakeParameters::default() }, &flows)[9]
}

/// Nine flows of one host against one of another: half each where hosts count, a tenth where they do not. One queue
/// for all gives each flow what it has in it, a tenth as well.
#[test]
fn hosts_have_equal_parts() {
    let (senders, receivers, both) = ([true, false], [false, true], [true, true]);
    for (isolation, sides, part) in [
        (Isolation::Triple, senders, 0.5),
        (Isolation::Triple, receivers, 0.5),
        (Isolation::Triple, both, 0.5),
        (Isolation::Triple, [false, false], 0.1),
        (Isolation::DualSender, senders, 0.5),
        (Isolation::DualSender, receivers, 0.1),
        (Isolation::DualReceiver, receivers, 0.5),
        (Isolation::DualReceiver, senders, 0.1),
        (Isolation::Flows, both, 0.1),
        (Isolation::Sender, senders, 0.5),
        (Isolation::Sender, receivers, 0.1),
        (Isolation::Receiver, receivers, 0.5),
        (Isolation::Receiver, senders, 0.1),
        (Isolation::Pair, both, 0.5),
        (Isolation::Pair, senders, 0.1),
        (Isolation::Pair, [false, false], 0.1),
        (Isolation::FlowBlind, both, 0.1),
    ] {
        let second = of_the_second(isolation, sides);
        assert!((second - part).abs() < 0.01, "{second} under {isolation:?} by {sides:?}");
    }
}

/// Flows 1 to X, 1 to Y and 2 to X: by senders 1/4, 1/4 and 1/2, by receivers 1/4, 1/2 and 1/4. If both count, the
/// busier host of each has two flows: a third each.
#[test]
fn the_busier_host_counts() {
    let flows = [between(1, 8), between(1, 9), between(2, 8)];
    for (isolation, expected) in [
        (Isolation::DualSender, [0.25, 0.25, 0.5]),
        (Isolation::DualReceiver, [0.25, 0.5, 0.25]),
        (Isolation::Triple, [1.0 / 3.0; 3]),
        (Isolation::Flows, [1.0 / 3.0; 3]),
    ] {
        let shares = shares(&CakeParameters { isolation, ..CakeParameters::default() }, &flows);
        for (share, expected) in shares.into_iter().zip(expected) {
            near(share, expected, 0.005);
        }
    }
}

/// Parts are equal in bytes: small packets are as good as large ones.
#[test]
fn small_packets_have_the_same_part() {
    let sized = |bytes| Greedy { bytes, ..between(0, 0) };
    for share in shares(&CakeParameters::default(), &[sized(100), sized(700), sized(1514)]) {
        near(share, 1.0 / 3.0, 0.01);
    }
}

/// A thin flow never waits for more than the packet on the wire, whatever the others have in the queue. At 8 Mbit/s
/// a round is 300 bytes, so a flow with a packet of 200 bytes stays sparse.
#[test]
fn sparse_flows_go_first() {
    let (cake, _) = build(&CakeParameters::default(), BITS, Limit::Packets(1000), 1);
    let (mut port, mut log) = (Port::new(cake, rate(BITS)), Log::default());
    let mut thin = Vec::new();
    for step in 0..20_000_u64 {
        let now = Instant::from_nanos(step * 500_000);
        let (flow, bytes) = if step % 40 == 0 { (7, 200) } else { ((step % 3) as u32, 1000) };
        let info = PacketInfo { bytes, ecn: Ecn::Ect0, flow };
        port.offer(Labelled { id: step, info, label: Label::default() }, now, &mut log);
        let mine = log.sent.drain(..).filter(|sent| sent.packet.info.flow == 7);
        thin.extend(mine.map(|sent| sent.start.since(Instant::from_nanos(sent.packet.id * 500_000))));
        assert!(log.lost.iter().all(|packet| packet.info.flow != 7));
    }
    assert!(thin.len() >= 499, "{}", thin.len());
    let most = thin.iter().max().expect("there are some");
    assert!(*most <= Duration::from_millis(1), "{most}");
}

/// Flows whose hashes fall into one set of eight, by the way in it.
fn of_one_set(salt: u64) -> Vec<(u32, u32)> {
    (0..)
        .map(|flow| (flow, hash(u64::from(flow), salt) % 1024))
        .filter(|(_, place)| place / 8 == 5)
        .take(9)
        .collect()
}

/// Eight flows of one set have a queue each, wherever in the set they belong. The ninth shares the queue at its own
/// place: 2 packets wait there, and then both leave in one turn.
#[test]
fn eight_flows_of_one_set_never_share_a_queue() {
    for seed in 0..50 {
        let parameters = CakeParameters { tins: Tins::BestEffort, ..CakeParameters::default() };
        let (mut cake, salt) = build(&parameters, 1_000_000_000, Limit::Packets(1000), seed);
        let (flows, mut log) = (of_one_set(salt), Log::default());
        let mut places = [None; 8];
        for (number, (flow, place)) in flows.iter().copied().enumerate() {
            let info = PacketInfo { flow, bytes: 700, ..packet(Ecn::NotEct) };
            let one = Labelled { id: 0, info, label: Label::default() };
            cake.enqueue(one, Instant::ZERO, &mut log);
            let mut sparse = 0.0;
            cake.probe(&mut |name, value| {
                if name == "sparse_flows" {
                    sparse = value;
                }
            });
            near(sparse, (number + 1).min(8) as f64, 0.0);
            if number < 8 {
                let free = (0..8).map(|way| (place as usize + way) % 8).find(|way| places[*way].is_none());
                places[free.expect("one is left")] = Some(flow);
            }
        }
        let host = places[flows[8].1 as usize % 8].expect("all are taken");
        let order: Vec<_> =
            (0..9).map(|_| cake.dequeue(Instant::ZERO, &mut log).expect("nine wait").0.info.flow).collect();
        let mut expected: Vec<_> = flows[..8].iter().map(|(flow, _)| *flow).collect();
        let after = expected.iter().position(|flow| *flow == host).expect("it is one of them") + 1;
        expected.insert(after, flows[8].0);
        assert_eq!(order, expected, "seed {seed}");
    }
}
