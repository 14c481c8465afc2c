use weir_tcp::Flags;
use weir_types::Duration;

use super::Access;
use crate::{engine::prefetch, packet::Packet, record::FlowsThrough};

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

/// Groups, routes and access links of all flows.
#[derive(Debug, Default)]
pub(crate) struct Routing {
    /// Flows of each group that have begun and not ended.
    live: Vec<u32>,
    /// Group of each flow.
    group: Vec<u32>,
    /// Route of each flow's data, and of its ACKs.
    forward: Vec<u32>,
    backward: Vec<u32>,
    routes: Vec<Route>,
    /// Access links of each flow; empty if no flow has any.
    access: Vec<Option<Access>>,
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
        self.group.len()
    }

    /// The group of `flow`.
    #[inline]
    pub(crate) fn group(&self, flow: u32) -> usize {
        self.group[flow as usize] as usize
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
        let flow = self.group.len() as u32;
        self.group.push(group as u32);
        self.forward.push(routes.0);
        self.backward.push(routes.1);
        self.set_access(flow, access);
    }

    /// Gives `flow` other routes and access links.
    pub(crate) fn replace_flow(&mut self, flow: u32, routes: (u32, u32), access: Option<Access>) {
        self.forward[flow as usize] = routes.0;
        self.backward[flow as usize] = routes.1;
        self.set_access(flow, access);
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
        for table in [&self.group, &self.forward, &self.backward] {
            prefetch(&table[flow as usize]);
        }
    }

    /// The route of `packet`.
    #[inline]
    pub(crate) fn route_of(&self, packet: &Packet) -> &Route {
        let flow = packet.0.flow as usize;
        let routes = if packet.0.flags.has(Flags::ACK) { &self.backward } else { &self.forward };
        &self.routes[routes[flow] as usize]
    }

    /// The access links of `flow`, if it has any.
    #[inline]
    pub(crate) fn access(&mut self, flow: u32) -> Option<&mut Access> {
        self.access.get_mut(flow as usize)?.as_mut()
    }

    /// The flows whose data or ACKs pass `port`.
    pub(crate) fn flows_through(&self, port: u32) -> FlowsThrough {
        let mut groups: Vec<u32> = Vec::new();
        let (mut flows, mut nanos) = (0, 0);
        for ((group, forward), backward) in self.group.iter().zip(&self.forward).zip(&self.backward) {
            let routes = [self.route(*forward), self.route(*backward)];
            if routes.iter().any(|route| route.passes(port)) {
                if !groups.contains(group) {
                    groups.push(*group);
                }
                flows += 1;
                nanos += routes.iter().map(|route| route.delay().as_nanos()).sum::<u64>();
            }
        }
        FlowsThrough { of: self.group.len(), groups, rtt: Duration::from_nanos(nanos / flows.max(1)) }
    }
}
