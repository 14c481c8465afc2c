use weir_types::{Duration, Instant, Rate};

use super::{Line, carry_out};
use crate::{Aqm, Backlog, Discipline, Limit, Observer, Packet, Reason};

/// One line under one law: first in, first out. Drops, marks and their observation are
/// written here once, for every law.
#[derive(Debug)]
#[repr(C)]
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

    /// The law, to give it other targets.
    pub const fn law_mut(&mut self) -> &mut A {
        &mut self.law
    }

    /// Lets an arriving packet in, marked or not, unless it is dropped.
    #[inline]
    fn admit<R>(
        &mut self,
        packet: P,
        now: Instant,
        observer: &mut impl Observer<P>,
        then: impl FnOnce(&mut Self, P) -> R,
    ) -> Option<R> {
        let info = packet.info();
        let queue = self.line.backlog(self.limit);
        let verdict = self.law.on_enqueue(info, queue, now);
        if queue.overflows(info.bytes) {
            observer.dropped(packet, Reason::Overflow, false, now);
            return None;
        }
        carry_out(verdict, packet, info, false, now, observer, |packet| then(self, packet))
    }
}

impl<P: Packet, A: Aqm> Discipline<P> for Fifo<P, A> {
    #[inline]
    fn enqueue(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) {
        self.admit(packet, now, observer, |fifo, packet| fifo.line.push(packet, now));
    }

    #[inline]
    fn dequeue(&mut self, now: Instant, observer: &mut impl Observer<P>) -> Option<(P, Duration)> {
        while let Some((info, arrived)) = self.line.head() {
            let (sojourn, queue) = (now.since(arrived), self.line.behind(info, self.limit));
            let verdict = self.law.on_dequeue(info, sojourn, queue, now);
            let (packet, _) = self.line.pop().expect("there is a head");
            let taken = carry_out(verdict, packet, info, true, now, observer, |packet| (packet, sojourn));
            if taken.is_some() {
                return taken;
            }
        }
        self.law.on_idle(now);
        None
    }

    #[inline]
    fn pass(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) -> Option<P> {
        let admitted = self.admit(packet, now, observer, |_, packet| packet);
        let released = admitted.and_then(|packet| {
            let (info, nothing) = (packet.info(), self.line.backlog(self.limit));
            let verdict = self.law.on_dequeue(info, Duration::ZERO, nothing, now);
            carry_out(verdict, packet, info, true, now, observer, |packet| packet)
        });
        if released.is_none() {
            self.law.on_idle(now);
        }
        released
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
