use std::{collections::VecDeque, sync::Arc};

use weir_tcp::{Label, Segment};
use weir_types::{Duration, Instant};

use super::{Pipes, order::Origin};
use crate::{engine::EventQueue, packet::Packet, record::FlowsThrough};

/// The route of a flow's packets in one direction. Flows with the same links and delays share it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Route {
    /// From the endpoint.
    pub(crate) first: Leg,
    /// The ports of the route, with what follows each.
    pub(crate) hops: Box<[Hop]>,
    /// The least of its ports, and from there on the place of each port among the hops.
    least: u32,
    places: Box<[u32]>,
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
    pub(crate) fn new(first: Leg, hops: Box<[Hop]>) -> Self {
        let ports = || hops.iter().map(|hop| hop.port);
        let least = ports().min().unwrap_or(0);
        let mut places = vec![u32::MAX; ports().max().map_or(0, |most| (most - least + 1) as usize)];
        for (place, port) in (0..).zip(ports()) {
            places[(port - least) as usize] = place;
        }
        Self { first, hops, least, places: places.into() }
    }

    /// Propagation delay from end to end.
    pub(crate) fn delay(&self) -> Duration {
        self.hops.iter().fold(self.first.delay, |sum, hop| sum + hop.leg.delay)
    }

    /// The leg behind `port`.
    #[inline]
    pub(crate) fn after(&self, port: u32) -> Leg {
        self.hops[self.places[(port - self.least) as usize] as usize].leg
    }

    fn passes(&self, port: u32) -> bool {
        self.hops.iter().any(|hop| hop.port == port)
    }
}

/// The path between the two ends of a flow. Flows of a group with the same routes share it.
#[derive(Debug)]
pub(crate) struct Way {
    pub(super) group: u32,
    /// The routes of data and of ACKs.
    pub(crate) forward: u32,
    pub(crate) backward: u32,
    /// Labels of data and of ACKs.
    pub(super) label: Label,
    pub(super) label_of_acks: Label,
    /// Their first legs: the pipe of data to its first port, with its delay.
    pipe: u32,
    delay: Duration,
    pub(super) back: Leg,
    /// The last port of data, with the delay from there to the receiver, and over the receiver to the sender.
    pub(super) last: u32,
    pub(super) to_receiver: Duration,
    pub(super) tail: Duration,
    /// The last port of ACKs, if there is one, and the delay from there to the sender.
    pub(super) last_of_acks: Option<u32>,
    pub(super) to_sender: Duration,
}

impl Way {
    /// Data that its sender gave out at `now` has passed the access link at `sent`.
    #[expect(clippy::inline_always, reason = "a packet goes straight to its place")]
    #[inline(always)]
    pub(super) fn enter(
        &self,
        segment: Segment,
        now: Instant,
        sent: Instant,
        origin: Origin,
        pipes: &mut Pipes,
        events: &mut EventQueue,
    ) {
        pipes.push(self.pipe, origin.turn(now, sent.later(self.delay)), Packet(segment), events);
    }

    /// Returns true if no port follows the last port of data: only delay, and perhaps access links.
    pub(super) const fn is_short(&self) -> bool {
        self.back.pipe.is_none()
    }

    /// The index of the route of data, or of ACKs.
    #[inline]
    const fn route(&self, acks: bool) -> u32 {
        if acks { self.backward } else { self.forward }
    }
}

/// Groups, routes and pipes of all flows.
#[derive(Debug, Default)]
pub(crate) struct Routing {
    /// Flows of each group that have begun and not ended.
    live: Vec<u32>,
    /// Latest changes of `live`: the instant, the group, and the number before.
    changes: VecDeque<(Instant, usize, u32)>,
    /// Latest changes of ways: the instant, the flow, and its way before, if it was there.
    former_ways: VecDeque<(Instant, u32, Option<Arc<Way>>)>,
    /// How long a queue may wait before it tells of a drop.
    lateness: Duration,
    routes: Vec<Route>,
    pub(crate) pipes: Pipes,
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

    /// Flows of each group that have begun and not ended.
    pub(crate) fn live(&self) -> &[u32] {
        &self.live
    }

    /// A queue may tell of a drop so much later. Before the first flow begins.
    pub(crate) fn set_lateness(&mut self, lateness: Duration) {
        self.lateness = lateness;
    }

    /// Flows of `group` that had begun and not ended at `at`, which lies back by no more than a queue may be late.
    pub(crate) fn live_at(&self, group: usize, at: Instant) -> u32 {
        let later = self.changes.iter().rev().take_while(|(changed, ..)| *changed > at);
        later.filter(|(_, of, _)| *of == group).last().map_or(self.live[group], |(.., before)| *before)
    }

    /// A flow takes another way at `now`; `former` is the one before, if it was there.
    pub(super) fn change_way(&mut self, flow: u32, former: Option<&Arc<Way>>, now: Instant) {
        if self.lateness == Duration::ZERO {
            return;
        }
        while self.former_ways.front().is_some_and(|(changed, ..)| *changed + self.lateness < now) {
            self.former_ways.pop_front();
        }
        self.former_ways.push_back((now, flow, former.cloned()));
    }

    /// Changes of ways after `at`, the latest first: the flow, and its way before. `at` lies back by no more than a
    /// queue may be late.
    pub(super) fn ways_before(&self, at: Instant) -> impl Iterator<Item = (u32, Option<&Way>)> {
        let later = self.former_ways.iter().rev().take_while(move |(changed, ..)| *changed > at);
        later.map(|(_, flow, former)| (*flow, former.as_deref()))
    }

    /// A flow of `group` begins at `now`; returns how many are live then.
    pub(crate) fn begin_flow(&mut self, group: usize, now: Instant) -> u32 {
        self.change_live(group, 1, now)
    }

    /// A flow of `group` ends at `now`; returns how many are live then.
    pub(crate) fn end_flow(&mut self, group: usize, now: Instant) -> u32 {
        self.change_live(group, -1, now)
    }

    fn change_live(&mut self, group: usize, more: i32, now: Instant) -> u32 {
        while self.changes.front().is_some_and(|(changed, ..)| *changed + self.lateness < now) {
            self.changes.pop_front();
        }
        self.changes.push_back((now, group, self.live[group]));
        self.live[group] = self.live[group].saturating_add_signed(more);
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

    /// The way of the flows of `group` with these routes, of data and of ACKs.
    pub(crate) fn way(
        &self,
        group: usize,
        forward: u32,
        backward: u32,
        [label, label_of_acks]: [Label; 2],
    ) -> Arc<Way> {
        let Route { first: Leg { delay, pipe }, hops, .. } = self.route(forward);
        let (Some(pipe), [.., Hop { port: last, leg }]) = (*pipe, &**hops) else {
            unreachable!("data passes a port")
        };
        let (delay, back, last) = (*delay, self.route(backward).first, *last);
        let (last_of_acks, to_sender) = match &*self.route(backward).hops {
            [.., Hop { port, leg }] => (Some(*port), leg.delay),
            [] => (None, Duration::ZERO),
        };
        Arc::new(Way {
            group: group as u32,
            forward,
            backward,
            label,
            label_of_acks,
            pipe,
            delay,
            back,
            last,
            to_receiver: leg.delay,
            tail: leg.delay + back.delay,
            last_of_acks,
            to_sender,
        })
    }

    /// The leg behind `port` on the way of data or ACKs.
    #[inline(never)]
    pub(super) fn after(&self, way: &Way, port: u32, acks: bool) -> Leg {
        self.routes[way.route(acks) as usize].after(port)
    }

    /// Which of the flows with these `ways` send data or ACKs through `port`.
    pub(super) fn flows_through(&self, ways: &[&Way], port: u32) -> FlowsThrough {
        let mut groups: Vec<u32> = Vec::new();
        let (of, mut flows, mut nanos) = (ways.len(), 0, 0);
        for way in ways {
            let routes = [self.route(way.forward), self.route(way.backward)];
            if routes.iter().any(|route| route.passes(port)) {
                if !groups.contains(&way.group) {
                    groups.push(way.group);
                }
                flows += 1;
                nanos += routes.iter().map(|route| route.delay().as_nanos()).sum::<u64>();
            }
        }
        FlowsThrough { of, groups, rtt: Duration::from_nanos(nanos / flows.max(1)) }
    }
}
