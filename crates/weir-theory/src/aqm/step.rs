//! DCTCP's switch.

use serde::{Deserialize, Serialize};

use super::drive::Drive;

/// Every packet that finds more than a threshold is marked. It has no state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Packets.
    pub threshold: f64,
}

impl Drive for Step {
    fn signal(&self, _: f64, queue: f64, _: f64, _: bool) -> f64 {
        f64::from(u8::from(queue > self.threshold))
    }

    fn edge(&self) -> Option<f64> {
        Some(self.threshold)
    }
}
