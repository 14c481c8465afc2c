//! CoDel: RFC 8289 and Linux's arithmetic, and the scenarios of ns-3's own test suite.

use weir_aqm::{
    Aqm, Backlog, Discipline, Limit, Reason, Verdict,
    aqm::{Codel, CodelParameters, InvSqrt},
    qdisc::Fifo,
};
use weir_types::{Duration, Ecn, Instant};

use crate::support::{Event, Numbered, Trace, link, millis, near, packet, read, stream, waiting};

const LONG: Duration = Duration::from_millis(50);

fn build(parameters: &CodelParameters) -> Codel {
    parameters.build(link(), stream("codel"))
}

/// Asked every 10 us of a head that has waited for 50 ms: the signals, in ms.
fn signals_of_a_standing_queue(codel: &mut Codel, ecn: Ecn) -> Vec<f64> {
    let instants = (0..60_000).map(|step| Instant::ZERO + Duration::from_micros(10 * step));
    let signals =
        instants.filter(|now| codel.on_dequeue(packet(ecn), LONG, waiting(100), *now) != Verdict::Pass);
    signals.map(|now| now.as_secs_f64() * 1e3).collect()
}

/// The gaps under lasting overload are 100 ms over the roots of 1, 2, 3, 4, 5, whether packets are
/// dropped or marked. With Linux's arithmetic the second is 29% short.
#[test]
fn signals_come_at_the_roots() {
    let exact = [0.0, 100.0, 170.711, 228.446, 278.446, 323.167];
    let newton16 = [0.0, 99.998, 150.00, 206.25, 255.03, 299.18];
    for (invsqrt, expected) in [(InvSqrt::Exact, exact), (InvSqrt::Newton16, newton16)] {
        for ecn in [false, true] {
            let mut codel = build(&CodelParameters { invsqrt, ecn, ..CodelParameters::default() });
            let signals = signals_of_a_standing_queue(&mut codel, Ecn::Ect0);
            assert!(signals.len() > expected.len());
            for (signal, expected) in signals.iter().zip(expected) {
                // What is due between two questions comes with the later one.
                near(*signal, 100.0 + expected + 0.005, 0.011);
            }
        }
    }
}

/// Linux's 1/sqrt(count) after each change, from its arithmetic on 16 bits: within 3% from
/// the third signal on.
#[test]
fn newton16_is_near_the_root() {
    let mut codel = build(&CodelParameters { invsqrt: InvSqrt::Newton16, ..CodelParameters::default() });
    let mut gaps = signals_of_a_standing_queue(&mut codel, Ecn::NotEct);
    gaps = gaps.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let errors = gaps.iter().zip(1..).map(|(gap, count)| gap / (100.0 / f64::from(count).sqrt()) - 1.0);
    for (error, expected) in errors.zip([0.0, -0.29, -0.026, -0.024, -0.013, -0.010]) {
        near(error, expected, 0.003);
    }
}

/// A sojourn below target, or a backlog of one MTU behind the head, ends it at once.
#[test]
fn a_short_queue_is_left_alone() {
    for (sojourn, queue) in [(Duration::from_micros(4_999), waiting(100)), (LONG, waiting(1))] {
        let mut codel = build(&CodelParameters::default());
        for step in 0..10 {
            codel.on_dequeue(packet(Ecn::Ect0), LONG, waiting(100), millis(50 * step));
        }
        let count = read(&codel, "count");
        assert!(count > 1.0);
        assert_eq!(codel.on_dequeue(packet(Ecn::Ect0), sojourn, queue, millis(500)), Verdict::Pass);
        assert_eq!(codel.on_dequeue(packet(Ecn::Ect0), LONG, waiting(100), millis(501)), Verdict::Pass);
        near(read(&codel, "count"), count, 0.0);
        near(read(&codel, "dropping"), 0.0, 0.0);
    }
}

/// Back within 16 intervals, signals begin at the pace that they had gained since they last
/// began; later, with one.
#[test]
fn a_pace_is_remembered_for_sixteen_intervals() {
    for (pause, expected) in [(1_000, 5.0), (2_000, 1.0)] {
        let mut codel = build(&CodelParameters::default());
        // Signals at 100, 200, 271, 329, 379, 423: count reaches 6, from 1.
        let mut ask = |now| codel.on_dequeue(packet(Ecn::NotEct), LONG, waiting(100), millis(now));
        assert_eq!((0..430).filter(|now| ask(*now) != Verdict::Pass).count(), 6);
        codel.on_idle(millis(430));
        let mut ask = |now| codel.on_dequeue(packet(Ecn::NotEct), LONG, waiting(100), millis(now));
        assert_eq!(ask(430 + pause), Verdict::Pass);
        assert_eq!(ask(530 + pause), Verdict::Drop(Reason::Early));
        near(read(&codel, "count"), expected, 0.0);
        near(read(&codel, "lastcount"), expected, 0.0);
    }
}

/// In a fair queue: what was dropped to make room counts as signals (Linux, `fq_codel`), and the
/// pace follows, with either arithmetic.
#[test]
fn drops_for_want_of_room_are_counted() {
    for invsqrt in [InvSqrt::Exact, InvSqrt::Newton16] {
        let mut codel = build(&CodelParameters { invsqrt, ..CodelParameters::default() });
        codel.on_overflow(64, millis(1));
        near(read(&codel, "count"), 64.0, 0.0);
        let mut ask = |now| codel.on_dequeue(packet(Ecn::NotEct), LONG, waiting(100), millis(now));
        let signals: Vec<_> = (2..160).filter(|now| ask(*now) != Verdict::Pass).collect();
        // 100 ms over the roots of 64, 65, 66, 67.
        assert_eq!(signals, [102, 115, 127, 140, 152]);
        near(read(&codel, "count"), 68.0, 0.0);
        codel.on_overflow(64, millis(160));
        let mut ask = |now| codel.on_dequeue(packet(Ecn::NotEct), LONG, waiting(100), millis(now));
        let signals: Vec<_> = (160..200).filter(|now| ask(*now) != Verdict::Pass).collect();
        assert_eq!(signals, [164, 173, 181, 190, 199]);
    }
}

/// A sojourn of exactly the target is too long, and an MTU that is left is not.
#[test]
fn bounds_belong_to_one_side() {
    let mut codel = build(&CodelParameters::default());
    let target = Duration::from_millis(5);
    let mtu = |bytes| Backlog { bytes, ..waiting(2) };
    for (bytes, expected) in [(1514, Verdict::Pass), (1515, Verdict::Drop(Reason::Early))] {
        codel.on_dequeue(packet(Ecn::NotEct), target, mtu(bytes), Instant::ZERO);
        let verdict = codel.on_dequeue(packet(Ecn::NotEct), target, mtu(bytes), millis(100));
        assert_eq!(verdict, expected);
    }
}

/// Twenty packets of 1000 bytes that came at once, so many of them ECN-capable, and the
/// transmitter asks at these instants: what happened, call by call, as drops, marks by the AQM,
/// marks by the threshold.
fn twenty_packets(parameters: &CodelParameters, ect: u64, calls: &[u64]) -> Vec<(usize, usize, usize)> {
    let mut fifo = Fifo::new(build(parameters), Limit::Packets(500));
    let mut trace = Trace::default();
    for id in 0..20 {
        let info = packet(if id < ect { Ecn::Ect0 } else { Ecn::NotEct });
        fifo.enqueue(Numbered { id, info }, Instant::ZERO, &mut trace);
    }
    let count = |call: &u64| {
        let mut trace = Trace::default();
        fifo.dequeue(millis(*call), &mut trace).expect("there are enough");
        let of = |wanted: fn(&Event) -> bool| trace.events.iter().filter(|event| wanted(event)).count();
        (
            of(|event| matches!(event, Event::Dropped { .. })),
            of(|event| matches!(event, Event::Marked { reason: Reason::Early, .. })),
            of(|event| matches!(event, Event::Marked { reason: Reason::Forced, .. })),
        )
    };
    calls.iter().map(count).collect()
}

/// The scenarios of ns-3's test suite for CoDel, with Linux's arithmetic (tests 5 and 6). The
/// last call of the first tells the two kinds of arithmetic apart. ns-3 counts a packet that
/// both marked twice; here the AQM's mark is the one that is told.
#[test]
fn the_scenarios_of_ns3() {
    let newton16 = CodelParameters { invsqrt: InvSqrt::Newton16, ..CodelParameters::default() };
    let calls = [10, 210, 210, 420];
    assert_eq!(twenty_packets(&newton16, 0, &calls), [(0, 0, 0), (1, 0, 0), (0, 0, 0), (3, 0, 0)]);
    let exact = CodelParameters::default();
    assert_eq!(twenty_packets(&exact, 0, &calls), [(0, 0, 0), (1, 0, 0), (0, 0, 0), (2, 0, 0)]);

    let marking = CodelParameters { ecn: true, ..newton16 };
    assert_eq!(twenty_packets(&marking, 20, &calls), [(0, 0, 0), (0, 1, 0), (0, 0, 0), (0, 1, 0)]);
    let threshold = CodelParameters { ce_threshold: Some(Duration::from_millis(2)), ..marking };
    assert_eq!(twenty_packets(&threshold, 3, &calls), [(0, 0, 1), (0, 1, 0), (0, 0, 1), (3, 0, 0)]);
    let calls = [1, 3, 10, 210];
    assert_eq!(twenty_packets(&threshold, 20, &calls), [(0, 0, 0), (0, 0, 1), (0, 0, 1), (0, 1, 0)]);
}

/// The threshold marks without `ecn` too, strictly above it, and spares what cannot be marked.
#[test]
fn the_threshold_is_apart_from_the_aqm() {
    let threshold = Duration::from_millis(2);
    let mut codel = build(&CodelParameters { ce_threshold: Some(threshold), ..CodelParameters::default() });
    let mut ask = |sojourn, ecn| codel.on_dequeue(packet(ecn), sojourn, waiting(100), Instant::ZERO);
    assert_eq!(ask(threshold, Ecn::Ect1), Verdict::Pass);
    let above = threshold + Duration::from_nanos(1);
    assert_eq!(ask(above, Ecn::Ect1), Verdict::Mark(Reason::Forced));
    assert_eq!(ask(above, Ecn::NotEct), Verdict::Pass);
}

/// One AQM for each flow of a fair queue.
#[test]
fn a_thousand_of_them_are_small() {
    assert!(size_of::<Codel>() <= 128, "{}", size_of::<Codel>());
}
