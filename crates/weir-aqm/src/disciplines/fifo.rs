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

    /// Lets an arriving packet in, marked or not, unless it is dropped.
    #[inline]
    fn admit(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) -> Option<P> {
        let info = packet.info();
        let queue = self.line.backlog(self.limit);
        let verdict = self.law.on_enqueue(info, queue, now);
        if queue.overflows(info.bytes) {
            observer.dropped(packet, Reason::Overflow, false, now);
            return None;
        }
        carry_out(verdict, packet, info, false, now, observer)
    }

    /// Lets a packet at the head out, marked or not, unless it is dropped.
    #[inline]
    fn release(
        &mut self,
        packet: P,
        sojourn: Duration,
        now: Instant,
        observer: &mut impl Observer<P>,
    ) -> Option<P> {
        let info = packet.info();
        let verdict = self.law.on_dequeue(info, sojourn, self.line.backlog(self.limit), now);
        carry_out(verdict, packet, info, true, now, observer)
    }
}

impl<P: Packet, A: Aqm> Discipline<P> for Fifo<P, A> {
    #[inline]
    fn enqueue(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) {
        if let Some(packet) = self.admit(packet, now, observer) {
            self.line.push(packet, now);
        }
    }

    #[inline]
    fn dequeue(&mut self, now: Instant, observer: &mut impl Observer<P>) -> Option<(P, Duration)> {
        while let Some((packet, arrived)) = self.line.pop() {
            let sojourn = now.since(arrived);
            if let Some(packet) = self.release(packet, sojourn, now, observer) {
                return Some((packet, sojourn));
            }
        }
        self.law.on_idle(now);
        None
    }

    #[inline]
    fn pass(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) -> Option<P> {
        let packet = self.admit(packet, now, observer);
        let packet = packet.and_then(|packet| self.release(packet, Duration::ZERO, now, observer));
        if packet.is_none() {
            self.law.on_idle(now);
        }
        packet
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
