//! How many flows a group has, and when.
//!
//! ```toml
//! population = [{ at = "50 s", count = 40 }, { step = 20, every = "50 s", until = 160 }]
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use weir_types::{Duration, UnitError};

use crate::{FlowGroup, check::Problem};

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

/// When one flow comes and goes, before its jitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// When it comes.
    pub start: Duration,
    /// When it goes, if before the end of the run.
    pub stop: Option<Duration>,
}

/// The most flows that a group may have.
pub(crate) const LARGEST_POPULATION: u32 = 10_000_000;

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

impl FlowGroup {
    /// The changes of the number of flows after `start`: each instant, and the flows from then on.
    pub fn population_changes(&self) -> Vec<(Duration, u32)> {
        let mut changes = Vec::new();
        let (mut now, mut present) = (self.start, self.count);
        let over = |now: Duration| self.stop.is_some_and(|stop| now >= stop);
        for change in &self.population {
            match *change {
                PopulationChange::Once(CountAt { at, count }) => {
                    (now, present) = (at, count);
                    if over(now) {
                        return changes;
                    }
                    changes.push((now, present));
                }
                PopulationChange::Stepwise(CountSteps { step, every, until }) => {
                    while present != until {
                        now = now + every;
                        if over(now) {
                            return changes;
                        }
                        let missing = present.abs_diff(until).min(step);
                        present = if present < until { present + missing } else { present - missing };
                        changes.push((now, present));
                    }
                }
            }
        }
        changes
    }

    /// When each flow of the group comes and goes, in order of their coming. Those who came last leave
    /// first.
    pub fn lifetimes(&self) -> Vec<Lifetime> {
        let mut flows = vec![Lifetime { start: self.start, stop: self.stop }; self.count as usize];
        let mut present: Vec<usize> = (0..flows.len()).collect();
        for (now, count) in self.population_changes() {
            while present.len() > count as usize {
                let last = present.pop().expect("more are present than stay");
                flows[last].stop = Some(now);
            }
            for _ in present.len()..count as usize {
                present.push(flows.len());
                flows.push(Lifetime { start: now, stop: self.stop });
            }
        }
        flows
    }

    /// That the flows of the group at `path` can be counted.
    pub(crate) fn check_population(&self, path: &str) -> Result<(), Problem> {
        let few = |count: u32, key: String| {
            Problem::unless(
                count <= LARGEST_POPULATION,
                key,
                format!("{count} flows are too many"),
                format!("write at most {LARGEST_POPULATION}"),
            )
        };
        few(self.count, format!("{path}.count"))?;
        let mut counted = Self { population: Vec::new(), stop: None, ..self.clone() };
        for (index, change) in self.population.iter().enumerate() {
            let key = |key: &str| format!("{path}.population[{index}].{key}");
            match *change {
                PopulationChange::Once(CountAt { at, count }) => {
                    let before = counted.population_changes().last().map_or(self.start, |(at, _)| *at);
                    Problem::unless(
                        at > before,
                        key("at"),
                        format!("the change at {at} does not come after {before}"),
                        "write the changes in the order of time; count of the group says how many begin",
                    )?;
                    few(count, key("count"))?;
                }
                PopulationChange::Stepwise(CountSteps { step, every, until }) => {
                    let hint = "write for example { step = 20, every = \"50 s\", until = 160 }";
                    Problem::unless(step > 0, key("step"), "a step of no flows", hint)?;
                    Problem::unless(!every.is_zero(), key("every"), "no time between two steps", hint)?;
                    few(until, key("until"))?;
                }
            }
            counted.population.push(*change);
        }
        Ok(())
    }
}
