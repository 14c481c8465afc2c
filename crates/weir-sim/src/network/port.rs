use weir_aqm::{Ack, Discipline, Observer, Output, Port, PortMut, PortVisitor, Reason, qdisc::AnyDiscipline};
use weir_line::{Line, Losses, Passage};
use weir_tcp::Flags;
use weir_types::{Duration, Instant};

use super::PacketEvent;
use crate::{engine::Event, hosts::Hosts, packet::Packet, record::QueueCounts};

/// The queue and transmitter of a simulated port.
pub(crate) type SimPort = Port<Packet, AnyDiscipline<Packet>>;

/// A port of the simulated network, with its counts.
#[derive(Debug)]
pub(crate) struct PortSlot {
    pub(crate) port: SimPort,
    pub(crate) state: PortState,
}

impl PortSlot {
    /// The queue with its transmitter, and the surroundings of the port, which is number `id`.
    #[inline]
    pub(super) const fn split<'a>(
        &'a mut self,
        id: u32,
        hosts: &'a mut Hosts,
    ) -> (&'a mut SimPort, PortContext<'a>) {
        let Self { port, state } = self;
        (port, PortContext { id, class: 0, state, hosts })
    }

    /// Returns true if the queue, or one that may take its place, drops packets as they leave. It reports such a drop
    /// late.
    pub(super) fn drops_late(&self) -> bool {
        self.port.discipline().drops_on_departure() || !self.state.keeps_queue
    }
}

/// Packets of `pipe` arrive from `now` on, for as long as no other event comes first, at most `most` of them.
pub(super) struct Serve<'a> {
    pub(super) pipe: u32,
    pub(super) now: Instant,
    pub(super) most: u64,
    pub(super) context: PortContext<'a>,
}

impl PortVisitor<Packet> for Serve<'_> {
    /// When the last packet arrived, and their number.
    type Output = (Instant, u64);

    fn visit<D: Discipline<Packet>>(self, mut port: PortMut<'_, D>) -> (Instant, u64) {
        let Self { pipe, mut now, most, mut context } = self;
        let mut left = most;
        loop {
            let packet = context.hosts.routing.pipes.pop(pipe);
            if context.admits(&packet, now) {
                port.offer(packet, now, &mut context);
                context.count_arrival(&packet);
            }
            context.schedule(&port);
            left -= 1;
            let Some((next, event)) = context.hosts.routing.pipes.next(pipe) else {
                return (now, most - left);
            };
            if left == 0 || !context.is_next(pipe, next, event) {
                context.hosts.events.push(next, event);
                return (now, most - left);
            }
            now = next;
        }
    }
}

/// The port does all that was due by `now`.
pub(super) struct CatchUp<'a> {
    pub(super) now: Instant,
    pub(super) context: PortContext<'a>,
}

impl PortVisitor<Packet> for CatchUp<'_> {
    type Output = ();

    fn visit<D: Discipline<Packet>>(mut self, mut port: PortMut<'_, D>) {
        port.advance(self.now, &mut self.context);
        self.context.schedule(&port);
    }
}

/// State and counts beside the queue of a port.
#[derive(Debug, Default)]
pub(crate) struct PortState {
    pub(crate) counts: QueueCounts,
    /// Packets that its queue dropped, its impairment lost, and its filter of ACKs took away, in the whole run.
    pub(crate) dropped: u64,
    pub(crate) lost: u64,
    pub(crate) filtered: u64,
    /// The shortest delay behind the port. The port may be called later than [`Port::next_wake`] by this
    /// time: its transmissions carry the instants they were due, and no packet is late at the end of its
    /// pipe. Every arrival makes a port catch up, so a busy port needs one event per delay, not one per
    /// packet.
    pub(crate) lateness: Duration,
    /// Packets may be served although another event comes first, if they arrive within this time after it. See
    /// [`super::lookahead`].
    pub(crate) lookahead: Duration,
    /// The pipes that end here, if there are several and it looks ahead.
    pub(crate) pipes: Vec<u32>,
    /// No other queue takes the place of the first.
    pub(crate) keeps_queue: bool,
    /// [`Event::PortDue`] is scheduled.
    pub(crate) scheduled: bool,
    /// Optional features, boxed, so that the common case tests one pointer.
    pub(crate) extras: Option<Box<Extras>>,
}

/// Optional features of a port.
#[derive(Debug, Default)]
pub(crate) struct Extras {
    pub(crate) losses: Option<Losses>,
    /// The router does not support ECN.
    pub(crate) legacy: bool,
    pub(crate) line: Option<Line<Packet>>,
    /// Events that the observer has not seen; `None` if the port is not observed.
    pub(crate) observed: Option<Vec<PacketEvent>>,
}

impl PortState {
    /// Records packet events for an observer from now on.
    pub(crate) fn observe(&mut self) {
        self.extras.get_or_insert_default().observed.get_or_insert_default();
    }

    /// The line behind the transmitter, if it adds to the delay of packets.
    pub(super) fn line(&mut self) -> Option<&mut Line<Packet>> {
        self.extras.as_mut()?.line.as_mut()
    }

    /// Records no more packet events.
    pub(crate) fn ignore(&mut self) {
        let Some(extras) = &mut self.extras else { return };
        extras.observed = None;
        if extras.losses.is_none() && !extras.legacy && extras.line.is_none() {
            self.extras = None;
        }
    }

    /// Events that the observer has not seen, if the port is observed.
    pub(crate) fn observed(&mut self) -> Option<&mut Vec<PacketEvent>> {
        self.extras.as_mut()?.observed.as_mut()
    }
}

/// The surroundings of a port while it acts: its counts, and the network behind it.
pub(crate) struct PortContext<'a> {
    pub(crate) id: u32,
    /// Index of the first cell of the class whose packets the port reports.
    pub(crate) class: usize,
    pub(crate) state: &'a mut PortState,
    pub(crate) hosts: &'a mut Hosts,
}

impl PortContext<'_> {
    /// Schedules the next call of the port, if none is scheduled and something waits.
    #[inline]
    fn schedule<D: Discipline<Packet>>(&mut self, port: &PortMut<'_, D>) {
        if !self.state.scheduled
            && let Some(at) = port.next_wake()
        {
            self.state.scheduled = true;
            self.hosts.events.push(at + self.state.lateness, Event::PortDue(self.id));
        }
    }

    /// Returns true if nothing can happen at the port before the packet that arrives at `at` by `pipe`, with `event`.
    #[inline]
    fn is_next(&self, pipe: u32, at: Instant, event: Event) -> bool {
        self.hosts.events.would_be_first(at, event) || self.is_next_here(pipe, at)
    }

    /// Returns true if nothing can happen at this port before `at`, although another event comes first at another port.
    #[inline(never)]
    fn is_next_here(&self, pipe: u32, at: Instant) -> bool {
        let Hosts { events, routing, .. } = &*self.hosts;
        let waits = |other: &u32| *other == pipe || at < routing.pipes.scheduled(*other);
        events.none_before(at, self.state.lookahead) && self.state.pipes.iter().all(waits)
    }

    /// Returns true if `packet`, which arrives at `now`, reaches the queue.
    #[inline]
    pub(crate) fn admits(&mut self, packet: &Packet, now: Instant) -> bool {
        self.state.extras.is_none() || self.admits_with_extras(*packet, now)
    }

    #[inline(never)]
    fn admits_with_extras(&mut self, packet: Packet, now: Instant) -> bool {
        let Some(Extras { losses, observed, .. }) = self.state.extras.as_deref_mut() else { return true };
        if losses.as_mut().is_some_and(|losses| losses.before(packet.0.bytes())) {
            let group = self.hosts.flow(packet.0.flow).group();
            self.state.counts.lost_before[group] += 1;
            self.state.lost += 1;
            return false;
        }
        if let Some(events) = observed {
            events.push(PacketEvent::Arrived(packet, now));
        }
        true
    }

    /// `packet` leaves the port at `end`, unless it is lost, and then the line behind it.
    #[inline(never)]
    fn leaves_with_extras(&mut self, mut packet: Packet, cell: usize, start: Instant, end: Instant) {
        let Some(Extras { losses, legacy, line, observed }) = self.state.extras.as_deref_mut() else {
            return;
        };
        if let Some(events) = observed {
            events.push(PacketEvent::Departed(packet, start, end));
        }
        // Reverse-path routers must not clear echoed flags.
        if *legacy && !packet.0.flags().has(Flags::ACK) {
            packet.0.header = packet.0.header.with_flags(packet.0.flags().without(Flags::ALL_CAPABLE));
        }
        let lost = losses.as_mut().is_some_and(|losses| losses.behind(packet.0.bytes()));
        self.state.counts.cells[cell].lost += u64::from(lost);
        self.state.lost += u64::from(lost);
        // A packet that is lost takes its draw: the others keep their delays.
        let passage = match line {
            Some(line) => {
                let passage = line.pass(packet, end, lost);
                self.state.counts.cells[cell].on_line += if lost { 0 } else { line.delayed().as_nanos() };
                passage
            }
            None => Passage::At(packet, end),
        };
        match passage {
            Passage::At(..) if lost => {}
            Passage::At(packet, at) => self.hosts.depart(&packet, at, self.id),
            Passage::Held(Some(due)) => self.hosts.events.push(due, Event::Release(self.id)),
            Passage::Held(None) => {}
        }
    }

    /// Counts an arrival, whether the queue accepted or dropped the packet.
    #[inline]
    fn count_arrival(&mut self, packet: &Packet) {
        let cell = self.cell(packet);
        self.state.counts.cell_mut(cell).arrivals += 1;
    }

    /// Records that a packet of `flow` was dropped.
    fn record_loss(&mut self, flow: u32, now: Instant) {
        if self.state.counts.losses.begins_at(now) {
            let waited = self.state.counts.mean_wait();
            let losses = &mut self.state.counts.losses;
            if losses.is_out_of_date(self.hosts.flows_at(now)) {
                losses.learn(self.hosts.flows_through(self.id, now));
            }
            losses.begin(now, waited, |group| self.hosts.routing.live_at(group, now));
        }
        self.state.counts.losses.lost(flow);
    }

    /// Index of the cell for the group and class of `packet`.
    #[inline]
    fn cell(&self, packet: &Packet) -> usize {
        if self.state.counts.cells.len() == 1 {
            return 0;
        }
        self.class + self.hosts.flow(packet.0.flow).group()
    }
}

impl Observer<Packet> for PortContext<'_> {
    #[inline]
    fn class(&mut self, class: usize) {
        self.class = class * self.hosts.routing.groups();
    }

    fn dropped(&mut self, packet: Packet, reason: Reason, _waited: bool, now: Instant) {
        let cell = self.cell(&packet);
        self.state.counts.cells[cell].dropped(reason);
        self.state.dropped += 1;
        self.record_loss(packet.0.flow, now);
        if let Some(events) = self.state.observed() {
            events.push(PacketEvent::Dropped(packet, now));
        }
    }

    fn ack(&self, packet: &Packet) -> Option<Ack> {
        self.hosts.ack(&packet.0)
    }

    fn filtered(&mut self, packet: Packet, now: Instant) {
        let cell = self.cell(&packet);
        self.state.counts.cells[cell].filtered += 1;
        self.state.filtered += 1;
        // To whoever looks at the packets of a port it disappears, as others do.
        if let Some(events) = self.state.observed() {
            events.push(PacketEvent::Dropped(packet, now));
        }
    }

    fn marked(&mut self, packet: &Packet, _reason: Reason, now: Instant) {
        let cell = self.cell(packet);
        self.state.counts.cells[cell].marks += 1;
        if let Some(events) = self.state.observed() {
            events.push(PacketEvent::Marked(*packet, now));
        }
    }
}

impl Output<Packet> for PortContext<'_> {
    #[expect(clippy::inline_always, reason = "it stands twice on the way of every packet")]
    #[inline(always)]
    fn sent(&mut self, packet: Packet, sojourn: Duration, start: Instant, end: Instant) {
        let cell = self.cell(&packet);
        self.state.counts.transmits(cell, packet.0.bytes(), sojourn, &(start..end));
        if self.state.extras.is_some() {
            return self.leaves_with_extras(packet, cell, start, end);
        }
        self.hosts.depart(&packet, end, self.id);
    }

    #[inline]
    fn prefetches(&self) -> bool {
        self.hosts.exceed_caches()
    }

    #[inline]
    fn upcoming(&mut self, next: Option<&Packet>, later: Option<&Packet>) {
        self.hosts.prefetch(next.map(|packet| packet.0.flow), later.map(|packet| packet.0.flow));
    }

    #[inline]
    fn backlog(&mut self, packets: u32, now: Instant) {
        self.state.counts.gauge.set(packets, now);
    }

    fn class_backlog(&mut self, class: usize, packets: u32, now: Instant) {
        self.state.counts.class_gauges[class].set(packets, now);
    }
}
