use weir_types::{Duration, Instant, Rate};

use super::Line;
use crate::{Aqm, Backlog, Discipline, Limit, Observer, Packet, Reason, Verdict};

/// One line under one law: first in, first out. Drops, marks and their observation are
/// written here once, for every law.
#[derive(Debug)]
pub struct Fifo<P, A> {
    line: Line<P>,
    limit: Limit,
    law: A,
}

impl<P: Packet, A: Aqm> Fifo<P, A> {
    /// An empty queue with a buffer of `limit`.
    pub const fn new(law: A, limit: Limit) -> Self {
        Self { line: Line::new(), limit, law }
    }

    /// The law, to read its variables.
    pub const fn law(&self) -> &A {
        &self.law
    }
}

impl<P: Packet, A: Aqm> Discipline<P> for Fifo<P, A> {
    #[inline]
    fn enqueue(&mut self, mut packet: P, now: Instant, observer: &mut impl Observer<P>) {
        let info = packet.info();
        let queue = self.backlog();
        let verdict = self.law.on_enqueue(info, queue, now);
        if queue.overflows(info.bytes) {
            return observer.dropped(packet, Reason::Overflow, false, now);
        }
        match verdict {
            Verdict::Pass => {}
            Verdict::Mark(reason) if info.ecn.is_markable() => {
                packet.mark();
                observer.marked(&packet, reason, now);
            }
            Verdict::Mark(reason) | Verdict::Drop(reason) => {
                return observer.dropped(packet, reason, false, now);
            }
        }
        self.line.push(packet, now);
    }

    #[inline]
    fn dequeue(&mut self, now: Instant, observer: &mut impl Observer<P>) -> Option<(P, Duration)> {
        loop {
            let Some((mut packet, arrived)) = self.line.pop() else {
                self.law.on_idle(now);
                return None;
            };
            let (info, sojourn) = (packet.info(), now.since(arrived));
            match self.law.on_dequeue(info, sojourn, self.backlog(), now) {
                Verdict::Pass => {}
                Verdict::Mark(reason) if info.ecn.is_markable() => {
                    packet.mark();
                    observer.marked(&packet, reason, now);
                }
                Verdict::Mark(reason) | Verdict::Drop(reason) => {
                    observer.dropped(packet, reason, true, now);
                    continue;
                }
            }
            return Some((packet, sojourn));
        }
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.line.backlog(self.limit)
    }

    #[inline]
    fn next_update(&self) -> Option<Instant> {
        self.law.next_update()
    }

    fn update(&mut self, now: Instant) {
        self.law.update(self.backlog(), now);
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        self.law.on_rate(rate, now);
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.law.probe(record);
    }
}
