//! How many flows there are, and when: `"20 more every 50 s until 160, then 20 fewer every
//! 50 s until 20"`.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use weir_types::{Duration, UnitError};

use crate::FlowGroup;

/// A schedule of steps in the number of flows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Population(Vec<Stage>);

/// Steps of one size in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stage {
    step: u32,
    grows: bool,
    every: Duration,
    until: u32,
}

/// When one flow comes and goes, before jitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// When it comes.
    pub start: Duration,
    /// When it goes, if before the end of the run.
    pub stop: Option<Duration>,
}

impl Population {
    /// The most flows that a group may have.
    pub const LARGEST: u32 = 10_000_000;
}

impl FlowGroup {
    /// When each flow of the group comes and goes, in order of their coming.
    pub fn lifetimes(&self) -> Vec<Lifetime> {
        let mut flows = vec![Lifetime { start: self.start, stop: self.stop }; self.count as usize];
        let mut present: Vec<usize> = (0..flows.len()).collect();
        let mut now = self.start;
        for stage in self.population.iter().flat_map(|population| &population.0) {
            loop {
                let there = present.len() as u32;
                let missing = if stage.grows {
                    stage.until.saturating_sub(there)
                } else {
                    there.saturating_sub(stage.until)
                };
                if missing == 0 {
                    break;
                }
                now = now + stage.every;
                if self.stop.is_some_and(|stop| now >= stop) {
                    return flows;
                }
                for _ in 0..missing.min(stage.step) {
                    if stage.grows {
                        present.push(flows.len());
                        flows.push(Lifetime { start: now, stop: self.stop });
                    } else if let Some(last) = present.pop() {
                        flows[last].stop = Some(now);
                    }
                }
            }
        }
        flows
    }
}

impl FromStr for Population {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let stages: Result<Vec<_>, _> = text.split(", then ").map(Stage::from_str).collect();
        stages.map(Self)
    }
}

impl FromStr for Stage {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let error = || UnitError {
            message: format!("\"{text}\" is not a step in population"),
            hint: "write for example \"20 more every 50 s until 160\", \
                   followed by \", then 20 fewer every 50 s until 20\" if you like"
                .into(),
        };
        let (steps, until) = text.split_once(" until ").ok_or_else(error)?;
        let (change, every) = steps.split_once(" every ").ok_or_else(error)?;
        let (step, direction) = change.trim().split_once(' ').ok_or_else(error)?;
        let grows = match direction.trim() {
            "more" => true,
            "fewer" => false,
            _ => return Err(error()),
        };
        let stage = Self {
            step: step.parse().map_err(|_| error())?,
            grows,
            every: every.parse()?,
            until: until.trim().parse().map_err(|_| error())?,
        };
        let sound = stage.step > 0 && !stage.every.is_zero() && stage.until <= Population::LARGEST;
        if sound { Ok(stage) } else { Err(error()) }
    }
}

impl fmt::Display for Population {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Stage { step, grows, every, until }) in self.0.iter().enumerate() {
            let (link, word) =
                (if index > 0 { ", then " } else { "" }, if *grows { "more" } else { "fewer" });
            write!(f, "{link}{step} {word} every {every} until {until}")?;
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Population {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl Serialize for Population {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Population {
    fn schema_name() -> Cow<'static, str> {
        "Population".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^\\s*\\d+ (more|fewer) every .+ until \\d+(, then \\d+ (more|fewer) every .+ until \\d+)*\\s*$",
            "examples": ["20 more every 50 s until 160, then 20 fewer every 50 s until 20"],
        })
    }
}
