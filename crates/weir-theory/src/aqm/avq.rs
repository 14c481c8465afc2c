//! AVQ: a virtual queue that is taken as full.

use serde::{Deserialize, Serialize};

use super::drive::{Drive, Seen};
use crate::Start;

/// AVQ (Kunniyur and Srikant, 2001): p = 1 - C~ / rate and C~' = alpha (gamma C - rate). The state is C~, the virtual
/// capacity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Avq {
    /// The utilisation that it wants.
    pub gamma: f64,
    /// 1/s.
    pub alpha: f64,
}

impl Drive for Avq {
    fn begins(&self, start: Option<&Start>, capacity: f64) -> f64 {
        // Its paper begins below the capacity.
        start.map_or(0.8 * capacity, |start| start.state)
    }

    fn signal(&self, state: f64, _: f64, rate: f64, _: bool) -> f64 {
        if rate > 0.0 { (1.0 - state / rate).max(0.0) } else { 0.0 }
    }

    fn slope(&self, _: f64, seen: Seen, capacity: f64) -> f64 {
        self.alpha * (self.gamma * capacity - seen.rate)
    }

    fn bounded(&self, state: f64, capacity: f64) -> f64 {
        state.clamp(0.0, capacity)
    }
}
