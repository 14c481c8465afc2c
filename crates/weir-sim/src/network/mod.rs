//! The network between the endpoints: ports, pipes and routes.

mod access;
mod builder;
mod impairment;
mod observer;
mod pipe;
mod port;
mod routing;

use weir_aqm::Discipline;
use weir_tcp::Segment;
use weir_types::{Duration, Instant};

use crate::{
    engine::{Event, EventQueue},
    packet::Packet,
    record::{QueueCounts, QueueInfo},
};

pub(crate) use access::Access;
pub(crate) use builder::NetworkBuilder;
use impairment::Impairment;
pub(crate) use observer::{ObservedFlow, PacketEvent, PacketObserver};
pub(crate) use pipe::Arrival;
use pipe::{Pipe, Pipes, To};
use port::{Extras, PortContext, PortSlot, PortState, SimPort};
pub(crate) use routing::Routing;
use routing::{Entry, Hop, Route};

/// All ports, pipes and routes.
#[derive(Debug)]
pub(crate) struct Network {
    ports: Vec<PortSlot>,
    pipes: Pipes,
    pub(crate) routing: Routing,
    /// Packets that entered the network, and that reached an endpoint.
    sent: u64,
    delivered: u64,
}

/// A port with packet events that its observer has not seen.
#[must_use]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unseen(pub(crate) u32);

impl Network {
    /// The network of `builder`, and the properties of its queues in the order of the ports.
    pub(crate) fn new(builder: NetworkBuilder<'_>) -> (Self, Vec<QueueInfo>) {
        let NetworkBuilder { ports, pipes, routing, queues, .. } = builder;
        (Self { ports, pipes, routing, sent: 0, delivered: 0 }, queues)
    }

    /// The number of ports.
    pub(crate) const fn ports(&self) -> u32 {
        self.ports.len() as u32
    }

    /// The greatest time by which a departure from `port` is handled late.
    pub(crate) fn lookahead(&self, port: u32) -> Duration {
        self.ports[port as usize].lookahead
    }

    /// Records the packet events of `port` for an observer.
    pub(crate) fn observe(&mut self, port: u32) {
        self.ports[port as usize].state.observe();
    }

    /// The packet events of `port` that its observer has not seen, and the groups of all flows.
    pub(crate) fn unseen(&mut self, port: Unseen) -> (Option<&mut Vec<PacketEvent>>, &Routing) {
        (self.ports[port.0 as usize].state.observed(), &self.routing)
    }

    /// Handles [`Event::PortDue`].
    #[inline]
    pub(crate) fn on_port_due(&mut self, port: u32, now: Instant, events: &mut EventQueue) -> Option<Unseen> {
        self.ports[port as usize].scheduled = false;
        self.catch_up(port, now, events)
    }

    /// Makes `port` do all that was due by `now`.
    #[inline]
    pub(crate) fn catch_up(&mut self, port: u32, now: Instant, events: &mut EventQueue) -> Option<Unseen> {
        self.with_port(port, events, |queue, context| queue.advance(now, context))
    }

    /// Handles a packet that arrives at a port.
    #[inline]
    fn offer(&mut self, port: u32, packet: Packet, now: Instant, events: &mut EventQueue) -> Option<Unseen> {
        self.with_port(port, events, |queue, context| {
            if context.admits(&packet, now) {
                queue.offer(packet, now, context);
                context.count_arrival(&packet);
            }
        })
    }

    /// Runs `act`, then schedules the port's next wake-up.
    #[inline]
    fn with_port(
        &mut self,
        port: u32,
        events: &mut EventQueue,
        act: impl FnOnce(&mut SimPort, &mut PortContext<'_>),
    ) -> Option<Unseen> {
        let PortSlot { port: queue, state, lookahead, scheduled } = &mut self.ports[port as usize];
        let mut context = PortContext {
            id: port,
            class: 0,
            state,
            routing: &mut self.routing,
            pipes: &mut self.pipes,
            events,
        };
        act(queue, &mut context);
        if !*scheduled && let Some(at) = queue.next_wake() {
            *scheduled = true;
            context.events.push(at + *lookahead, Event::PortDue(port));
        }
        state.extras.is_some().then_some(Unseen(port))
    }

    /// Handles [`Event::ToPort`]: the head of `pipe` arrives at a port.
    #[inline]
    pub(crate) fn reach_port(&mut self, pipe: u32, now: Instant, events: &mut EventQueue) -> Option<Unseen> {
        match self.pipes.pop(pipe, now, events) {
            Some(Arrival { packet, to: To::Port(port) }) => self.offer(port, packet, now, events),
            _ => None,
        }
    }

    /// Handles [`Event::ToReceiver`] and [`Event::ToSender`]: the head of `pipe` reaches its endpoint.
    /// `None` if the event is not valid.
    #[inline]
    pub(crate) fn reach_endpoint(
        &mut self,
        pipe: u32,
        now: Instant,
        events: &mut EventQueue,
    ) -> Option<Arrival> {
        let arrival = self.pipes.pop(pipe, now, events);
        self.delivered += u64::from(arrival.is_some());
        arrival
    }

    /// The flows of the next packet at the end of `pipe` and of the one after it, if they are known.
    #[inline]
    pub(crate) fn next_flows(&self, pipe: u32) -> [Option<u32>; 2] {
        [self.pipes.flow_ahead(pipe, 0), self.pipes.flow_ahead(pipe, 1)]
    }

    /// Data leaves its sender.
    #[inline]
    pub(crate) fn send_data(
        &mut self,
        segment: Segment,
        now: Instant,
        events: &mut EventQueue,
    ) -> Option<Unseen> {
        self.sent += 1;
        let packet = Packet(segment);
        match self.routing.route_of(&packet).entry {
            Entry::Port(port) => self.offer(port, packet, now, events),
            Entry::Pipe(pipe) => {
                let delay = self.pipes.delay(pipe);
                let due = match self.routing.access(segment.flow) {
                    Some(access) => access.send_data(segment.bytes, now),
                    None => now,
                };
                self.pipes.push(pipe, due + delay, packet, events);
                None
            }
        }
    }

    /// An ACK leaves its receiver.
    #[inline]
    pub(crate) fn send_ack(&mut self, ack: Segment, now: Instant, events: &mut EventQueue) -> Option<Unseen> {
        self.sent += 1;
        let packet = Packet(ack);
        let route = self.routing.route_of(&packet);
        let (entry, direct) = (route.entry, route.hops.is_empty());
        match entry {
            Entry::Port(port) => self.offer(port, packet, now, events),
            Entry::Pipe(pipe) => {
                let mut due = now;
                let delay = self.pipes.delay(pipe);
                if let Some(access) = self.routing.access(ack.flow) {
                    due = access.send_ack(ack.bytes, due);
                    if direct {
                        due = access.deliver_ack(ack.bytes, due);
                    }
                }
                self.pipes.push(pipe, due + delay, packet, events);
                None
            }
        }
    }

    /// Ends a measuring interval at `now`: the counts of every port.
    pub(crate) fn close_interval(&mut self, now: Instant) -> impl Iterator<Item = QueueCounts> {
        self.ports.iter_mut().map(move |PortSlot { port, state, .. }| {
            let mut counts = state.counts.cut(now);
            if let Some(offered) = port.offered(now) {
                state.counts.divide(&mut counts, offered, port.unsent(now));
            }
            counts
        })
    }

    /// Reports the variables of the queue of `port`: its length in packets, then those of its discipline.
    pub(crate) fn probe(&self, port: u32, report: &mut dyn FnMut(&'static str, f64)) {
        let port = &self.ports[port as usize].port;
        report("queue", f64::from(port.backlog().packets));
        port.discipline().probe(report);
    }

    /// Checks that packets are conserved: sent = delivered + dropped + lost + in flight.
    pub(crate) fn check_conservation(&self) {
        let Self { ports, pipes, sent, delivered, .. } = self;
        let waiting: u64 = ports.iter().map(|slot| u64::from(slot.port.backlog().packets)).sum();
        let in_flight = pipes.in_flight() + waiting;
        let dropped: u64 = ports.iter().map(|slot| slot.state.dropped).sum();
        let lost: u64 = ports.iter().map(|slot| slot.state.lost).sum();
        assert_eq!(
            *sent,
            delivered + dropped + lost + in_flight,
            "packets are not conserved: {sent} sent, {delivered} delivered, {dropped} dropped, {lost} lost, \
             {in_flight} in flight"
        );
    }
}
