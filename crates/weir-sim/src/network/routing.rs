use weir_tcp::Flags;
use weir_types::Duration;

use super::{Access, Pipes};
use crate::{packet::Packet, record::FlowsThrough};

/// The route of a flow's packets in one direction. Flows with the same links and delays share it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Route {
    /// From the endpoint to the first port, or to the other endpoint if there is no port.
    pub(crate) entry: Entry,
    /// The ports of the route, and the pipe behind each.
    pub(crate) hops: Box<[Hop]>,
}

/// The beginning of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Entry {
    /// A pipe.
    Pipe(u32),
    /// A port, without delay.
    Port(u32),
}

/// A port and the pipe behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Hop {
    pub(crate) port: u32,
    /// The pipe to the next port or to the endpoint.
    pub(crate) pipe: u32,
    /// The last port before the endpoint's access link.
    pub(crate) last: bool,
}

impl Route {
    /// Propagation delay from end to end.
    pub(crate) fn delay(&self, pipes: &Pipes) -> Duration {
        let entry = match self.entry {
            Entry::Pipe(pipe) => Some(pipe),
            Entry::Port(_) => None,
        };
        let pipes_of = entry.into_iter().chain(self.hops.iter().map(|hop| hop.pipe));
        pipes_of.fold(Duration::ZERO, |sum, pipe| sum + pipes.delay(pipe))
    }

    /// The hop of `port`.
    #[inline]
    pub(crate) fn hop(&self, port: u32) -> Hop {
        match &*self.hops {
            [only] => *only,
            hops => *hops.iter().find(|hop| hop.port == port).expect("packets stay on their route"),
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
    pub(crate) fn flows_through(&self, port: u32, pipes: &Pipes) -> FlowsThrough {
        let mut groups: Vec<u32> = Vec::new();
        let (mut flows, mut nanos) = (0, 0);
        for ((group, forward), backward) in self.group.iter().zip(&self.forward).zip(&self.backward) {
            let routes = [self.route(*forward), self.route(*backward)];
            if routes.iter().any(|route| route.passes(port)) {
                if !groups.contains(group) {
                    groups.push(*group);
                }
                flows += 1;
                nanos += routes.iter().map(|route| route.delay(pipes).as_nanos()).sum::<u64>();
            }
        }
        FlowsThrough { of: self.group.len(), groups, rtt: Duration::from_nanos(nanos / flows.max(1)) }
    }
}
