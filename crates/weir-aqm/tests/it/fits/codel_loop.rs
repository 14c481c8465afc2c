//! CoDel with its queue and in one loop, the way RFC 8289 describes it (sections 5.5 and
//! 5.6): take a packet, judge it, drop it and take another. It shares the spacing of signals
//! with the sketch beside it and nothing else.

use std::collections::VecDeque;

use weir_aqm::PacketInfo;
use weir_types::Instant;

use super::codel::CodelParameters;

/// What became of a packet, in the order it was decided. A mark comes before its delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
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

pub(super) struct Loop {
    parameters: CodelParameters,
    waiting: VecDeque<(u64, PacketInfo, Instant)>,
    dropping: bool,
    first_above: Option<Instant>,
    drop_next: Instant,
    count: u32,
    last_count: u32,
    /// How often dropping began again with more than one signal in memory.
    pub(super) restarts: u32,
}

impl Loop {
    pub(super) const fn new(parameters: CodelParameters) -> Self {
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

    pub(super) fn enqueue(&mut self, id: u64, info: PacketInfo, now: Instant) {
        self.waiting.push_back((id, info, now));
    }

    fn take(&mut self, now: Instant) -> Option<Candidate> {
        let Some((id, info, arrived)) = self.waiting.pop_front() else {
            self.first_above = None;
            return None;
        };
        let left: u64 = self.waiting.iter().map(|(_, info, _)| u64::from(info.bytes)).sum();
        let mut bad = false;
        if now.since(arrived) < self.parameters.target || left <= self.parameters.mtu {
            self.first_above = None;
        } else if let Some(first_above) = self.first_above {
            bad = now >= first_above;
        } else {
            self.first_above = Some(now + self.parameters.interval);
        }
        Some(Candidate { id, markable: self.parameters.ecn && info.ecn.is_markable(), bad })
    }

    /// The decisions of one call.
    pub(super) fn dequeue(&mut self, now: Instant) -> Vec<Decision> {
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
                    self.drop_next += self.parameters.spacing(self.count);
                    decisions.push(Decision::Mark(bad.id));
                    candidate = Some(bad);
                    break;
                }
                decisions.push(Decision::Drop(bad.id));
                candidate = self.take(now);
                if candidate.as_ref().is_some_and(|candidate| candidate.bad) {
                    self.drop_next += self.parameters.spacing(self.count);
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
            self.drop_next = now + self.parameters.spacing(self.count);
            self.last_count = self.count;
        }
        decisions.extend(candidate.map(|candidate| Decision::Deliver(candidate.id)));
        decisions
    }
}
