//! RED and its kin: an average, and a line over it.

use serde::{Deserialize, Serialize};

use super::drive::Drive;
use crate::Start;

/// Seconds between two steps of Adaptive RED's `max_p`, of 0.01 upwards and times 0.9 downwards (Floyd, Gummadi and
/// Shenker, 2001).
const ADAPTS: f64 = 0.5;

/// How signals are spaced: what there is per packet over the `p_b` of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spacing {
    /// `2 p_b / (1 + p_b)`.
    Uniform,
    /// `2 p_b / 3` where it is small, as ns-2 with `wait_`.
    Wait,
    /// `p_b`.
    Geometric,
}

/// RED, gentle RED, NLRED and Adaptive RED. Thresholds in packets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Red {
    /// Its name in messages.
    pub name: String,
    /// Begin of the line.
    pub min_th: f64,
    /// End of the line.
    pub max_th: f64,
    /// Probability at the end of the line.
    pub max_p: f64,
    /// The weight of a packet in the average.
    pub w_q: f64,
    /// A second line goes on from the end of the first to 1 at twice `max_th`.
    pub gentle: bool,
    /// How signals are spaced.
    pub spacing: Spacing,
    /// NLRED: a parabola in place of the line.
    pub parabola: bool,
    /// k, 1/s, where it is given instead of `w_q`.
    pub pole: Option<f64>,
    /// Adaptive RED: `max_p` moves within these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapts: Option<Adapts>,
}

/// The bounds of Adaptive RED's `max_p`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adapts {
    /// The least.
    pub bottom: f64,
    /// The largest.
    pub top: f64,
}

impl Red {
    /// `p_b` at an average queue.
    pub(super) fn raw(&self, average: f64) -> f64 {
        if average <= self.min_th {
            0.0
        } else if average < self.max_th {
            let share = (average - self.min_th) / (self.max_th - self.min_th);
            self.max_p * if self.parabola { share * share } else { share }
        } else if self.gentle && average < 2.0 * self.max_th {
            self.max_p + (1.0 - self.max_p) * (average - self.max_th) / self.max_th
        } else {
            1.0
        }
    }
}

/// RED at work. The state is the average.
pub(crate) struct Driven {
    aqm: Red,
    /// When `max_p` moves next.
    due: f64,
}

impl Driven {
    pub(crate) fn new(aqm: &Red, now: f64) -> Self {
        Self { aqm: aqm.clone(), due: now + ADAPTS }
    }
}

impl Drive for Driven {
    fn begins(&self, start: Option<&Start>, _: f64) -> f64 {
        start.map_or(0.0, |start| start.queue)
    }

    fn signal(&self, state: f64, _: f64, _: f64, _: bool) -> f64 {
        let p = self.aqm.raw(state);
        match self.aqm.spacing {
            Spacing::Uniform => 2.0 * p / (1.0 + p),
            Spacing::Wait if p < 1.0 => p * 2.0 / 3.0,
            Spacing::Wait | Spacing::Geometric => p,
        }
    }

    fn lag(&self, capacity: f64) -> Option<f64> {
        Some(self.aqm.pole.unwrap_or_else(|| -(-self.aqm.w_q).ln_1p() * capacity))
    }

    fn knees(&self) -> Vec<f64> {
        vec![self.aqm.min_th, self.aqm.max_th, 2.0 * self.aqm.max_th]
    }

    fn due(&self) -> f64 {
        if self.aqm.adapts.is_some() { self.due } else { f64::INFINITY }
    }

    fn update(&mut self, state: f64, _: f64, _: f64) -> f64 {
        let Some(bounds) = &self.aqm.adapts else { return state };
        self.due += ADAPTS;
        let (low, band, p) = (self.aqm.min_th, self.aqm.max_th - self.aqm.min_th, self.aqm.max_p);
        // The average is to be in the middle fifth of the band.
        if state > low + 0.6 * band {
            self.aqm.max_p = (p + (p / 4.0).min(0.01)).min(bounds.top);
        } else if state < low + 0.4 * band {
            self.aqm.max_p = (p * 0.9).max(bounds.bottom);
        }
        state
    }
}
