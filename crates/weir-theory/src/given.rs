//! The input of an integration.

use serde::Deserialize;

use crate::{Reading, Start, System, Timeline};

/// The input of an integration. Seconds and packets.
#[derive(Clone, Debug, Deserialize)]
pub struct Integration {
    /// A timeline, in order.
    pub phases: Vec<Phase>,
    /// Its end.
    pub until: f64,
    /// Where it begins, with a past that is constant there; else the queue is empty and all flows are in slow start.
    #[serde(default)]
    pub start: Option<Start>,
    /// The queue at first in place of that of `start`.
    #[serde(default)]
    pub queue: Option<f64>,
    /// The state of the AQM in place of that of `start`.
    #[serde(default)]
    pub state: Option<f64>,
    /// The longest step, if it is to be shorter than its share of a round trip.
    #[serde(default)]
    pub step: Option<f64>,
    /// The most steps, two million if it is not given.
    #[serde(default)]
    pub most_steps: Option<f64>,
    /// Flows that come later begin in slow start; otherwise with the window of their group.
    pub newcomers: bool,
}

impl From<Timeline> for Integration {
    /// A run from its beginning.
    fn from(timeline: Timeline) -> Self {
        let Timeline { phases, until } = timeline;
        let phases = phases.into_iter().map(|Reading { at, system, .. }| Phase { since: at, system });
        Self {
            phases: phases.collect(),
            until,
            start: None,
            queue: None,
            state: None,
            step: None,
            most_steps: None,
            newcomers: true,
        }
    }
}

/// From an instant on the system is this one.
#[derive(Clone, Debug, Deserialize)]
pub struct Phase {
    /// The instant.
    pub since: f64,
    /// The system from then on.
    pub system: System,
}
