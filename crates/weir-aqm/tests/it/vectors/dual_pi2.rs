//! DualPI2 (RFC 9332).

use weir_aqm::{
    Discipline, Limit, Link, PacketInfo, Port, Reason,
    qdisc::{DelayOf, DualPi2, DualPi2Parameters, LowLatency},
};
use weir_types::{Duration, Ecn, Instant, Probability, Streams};

use crate::support::{Event, Numbered, Trace, link, millis, near, packet, rate};

fn build(parameters: &DualPi2Parameters) -> DualPi2<Numbered> {
    let link = Link { limit: Limit::Packets(100_000), ..link() };
    parameters.build(link, Streams::new(1), "aqm")
}

fn dual_pi2() -> DualPi2<Numbered> {
    build(&DualPi2Parameters::default())
}

fn show(dual: &DualPi2<Numbered>, name: &str) -> f64 {
    let mut found = f64::NAN;
    dual.probe(&mut |variable, value| {
        if variable == name {
            found = value;
        }
    });
    found
}

/// The head of the classic line is 16, 31, 31, 10 ms old at the first four updates.
#[test]
fn one_core_steers_both_lines() {
    let (mut dual, mut trace) = (dual_pi2(), Trace::default());
    for (id, (update, age)) in (0..).zip([(16, 16), (32, 31), (48, 31), (64, 10)]) {
        while dual.dequeue(millis(update), &mut trace).is_some() {}
        dual.enqueue(Numbered { id, info: packet(Ecn::NotEct) }, millis(update - age), &mut trace);
        assert_eq!(dual.next_update(), Some(millis(update)));
        dual.update(millis(update));
        let expected = [
            [0.05136, 0.002_637_8, 0.10272],
            [0.10192, 0.010_387_7, 0.20384],
            [0.10448, 0.010_916_1, 0.20896],
            [0.03648, 0.001_330_8, 0.07296],
        ][id as usize];
        for (name, expected) in ["p'", "p_C", "p_CL"].into_iter().zip(expected) {
            near(show(&dual, name), expected, 5e-8);
        }
    }
    assert_eq!(trace.events, [], "a single packet is never signalled");
}

/// The delay is that of C's head, 0 while there is none, or the longer one.
#[test]
fn the_low_latency_line_counts_if_asked() {
    for (delay, expected) in [(DelayOf::Classic, 0.0), (DelayOf::Longer, 0.05136)] {
        let mut dual = build(&DualPi2Parameters { delay, ..DualPi2Parameters::default() });
        let (id, info) = (0, packet(Ecn::Ect1));
        dual.enqueue(Numbered { id, info }, Instant::ZERO, &mut Trace::default());
        dual.update(millis(16));
        near(show(&dual, "p'"), expected, 1e-12);
    }
}

/// `p'` is the age of the classic head in seconds, once.
fn core_at(base: f64, dual: &mut DualPi2<Numbered>) {
    dual.update(Instant::ZERO + Duration::from_secs_f64(base));
    near(show(dual, "p'"), base, 1e-9);
}

fn core_to_set() -> DualPi2Parameters {
    // Nobody is in a hurry here but for what is tested.
    let min_th = Duration::from_secs(10);
    DualPi2Parameters { alpha: 1e-12, beta: 1.0, min_th, ..DualPi2Parameters::default() }
}

/// A standing classic queue is signalled by `p'` squared, the other line by `2 p'`; in overload
/// what was marked is dropped.
#[test]
fn signals_are_coupled() {
    for (base, classic, marks_classic) in [(0.2, 0.04, true), (0.6, 0.36, false)] {
        let (mut dual, mut trace) = (build(&core_to_set()), Trace::default());
        let mut ecn = Vec::new();
        for id in 0..40_000 {
            ecn.push([Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ect1][id as usize % 4]);
            dual.enqueue(Numbered { id, info: packet(ecn[id as usize]) }, Instant::ZERO, &mut trace);
        }
        core_at(base, &mut dual);
        while dual.dequeue(Instant::ZERO, &mut trace).is_some() {}
        let rate = |codepoint, drops| {
            let count = trace.events.iter().filter(|event| match event {
                Event::Dropped { id, .. } => drops && ecn[*id as usize] == codepoint,
                Event::Marked { id, .. } => !drops && ecn[*id as usize] == codepoint,
                _ => false,
            });
            count.count() as f64 / ecn.iter().filter(|other| **other == codepoint).count() as f64
        };
        near(rate(Ecn::NotEct, true), classic, 0.02);
        near(rate(Ecn::Ect0, !marks_classic), classic, 0.02);
        near(rate(Ecn::Ect0, marks_classic), 0.0, 0.0);
        let (dropped, marked) = if marks_classic { (0.0, 2.0 * base) } else { (classic, 1.0 - classic) };
        near(rate(Ecn::Ect1, true), dropped, 0.02);
        near(rate(Ecn::Ect1, false), marked, 0.02);
    }
}

/// Less than two frames left behind in both lines: nothing coupled, but the ramp signals on.
#[test]
fn a_short_queue_is_left_to_the_ramp() {
    for (left, marked) in [(3, false), (4, true)] {
        let (mut dual, mut trace) = (build(&core_to_set()), Trace::default());
        for id in 0..=left {
            dual.enqueue(Numbered { id, info: packet(Ecn::Ect1) }, Instant::ZERO, &mut trace);
        }
        dual.enqueue(Numbered { id: 9, info: packet(Ecn::Ect0) }, Instant::ZERO, &mut trace);
        core_at(0.5, &mut dual);
        // With one classic packet, `left` of 1000 bytes are behind the first; 3028 are two frames.
        dual.dequeue(Instant::ZERO, &mut trace);
        let expected = Event::Marked { id: 0, reason: Reason::Early, now: Instant::ZERO };
        assert_eq!(trace.events.contains(&expected), marked || left + 1 >= 4);
    }
    let (mut dual, mut trace) = (dual_pi2(), Trace::default());
    for id in 0..2 {
        dual.enqueue(Numbered { id, info: packet(Ecn::Ect1) }, Instant::ZERO, &mut trace);
    }
    assert!(dual.dequeue(millis(2), &mut trace).is_some_and(|(packet, _)| packet.info.ecn == Ecn::Ce));
    assert!(dual.dequeue(millis(2), &mut trace).is_some_and(|(packet, _)| packet.info.ecn == Ecn::Ect1));
}

/// The share of marks after waiting for so many microseconds in a line of L packets alone.
fn marked_after(micros: u64, parameters: &DualPi2Parameters) -> f64 {
    let (mut dual, mut trace) = (build(parameters), Trace::default());
    for id in 0..20_000 {
        dual.enqueue(Numbered { id, info: packet(Ecn::Ect1) }, Instant::ZERO, &mut trace);
    }
    let now = Instant::ZERO + Duration::from_micros(micros);
    let taken = std::iter::from_fn(|| dual.dequeue(now, &mut trace));
    taken.filter(|(packet, _)| packet.info.ecn == Ecn::Ce).count() as f64 / 20_000.0
}

#[test]
fn the_low_latency_line_has_a_ramp_or_a_step() {
    let ramp = DualPi2Parameters::default();
    for (micros, expected) in [(799, 0.0), (800, 0.0), (900, 0.25), (1000, 0.5), (1100, 0.75)] {
        near(marked_after(micros, &ramp), expected, 0.015);
    }
    near(marked_after(1200, &ramp), 1.0, 1e-3);
    let (min_th, range) = (Duration::from_millis(1), Duration::ZERO);
    let step = DualPi2Parameters { min_th, range, th_len: 0, ..ramp };
    for (micros, expected) in [(1000, 0.0), (1001, 1.0)] {
        near(marked_after(micros, &step), expected, 0.0);
    }
}

/// Both lines full: the classic one gets its share of the bytes, so that nobody starves.
#[test]
fn the_classic_line_keeps_its_share() {
    for share in [0.1, 0.25, 0.5] {
        let classic_protection = Probability::new(share).unwrap();
        let mut dual = build(&DualPi2Parameters { classic_protection, ..DualPi2Parameters::default() });
        let mut trace = Trace::default();
        for id in 0..40_000 {
            let classic = id % 2 == 0;
            let ecn = if classic { Ecn::NotEct } else { Ecn::Ect1 };
            let info = PacketInfo { bytes: if classic { 500 } else { 1500 }, ..packet(ecn) };
            dual.enqueue(Numbered { id, info }, Instant::ZERO, &mut trace);
        }
        let bytes =
            (0..10_000).map(|_| dual.dequeue(Instant::ZERO, &mut trace).expect("both are full").0.info);
        let (classic, all) = bytes.fold((0, 0), |(classic, all), info| {
            (classic + if info.ecn == Ecn::NotEct { info.bytes } else { 0 }, all + info.bytes)
        });
        near(f64::from(classic) / f64::from(all), share, 0.003);
    }
}

/// L goes first; the credit starts in its favour with 80 frames percent, so C's turn comes after
/// 8 packets of 1514 bytes.
#[test]
fn credit_begins_in_favour_of_low_latency() {
    let (mut dual, mut trace) = (dual_pi2(), Trace::default());
    for id in 0..40 {
        let ecn = if id < 20 { Ecn::NotEct } else { Ecn::Ect1 };
        let info = PacketInfo { bytes: 1514, ..packet(ecn) };
        dual.enqueue(Numbered { id, info }, Instant::ZERO, &mut trace);
    }
    near(show(&dual, "credit"), -0.8 * 1514.0, 1e-9);
    let mut order = || dual.dequeue(Instant::ZERO, &mut trace).unwrap().0.info.ecn == Ecn::NotEct;
    let order: Vec<_> = (0..40).map(|_| order()).collect();
    let turns: Vec<_> = (0..40).filter(|turn| order[*turn]).take(2).collect();
    assert_eq!(turns, [9, 19], "credit 0 is still L's turn");
}

/// CE may have been ECT(1); ECT(0) is classic unless every ECN-capable packet is L's.
#[test]
fn packets_are_classed_by_their_ecn_bits() {
    for (low_latency, expected) in [(LowLatency::Ect1, [0, 0, 1, 1]), (LowLatency::AnyEct, [0, 1, 1, 1])] {
        let found = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce].map(|ecn| {
            let mut dual = build(&DualPi2Parameters { low_latency, ..DualPi2Parameters::default() });
            dual.enqueue(Numbered { id: 0, info: packet(ecn) }, Instant::ZERO, &mut Trace::default());
            show(&dual, "L") as u32
        });
        assert_eq!(found, expected);
    }
}

/// Overloaded with classic packets, a port keeps the low-latency line short.
#[test]
fn low_latency_packets_hardly_wait() {
    let mut port = Port::new(dual_pi2(), rate(64_000_000));
    let mut trace = Trace::default();
    for id in 0..10_000 {
        let info = packet(if id % 5 == 0 { Ecn::Ect1 } else { Ecn::Ect0 });
        port.offer(Numbered { id, info }, Instant::from_nanos(id * 110_000), &mut trace);
    }
    let longest = trace.events.iter().filter_map(|event| match event {
        Event::Sent { id, sojourn, .. } if id % 5 == 0 => Some(*sojourn),
        _ => None,
    });
    assert!(longest.max().expect("some are sent") <= Duration::from_micros(2 * 125));
}
