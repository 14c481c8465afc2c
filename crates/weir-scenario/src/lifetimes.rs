//! When the flows of a group come and go.

use weir_types::Duration;

use crate::{CountAt, CountSteps, FlowGroup, PopulationChange, problem::Problem};

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

    /// The flows that come in all.
    pub fn flows_in_all(&self) -> usize {
        let mut present = self.count;
        let come = self
            .population_changes()
            .into_iter()
            .map(|(_, count)| count.saturating_sub(std::mem::replace(&mut present, count)) as usize);
        self.count as usize + come.sum::<usize>()
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
