//! Random draws shared by generators. They use libm only: the same bits on every platform.

use weir_types::{Duration, Rng};

/// An exponential time.
pub(crate) fn exponential(mean: Duration, rng: &mut Rng) -> Duration {
    mean.mul_f64(-libm::log(1.0 - rng.uniform()))
}

/// A standard normal number (Box-Muller transform).
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - rng.uniform()));
    radius * libm::cos(core::f64::consts::TAU * rng.uniform())
}

/// The index of one of so many routes.
pub(crate) fn route(routes: u32, rng: &mut Rng) -> u32 {
    // Uniform draws are below 1, so the index is in range.
    if routes > 1 { (rng.uniform() * f64::from(routes)) as u32 } else { 0 }
}

/// A Pareto time of this `mean` and `shape`.
pub(crate) fn pareto(mean: Duration, shape: f64, rng: &mut Rng) -> Duration {
    let scale = (shape - 1.0) / shape;
    // The bound keeps instants from overflowing.
    let times = (scale * libm::pow(1.0 - rng.uniform(), -1.0 / shape)).min(1e9);
    mean.mul_f64(times)
}
