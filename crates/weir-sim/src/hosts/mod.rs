//! The hosts: senders and receivers, and the way of their packets to the next port.

mod access;
mod acks;
mod ahead;
mod blocks;
mod flow;
mod held;
mod order;
mod overtaking;
mod pipe;
mod routing;
mod timers;

use std::{ops::Range, sync::Arc};

use weir_tcp::{Flags, Segment};
use weir_types::{Ecn, Instant};

use crate::{
    engine::{Event, EventQueue, prefetch},
    packet::Packet,
    record::{DatagramCounts, FlowCounts, FlowsThrough},
};

pub(crate) use access::Access;
pub(crate) use ahead::Completed;
pub(crate) use flow::{Flow, SendJitter};
use held::{Arrival, Held};
use order::PacketOrder;
pub(crate) use order::{Cause, Origin};
use pipe::Pipes;
pub(crate) use routing::{Hop, Leg, Route, Routing, Way};
use timers::Timers;

/// Beyond this number of flows their states exceed the caches: they are half a megabyte.
const PREFETCH_MIN_FLOWS: usize = 2000;

/// All flows, and what lies between their ends and the ports.
#[derive(Debug, Default)]
pub(crate) struct Hosts {
    flows: Vec<Flow>,
    pub(crate) routing: Routing,
    /// Pending events of hosts and ports.
    pub(crate) events: EventQueue,
    /// Datagrams of each flow, up to the last flow that sends datagrams.
    datagrams: Vec<DatagramCounts>,
    /// Endpoints act ahead of the clock, but only before this instant.
    horizon: Instant,
    order: PacketOrder,
    held: Held,
    timers: Timers,
    /// Packets that entered the network, and that reached an endpoint.
    sent: u64,
    delivered: u64,
    /// ACKs that did both on the fast path.
    followed: u64,
    /// ACKs that nobody has taken; `None` if they are not followed.
    acks: Option<Vec<AckEvent>>,
}

/// An event of an ACK.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AckEvent {
    /// It left its receiver, or the last port on its way, and comes to its sender at the second instant.
    Sent(Segment, Instant, Instant),
    /// It reached its sender.
    Arrived(Segment, Instant),
}

impl Hosts {
    /// No flows yet, of so many groups, before so many ports, in a run up to `end`.
    pub(crate) fn new(groups: usize, ports: usize, end: Instant) -> Self {
        let order = PacketOrder::among(ports);
        Self { routing: Routing::new(groups), order, held: Held::until(end), ..Self::default() }
    }

    /// Adds a flow, whose id is the number of flows before it.
    pub(crate) fn add(&mut self, flow: Flow) {
        self.timers.add();
        self.flows.push(flow);
    }

    /// [`Event::Start`] is due for `flow` at `at`.
    pub(crate) fn start_at(&mut self, flow: u32, at: Instant) {
        self.flows[flow as usize].timer_at = at;
        self.timers.set_start(flow, at, &mut self.events);
    }

    /// Adds a flow at `now`, or puts it in the place of the former flow of this id.
    pub(crate) fn put(&mut self, id: u32, flow: Flow, now: Instant) {
        self.routing.change_way(id, self.flows.get(id as usize).map(|former| &former.way), now);
        match self.flows.get_mut(id as usize) {
            Some(former) => *former = flow.replaces(former),
            None => self.add(flow),
        }
    }

    /// Prepares counters of datagrams for the flows with ids below `flows`.
    pub(crate) fn count_datagrams(&mut self, flows: u32) {
        self.datagrams.resize(flows as usize, DatagramCounts::default());
    }

    /// The number of flows that were there at `at`, which lies back by no more than a queue may be late.
    pub(crate) fn flows_at(&self, at: Instant) -> usize {
        self.flows.len() - self.routing.ways_before(at).filter(|(_, former)| former.is_none()).count()
    }

    /// Which flows sent data or ACKs through `port` at `at`, which lies back by no more than a queue may be late.
    pub(crate) fn flows_through(&self, port: u32, at: Instant) -> FlowsThrough {
        let mut ways: Vec<&Way> = self.flows.iter().map(|flow| &*flow.way).collect();
        for (flow, former) in self.routing.ways_before(at) {
            match former {
                Some(way) => ways[flow as usize] = way,
                None => ways.truncate(flow as usize),
            }
        }
        self.routing.flows_through(&ways, port)
    }

    /// All flows, in the order of their ids.
    pub(crate) fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// Bytes of all flows, without what they point to.
    pub(crate) fn flow_bytes(&self) -> usize {
        size_of_val(&*self.flows)
    }

    /// The flow with this id.
    pub(crate) fn flow(&self, id: u32) -> &Flow {
        &self.flows[id as usize]
    }

    /// Records ACKs from now on, or no more. No endpoint acts ahead of the clock while they are recorded.
    pub(crate) fn follow_acks(&mut self, on: bool) {
        self.acks = on.then(Vec::new);
        if on {
            self.horizon = Instant::ZERO;
        }
    }

    /// Returns true if ACKs are recorded.
    pub(crate) const fn are_followed(&self) -> bool {
        self.acks.is_some()
    }

    /// The ACKs that nobody has taken.
    pub(crate) fn take_acks(&mut self) -> Vec<AckEvent> {
        self.acks.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Datagrams of each flow, up to the last flow that sends datagrams.
    pub(crate) fn datagrams(&self) -> &[DatagramCounts] {
        &self.datagrams
    }

    /// Counts, since the start, of a flow with data segments of `bytes` bytes.
    pub(crate) fn counts(&self, flow: usize, bytes: u32) -> FlowCounts {
        match self.datagrams.get(flow).filter(|counts| counts.sent > 0) {
            Some(counts) => counts.as_flow(),
            None => FlowCounts::of(&self.flows[flow].sender, &self.flows[flow].receiver, bytes),
        }
    }

    /// Packets that entered the network, that reached an endpoint, and that are between the ports.
    pub(crate) fn packets(&self) -> [u64; 3] {
        let Self { sent, delivered, followed, .. } = *self;
        [sent + followed, delivered + 2 * followed, self.routing.pipes.in_flight() + self.held.len()]
    }

    /// Returns true if there are so many flows that prefetching pays.
    #[inline]
    pub(crate) const fn exceed_caches(&self) -> bool {
        self.flows.len() > PREFETCH_MIN_FLOWS
    }

    /// Prefetches the flow of a later packet, and what the flow of the next packet points to.
    #[inline]
    pub(crate) fn prefetch(&self, next: Option<u32>, later: Option<u32>) {
        if let Some(flow) = later {
            prefetch(self.flow(flow));
        }
        if let Some(flow) = next {
            let Flow { sender, receiver, .. } = self.flow(flow);
            sender.sack().into_iter().for_each(prefetch);
            receiver.reporter().into_iter().for_each(prefetch);
            receiver.beyond_expected().into_iter().for_each(prefetch);
        }
    }

    /// `flows` take `way` from `now` on; packets on their way keep their delays.
    pub(crate) fn take_way(&mut self, flows: Range<u32>, way: &Arc<Way>, now: Instant) {
        for id in flows {
            let flow = &mut self.flows[id as usize];
            self.routing.change_way(id, Some(&flow.way), now);
            flow.take_way(way);
        }
    }

    /// A bulk flow begins at `now`.
    pub(crate) fn start(&mut self, flow: u32, now: Instant) {
        self.flows[flow as usize].timer_at = Instant::MAX;
        self.flows[flow as usize].sender.start();
        self.routing.begin_flow(self.flows[flow as usize].group(), now);
        self.send(flow, now, Origin::new(Cause::Start, flow));
    }

    /// A bulk flow ends at `now`; before `until` its sender must not go beyond that instant.
    pub(crate) fn stop(&mut self, flow: u32, now: Instant, until: Instant) {
        let flow = &mut self.flows[flow as usize];
        if flow.has_begun() {
            self.routing.end_flow(flow.group(), now);
        }
        flow.sender.stop();
        flow.sender_until = until;
        // To release looks at all packets that are held: once for all flows that stop now.
        if !self.events.stops_another(now) {
            self.release();
        }
    }

    /// Sends what the sender of `flow` may send at `now`, or after its jitter.
    #[inline(never)]
    pub(crate) fn send(&mut self, flow: u32, now: Instant, origin: Origin) {
        self.send_or_wait(flow, now, origin);
    }

    /// [`Hosts::send`], inlined into the processing of an ACK.
    #[expect(clippy::inline_always, reason = "it is on the way of every packet in a recovery")]
    #[inline(always)]
    fn send_or_wait(&mut self, flow: u32, now: Instant, origin: Origin) {
        if self.flows[flow as usize].jitter.is_some() {
            return self.send_with_jitter(flow, now, origin);
        }
        self.send_all(flow, now, origin);
    }

    /// Jitter does not delay retransmissions.
    #[inline(never)]
    fn send_with_jitter(&mut self, flow: u32, now: Instant, origin: Origin) {
        let Flow { sender, jitter, .. } = &mut self.flows[flow as usize];
        if sender.has_room(now)
            && let Some(until) = jitter.as_mut().and_then(|jitter| jitter.begin(now))
        {
            self.events.push(until, Event::SendLater(flow));
        }
        while let Some(segment) = self.flows[flow as usize].sender.poll_repair(now) {
            self.send_data(segment, now, origin);
        }
        let Flow { sender, timer_at, .. } = &mut self.flows[flow as usize];
        self.timers.renew(flow, timer_at, sender.timeout(), &mut self.events);
    }

    /// Sends what the window of `flow` allows, in rows.
    #[expect(clippy::inline_always, reason = "it is on the way of every packet in a recovery")]
    #[inline(always)]
    fn send_all(&mut self, flow: u32, now: Instant, origin: Origin) {
        let Flow { sender, way, access, timer_at, .. } = &mut self.flows[flow as usize];
        let sent = sender.send_all(now, |row| {
            Flow::send_data(way, access, row, now, origin, (&mut self.routing.pipes, &mut self.events));
        });
        self.sent += u64::from(sent);
        self.timers.renew(flow, timer_at, sender.expected_timeout(), &mut self.events);
    }

    /// Data leaves its sender at `now`.
    fn send_data(&mut self, segment: Segment, now: Instant, origin: Origin) {
        self.sent += 1;
        let Flow { way, access, .. } = &mut self.flows[segment.flow as usize];
        Flow::send_data(way, access, segment, now, origin, (&mut self.routing.pipes, &mut self.events));
    }

    /// Handles [`Event::Timers`].
    pub(crate) fn on_timers(&mut self, now: Instant) {
        self.timers.on_span(now, &mut self.flows, &mut self.events);
    }

    /// Handles [`Event::Timer`].
    pub(crate) fn on_timer(&mut self, flow: u32, now: Instant) {
        let Flow { sender, timer_at, .. } = &mut self.flows[flow as usize];
        if *timer_at != now {
            return;
        }
        *timer_at = Instant::MAX;
        if sender.timeout() <= now {
            sender.on_timeout(now);
        }
        self.send(flow, now, Origin::new(Cause::Timer, flow));
    }

    /// Handles [`Event::SendLater`]: the delay of new packets is over.
    pub(crate) fn on_send_later(&mut self, flow: u32, now: Instant) {
        if let Some(jitter) = &mut self.flows[flow as usize].jitter
            && jitter.until == now
        {
            jitter.until = Instant::MAX;
            self.send_all(flow, now, Origin::new(Cause::SendLater, flow));
        }
    }

    /// Handles [`Event::DelayedAck`].
    pub(crate) fn on_delayed_ack(&mut self, flow: u32, now: Instant) {
        let Flow { receiver, ack_timer_at, .. } = &mut self.flows[flow as usize];
        if *ack_timer_at != now {
            return;
        }
        *ack_timer_at = Instant::MAX;
        let due = receiver.timeout();
        if due <= now {
            if let Some(ack) = receiver.on_timeout() {
                self.send_ack(ack, now, Origin::new(Cause::DelayedAck, flow));
            }
        } else if due < Instant::MAX {
            *ack_timer_at = due;
            self.events.push(due, Event::DelayedAck(flow));
        }
    }

    /// A source sends a datagram at `now`.
    pub(crate) fn send_datagram(&mut self, datagram: Segment, now: Instant, origin: Origin) {
        self.datagrams[datagram.flow as usize].sent += 1;
        let label = self.flow(datagram.flow).way.label;
        self.send_data(datagram.with_label(label), now, origin);
    }

    /// An ACK leaves its receiver at `now`.
    #[inline]
    fn send_ack(&mut self, ack: Segment, now: Instant, origin: Origin) {
        self.sent += 1;
        let onward = (&mut self.routing.pipes, &mut self.events);
        if let Some(due) = self.flows[ack.flow as usize].send_ack(ack, now, origin, onward) {
            self.deliver_ack(&ack, due, origin.of_arrival());
        }
    }

    /// A packet that has left `port` at `at` and has not taken the fast path.
    #[inline(never)]
    pub(super) fn depart_further(&mut self, packet: &Packet, at: Instant, port: u32) {
        let (Packet(segment), origin) = (packet, self.order.packet(at, port));
        let (way, acks) = (&self.flow(segment.flow).way, segment.flags().has(Flags::ACK));
        if acks && way.last_of_acks == Some(port) {
            return self.deliver_ack(segment, at + way.to_sender, origin);
        }
        if !acks && way.last == port {
            return self.deliver_data(segment, at + way.to_receiver, origin);
        }
        let Leg { delay, pipe } = self.routing.after(way, port, acks);
        let (pipe, due) = (pipe.expect("it is not the last port"), at + delay);
        self.routing.pipes.push(pipe, origin.turn(at, due), *packet, &mut self.events);
    }

    /// Data arrives at its receiver.
    #[inline]
    fn receive(&mut self, arrival: &Arrival) {
        let Arrival { due: now, origin, ref segment } = *arrival;
        self.delivered += 1;
        if segment.flags().has(Flags::DATAGRAM) {
            return self.receive_datagram(segment);
        }
        let Flow { receiver, ack_timer_at, .. } = &mut self.flows[segment.flow as usize];
        if let Some(ack) = receiver.on_segment(segment, now) {
            self.send_ack(ack, now, origin);
        } else if receiver.timeout() < *ack_timer_at {
            *ack_timer_at = receiver.timeout();
            self.events.push(*ack_timer_at, Event::DelayedAck(segment.flow));
        }
    }

    /// Counts a datagram. Datagrams are not acknowledged.
    #[inline(never)]
    fn receive_datagram(&mut self, segment: &Segment) {
        let counts = &mut self.datagrams[segment.flow as usize];
        counts.delivered += 1;
        counts.bytes += u64::from(segment.bytes());
        counts.marked += u64::from(segment.ecn() == Ecn::Ce);
    }

    /// An ACK arrives at its sender, as `origin`, and takes the slow path.
    #[expect(clippy::inline_always, reason = "it is on the way of every packet in a recovery")]
    #[inline(always)]
    fn acknowledge(&mut self, ack: &Segment, now: Instant, origin: Origin) {
        let Flow { sender, receiver, .. } = &mut self.flows[ack.flow as usize];
        if ack.options() == 0 {
            sender.on_ack(ack, now);
        } else if ack.number >= sender.first() {
            let options = receiver.options_of(ack);
            sender.on_ack_with(ack, &options, now);
        }
        self.send_or_wait(ack.flow, now, origin);
    }
}
