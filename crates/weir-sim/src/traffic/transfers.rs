//! Flows that arrive at random.

use weir_types::{Duration, Instant, Rng};

use super::{Order, SizeLaw, exponential};

/// A Poisson process of flows.
#[derive(Debug)]
pub(crate) struct Arrivals {
    /// Whose flows.
    pub(crate) coming: u32,
    /// Mean time between two.
    pub(crate) gap: Duration,
    pub(crate) stop: Instant,
    pub(crate) sizes: SizeLaw,
    pub(crate) packet: u32,
    /// How many ways there are to choose from.
    pub(crate) ways: u32,
    pub(crate) at: Rng,
    pub(crate) size: Rng,
    pub(crate) way: Rng,
}

impl Arrivals {
    /// The flow that arrives.
    pub(crate) fn draw(&mut self) -> Order {
        // Uniform draws are below 1: the last way is not overstepped.
        let way = if self.ways > 1 { (self.way.uniform() * f64::from(self.ways)) as u32 } else { 0 };
        Order { bytes: self.sizes.draw(&mut self.size), way, packet: self.packet, headers: 0 }
    }

    /// When the next arrives.
    pub(crate) fn next(&mut self, now: Instant) -> Option<Instant> {
        let at = now + exponential(self.gap, &mut self.at);
        (at < self.stop).then_some(at)
    }
}
