//! Where an integration begins.

use serde::Deserialize;

/// A resting point.
#[derive(Clone, Debug, Deserialize)]
pub struct Start {
    /// Packets.
    pub queue: f64,
    /// The state of the AQM's integrator.
    pub state: f64,
    /// W, packets, by group.
    pub windows: Vec<f64>,
}
