//! AQMs of the model: parameters, and how they work.
//!
//! An AQM has a state, x, and a signal p(x, q). The queue drives it. Units: packets and seconds.

mod avq;
mod drive;
mod hred;
mod integrator;
mod red;
mod step;

pub use avq::Avq;
pub(crate) use drive::{Drive, Seen};
pub use hred::Hred;
pub use integrator::{Integrator, PIE_SCALE, Shape};
pub use red::{Adapts, Red, Spacing};
use serde::{Deserialize, Serialize};
pub use step::Step;

/// The AQM of a queue, which makes the signals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Aqm {
    /// RED, gentle RED, NLRED, Adaptive RED.
    Red(Red),
    /// PI, PIE, PI2, DualPI2, REM.
    Integrator(Integrator),
    /// HRED.
    Hred(Hred),
    /// AVQ.
    Avq(Avq),
    /// DCTCP's switch.
    Step(Step),
}

impl Aqm {
    /// The AQM at work from an instant on.
    pub(crate) fn drive(&self, now: f64) -> Box<dyn Drive> {
        match self {
            Self::Red(aqm) => Box::new(red::Driven::new(aqm, now)),
            Self::Integrator(aqm) => Box::new(integrator::Driven::new(aqm)),
            Self::Hred(aqm) => Box::new(aqm.clone()),
            Self::Avq(aqm) => Box::new(aqm.clone()),
            Self::Step(aqm) => Box::new(aqm.clone()),
        }
    }

    /// The variables that the discipline shows, from the state and p at each step.
    pub(crate) fn variables(&self, state: &[f64], signal: &[f64]) -> Vec<(&'static str, Vec<f64>)> {
        let each = |of: &dyn Fn(f64) -> f64| state.iter().map(|x| of(*x)).collect::<Vec<_>>();
        match self {
            Self::Red(aqm) if aqm.adapts.is_some() => vec![("average", state.to_vec())],
            Self::Red(aqm) => {
                vec![("average", state.to_vec()), ("probability", each(&|average| aqm.raw(average)))]
            }
            Self::Integrator(aqm) => vec![(aqm.shape.variable(), state.to_vec())],
            Self::Hred(_) => vec![("p_min", each(&f64::exp)), ("probability", signal.to_vec())],
            Self::Avq(_) | Self::Step(_) => Vec::new(),
        }
    }
}
