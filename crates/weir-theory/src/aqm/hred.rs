//! HRED: a line in its band, whose height moves outside of it.

use serde::{Deserialize, Serialize};

use super::drive::{Drive, Seen};
use crate::Start;

/// Least `p_min`: it changes by factors, and would not leave zero.
const FLOOR: f64 = 1e-9;

/// HRED: `p = p_min [1 + (q - min_th) / (k max_th)]`, and
/// `(ln p_min)' = rate (p / p_min) k_alpha [(q - max_th)^+ - fall (min_th - q)^+]` with `k_alpha = 2 / (C rtt)²`.
/// The state is `ln p_min`. Levels in packets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hred {
    /// Where the band begins.
    pub min_th: f64,
    /// Where it ends.
    pub max_th: f64,
    /// Flattens the line.
    pub k: f64,
    /// Seconds, of the gains.
    pub rtt: f64,
    /// How much faster it falls than it rises.
    pub fall: f64,
}

impl Hred {
    /// p over `p_min` at a queue.
    fn height(&self, queue: f64) -> f64 {
        1.0 + (queue - self.min_th) / (self.k * self.max_th)
    }
}

impl Drive for Hred {
    fn begins(&self, start: Option<&Start>, _: f64) -> f64 {
        start.map_or(1e-3, |start| start.state / self.height(start.queue)).ln()
    }

    fn signal(&self, state: f64, queue: f64, _: f64, _: bool) -> f64 {
        (state.exp() * self.height(queue)).clamp(0.0, 1.0)
    }

    fn slope(&self, state: f64, seen: Seen, capacity: f64) -> f64 {
        let beyond = if seen.queue > self.max_th {
            seen.queue - self.max_th
        } else if seen.queue < self.min_th {
            -self.fall * (self.min_th - seen.queue)
        } else {
            return 0.0;
        };
        if state >= 0.0 && beyond > 0.0 {
            return 0.0;
        }
        seen.rate * self.height(seen.queue) * 2.0 / (capacity * self.rtt).powi(2) * beyond
    }

    fn knees(&self) -> Vec<f64> {
        vec![FLOOR.ln(), 0.0]
    }

    fn bounded(&self, state: f64, _: f64) -> f64 {
        state.clamp(FLOOR.ln(), 0.0)
    }
}
