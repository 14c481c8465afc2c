//! CAKE's shaper, its bytes on the wire, its memory, and COBALT's times at low rates.

use weir_aqm::{
    Discipline, Label, Limit, PacketInfo, Port,
    qdisc::{Cake, CakeParameters, Carrier, Tins},
};
use weir_types::{Bytes, Duration, Ecn, Instant, Probability};

use super::cake::{Labelled, Log, build};
use crate::support::{millis, near, packet, rate};

const MS: u64 = 1_000_000;

/// A shaper of 8 Mbit/s: a microsecond a byte.
fn shaper() -> CakeParameters {
    CakeParameters { bandwidth: Some(rate(8_000_000)), tins: Tins::BestEffort, ..CakeParameters::default() }
}

fn one(id: u64, bytes: u32) -> Labelled {
    Labelled { id, info: PacketInfo { bytes, ..packet(Ecn::NotEct) }, label: Label::default() }
}

/// When packets start behind a link of 80 Mbit/s, in microseconds, if they arrive at these instants.
fn starts(parameters: &CakeParameters, limit: u32, arrivals: &[(u64, u32)]) -> Vec<u64> {
    let (cake, _) = build(parameters, 80_000_000, Limit::Packets(limit), 1);
    let (mut port, mut log) = (Port::new(cake, rate(80_000_000)), Log::default());
    for (id, (at, bytes)) in (0..).zip(arrivals) {
        port.offer(one(id, *bytes), Instant::from_nanos(at * 1000), &mut log);
    }
    port.advance(millis(10_000), &mut log);
    log.sent.iter().map(|sent| sent.start.as_nanos() / 1000).collect()
}

/// Packets leave as the bandwidth has it, not the link. Time that nobody used is lost.
#[test]
fn packets_are_paced() {
    let burst = |at| (0..3).map(move |_| (at, 1000));
    let arrivals: Vec<_> =
        burst(0).chain(burst(10_000)).chain([(12_500, 500), (12_600, 100), (20_000, 1)]).collect();
    let expected = [0, 1000, 2000, 10_000, 11_000, 12_000, 13_000, 13_500, 20_000];
    assert_eq!(starts(&shaper(), 100, &arrivals), expected);
}

/// A debt outlasts an empty queue.
#[test]
fn a_debt_stays() {
    assert_eq!(starts(&shaper(), 100, &[(0, 1000), (400, 1000), (1100, 1000)]), [0, 1000, 2000]);
}

/// Second packets start when the first has left the wire: bytes with their frame.
#[test]
fn frames_are_counted() {
    let plain = shaper();
    let framed = |overhead, mpu, carrier| CakeParameters {
        overhead: Bytes(overhead),
        mpu: Bytes(mpu),
        carrier,
        ..plain.clone()
    };
    for (parameters, bytes, on_the_wire) in [
        (framed(38, 84, Carrier::Plain), 1000, 1038),
        (framed(38, 84, Carrier::Plain), 40, 84),
        (framed(38, 84, Carrier::Plain), 46, 84),
        (framed(38, 84, Carrier::Plain), 47, 85),
        // 1044 bytes are 21 cells and 36 bytes, 960 are 20 cells.
        (framed(44, 0, Carrier::Atm), 1000, 22 * 53),
        (framed(44, 0, Carrier::Atm), 916, 20 * 53),
        (framed(44, 0, Carrier::Atm), 917, 21 * 53),
        (framed(0, 96, Carrier::Atm), 1, 2 * 53),
        // A byte for each 64 of 1022 (15.97) and of 1024 and 1025.
        (framed(22, 0, Carrier::Ptm), 1000, 1022 + 16),
        (framed(22, 0, Carrier::Ptm), 1002, 1024 + 16),
        (framed(22, 0, Carrier::Ptm), 1003, 1025 + 17),
    ] {
        assert_eq!(starts(&parameters, 100, &[(0, bytes), (0, 1)]), [0, on_the_wire], "{parameters:?}");
    }
}

/// Bytes of a frame count for the turns of flows, too: packets of 100 bytes take two cells, 106 bytes.
#[test]
fn frames_are_paid_by_flows() {
    let (mut cake, _) =
        build(&CakeParameters { carrier: Carrier::Atm, ..shaper() }, 80_000_000, Limit::Packets(90), 1);
    let mut log = Log::default();
    for id in 0..20 {
        let info = PacketInfo { bytes: 90, flow: (id % 2) as u32, ..packet(Ecn::NotEct) };
        cake.enqueue(Labelled { id, info, label: Label::default() }, Instant::ZERO, &mut log);
    }
    // 300 bytes are two packets and 88 bytes: a third goes, and 18 bytes are owed. Plain, a fourth would.
    let flows = (0..6).map(|_| cake.dequeue(Instant::ZERO, &mut log).expect("twenty wait").0.info.flow);
    assert_eq!(flows.collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1]);
}

/// Three of five packets wait; the second is dropped for want of room. It passed the line, and takes its millisecond:
/// the third packet would start at 2 ms, but no later than one and a half packet times. Its own share is then paid.
#[test]
fn drops_take_time_behind_the_bottleneck() {
    let burst = [(0, 1000); 5];
    let behind = CakeParameters { ingress: true, ..shaper() };
    assert_eq!(starts(&shaper(), 3, &burst), [0, 1000, 2000, 3000]);
    assert_eq!(starts(&behind, 3, &burst), [0, 1500, 3000, 4000]);
}

/// However many are dropped, a packet is late by half its own time at most.
#[test]
fn drops_delay_by_half_a_packet_time() {
    let behind = CakeParameters { ingress: true, ..shaper() };
    let arrivals: Vec<_> = (0..400).map(|id| (id * 20, 1000)).collect();
    let starts = starts(&behind, 2, &arrivals);
    assert_eq!(starts, [0, 1500, 3000, 4500, 6000, 7500, 9000, 10_500][..starts.len()]);
    assert!(starts.len() >= 7, "{starts:?}");
}

fn probe(cake: &Cake<Labelled>, wanted: &str) -> f64 {
    let mut found = None;
    cake.probe(&mut |name, value| {
        if name == wanted {
            found = Some(value);
        }
    });
    found.expect("it is recorded")
}

fn slow(bits: u64) -> CakeParameters {
    CakeParameters { bandwidth: Some(rate(bits)), ..shaper() }
}

/// At 1 Mbit/s a frame of 1514 bytes takes 12.112 ms: a wait is too long from four of them on, 48.448 ms. At 8 Mbit/s
/// it takes 1.514 ms, and four of them 6.056. At 100 Mbit/s the target of 5 ms is longer.
#[test]
fn four_frames_may_wait() {
    for (bits, nanos) in [(1_000_000, 48_448_000), (8_000_000, 6_056_000), (100_000_000, 5_000_000)] {
        for (late, count) in [(0, 0.0), (1, 1.0)] {
            let (mut cake, _) = build(&slow(bits), bits, Limit::Packets(100), 1);
            let mut log = Log::default();
            (0..3).for_each(|id| cake.enqueue(one(id, 100), Instant::ZERO, &mut log));
            cake.dequeue(Instant::from_nanos(nanos + late), &mut log).expect("three wait");
            near(probe(&cake, "count"), count, 0.0);
        }
    }
}

/// Behind the bottleneck, two frames for each bulk flow may wait. With 3 bulk flows these are 6 frames, or
/// 9.084 ms at 8 Mbit/s.
#[test]
fn two_frames_of_each_bulk_flow_may_wait() {
    for (late, count) in [(0, 0.0), (1, 1.0)] {
        let behind = CakeParameters { ingress: true, ..shaper() };
        let (mut cake, _) = build(&behind, 8_000_000, Limit::Packets(100), 1);
        let mut log = Log::default();
        for flow in [0, 1, 2, 0, 1, 2, 0, 1, 2] {
            let info = PacketInfo { flow, ..packet(Ecn::NotEct) };
            cake.enqueue(Labelled { id: 0, info, label: Label::default() }, Instant::ZERO, &mut log);
        }
        // Each has sent one, is in debt, and becomes bulk in the fourth call.
        (0..4).for_each(|_| assert!(cake.dequeue(Instant::ZERO, &mut log).is_some()));
        near(probe(&cake, "bulk_flows"), 3.0, 0.0);
        cake.dequeue(Instant::from_nanos(9_084_000 + late), &mut log).expect("some wait");
        near(probe(&cake, "count"), count, 0.0);
    }
}

/// `p_drop` rises once per target: one and a half frames, 18.168 ms at 1 Mbit/s, and 5 ms at 100 Mbit/s.
#[test]
fn the_target_is_one_and_a_half_frames() {
    for (bits, target) in [(1_000_000, 18_168_000), (100_000_000, 5_000_000)] {
        for (late, steps) in [(0, 1.0), (1, 2.0)] {
            let (mut cake, _) = build(&slow(bits), bits, Limit::Packets(2), 1);
            let mut log = Log::default();
            let begin = 100 * MS;
            for (id, at) in [(0, begin), (1, begin), (2, begin), (3, begin + target + late)] {
                cake.enqueue(one(id, 100), Instant::from_nanos(at), &mut log);
            }
            assert_eq!(log.lost.len(), 2);
            near(probe(&cake, "p_drop"), steps / 256.0, 0.0);
        }
    }
}

/// Asserts that a flow without congestion rests for `interval` ns after its last packet at a rate of `bits`. Up to then
/// its empty queue decays.
fn rests(bits: u64, interval: u64) {
    for (early, decaying) in [(1, 2.0), (0, 1.0)] {
        let (mut cake, _) = build(&slow(bits), bits, Limit::Packets(9), 1);
        let mut log = Log::default();
        for (flow, at) in [(0, 0), (1, MS), (2, interval - early)] {
            let info = PacketInfo { flow, bytes: 100, ..packet(Ecn::NotEct) };
            let now = Instant::from_nanos(at);
            cake.enqueue(Labelled { id: 0, info, label: Label::default() }, now, &mut log);
            cake.dequeue(now, &mut log).expect("one waits");
        }
        near(probe(&cake, "decaying_flows"), decaying, 0.0);
    }
}

/// At 1 Mbit/s the 100 ms grow by what the target does, to 113.168 ms.
#[test]
fn the_interval_grows_with_the_target() {
    rests(1_000_000, 113_168_000);
    rests(100_000_000, 100_000_000);
}

/// At 64 kbit/s a frame takes 189.25 ms: the target is 283.875 ms, and the interval at least twice that.
#[test]
fn the_interval_is_at_least_two_targets() {
    rests(64_000, 567_750_000);
}

/// An overflow makes `p_drop` 1 here, and Blue drops all packets but the last of a queue.
#[test]
fn the_last_packet_is_never_dropped() {
    for ingress in [false, true] {
        let parameters = CakeParameters { increment: Probability::constant(1.0), ingress, ..shaper() };
        let (mut cake, _) = build(&parameters, 8_000_000, Limit::Packets(10), 1);
        let mut log = Log::default();
        for id in 0..11 {
            cake.enqueue(one(id, 100), millis(100), &mut log);
        }
        let (packet, _) = cake.dequeue(millis(100), &mut log).expect("ten wait");
        assert_eq!(packet.id, 10);
        assert_eq!(log.lost.iter().map(|packet| packet.id).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
        assert_eq!(cake.backlog().packets, 0);
    }
}

/// Packets of 1000 bytes for which there is room: 4 round trips of the rate, at least 4 MiB, at most 10,240 frames of
/// 1514 bytes.
#[test]
fn memory_is_four_round_trips() {
    let memory = |bits, parameters: CakeParameters| {
        let (mut cake, _) = build(&parameters, bits, Limit::Packets(100_000), 1);
        let mut log = Log::default();
        let fits = (0..100_000).find(|id| {
            cake.enqueue(one(*id, 1000), Instant::ZERO, &mut log);
            !log.lost.is_empty()
        });
        fits.expect("it ends some time")
    };
    let plain = CakeParameters::default;
    assert_eq!(memory(8_000_000, plain()), 4194);
    assert_eq!(memory(100_000_000, plain()), 5000);
    assert_eq!(memory(1_000_000_000, plain()), 15_503);
    assert_eq!(memory(1_000_000_000, CakeParameters { rtt: Duration::from_millis(20), ..plain() }), 10_000);
    assert_eq!(memory(8_000_000, CakeParameters { unlimited: true, ..plain() }), 15_503);
    assert_eq!(memory(8_000_000, CakeParameters { bandwidth: Some(rate(200_000_000)), ..plain() }), 10_000);
    assert_eq!(memory(8_000_000, CakeParameters { memory_limit: Some(Bytes(20_000)), ..plain() }), 20);
}
