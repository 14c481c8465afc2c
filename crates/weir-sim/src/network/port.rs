use weir_aqm::{Backlog, Observer, Output, Port, Reason, disciplines::AnyDiscipline};
use weir_tcp::Flags;
use weir_types::{Duration, Instant};

use super::{Access, Pipes, Route};
use crate::{Packet, engine::Calendar, measure::QueueCounts};

/// The queue and transmitter of a simulated port.
pub(crate) type SimPort = Port<Packet, AnyDiscipline<Packet>>;

/// A port of the simulated network, with its counts.
#[derive(Debug)]
pub(crate) struct PortSlot {
    pub(crate) port: SimPort,
    pub(crate) counts: QueueCounts,
    /// The shortest delay behind the port. A port may be called so much later than
    /// [`Port::next_wake`] asks: what it does then carries the instants it was due at, and no
    /// packet is late at the end of its pipe. Since every arrival makes a port catch up, a busy
    /// one needs an event per delay instead of one per packet.
    pub(crate) lookahead: Duration,
    /// The calendar holds an event for the port.
    pub(crate) awaited: bool,
}

/// Where flows' packets go, as ports need to know it.
#[derive(Debug, Default)]
pub(crate) struct Ways {
    /// Groups there are.
    pub(crate) groups: usize,
    /// Group of each flow.
    pub(crate) group: Vec<u32>,
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
    pub(crate) counts: &'a mut QueueCounts,
    pub(crate) ways: &'a mut Ways,
    pub(crate) pipes: &'a mut Pipes,
    pub(crate) calendar: &'a mut Calendar,
    /// Packets dropped in the whole run.
    pub(crate) dropped: &'a mut u64,
}

impl Outbox<'_> {
    /// `packet` has arrived, whatever became of it.
    #[inline]
    pub(crate) fn arrived(&mut self, packet: &Packet) {
        let cell = self.cell(packet);
        self.counts.cells[cell].arrivals += 1;
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

    fn dropped(&mut self, packet: Packet, reason: Reason, _waited: bool, _now: Instant) {
        let cell = self.cell(&packet);
        self.counts.cells[cell].dropped(reason);
        *self.dropped += 1;
    }

    fn marked(&mut self, packet: &Packet, _reason: Reason, _now: Instant) {
        let cell = self.cell(packet);
        self.counts.cells[cell].marks += 1;
    }
}

impl Output<Packet> for Outbox<'_> {
    #[inline]
    fn sent(&mut self, packet: Packet, sojourn: Duration, start: Instant, end: Instant) {
        let cell = self.cell(&packet);
        self.counts.transmits(cell, packet.0.bytes, sojourn, start, end);
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
        self.counts.gauge.set(queue.packets, now);
    }

    fn class_backlog(&mut self, class: usize, queue: Backlog, now: Instant) {
        self.counts.class_gauges[class].set(queue.packets, now);
    }
}
