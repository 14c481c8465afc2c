//! PIE (RFC 8033): a probability that follows the delay and its growth, updated by a timer.
//! It acts on arrivals and learns the delay from departures, so it uses every hook but
//! `on_idle`. Delay is the sojourn of the last packet that left, 0 while nothing waits.

use proptest::prelude::*;
use weir_aqm::{Aqm, Backlog, PacketInfo, Reason, Verdict, disciplines::Fifo};
use weir_types::{Duration, Ecn, Instant, Rng, Streams};

use crate::{
    contracts::{Rules, depends_on_nothing_but_arrivals, keeps_its_word, operations},
    no_alloc::{LIMIT, allocates_nothing},
    support::{Numbered, millis, near, packet, read, waiting},
};

#[derive(Clone, Copy, Debug)]
pub(super) struct PieParameters {
    pub(super) reference: Duration,
    pub(super) interval: Duration,
    pub(super) max_burst: Duration,
    pub(super) mean_packet: u64,
    pub(super) ecn: bool,
}

impl Default for PieParameters {
    fn default() -> Self {
        Self {
            reference: Duration::from_millis(15),
            interval: Duration::from_millis(15),
            max_burst: Duration::from_millis(150),
            mean_packet: 1024,
            ecn: false,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Pie {
    parameters: PieParameters,
    probability: f64,
    /// Sojourn of the last packet that left.
    delay: Duration,
    /// Delay at the last update.
    delay_old: Duration,
    /// Signals are withheld for so long.
    burst: Duration,
    /// Probability summed since the last signal: neither too soon nor too late.
    accumulated: f64,
    update_at: Instant,
    rng: Rng,
}

impl Pie {
    pub(super) fn new(parameters: PieParameters, rng: Rng) -> Self {
        Self {
            parameters,
            probability: 0.0,
            delay: Duration::ZERO,
            delay_old: Duration::ZERO,
            burst: parameters.max_burst,
            accumulated: 0.0,
            update_at: Instant::ZERO + parameters.interval,
            rng,
        }
    }

    fn signals(&mut self, queue: Backlog) -> bool {
        let calm = self.delay_old < self.parameters.reference / 2 && self.probability < 0.2;
        let short = queue.bytes <= 2 * self.parameters.mean_packet;
        if !self.burst.is_zero() || calm || short {
            return false;
        }
        if self.probability <= 0.0 {
            self.accumulated = 0.0;
        }
        self.accumulated += self.probability;
        if self.accumulated < 0.85 {
            return false;
        }
        self.accumulated >= 8.5 || self.rng.chance(self.probability)
    }
}

impl Aqm for Pie {
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, _now: Instant) -> Verdict {
        // The buffer is tested before the draw.
        if queue.overflows(packet.bytes) {
            self.accumulated = 0.0;
            return Verdict::Pass;
        }
        if !self.signals(queue) {
            return Verdict::Pass;
        }
        self.accumulated = 0.0;
        let marks = self.parameters.ecn && self.probability < 0.1;
        if marks { Verdict::Mark(Reason::Early) } else { Verdict::Drop(Reason::Early) }
    }

    fn on_dequeue(&mut self, _: PacketInfo, sojourn: Duration, _: Backlog, _: Instant) -> Verdict {
        self.delay = sojourn;
        Verdict::Pass
    }

    fn next_update(&self) -> Option<Instant> {
        Some(self.update_at)
    }

    fn update(&mut self, queue: Backlog, now: Instant) {
        const ALPHA: f64 = 0.125;
        const BETA: f64 = 1.25;
        let delay = if queue.packets == 0 { Duration::ZERO } else { self.delay };
        let (current, old) = (delay.as_secs_f64(), self.delay_old.as_secs_f64());
        let step = ALPHA * (current - self.parameters.reference.as_secs_f64()) + BETA * (current - old);
        let step = step / damping(self.probability);
        let step = if self.probability >= 0.1 { step.min(0.02) } else { step };
        let mut probability = self.probability + step;
        if delay > Duration::from_millis(250) {
            probability += 0.02;
        }
        if delay.is_zero() && self.delay_old.is_zero() {
            probability *= 0.98;
        }
        self.probability = probability.clamp(0.0, 1.0);
        self.burst = self.burst.saturating_sub(self.parameters.interval);
        let low = self.parameters.reference / 2;
        if self.probability <= 0.0 && delay < low && self.delay_old < low {
            self.burst = self.parameters.max_burst;
        }
        self.delay_old = delay;
        self.update_at = now + self.parameters.interval;
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("probability", self.probability);
    }
}

/// Small probabilities take small steps.
fn damping(probability: f64) -> f64 {
    const TABLE: [(f64, f64); 6] =
        [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (0.1, 2.0)];
    TABLE.iter().find(|(below, _)| probability < *below).map_or(1.0, |(_, divisor)| *divisor)
}

/// PIE at a probability and an old delay in ms, then updated once per delay in ms.
fn probabilities<const N: usize>(start: f64, old: u64, delays: [u64; N]) -> [f64; N] {
    let mut pie = Pie::new(PieParameters::default(), Streams::new(1).at("pie"));
    (pie.probability, pie.delay_old) = (start, Duration::from_millis(old));
    delays.map(|delay| {
        let now = pie.next_update().expect("PIE has a timer");
        pie.on_dequeue(packet(Ecn::NotEct), Duration::from_millis(delay), waiting(9), now);
        pie.update(waiting(9), now);
        read(&pie, "probability")
    })
}

#[test]
fn the_probability_follows_the_delay() {
    let rise = probabilities(0.0, 15, [30, 45, 30, 15, 10]);
    for (value, expected) in rise.into_iter().zip([1.007_080_1e-5, 1.858_520_5e-4, 0.0, 0.0, 0.0]) {
        near(value, expected, 1e-11);
    }
    for (old, delay, expected) in [(20, 30, 0.164_375), (20, 100, 0.17), (290, 300, 0.19)] {
        near(probabilities(0.15, old, [delay])[0], expected, 1e-12);
    }
    near(probabilities(0.01, 0, [0])[0], 0.008_881_25, 1e-12);
}

/// A burst is let through for 150 ms, then the queue is held; an empty one restores the right.
#[test]
fn a_burst_is_let_through() {
    let mut pie = Pie::new(PieParameters::default(), Streams::new(1).at("pie"));
    let mut first = None;
    for step in 0..4000 {
        let now = Instant::ZERO + Duration::from_micros(100 * step);
        if pie.next_update().is_some_and(|due| due <= now) {
            pie.update(waiting(99), now);
        }
        pie.on_dequeue(packet(Ecn::NotEct), Duration::from_millis(300), waiting(99), now);
        if pie.on_enqueue(packet(Ecn::NotEct), waiting(99), now) != Verdict::Pass {
            first.get_or_insert(now);
        }
    }
    let first = first.expect("a queue of 300 ms is signalled");
    assert!((millis(150)..millis(200)).contains(&first), "{first:?}");
}

fn fifo(ecn: bool, seed: u64) -> Fifo<Numbered, Pie> {
    let parameters = PieParameters {
        reference: Duration::from_micros(500),
        interval: Duration::from_micros(375),
        max_burst: Duration::from_millis(1),
        ecn,
        ..PieParameters::default()
    };
    let mut pie = Pie::new(parameters, Streams::new(seed).at("pie"));
    pie.probability = 0.05;
    Fifo::new(pie, LIMIT)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn pie_in_a_fifo(marks: bool, seed: u64, operations in operations()) {
        let rules = Rules { marks, line: |_| 0 };
        keeps_its_word(|| fifo(marks, seed), &rules, &operations);
        depends_on_nothing_but_arrivals(|| fifo(marks, seed), &rules, &operations);
    }
}

#[test]
fn pie_allocates_nothing() {
    let parameters = PieParameters { ecn: true, ..PieParameters::default() };
    allocates_nothing("pie", Fifo::new(Pie::new(parameters, Streams::new(1).at("pie")), LIMIT));
}
