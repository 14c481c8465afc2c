//! How many flows a group has, and when.
//!
//! ```toml
//! population = [{ at = "50 s", count = 40 }, { step = 20, every = "50 s", until = 160 }]
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use weir_types::{Duration, UnitError};

/// One change of the number of flows, or a row of equal ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PopulationChange {
    /// At one instant.
    Once(CountAt),
    /// In equal steps.
    Stepwise(CountSteps),
}

/// A number of flows from one instant on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CountAt {
    /// Simulated time of the change, after the one before.
    pub at: Duration,
    /// Flows from then on.
    pub count: u32,
}

/// Equal steps towards a number of flows, up or down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CountSteps {
    /// Flows that come or go at each step; the last step may be smaller.
    #[schemars(range(min = 1))]
    pub step: u32,
    /// Time between two steps. The first comes this long after `start`, or after the change before.
    pub every: Duration,
    /// Flows after the last step.
    pub until: u32,
}

impl<'de> Deserialize<'de> for PopulationChange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename = "PopulationChange")]
        struct Keys {
            at: Option<Duration>,
            count: Option<u32>,
            step: Option<u32>,
            every: Option<Duration>,
            until: Option<u32>,
        }
        match Keys::deserialize(deserializer)? {
            Keys { at: Some(at), count: Some(count), step: None, every: None, until: None } => {
                Ok(Self::Once(CountAt { at, count }))
            }
            Keys { at: None, count: None, step: Some(step), every: Some(every), until: Some(until) } => {
                Ok(Self::Stepwise(CountSteps { step, every, until }))
            }
            _ => Err(de::Error::custom(UnitError::new(
                "a change of the population has either the keys at and count, or step, every and until"
                    .to_owned(),
                "write for example { at = \"50 s\", count = 40 } \
                 or { step = 20, every = \"50 s\", until = 160 }",
            ))),
        }
    }
}
