//! CoDel with its queue and in one loop, the way RFC 8289 describes it (section 5): take a
//! packet, judge it, drop it and take another. It shares with the AQM its parameters and nothing
//! else, and it decides alike on every packet.

use std::collections::VecDeque;

use weir_aqm::{Discipline, Limit, PacketInfo, aqm::CodelParameters, qdisc::Fifo};
use weir_types::{Duration, Ecn, Instant, Streams};

use crate::support::{Event, Numbered, Trace, link, stream};

/// Fate of a packet, in the order of decisions. A mark comes before its delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Drop(u64),
    Mark(u64),
    Deliver(u64),
}

/// A packet taken off the queue, and whether CoDel would drop it.
struct Candidate {
    id: u64,
    markable: bool,
    bad: bool,
}

struct Loop {
    parameters: CodelParameters,
    waiting: VecDeque<(u64, PacketInfo, Instant)>,
    dropping: bool,
    first_above: Option<Instant>,
    drop_next: Instant,
    count: u32,
    last_count: u32,
    /// How often dropping began again with more than one signal in memory.
    restarts: u32,
}

impl Loop {
    const fn new(parameters: CodelParameters) -> Self {
        Self {
            parameters,
            waiting: VecDeque::new(),
            dropping: false,
            first_above: None,
            drop_next: Instant::ZERO,
            count: 0,
            last_count: 0,
            restarts: 0,
        }
    }

    fn enqueue(&mut self, id: u64, info: PacketInfo, now: Instant) {
        self.waiting.push_back((id, info, now));
    }

    /// Time from one signal to the next while `count` have been sent.
    fn spacing(&self) -> Duration {
        self.parameters.interval.mul_f64(1.0 / f64::from(self.count).sqrt())
    }

    fn take(&mut self, now: Instant) -> Option<Candidate> {
        let Some((id, info, arrived)) = self.waiting.pop_front() else {
            self.first_above = None;
            return None;
        };
        let left: u64 = self.waiting.iter().map(|(_, info, _)| u64::from(info.bytes)).sum();
        let mut bad = false;
        if now.since(arrived) < self.parameters.target || left <= u64::from(self.parameters.mtu.bytes()) {
            self.first_above = None;
        } else if let Some(first_above) = self.first_above {
            bad = now >= first_above;
        } else {
            self.first_above = Some(now + self.parameters.interval);
        }
        Some(Candidate { id, markable: self.parameters.ecn && info.ecn.is_markable(), bad })
    }

    /// The decisions of one call.
    fn dequeue(&mut self, now: Instant) -> Vec<Decision> {
        let mut decisions = Vec::new();
        let mut candidate = self.take(now);
        if self.dropping {
            if !candidate.as_ref().is_some_and(|candidate| candidate.bad) {
                self.dropping = false;
            }
            while self.dropping && now >= self.drop_next {
                let Some(bad) = candidate.take() else { unreachable!("an empty queue is not bad") };
                self.count += 1;
                if bad.markable {
                    self.drop_next += self.spacing();
                    decisions.push(Decision::Mark(bad.id));
                    candidate = Some(bad);
                    break;
                }
                decisions.push(Decision::Drop(bad.id));
                candidate = self.take(now);
                if candidate.as_ref().is_some_and(|candidate| candidate.bad) {
                    self.drop_next += self.spacing();
                } else {
                    self.dropping = false;
                }
            }
        } else if let Some(bad) = candidate.take_if(|candidate| candidate.bad) {
            if bad.markable {
                decisions.push(Decision::Mark(bad.id));
                candidate = Some(bad);
            } else {
                decisions.push(Decision::Drop(bad.id));
                candidate = self.take(now);
            }
            self.dropping = true;
            let delta = self.count - self.last_count;
            let soon = now.since(self.drop_next) < self.parameters.interval * 16;
            self.restarts += u32::from(delta > 1 && soon);
            self.count = if delta > 1 && soon { delta } else { 1 };
            self.drop_next = now + self.spacing();
            self.last_count = self.count;
        }
        decisions.extend(candidate.map(|candidate| Decision::Deliver(candidate.id)));
        decisions
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
        let aqm = parameters.build(link(), stream("codel"));
        let mut reference = Loop::new(parameters);
        let mut fifo = Fifo::new(aqm, Limit::Packets(u32::MAX));
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
