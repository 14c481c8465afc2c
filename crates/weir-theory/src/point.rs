//! Points of an integration, and what is computed between two of them.

use crate::{cohort::Values, past::Hermite};

/// A point of the integration, or its slope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Point {
    pub(crate) flows: Vec<Values>,
    pub(crate) queue: f64,
    pub(crate) state: f64,
}

impl Point {
    /// Becomes `from`, moved along `slope`.
    pub(crate) fn moved(&mut self, from: &Self, slope: &Self, by: f64) {
        self.flows.clone_from(&from.flows);
        for (values, slope) in self.flows.iter_mut().zip(&slope.flows) {
            for (value, slope) in values.iter_mut().zip(slope) {
                *value += by * slope;
            }
        }
        self.queue = from.queue + by * slope.queue;
        self.state = from.state + by * slope.state;
    }
}

/// Where in a step of length `h` a value passes zero, as a share of the step. The method is bisection of the cubic
/// through the values and slopes at both ends.
pub(crate) fn zero(values: [f64; 2], slopes: [f64; 2], h: f64) -> Option<f64> {
    if values[0] * values[1] >= 0.0 {
        return None;
    }
    let [mut low, mut high] = [0.0, 1.0];
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        let at = Hermite::new(middle, h).cubic(values, slopes);
        if at * values[0] > 0.0 { low = middle } else { high = middle }
    }
    Some(high)
}

/// An average with pole `lag` over a step in which the queue goes over three values: exact for a queue that is linear
/// in each half.
pub(crate) fn averaged(lag: f64, average: f64, queue: [f64; 3], h: f64) -> f64 {
    let half = 0.5 * h;
    let decay = (-lag * half).exp();
    queue.windows(2).fold(average, |average, ends| {
        let late = (ends[1] - ends[0]) / half / lag;
        // Of x' = lag (q - x) with q = begin + slope t: q - slope/lag, and a transient.
        ends[1] - late + (average - ends[0] + late) * decay
    })
}
