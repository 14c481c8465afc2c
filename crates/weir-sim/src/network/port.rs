use weir_aqm::{Backlog, Observer, Output, Port, Reason, disciplines::AnyDiscipline};
use weir_tcp::Flags;
use weir_types::{Duration, Instant};

use super::{Access, Line, Pipes, Route};
use crate::{
    Packet,
    capture::{Seen, Tap},
    engine::Calendar,
    measure::{FlowsOver, QueueCounts},
};

/// The queue and transmitter of a simulated port.
pub(crate) type SimPort = Port<Packet, AnyDiscipline<Packet>>;

/// A port of the simulated network, with its counts.
#[derive(Debug)]
pub(crate) struct PortSlot {
    pub(crate) port: SimPort,
    pub(crate) side: PortSide,
    /// The shortest delay behind the port. A port may be called so much later than
    /// [`Port::next_wake`] asks: what it does then carries the instants it was due at, and no
    /// packet is late at the end of its pipe. Since every arrival makes a port catch up, a busy
    /// one needs an event per delay instead of one per packet.
    pub(crate) lookahead: Duration,
    /// The calendar holds an event for the port.
    pub(crate) awaited: bool,
}

/// What stands beside a port.
#[derive(Debug, Default)]
pub(crate) struct PortSide {
    pub(crate) counts: QueueCounts,
    /// Packets that its queue dropped and its line lost, in the whole run.
    pub(crate) dropped: u64,
    pub(crate) lost: u64,
    /// What few ports have, behind one look.
    pub(crate) extras: Option<Box<Extras>>,
}

/// What few ports have.
#[derive(Debug, Default)]
pub(crate) struct Extras {
    /// What the line does to packets, if anything.
    pub(crate) line: Option<Line>,
    /// Who looks on, if anybody does.
    pub(crate) tap: Option<Tap>,
}

impl PortSide {
    /// Who looks on at this port.
    pub(crate) fn tap(&mut self) -> Option<&mut Tap> {
        self.extras.as_mut()?.tap.as_mut()
    }
}

/// Where flows' packets go, as ports need to know it.
#[derive(Debug, Default)]
pub(crate) struct Ways {
    /// Groups there are.
    pub(crate) groups: usize,
    /// Group of each flow.
    pub(crate) group: Vec<u32>,
    /// Flows of each group that have begun and not ended.
    pub(crate) live: Vec<u32>,
    /// Route of each flow's data, and of its ACKs.
    pub(crate) forward: Vec<u32>,
    pub(crate) backward: Vec<u32>,
    pub(crate) routes: Vec<Route>,
    /// Access links of each flow; empty if no flow has any.
    pub(crate) access: Vec<Option<Access>>,
}

impl Ways {
    /// The route of `packet`.
    #[inline]
    pub(crate) fn route(&self, packet: &Packet) -> &Route {
        let flow = packet.0.flow as usize;
        let ways = if packet.0.flags.has(Flags::ACK) { &self.backward } else { &self.forward };
        &self.routes[ways[flow] as usize]
    }

    /// The flows whose data or ACKs pass `port`.
    fn over(&self, port: u32, pipes: &Pipes) -> FlowsOver {
        let mut groups: Vec<u32> = Vec::new();
        let (mut flows, mut nanos) = (0, 0);
        for ((group, forward), backward) in self.group.iter().zip(&self.forward).zip(&self.backward) {
            let ways = [&self.routes[*forward as usize], &self.routes[*backward as usize]];
            if ways.iter().any(|way| way.hops.iter().any(|hop| hop.port == port)) {
                if !groups.contains(group) {
                    groups.push(*group);
                }
                flows += 1;
                nanos += ways.iter().map(|way| way.delay(pipes).as_nanos()).sum::<u64>();
            }
        }
        FlowsOver { of: self.group.len(), groups, rtt: Duration::from_nanos(nanos / flows.max(1)) }
    }

    /// The access links of `flow`, if it has any.
    #[inline]
    pub(crate) fn access(&mut self, flow: u32) -> Option<&mut Access> {
        self.access.get_mut(flow as usize)?.as_mut()
    }
}

/// What a port's packets run into: the pipe behind it, and the books.
pub(crate) struct Outbox<'a> {
    pub(crate) id: u32,
    /// What the port tells of now: the class of its packets, as a place among the counts.
    pub(crate) class: usize,
    pub(crate) side: &'a mut PortSide,
    pub(crate) ways: &'a mut Ways,
    pub(crate) pipes: &'a mut Pipes,
    pub(crate) calendar: &'a mut Calendar,
}

impl Outbox<'_> {
    /// `packet` is on its way to the queue at `now`: whether it gets there.
    #[inline]
    pub(crate) fn lets_in(&mut self, packet: &Packet, now: Instant) -> bool {
        self.side.extras.is_none() || self.is_let_in(packet, now)
    }

    #[inline(never)]
    fn is_let_in(&mut self, packet: &Packet, now: Instant) -> bool {
        let Some(Extras { line, tap }) = self.side.extras.as_deref_mut() else { return true };
        if line.as_mut().is_some_and(|line| line.loses_before(packet)) {
            let group = self.ways.group[packet.0.flow as usize] as usize;
            self.side.counts.lost_before[group] += 1;
            self.side.lost += 1;
            return false;
        }
        if let Some(tap) = tap {
            tap.sees(Seen::Arrived(*packet, now));
        }
        true
    }

    /// `packet` leaves the port at `end`: whether the line bears it.
    #[inline(never)]
    fn is_let_out(&mut self, packet: &mut Packet, cell: usize, end: Instant) -> bool {
        let Some(Extras { line, tap }) = self.side.extras.as_deref_mut() else { return true };
        if let Some(tap) = tap {
            tap.sees(Seen::Left(*packet, end));
        }
        let lost = line.as_mut().is_some_and(|line| line.loses_behind(packet));
        self.side.counts.cells[cell].lost += u64::from(lost);
        self.side.lost += u64::from(lost);
        !lost
    }

    /// `packet` has arrived, whatever became of it.
    #[inline]
    pub(crate) fn arrived(&mut self, packet: &Packet) {
        let cell = self.cell(packet);
        self.side.counts.cells[cell].arrivals += 1;
    }

    /// A packet of `flow` was lost here.
    fn note_loss(&mut self, flow: u32, now: Instant) {
        if self.side.counts.losses.begins_at(now) {
            let waited = self.side.counts.mean_wait();
            let losses = &mut self.side.counts.losses;
            if losses.is_out_of_date(self.ways.group.len()) {
                losses.learn(self.ways.over(self.id, self.pipes));
            }
            losses.begin(now, waited, &self.ways.live);
        }
        self.side.counts.losses.lost(flow);
    }

    /// Where packets of this group and class are counted.
    #[inline]
    fn cell(&self, packet: &Packet) -> usize {
        self.class + self.ways.group[packet.0.flow as usize] as usize
    }
}

impl Observer<Packet> for Outbox<'_> {
    #[inline]
    fn class(&mut self, class: usize) {
        self.class = class * self.ways.groups;
    }

    fn dropped(&mut self, packet: Packet, reason: Reason, _waited: bool, now: Instant) {
        let cell = self.cell(&packet);
        self.side.counts.cells[cell].dropped(reason);
        self.side.dropped += 1;
        self.note_loss(packet.0.flow, now);
        if let Some(tap) = self.side.tap() {
            tap.sees(Seen::Dropped);
        }
    }

    fn marked(&mut self, packet: &Packet, _reason: Reason, _now: Instant) {
        let cell = self.cell(packet);
        self.side.counts.cells[cell].marks += 1;
    }
}

impl Output<Packet> for Outbox<'_> {
    #[inline]
    fn sent(&mut self, mut packet: Packet, sojourn: Duration, start: Instant, end: Instant) {
        let cell = self.cell(&packet);
        self.side.counts.transmits(cell, packet.0.bytes, sojourn, start, end);
        if self.side.extras.is_some() && !self.is_let_out(&mut packet, cell, end) {
            return;
        }
        let hop = self.ways.route(&packet).behind(self.id);
        let mut due = end + self.pipes.0[hop.pipe as usize].delay;
        if hop.last
            && let Some(access) = self.ways.access(packet.0.flow)
        {
            // Delay and queue commute: both keep the order, one adds a constant.
            due = if packet.0.flags.has(Flags::ACK) {
                access.deliver_ack(packet.0.bytes, due)
            } else {
                access.deliver_data(packet.0.bytes, due)
            };
        }
        self.pipes.push(hop.pipe, due, packet, self.calendar);
    }

    #[inline]
    fn backlog(&mut self, queue: Backlog, now: Instant) {
        self.side.counts.gauge.set(queue.packets, now);
    }

    fn class_backlog(&mut self, class: usize, queue: Backlog, now: Instant) {
        self.side.counts.class_gauges[class].set(queue.packets, now);
    }
}
