use weir_tcp::{Flags, Segment};
use weir_types::{Duration, Instant};

use super::{Access, Pipes, order::Origin};
use crate::{
    engine::{EventQueue, prefetch},
    packet::Packet,
    record::FlowsThrough,
};

/// The route of a flow's packets in one direction. Flows with the same links and delays share it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Route {
    /// From the endpoint.
    pub(crate) first: Leg,
    /// The ports of the route, with what follows each.
    pub(crate) hops: Box<[Hop]>,
}

/// Propagation to the next port or endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Leg {
    pub(crate) delay: Duration,
    /// The pipe to the next port; `None` to the endpoint.
    pub(crate) pipe: Option<u32>,
}

/// A port and what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Hop {
    pub(crate) port: u32,
    pub(crate) leg: Leg,
}

impl Route {
    /// Propagation delay from end to end.
    pub(crate) fn delay(&self) -> Duration {
        self.hops.iter().fold(self.first.delay, |sum, hop| sum + hop.leg.delay)
    }

    /// What follows `port`.
    #[inline]
    pub(crate) fn after(&self, port: u32) -> Leg {
        match &*self.hops {
            [only] => only.leg,
            hops => hops.iter().find(|hop| hop.port == port).expect("packets stay on their route").leg,
        }
    }

    fn passes(&self, port: u32) -> bool {
        self.hops.iter().any(|hop| hop.port == port)
    }
}

/// The ways of a flow's packets.
#[derive(Clone, Copy, Debug)]
struct Way {
    group: u32,
    /// The routes of data and of ACKs.
    forward: u32,
    backward: u32,
    /// Their first legs: the pipe of data to its first port, with its delay.
    out: (u32, Duration),
    back: Leg,
}

/// Groups, routes, pipes and access links of all flows.
#[derive(Debug, Default)]
pub(crate) struct Routing {
    /// Flows of each group that have begun and not ended.
    live: Vec<u32>,
    ways: Vec<Way>,
    routes: Vec<Route>,
    pub(crate) pipes: Pipes,
    /// Access links of each flow; empty if no flow has any.
    access: Vec<Option<Access>>,
    /// Packets that entered the network.
    pub(super) sent: u64,
}

impl Routing {
    /// Routing for so many groups.
    pub(crate) fn new(groups: usize) -> Self {
        Self { live: vec![0; groups], ..Self::default() }
    }

    /// The number of groups.
    #[inline]
    pub(crate) const fn groups(&self) -> usize {
        self.live.len()
    }

    /// The number of flows.
    pub(crate) const fn flows(&self) -> usize {
        self.ways.len()
    }

    /// The group of `flow`.
    #[inline]
    pub(crate) fn group(&self, flow: u32) -> usize {
        self.ways[flow as usize].group as usize
    }

    /// Flows of each group that have begun and not ended.
    pub(crate) fn live(&self) -> &[u32] {
        &self.live
    }

    /// A flow of `group` begins; returns how many are live now.
    pub(crate) fn begin_flow(&mut self, group: usize) -> u32 {
        self.live[group] += 1;
        self.live[group]
    }

    /// A flow of `group` ends; returns how many are live now.
    pub(crate) fn end_flow(&mut self, group: usize) -> u32 {
        self.live[group] -= 1;
        self.live[group]
    }

    /// Adds a route and returns its index.
    pub(crate) fn add_route(&mut self, route: Route) -> u32 {
        self.routes.push(route);
        self.routes.len() as u32 - 1
    }

    /// The route of this index.
    pub(crate) fn route(&self, index: u32) -> &Route {
        &self.routes[index as usize]
    }

    /// Adds a flow. Its id is the number of flows before it.
    pub(crate) fn add_flow(&mut self, group: usize, routes: (u32, u32), access: Option<Access>) {
        let flow = self.ways.len() as u32;
        self.ways.push(self.way(group as u32, routes));
        self.set_access(flow, access);
    }

    /// Gives `flow` other routes and access links.
    pub(crate) fn replace_flow(&mut self, flow: u32, routes: (u32, u32), access: Option<Access>) {
        self.ways[flow as usize] = self.way(self.ways[flow as usize].group, routes);
        self.set_access(flow, access);
    }

    fn way(&self, group: u32, (forward, backward): (u32, u32)) -> Way {
        let Leg { delay, pipe } = self.route(forward).first;
        let out = (pipe.expect("data passes a port"), delay);
        Way { group, forward, backward, out, back: self.route(backward).first }
    }

    fn set_access(&mut self, flow: u32, access: Option<Access>) {
        if access.is_some() {
            // No longer than needed: without access links, packets skip the lookup.
            let flow = flow as usize;
            self.access.resize_with(self.access.len().max(flow + 1), || None);
            self.access[flow] = access;
        }
    }

    /// Prefetches what belongs to `flow`.
    #[inline]
    pub(super) fn prefetch(&self, flow: u32) {
        prefetch(&self.ways[flow as usize]);
    }

    /// The route of `packet`.
    #[inline]
    pub(crate) fn route_of(&self, packet: &Packet) -> &Route {
        let Way { forward, backward, .. } = self.ways[packet.0.flow as usize];
        let route = if packet.0.flags.has(Flags::ACK) { backward } else { forward };
        &self.routes[route as usize]
    }

    /// The access links of `flow`, if it has any.
    #[inline]
    pub(super) fn access(&mut self, flow: u32) -> Option<&mut Access> {
        self.access.get_mut(flow as usize)?.as_mut()
    }

    /// The delay of an ACK that leaves its receiver for its sender; `None` if there is more between them.
    #[inline]
    pub(super) fn delay_of_acks(&self, flow: u32) -> Option<Duration> {
        match self.ways[flow as usize].back {
            Leg { delay, pipe: None } if self.access.is_empty() => Some(delay),
            _ => None,
        }
    }

    /// Data leaves its sender at `now`.
    #[inline]
    pub(super) fn send_data(
        &mut self,
        segment: Segment,
        now: Instant,
        origin: Origin,
        events: &mut EventQueue,
    ) {
        self.sent += 1;
        let (pipe, delay) = self.ways[segment.flow as usize].out;
        let sent = match self.access(segment.flow) {
            Some(access) => access.send_data(segment.bytes, now),
            None => now,
        };
        self.pipes.push(pipe, origin.turn(now, sent + delay), Packet(segment), events);
    }

    /// An ACK leaves its receiver at `now`. Returns when it comes to its sender, if no port is between.
    #[inline]
    pub(super) fn send_ack(
        &mut self,
        ack: Segment,
        now: Instant,
        origin: Origin,
        events: &mut EventQueue,
    ) -> Option<Instant> {
        self.sent += 1;
        let Leg { delay, pipe } = self.ways[ack.flow as usize].back;
        let sent = match self.access(ack.flow) {
            Some(access) => access.send_ack(ack.bytes, now),
            None => now,
        };
        let due = sent + delay;
        let Some(pipe) = pipe else { return Some(due) };
        self.pipes.push(pipe, origin.turn(now, due), Packet(ack), events);
        None
    }

    /// The flows whose data or ACKs pass `port`.
    pub(crate) fn flows_through(&self, port: u32) -> FlowsThrough {
        let mut groups: Vec<u32> = Vec::new();
        let (mut flows, mut nanos) = (0, 0);
        for way in &self.ways {
            let routes = [self.route(way.forward), self.route(way.backward)];
            if routes.iter().any(|route| route.passes(port)) {
                if !groups.contains(&way.group) {
                    groups.push(way.group);
                }
                flows += 1;
                nanos += routes.iter().map(|route| route.delay().as_nanos()).sum::<u64>();
            }
        }
        FlowsThrough { of: self.ways.len(), groups, rtt: Duration::from_nanos(nanos / flows.max(1)) }
    }
}
