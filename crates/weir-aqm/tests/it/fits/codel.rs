//! CoDel (RFC 8289) as a verdict per head.
//!
//! The RFC's loop drops a packet, looks at the next one and perhaps drops that too. Here each
//! head is asked about by itself. One assignment has to wait for the next head: after a drop
//! the time of the following one is set only if the queue is still bad.

use proptest::prelude::*;
use weir_aqm::{Aqm, Backlog, Discipline, Limit, PacketInfo, Reason, Verdict, disciplines::Fifo};
use weir_types::{Duration, Ecn, Instant, Streams};

use super::codel_loop::{Decision, Loop};
use crate::{
    contracts::{Rules, depends_on_nothing_but_arrivals, keeps_its_word, operations},
    no_alloc::{LIMIT, allocates_nothing},
    support::{Event, Numbered, Trace, millis, near, packet, waiting},
};

#[derive(Clone, Copy, Debug)]
pub(super) struct CodelParameters {
    pub(super) target: Duration,
    pub(super) interval: Duration,
    /// A backlog of at most so many bytes is good whatever the sojourn.
    pub(super) mtu: u64,
    pub(super) ecn: bool,
}

impl Default for CodelParameters {
    fn default() -> Self {
        let (target, interval) = (Duration::from_millis(5), Duration::from_millis(100));
        Self { target, interval, mtu: 1514, ecn: false }
    }
}

impl CodelParameters {
    /// Time from one signal to the next while `count` have been sent.
    pub(super) fn spacing(&self, count: u32) -> Duration {
        self.interval.mul_f64(1.0 / f64::from(count).sqrt())
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Calm,
    Dropping,
    /// Dropping, and `drop_next` is moved on if the next head is bad too.
    Dropped,
}

#[derive(Clone, Debug)]
pub(super) struct Codel {
    parameters: CodelParameters,
    state: State,
    /// When the sojourn will have been above target for an interval.
    first_above: Option<Instant>,
    drop_next: Instant,
    count: u32,
    last_count: u32,
}

impl Codel {
    pub(super) const fn new(parameters: CodelParameters) -> Self {
        Self {
            parameters,
            state: State::Calm,
            first_above: None,
            drop_next: Instant::ZERO,
            count: 0,
            last_count: 0,
        }
    }

    /// Whether the sojourn has stayed above target for an interval.
    fn bad(&mut self, sojourn: Duration, queue: Backlog, now: Instant) -> bool {
        if sojourn < self.parameters.target || queue.bytes <= self.parameters.mtu {
            self.first_above = None;
            return false;
        }
        let first_above = *self.first_above.get_or_insert(now + self.parameters.interval);
        now >= first_above
    }

    fn begin(&mut self, now: Instant) {
        let fresh = self.count - self.last_count;
        let soon = now.since(self.drop_next) < self.parameters.interval * 16;
        self.count = if fresh > 1 && soon { fresh } else { 1 };
        self.last_count = self.count;
        self.drop_next = now + self.parameters.spacing(self.count);
        self.state = State::Dropping;
    }
}

impl Aqm for Codel {
    fn on_dequeue(&mut self, packet: PacketInfo, sojourn: Duration, queue: Backlog, now: Instant) -> Verdict {
        if !self.bad(sojourn, queue, now) {
            self.state = State::Calm;
            return Verdict::Pass;
        }
        let marks = self.parameters.ecn && packet.ecn.is_markable();
        let signal = if marks { Verdict::Mark(Reason::Early) } else { Verdict::Drop(Reason::Early) };
        match self.state {
            State::Calm => {
                self.begin(now);
                return signal;
            }
            State::Dropping => {}
            State::Dropped => {
                self.drop_next += self.parameters.spacing(self.count);
                self.state = State::Dropping;
            }
        }
        if now < self.drop_next {
            return Verdict::Pass;
        }
        self.count += 1;
        if marks {
            self.drop_next += self.parameters.spacing(self.count);
        } else {
            self.state = State::Dropped;
        }
        signal
    }

    fn on_idle(&mut self, _now: Instant) {
        self.first_above = None;
        self.state = State::Calm;
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("count", f64::from(self.count));
    }
}

/// Under lasting overload the gaps are 100 ms over the roots of 1, 2, 3, 4, 5.
#[test]
fn drops_come_at_the_roots() {
    let mut codel = Codel::new(CodelParameters::default());
    let mut drops = Vec::new();
    for micros in 0..600_000 {
        let now = Instant::ZERO + Duration::from_micros(micros);
        let sojourn = Duration::from_micros(50_000);
        if codel.on_dequeue(packet(Ecn::NotEct), sojourn, waiting(100), now) != Verdict::Pass {
            drops.push(now.as_secs_f64() * 1e3);
        }
    }
    for (drop, expected) in drops.iter().zip([0.0, 100.0, 170.711, 228.446, 278.446, 323.167]) {
        near(*drop, 100.0 + expected, 1.5e-3);
    }
    assert!(drops.len() > 6);
}

/// A sojourn below target, or a backlog of one MTU behind the head, ends it at once.
#[test]
fn a_short_queue_is_left_alone() {
    let long = Duration::from_millis(50);
    for (sojourn, queue) in [(Duration::from_micros(4_999), waiting(100)), (long, waiting(1))] {
        let mut codel = Codel::new(CodelParameters::default());
        for step in 0..10 {
            codel.on_dequeue(packet(Ecn::Ect0), long, waiting(100), millis(50 * step));
        }
        let count = codel.count;
        assert!(count > 1);
        assert_eq!(codel.on_dequeue(packet(Ecn::Ect0), sojourn, queue, millis(500)), Verdict::Pass);
        assert_eq!(codel.on_dequeue(packet(Ecn::Ect0), long, waiting(100), millis(501)), Verdict::Pass);
        assert_eq!(codel.count, count);
    }
}

/// The RFC's loop and the verdict per head, fed the same arrivals and asked at the same
/// instants, decide alike on every packet.
#[test]
fn verdicts_per_head_are_the_loop() {
    let (mut drops, mut marks, mut restarts) = (0, 0, 0);
    for seed in 0..2000_u64 {
        let mut draws = Streams::new(seed).at("trace");
        let parameters = CodelParameters {
            target: Duration::from_micros(200),
            interval: Duration::from_millis(2),
            ecn: seed % 2 == 0,
            ..CodelParameters::default()
        };
        let mut reference = Loop::new(parameters);
        let mut fifo = Fifo::new(Codel::new(parameters), Limit::Packets(u32::MAX));
        let (mut now, mut load) = (Instant::ZERO, 1.0);
        for id in 0..1500 {
            // The load changes: queues build up, stand, run empty and come back.
            if draws.chance(0.01) {
                load = 0.3 + 1.5 * draws.uniform();
            }
            now += Duration::from_nanos(20_000).mul_f64(2.0 * draws.uniform());
            let mut trace = Trace::default();
            if draws.uniform() < load / 1.5 {
                let ecn = if draws.chance(0.7) { Ecn::Ect0 } else { Ecn::NotEct };
                let bytes = if draws.chance(0.5) { 1500 } else { 100 };
                let info = PacketInfo { bytes, ecn, flow: 0 };
                reference.enqueue(id, info, now);
                fifo.enqueue(Numbered { id, info }, now, &mut trace);
            }
            if draws.chance(0.6) {
                let taken = fifo.dequeue(now, &mut trace);
                let decisions = trace.events.iter().map(|event| match event {
                    Event::Dropped { id, .. } => Decision::Drop(*id),
                    Event::Marked { id, .. } => Decision::Mark(*id),
                    other => panic!("{other:?} is no decision"),
                });
                let delivered = taken.map(|(packet, _)| Decision::Deliver(packet.id));
                let decisions: Vec<_> = decisions.chain(delivered).collect();
                assert_eq!(decisions, reference.dequeue(now), "seed {seed}, packet {id}");
                drops += decisions.iter().filter(|decision| matches!(decision, Decision::Drop(_))).count();
                marks += decisions.iter().filter(|decision| matches!(decision, Decision::Mark(_))).count();
            }
        }
        restarts += reference.restarts;
    }
    assert!(drops > 10_000 && marks > 10_000 && restarts > 100, "{drops}, {marks}, {restarts}");
}

fn fifo(ecn: bool) -> Fifo<Numbered, Codel> {
    let interval = Duration::from_millis(1);
    let target = Duration::from_micros(50);
    Fifo::new(Codel::new(CodelParameters { target, interval, mtu: 1514, ecn }), Limit::Packets(40))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn codel_in_a_fifo(marks: bool, operations in operations()) {
        let rules = Rules { marks, line: |_| 0 };
        keeps_its_word(|| fifo(marks), &rules, &operations);
        depends_on_nothing_but_arrivals(|| fifo(marks), &rules, &operations);
    }
}

#[test]
fn codel_allocates_nothing() {
    let parameters = CodelParameters { ecn: true, ..CodelParameters::default() };
    allocates_nothing("codel", Fifo::new(Codel::new(parameters), LIMIT));
}
