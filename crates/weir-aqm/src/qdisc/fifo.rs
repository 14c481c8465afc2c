use alloc::vec::Vec;

use weir_types::{Duration, Instant, Rate};

use super::{PacketFifo, carry_out};
use crate::{Aqm, Backlog, Discipline, Limit, Mechanism, Observer, Packet, Reason};

/// First in, first out, with one AQM. Executes and reports drops and marks for every AQM.
#[derive(Debug)]
#[repr(C)]
pub struct Fifo<P, A> {
    waiting: PacketFifo<P>,
    limit: Limit,
    aqm: A,
}

impl<P: Packet, A: Aqm> Fifo<P, A> {
    /// An empty queue with a buffer of `limit`.
    pub const fn new(aqm: A, limit: Limit) -> Self {
        Self { waiting: PacketFifo::new(), limit, aqm }
    }

    /// The AQM, to read its variables.
    pub const fn aqm(&self) -> &A {
        &self.aqm
    }

    /// The AQM, to change its targets.
    pub const fn aqm_mut(&mut self) -> &mut A {
        &mut self.aqm
    }

    /// Admits an arriving packet, marked or not, unless it is dropped. Its room is in the buffer, or `has_room`.
    #[expect(clippy::inline_always, reason = "it is most of an arrival")]
    #[inline(always)]
    fn admit<R>(
        &mut self,
        packet: P,
        has_room: bool,
        now: Instant,
        observer: &mut impl Observer<P>,
        then: impl FnOnce(&mut Self, P) -> R,
    ) -> Option<R> {
        let info = packet.info();
        let queue = self.waiting.backlog(self.limit);
        let verdict = self.aqm.on_enqueue(info, queue, now);
        if !has_room && queue.overflows(info.bytes) {
            observer.dropped(packet, Reason::Overflow, false, now);
            return None;
        }
        carry_out(verdict, packet, false, now, observer, |packet| then(self, packet))
    }
}

impl<P: Packet, A: Aqm> Fifo<P, A> {
    /// [`Discipline::enqueue`], where an arrival may take the turn of a waiting packet of its flow: of the one at the
    /// place that `redundant` returns. It does so if the AQM leaves it, and if it has room in place of the other.
    pub(super) fn enqueue_instead<O: Observer<P>>(
        &mut self,
        packet: P,
        now: Instant,
        observer: &mut O,
        redundant: impl FnOnce(&PacketFifo<P>, &P, &O) -> Option<usize>,
    ) {
        let bytes = packet.info().bytes;
        let former = redundant(&self.waiting, &packet, observer);
        let former = former.filter(|place| self.fits_instead(*place, bytes));
        let enter = |fifo: &mut Self, packet| {
            let Some(place) = former else {
                fifo.waiting.push(packet, now);
                return None;
            };
            Some(fifo.waiting.succeed(place, packet))
        };
        if let Some(former) = self.admit(packet, former.is_some(), now, observer, enter).flatten() {
            observer.filtered(former, now);
        }
    }

    /// Returns true if a packet of `bytes` bytes has room without the one at `place`.
    fn fits_instead(&self, place: usize, bytes: u32) -> bool {
        let queue = self.waiting.backlog(self.limit);
        let left = self.waiting.get(place).map_or(0, |former| u64::from(former.info().bytes));
        !Backlog { packets: queue.packets - 1, bytes: queue.bytes - left, ..queue }.overflows(bytes)
    }
}

impl<P: Packet, A: Aqm> Discipline<P> for Fifo<P, A> {
    #[expect(clippy::inline_always, reason = "a packet goes straight to its place")]
    #[inline(always)]
    fn enqueue(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) {
        self.admit(packet, false, now, observer, |fifo, packet| fifo.waiting.push(packet, now));
    }

    #[expect(clippy::inline_always, reason = "a packet is not moved before it is sent")]
    #[inline(always)]
    fn dequeue(&mut self, now: Instant, observer: &mut impl Observer<P>) -> Option<(P, Duration)> {
        while let Some((packet, arrived)) = self.waiting.pop() {
            let (info, sojourn, queue) =
                (packet.info(), now.since(arrived), self.waiting.backlog(self.limit));
            let verdict = self.aqm.on_dequeue(info, sojourn, queue, now);
            let taken = carry_out(verdict, packet, true, now, observer, |packet| (packet, sojourn));
            if taken.is_some() {
                return taken;
            }
        }
        self.aqm.on_idle(now);
        None
    }

    #[inline]
    fn pass(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) -> Option<P> {
        let admitted = self.admit(packet, false, now, observer, |_, packet| packet);
        let released = admitted.and_then(|packet| {
            let (info, nothing) = (packet.info(), self.waiting.backlog(self.limit));
            let verdict = self.aqm.on_dequeue(info, Duration::ZERO, nothing, now);
            carry_out(verdict, packet, true, now, observer, |packet| packet)
        });
        if released.is_none() {
            self.aqm.on_idle(now);
        }
        released
    }

    #[inline]
    fn upcoming(&self, others: usize) -> Option<&P> {
        self.waiting.get(others)
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.waiting.backlog(self.limit)
    }

    #[inline]
    fn packets(&self) -> u32 {
        self.waiting.packets()
    }

    fn drops_on_departure(&self) -> bool {
        self.aqm.drops_on_departure()
    }

    #[inline]
    fn next_update(&self) -> Option<Instant> {
        self.aqm.next_update()
    }

    fn update(&mut self, now: Instant) {
        self.aqm.update(self.backlog(), now);
    }

    fn drain(&mut self, into: &mut Vec<(P, Instant)>) {
        self.waiting.drain(into);
    }

    fn restore(&mut self, packet: P, arrived: Instant) {
        self.waiting.push(packet, arrived);
    }

    fn take_over(&mut self, former: &mut Self, _: Instant) {
        self.waiting = core::mem::take(&mut former.waiting);
        self.aqm.take_over(&former.aqm);
    }

    fn begin(&mut self, now: Instant) {
        self.aqm.begin(now);
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        self.aqm.on_rate(rate, now);
    }

    fn mechanism(&self) -> Mechanism<'_> {
        self.aqm.curve(self.backlog()).into()
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.aqm.probe(record);
    }
}
