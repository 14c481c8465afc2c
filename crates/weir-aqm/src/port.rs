//! A queue discipline with a transmitter. The simulator and a live relay drive the same port: both
//! hand it instants, and it depends on nothing else.

use weir_types::{Duration, Instant, Rate};

use crate::{
    Backlog, Discipline, Observer, Packet,
    service::{Service, Transmitter},
};

/// Receives the events of a port: dropped and marked packets, departures and changes of the
/// backlog.
pub trait Output<P>: Observer<P> {
    /// Transmission of `packet` began at `start`, after it waited `sojourn`; its last bit
    /// leaves at `end`.
    fn sent(&mut self, packet: P, sojourn: Duration, start: Instant, end: Instant);

    /// Whether to be told of packets that leave soon.
    fn prefetches(&self) -> bool {
        false
    }

    /// Packets that leave soon: the next one, and one a few packets later.
    fn upcoming(&mut self, next: Option<&P>, later: Option<&P>) {
        let _ = (next, later);
    }

    /// The number of waiting packets changed at `now`.
    fn backlog(&mut self, packets: u32, now: Instant);

    /// The number of waiting packets of one class of [`Discipline::classes`] changed at `now`.
    fn class_backlog(&mut self, class: usize, packets: u32, now: Instant) {
        let _ = (class, packets, now);
    }
}

/// How many packets leave before the second of [`Output::upcoming`]: as long as a memory access takes.
const LATER: usize = 2;

/// A queue discipline and its transmitter.
///
/// The port has a virtual clock: it runs due events in order and passes their scheduled instants to
/// the AQM. A late call delays what comes out but never changes rates, sojourn times or decisions.
/// At one instant the order is: a change of rate on a schedule, the AQM's update, the end of a
/// transmission or an opportunity to send, an arrival.
///
/// An empty port needs no events: the next call runs the idle notification and the AQM's updates
/// with the instants at which they were due.
#[derive(Debug)]
pub struct Port<P, D> {
    discipline: D,
    transmitter: Transmitter,
    /// When the transmitter takes the next packet; unused while it is idle.
    free_at: Instant,
    /// The queue was empty at the last dequeue.
    idle: bool,
    /// Earlier of the next rate change and the discipline's update; `Instant::MAX` if there is
    /// neither.
    update_at: Instant,
    /// Classes that the discipline keeps apart.
    classes: usize,
    /// Something waits.
    waits: bool,
    packet: core::marker::PhantomData<fn() -> P>,
}

impl<P: Packet, D: Discipline<P>> Port<P, D> {
    /// An idle port at time 0.
    pub fn new(discipline: D, service: impl Into<Service>) -> Self {
        let transmitter = Transmitter::new(service.into());
        let update_at = discipline.next_update().unwrap_or(Instant::MAX).min(transmitter.next_change());
        Self {
            classes: discipline.classes().len(),
            discipline,
            transmitter,
            free_at: Instant::ZERO,
            idle: true,
            update_at,
            waits: false,
            packet: core::marker::PhantomData,
        }
    }

    /// A packet arrives at `now`.
    #[inline]
    pub fn offer(&mut self, packet: P, now: Instant, output: &mut impl Output<P>) {
        self.advance(now, output);
        if !self.idle {
            self.discipline.enqueue(packet, now, output);
            self.tell_backlog(now, output);
        } else if self.transmitter.waits() {
            self.hold(packet, now, output);
        } else if let Some(packet) = self.discipline.pass(packet, now, output) {
            self.send(packet, Duration::ZERO, now, output);
        }
    }

    /// Does what was due up to and including `now`.
    #[inline]
    pub fn advance(&mut self, now: Instant, output: &mut impl Output<P>) {
        loop {
            let asks_at = if self.idle { Instant::MAX } else { self.free_at };
            let due = asks_at.min(self.update_at);
            if due > now || due == Instant::MAX {
                return;
            }
            if self.update_at <= asks_at {
                self.update(due);
            } else {
                self.transmit(due, output);
            }
        }
    }

    /// When to call [`Port::advance`] again: when a waiting packet can leave. `None` while
    /// nothing waits.
    #[inline]
    pub fn next_wake(&self) -> Option<Instant> {
        (!self.idle && self.waits).then_some(self.free_at)
    }

    /// Sets a fixed rate from `now` on. A packet already on the wire ends at the old one.
    pub fn set_rate(&mut self, rate: Rate, now: Instant, output: &mut impl Output<P>) {
        self.advance(now, output);
        match &mut self.transmitter {
            Transmitter::Fixed(clock) => clock.set_rate(rate),
            other => {
                *other = Transmitter::new(rate.into());
                self.update_at = self.discipline.next_update().unwrap_or(Instant::MAX);
            }
        }
        self.discipline.on_rate(rate, now);
    }

    /// What the link could have sent until `now`, in bits times [`Service::WORK_PER_BIT`], where
    /// that is not its rate times the time: on a schedule or a trace. Call [`Port::advance`] first.
    pub fn offered(&self, now: Instant) -> Option<u128> {
        self.transmitter.offered(now)
    }

    /// What leaves after `now` of the packet that was last reported as sent, on a schedule or a trace, in the
    /// same unit.
    pub fn unsent(&self, now: Instant) -> u128 {
        self.transmitter.unsent(now, self.free_at)
    }

    /// Waiting packets.
    pub fn backlog(&self) -> Backlog {
        self.discipline.backlog()
    }

    /// The discipline, to read its variables.
    pub const fn discipline(&self) -> &D {
        &self.discipline
    }

    /// The rate in force; of a trace, its mean.
    pub const fn rate(&self) -> Rate {
        self.transmitter.rate()
    }

    /// A packet arrives at an empty queue of a trace-driven link.
    #[cold]
    fn hold(&mut self, packet: P, now: Instant, output: &mut impl Output<P>) {
        self.idle = false;
        self.free_at = self.transmitter.opportunity(now);
        self.discipline.enqueue(packet, now, output);
        self.tell_backlog(now, output);
    }

    /// A change of rate, or the AQM's update, is due.
    fn update(&mut self, due: Instant) {
        if self.transmitter.next_change() == due {
            let rate = self.transmitter.change();
            self.discipline.on_rate(rate, due);
        } else {
            self.discipline.update(due);
        }
        let update = self.discipline.next_update().unwrap_or(Instant::MAX);
        self.update_at = update.min(self.transmitter.next_change());
    }

    #[expect(clippy::inline_always, reason = "it stands twice on the way of every packet")]
    #[inline(always)]
    fn tell_backlog(&mut self, now: Instant, output: &mut impl Output<P>) {
        let packets = self.discipline.packets();
        self.waits = packets > 0;
        output.backlog(packets, now);
        for class in 0..self.classes {
            output.class_backlog(class, self.discipline.class_backlog(class).packets, now);
        }
    }

    /// The transmitter takes a packet at `now`.
    #[inline]
    fn transmit(&mut self, now: Instant, output: &mut impl Output<P>) {
        let next = self.discipline.dequeue(now, output);
        self.tell_backlog(now, output);
        self.idle = next.is_none();
        if output.prefetches() {
            output.upcoming(self.discipline.upcoming(0), self.discipline.upcoming(LATER));
        }
        if let Some((packet, sojourn)) = next {
            self.send(packet, sojourn, now, output);
        }
    }

    /// Transmission of `packet` begins at `now`.
    #[inline]
    fn send(&mut self, packet: P, sojourn: Duration, now: Instant, output: &mut impl Output<P>) {
        self.idle = false;
        let Transmitter::Fixed(clock) = &mut self.transmitter else {
            return self.send_otherwise(packet, sojourn, now, output);
        };
        self.free_at = clock.finish(now, packet.info().bytes);
        output.sent(packet, sojourn, now, self.free_at);
    }

    /// The same on a schedule or a trace.
    #[inline(never)]
    fn send_otherwise(&mut self, packet: P, sojourn: Duration, now: Instant, output: &mut impl Output<P>) {
        let (end, free_at) = self.transmitter.serve(now, packet.info().bytes);
        self.free_at = free_at;
        output.sent(packet, sojourn, now, end);
    }
}
