//! A queue discipline with a transmitter. The simulator and a live relay drive the same port: both
//! hand it instants, and it depends on nothing else.

use weir_types::{Duration, Instant, Rate};

use crate::{
    Backlog, Discipline, Observer, Packet,
    qdisc::{AnyDiscipline, DisciplineVisitor, move_all},
    service::{Service, Supply, Transmitter},
};

/// Receives the events of a port: dropped and marked packets, departures and changes of the
/// backlog.
pub trait Output<P>: Observer<P> {
    /// Transmission of `packet` began at `start`, after it waited `sojourn`; its last bit
    /// leaves at `end`.
    fn sent(&mut self, packet: P, sojourn: Duration, start: Instant, end: Instant);

    /// Returns true if the output wants to know packets that leave soon: see [`Output::upcoming`].
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
const LATER: usize = 4;

/// A queue discipline and its transmitter.
///
/// The port has a virtual clock: it runs due events in order and passes their scheduled instants to
/// the AQM. A late call delays what comes out but never changes rates, sojourn times or decisions.
/// At one instant the order is: a change of rate on a schedule, the AQM's update, the end of a transmission or an
/// opportunity to send, an arrival. Requests and grants of a modem come where a change of rate does.
///
/// An empty port needs no events: the next call runs the idle notification and the AQM's updates
/// with the instants at which they were due.
#[derive(Debug)]
pub struct Port<P, D> {
    discipline: D,
    sending: Sending,
    packet: core::marker::PhantomData<fn() -> P>,
}

/// State of the transmitter of a port.
#[derive(Debug)]
struct Sending {
    transmitter: Transmitter,
    /// When the transmitter takes the next packet; [`Instant::MAX`] if the queue was empty at the last dequeue.
    free_at: Instant,
    /// Earlier of the transmitter's next change and the discipline's update; `Instant::MAX` if there is
    /// neither.
    update_at: Instant,
}

/// A port whose discipline has one type.
#[derive(Debug)]
pub struct PortMut<'a, D> {
    discipline: &'a mut D,
    sending: &'a mut Sending,
}

/// Something to do with a port, compiled for each discipline.
pub trait PortVisitor<P> {
    /// Result of the visit.
    type Output;

    /// Visits the port.
    fn visit<D: Discipline<P>>(self, port: PortMut<'_, D>) -> Self::Output;
}

impl<P: Packet> Port<P, AnyDiscipline<P>> {
    /// Calls `visitor` with the type of the discipline. To be preferred where many packets come at a time: the
    /// discipline is looked at once.
    #[inline]
    pub fn visit<V: PortVisitor<P>>(&mut self, visitor: V) -> V::Output {
        let Self { discipline, sending, .. } = self;
        discipline.visit(Bound { sending, visitor })
    }

    /// Another discipline takes the place of the one before, from `now` on, after all that was due by then. Packets
    /// that wait go on waiting, even if they are more than it admits. One of the same kind keeps what the other has
    /// learned.
    pub fn replace(&mut self, discipline: AnyDiscipline<P>, now: Instant, output: &mut impl Output<P>) {
        self.advance(now, output);
        let mut former = core::mem::replace(&mut self.discipline, discipline);
        if self.discipline.is_like(&former) {
            self.discipline.take_over(&mut former, now);
        } else {
            self.discipline.begin(now);
            move_all(&mut former, &mut self.discipline);
        }
        let update_at = self.discipline.next_update().unwrap_or(Instant::MAX);
        self.sending.update_at = update_at.min(self.sending.transmitter.next_change());
    }
}

/// A visitor of a port, as a visitor of its discipline.
struct Bound<'a, V> {
    sending: &'a mut Sending,
    visitor: V,
}

impl<P: Packet, V: PortVisitor<P>> DisciplineVisitor<P> for Bound<'_, V> {
    type Output = V::Output;

    #[inline]
    fn visit<D: Discipline<P>>(self, discipline: &mut D) -> V::Output {
        self.visitor.visit(PortMut { discipline, sending: self.sending })
    }
}

impl<P: Packet, D: Discipline<P>> Port<P, D> {
    /// An idle port at time 0.
    pub fn new(discipline: D, service: impl Into<Service>) -> Self {
        let transmitter = Transmitter::new(service.into());
        let update_at = discipline.next_update().unwrap_or(Instant::MAX).min(transmitter.next_change());
        let sending = Sending { transmitter, free_at: Instant::MAX, update_at };
        Self { discipline, sending, packet: core::marker::PhantomData }
    }

    #[inline]
    const fn as_mut(&mut self) -> PortMut<'_, D> {
        PortMut { discipline: &mut self.discipline, sending: &mut self.sending }
    }

    /// A packet arrives at `now`.
    #[inline]
    pub fn offer(&mut self, packet: P, now: Instant, output: &mut impl Output<P>) {
        self.as_mut().offer(packet, now, output);
    }

    /// Does what was due up to and including `now`.
    #[inline]
    pub fn advance(&mut self, now: Instant, output: &mut impl Output<P>) {
        self.as_mut().advance(now, output);
    }

    /// When to call [`Port::advance`] again: when a waiting packet can leave. `None` while
    /// nothing waits.
    #[inline]
    pub fn next_wake(&self) -> Option<Instant> {
        (self.discipline.packets() > 0).then_some(self.sending.free_at)
    }

    /// Sets a fixed rate from `now` on. A packet already on the wire ends at the old one.
    pub fn set_rate(&mut self, rate: Rate, now: Instant, output: &mut impl Output<P>) {
        self.advance(now, output);
        match &mut self.sending.transmitter {
            Transmitter::Fixed(clock) => clock.set_rate(rate),
            other => {
                *other = Transmitter::new(rate.into());
                self.sending.update_at = self.discipline.next_update().unwrap_or(Instant::MAX);
            }
        }
        self.discipline.on_rate(rate, now);
    }

    /// Work that the link can send up to `now`, if it has a schedule, a token bucket, a trace or grants: not one rate
    /// times the time. Call [`Port::advance`] first.
    pub fn supply(&self, now: Instant) -> Option<Supply> {
        self.sending.transmitter.supply(now, self.sending.free_at)
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
        self.sending.transmitter.rate()
    }
}

impl<D> PortMut<'_, D> {
    /// [`Port::offer`]
    #[inline]
    pub fn offer<P: Packet>(&mut self, packet: P, now: Instant, output: &mut impl Output<P>)
    where
        D: Discipline<P>,
    {
        self.advance(now, output);
        if self.sending.free_at < Instant::MAX {
            self.discipline.enqueue(packet, now, output);
            // A drop may have taken time of the discipline's own shaper.
            self.sending.free_at = self.sending.free_at.max(self.discipline.ready_at());
            self.tell_backlog(now, output);
        } else if self.sending.transmitter.waits() {
            self.hold(packet, now, output);
        } else if let Some(packet) = self.discipline.pass(packet, now, output) {
            self.send(packet, Duration::ZERO, now, output);
        }
    }

    /// [`Port::advance`]
    #[expect(clippy::inline_always, reason = "it stands before every packet")]
    #[inline(always)]
    pub fn advance<P: Packet>(&mut self, now: Instant, output: &mut impl Output<P>)
    where
        D: Discipline<P>,
    {
        loop {
            let Sending { free_at, update_at, .. } = *self.sending;
            if free_at < update_at {
                if free_at > now {
                    return;
                }
                self.transmit(free_at, output);
            } else {
                // Nothing is due at the end of time.
                if update_at > now || update_at == Instant::MAX {
                    return;
                }
                self.update(update_at);
            }
        }
    }

    /// [`Port::next_wake`]
    #[inline]
    pub fn next_wake<P: Packet>(&self) -> Option<Instant>
    where
        D: Discipline<P>,
    {
        (self.discipline.packets() > 0).then_some(self.sending.free_at)
    }

    /// A packet arrives at an empty queue that may send only at times.
    #[cold]
    fn hold<P: Packet>(&mut self, packet: P, now: Instant, output: &mut impl Output<P>)
    where
        D: Discipline<P>,
    {
        let Sending { transmitter, free_at, update_at } = &mut *self.sending;
        *free_at = transmitter.opportunity(now);
        *update_at = (*update_at).min(transmitter.next_change());
        self.discipline.enqueue(packet, now, output);
        self.tell_backlog(now, output);
    }

    /// A change of the transmitter, or the AQM's update, is due.
    #[inline(never)]
    fn update<P: Packet>(&mut self, due: Instant)
    where
        D: Discipline<P>,
    {
        let Sending { transmitter, free_at, update_at } = &mut *self.sending;
        if transmitter.next_change() == due {
            if let Some(exchange) = transmitter.exchange() {
                let ready = exchange.step(self.discipline.backlog().bytes);
                // A port that has told its queue that it is empty waits for an arrival.
                if *free_at < Instant::MAX {
                    *free_at = ready;
                }
            } else {
                let rate = transmitter.change();
                self.discipline.on_rate(rate, due);
            }
        } else {
            self.discipline.update(due);
        }
        *update_at = self.discipline.next_update().unwrap_or(Instant::MAX).min(transmitter.next_change());
    }

    #[expect(clippy::inline_always, reason = "it stands twice on the way of every packet")]
    #[inline(always)]
    fn tell_backlog<P: Packet>(&mut self, now: Instant, output: &mut impl Output<P>)
    where
        D: Discipline<P>,
    {
        output.backlog(self.discipline.packets(), now);
        for class in 0..self.discipline.classes().len() {
            output.class_backlog(class, self.discipline.class_backlog(class).packets, now);
        }
    }

    /// The transmitter takes a packet at `now`.
    #[expect(clippy::inline_always, reason = "one call, on the way of every packet")]
    #[inline(always)]
    fn transmit<P: Packet>(&mut self, now: Instant, output: &mut impl Output<P>)
    where
        D: Discipline<P>,
    {
        let next = self.discipline.dequeue(now, output);
        self.tell_backlog(now, output);
        if output.prefetches() {
            output.upcoming(self.discipline.upcoming(0), self.discipline.upcoming(LATER));
        }
        match next {
            Some((packet, sojourn)) => self.send(packet, sojourn, now, output),
            None => self.sending.free_at = Instant::MAX,
        }
    }

    /// Transmission of `packet` begins at `now`.
    #[expect(clippy::inline_always, reason = "it stands twice on the way of every packet")]
    #[inline(always)]
    fn send<P: Packet>(&mut self, packet: P, sojourn: Duration, now: Instant, output: &mut impl Output<P>)
    where
        D: Discipline<P>,
    {
        let Transmitter::Fixed(clock) = &mut self.sending.transmitter else {
            return self.send_otherwise(packet, sojourn, now, output);
        };
        let end = clock.finish(now, packet.info().bytes);
        self.sending.free_at = end.max(self.discipline.ready_at());
        output.sent(packet, sojourn, now, end);
    }

    /// Transmission of `packet` begins at `now`, on a schedule, from a token bucket, a trace or a grant.
    #[inline(never)]
    fn send_otherwise<P: Packet>(
        &mut self,
        packet: P,
        sojourn: Duration,
        now: Instant,
        output: &mut impl Output<P>,
    ) where
        D: Discipline<P>,
    {
        let (end, free_at) = self.sending.transmitter.serve(now, packet.info().bytes);
        self.sending.free_at = free_at.max(self.discipline.ready_at());
        output.sent(packet, sojourn, now, end);
    }
}
