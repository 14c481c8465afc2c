//! DualPI2 (RFC 9332): two lines with one PI core between them. Low-latency packets (ECT(1)
//! and CE) are marked with a probability proportional to that of the classic ones, whose own
//! is the square of the core's, and are sent first, most of the time.

use proptest::prelude::*;
use weir_aqm::{Backlog, Discipline, Limit, Observer, Packet, PacketInfo, Port, Reason, disciplines::Line};
use weir_types::{Duration, Ecn, Instant, Rate, Rng, Streams};

use crate::{
    contracts::{Rules, depends_on_nothing_but_arrivals, keeps_its_word, operations},
    no_alloc::{LIMIT, allocates_nothing},
    support::{Event, Numbered, Trace, millis, near, packet, rate},
};

const TARGET: Duration = Duration::from_millis(15);
const INTERVAL: Duration = Duration::from_millis(16);
/// Hertz.
const ALPHA: f64 = 0.16;
const BETA: f64 = 3.2;
const COUPLING: f64 = 2.0;
const MTU: i64 = 1514;
/// Of ten parts of the link under load, the classic line has one.
const CLASSIC_SHARE: i64 = 10;
/// The low-latency line's own ramp begins here and is this wide.
const RAMP: Duration = Duration::from_micros(800);
const RAMP_WIDTH: Duration = Duration::from_micros(400);

struct DualPi2<P> {
    low_latency: Line<P>,
    classic: Line<P>,
    limit: Limit,
    /// The PI controller's `p'`.
    base: f64,
    last_delay: Duration,
    /// Positive while it is the classic line's turn.
    credit: i64,
    update_at: Instant,
    rng: Rng,
}

/// What a line's packet is in for.
enum Fate {
    Pass,
    Mark,
    Drop,
}

impl<P: Packet> DualPi2<P> {
    fn new(limit: Limit, rng: Rng) -> Self {
        Self {
            low_latency: Line::new(),
            classic: Line::new(),
            limit,
            base: 0.0,
            last_delay: Duration::ZERO,
            credit: FIRST_CREDIT,
            update_at: Instant::ZERO + INTERVAL,
            rng,
        }
    }

    fn is_overloaded(&self) -> bool {
        COUPLING * self.base > 1.0
    }

    /// Two draws of `p'`: the square without multiplying.
    fn classic_draw(&mut self) -> bool {
        let (first, second) = (self.rng.uniform(), self.rng.uniform());
        first.max(second) < self.base
    }

    fn low_latency_fate(&mut self, sojourn: Duration) -> Fate {
        let coupled = if self.is_short() { 0.0 } else { COUPLING * self.base };
        if self.is_overloaded() && !self.is_short() {
            return if self.classic_draw() { Fate::Drop } else { Fate::Mark };
        }
        let behind = self.low_latency.backlog(self.limit).packets;
        let above = sojourn.saturating_sub(RAMP).as_secs_f64() / RAMP_WIDTH.as_secs_f64();
        let native = if behind > 0 { above.min(1.0) } else { 0.0 };
        if self.rng.chance(native.max(coupled)) { Fate::Mark } else { Fate::Pass }
    }

    fn classic_fate(&mut self, ecn: Ecn) -> Fate {
        if self.is_short() || !self.classic_draw() {
            Fate::Pass
        } else if ecn.is_markable() && !self.is_overloaded() {
            Fate::Mark
        } else {
            Fate::Drop
        }
    }

    /// What is left does not fill two packets: only the low-latency ramp may signal.
    fn is_short(&self) -> bool {
        self.backlog().bytes < 2 * MTU as u64
    }
}

/// The low-latency line begins.
const FIRST_CREDIT: i64 = MTU * (CLASSIC_SHARE - (100 - CLASSIC_SHARE));

const fn is_low_latency(ecn: Ecn) -> bool {
    matches!(ecn, Ecn::Ect1 | Ecn::Ce)
}

impl<P: Packet> Discipline<P> for DualPi2<P> {
    fn enqueue(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) {
        let info = packet.info();
        if self.backlog().overflows(info.bytes) {
            return observer.dropped(packet, Reason::Overflow, false, now);
        }
        let line = if is_low_latency(info.ecn) { &mut self.low_latency } else { &mut self.classic };
        line.push(packet, now);
    }

    fn dequeue(&mut self, now: Instant, observer: &mut impl Observer<P>) -> Option<(P, Duration)> {
        loop {
            let first = self.low_latency.head_arrived().is_some()
                && (self.classic.head_arrived().is_none() || self.credit <= 0);
            let line = if first { &mut self.low_latency } else { &mut self.classic };
            let Some((mut packet, arrived)) = line.pop() else {
                self.credit = FIRST_CREDIT;
                return None;
            };
            let (info, sojourn) = (packet.info(), now.since(arrived));
            let fate = if first { self.low_latency_fate(sojourn) } else { self.classic_fate(info.ecn) };
            match fate {
                Fate::Pass => {}
                Fate::Mark => {
                    packet.mark();
                    observer.marked(&packet, Reason::Early, now);
                }
                Fate::Drop => {
                    observer.dropped(packet, Reason::Early, true, now);
                    continue;
                }
            }
            let bytes = i64::from(info.bytes);
            if first && self.classic.head_arrived().is_some() {
                self.credit += CLASSIC_SHARE * bytes;
            } else if !first && self.low_latency.head_arrived().is_some() {
                self.credit -= (100 - CLASSIC_SHARE) * bytes;
            }
            return Some((packet, sojourn));
        }
    }

    fn backlog(&self) -> Backlog {
        let (low, classic) = (self.low_latency.backlog(self.limit), self.classic.backlog(self.limit));
        Backlog {
            packets: low.packets + classic.packets,
            bytes: low.bytes + classic.bytes,
            limit: self.limit,
        }
    }

    fn next_update(&self) -> Option<Instant> {
        Some(self.update_at)
    }

    fn update(&mut self, now: Instant) {
        let delay = self.classic.head_arrived().map_or(Duration::ZERO, |arrived| now.since(arrived));
        let (current, last) = (delay.as_secs_f64(), self.last_delay.as_secs_f64());
        let step = ALPHA * (current - TARGET.as_secs_f64()) + BETA * (current - last);
        self.base = (self.base + step).clamp(0.0, 1.0);
        self.last_delay = delay;
        self.update_at = now + INTERVAL;
    }

    fn on_rate(&mut self, _: Rate, _: Instant) {}

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("p'", self.base);
        record("p_C", self.base * self.base);
        record("p_CL", COUPLING * self.base);
    }
}

fn dual_pi2<P: Packet>(seed: u64) -> DualPi2<P> {
    DualPi2::new(LIMIT, Streams::new(seed).at("aqm"))
}

/// The head of the classic line is 16, 31, 31, 10 ms old at the first four updates.
#[test]
fn one_core_steers_both_lines() {
    let mut dual = dual_pi2(1);
    let mut trace = Trace::default();
    for (id, (update, age)) in (0..).zip([(16, 16), (32, 31), (48, 31), (64, 10)]) {
        while dual.dequeue(millis(update), &mut trace).is_some() {}
        dual.enqueue(Numbered { id, info: packet(Ecn::NotEct) }, millis(update - age), &mut trace);
        assert_eq!(dual.next_update(), Some(millis(update)));
        dual.update(millis(update));
        let mut read = [0.0; 3];
        let mut next = 0;
        dual.probe(&mut |_, value| {
            read[next] = value;
            next += 1;
        });
        let expected = [
            [0.05136, 0.002_637_8, 0.10272],
            [0.10192, 0.010_387_7, 0.20384],
            [0.10448, 0.010_916_1, 0.20896],
            [0.03648, 0.001_330_8, 0.07296],
        ][id as usize];
        for (value, expected) in read.into_iter().zip(expected) {
            near(value, expected, 5e-8);
        }
    }
    assert_eq!(trace.events, [], "a single packet is never signalled");
}

/// Both lines full: the classic one gets a tenth of the link, so that nobody starves.
#[test]
fn the_classic_line_keeps_a_tenth() {
    let mut dual = DualPi2::new(Limit::Packets(100_000), Streams::new(1).at("aqm"));
    let mut trace = Trace::default();
    for id in 0..20_000 {
        let info = packet(if id % 2 == 0 { Ecn::Ect1 } else { Ecn::NotEct });
        dual.enqueue(Numbered { id, info }, Instant::ZERO, &mut trace);
    }
    let taken = (0..10_000).map(|_| dual.dequeue(Instant::ZERO, &mut trace).expect("both are full").0);
    near(taken.filter(|packet| packet.info.ecn == Ecn::NotEct).count() as f64, 1000.0, 3.0);
}

/// A standing classic queue is signalled by `p'` squared, the other line by `2 p'`; in overload
/// what was marked is dropped.
#[test]
fn signals_are_coupled() {
    for (base, classic, marks_classic) in [(0.2, 0.04, true), (0.6, 0.36, false)] {
        let mut dual = DualPi2::new(Limit::Packets(100_000), Streams::new(1).at("aqm"));
        let mut trace = Trace::default();
        let mut ecn = Vec::new();
        for id in 0..40_000 {
            ecn.push([Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ect1][id as usize % 4]);
            dual.enqueue(Numbered { id, info: packet(ecn[id as usize]) }, Instant::ZERO, &mut trace);
        }
        dual.base = base;
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

/// Overloaded with classic packets, a port keeps the low-latency line short.
#[test]
fn low_latency_packets_hardly_wait() {
    let mut port = Port::new(dual_pi2(1), rate(64_000_000));
    let mut trace = Trace::default();
    for id in 0..10_000 {
        let info = packet(if id % 5 == 0 { Ecn::Ect1 } else { Ecn::Ect0 });
        port.offer(
            Numbered { id, info: PacketInfo { flow: 0, ..info } },
            Instant::from_nanos(id * 110_000),
            &mut trace,
        );
    }
    let longest = trace.events.iter().filter_map(|event| match event {
        Event::Sent { id, sojourn, .. } if id % 5 == 0 => Some(*sojourn),
        _ => None,
    });
    assert!(longest.max().expect("some are sent") <= Duration::from_micros(2 * 125));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn two_lines_in_a_discipline(seed: u64, base in 0.0..1.0, operations in operations()) {
        let make = || DualPi2 { base, ..dual_pi2(seed) };
        let rules = Rules { marks: true, line: |info| u32::from(is_low_latency(info.ecn)) };
        keeps_its_word(make, &rules, &operations);
        depends_on_nothing_but_arrivals(make, &rules, &operations);
    }
}

#[test]
fn dual_pi2_allocates_nothing() {
    allocates_nothing("dual-pi2", dual_pi2(1));
}
