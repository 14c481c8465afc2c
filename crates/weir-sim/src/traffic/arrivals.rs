//! Flows that arrive at random.

use weir_types::{Duration, Instant, Rng};

use super::{
    draw::{exponential, route},
    finite::NewFlow,
    sizes::SizeSampler,
};

/// A Poisson process of flows.
#[derive(Debug)]
pub(crate) struct Arrivals {
    /// Index of the group among the groups of finite flows.
    pub(crate) group: u32,
    /// Mean time between two arrivals.
    pub(crate) gap: Duration,
    pub(crate) stop: Instant,
    pub(crate) sizes: SizeSampler,
    pub(crate) packet: u32,
    /// Number of routes to draw from.
    pub(crate) routes: u32,
    pub(crate) arrival: Rng,
    pub(crate) size: Rng,
    pub(crate) route: Rng,
}

impl Arrivals {
    /// The flow that arrives.
    pub(crate) fn draw(&mut self) -> NewFlow {
        let route = route(self.routes, &mut self.route);
        let bytes = self.sizes.draw(&mut self.size);
        NewFlow {
            group: self.group,
            session: None,
            bytes,
            route,
            packet: self.packet,
            headers: 0,
            line: None,
        }
    }

    /// The instant of the next arrival.
    pub(crate) fn next(&mut self, now: Instant) -> Option<Instant> {
        let at = now + exponential(self.gap, &mut self.arrival);
        (at < self.stop).then_some(at)
    }
}
