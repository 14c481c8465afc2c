//! The scenario: plain data.

use std::{borrow::Cow, path::Path};

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de::IgnoredAny};
use serde_json::Value;
use weir_aqm::aqm::PythonParameters;
use weir_types::Duration;

use crate::{Change, FlowGroup, Link, Measure, Sweep, problem::Problem};

/// The version of the scenario format, `schema = 1`.
pub const SCHEMA_VERSION: u32 = 1;

/// One experiment: links, flows, and what is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Version of this format: 1.
    pub schema: u32,
    /// A short name, used for results: letters, digits, `-`, `_`.
    pub name: String,
    /// One line for people.
    #[serde(default)]
    pub title: String,
    /// Seed of every random stream; replication r runs with seed + r.
    #[serde(default = "one")]
    pub seed: u64,
    /// Simulated time.
    pub duration: Duration,
    /// Parts of the run that results leave out, and its division into periods.
    #[serde(default)]
    pub measure: Measure,
    /// Links by name, each with a queue discipline.
    #[serde(default)]
    pub links: IndexMap<String, Link>,
    /// Groups of flows by name.
    #[serde(default)]
    pub flows: IndexMap<String, FlowGroup>,
    /// Changes in mid-run, in the order of time. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// Sets of overrides by name: `[variants.NAME]` holds paths and values, and a label.
    #[serde(default, skip_serializing)]
    pub variants: Variants,
    /// Values that `weir sweep` varies, and how often it runs each point. They say nothing about how the scenario
    /// behaves. Default: nothing is varied.
    #[serde(default, skip_serializing)]
    pub sweep: Option<Sweep>,
}

/// The variants of a scenario file. They are applied to the text, so that an error points at
/// the line of the override; what remains here are their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variants(pub Vec<String>);

impl<'de> Deserialize<'de> for Variants {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = IndexMap::<String, IgnoredAny>::deserialize(deserializer)?;
        Ok(Self(names.into_keys().collect()))
    }
}

impl JsonSchema for Variants {
    fn schema_name() -> Cow<'static, str> {
        "Variants".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "properties": { "label": { "type": "string", "description": "Name in tables and pictures." } },
                "additionalProperties": true,
            }
        })
    }
}

impl Scenario {
    /// The whole scenario as TOML, every default written out.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(&self.to_value()).expect("a scenario is valid TOML")
    }

    /// The whole scenario as JSON.
    pub fn to_json(&self) -> String {
        self.to_value().to_string()
    }

    /// Reads the files that links and groups of flows name, from `folder` where they do not say where they are.
    pub(crate) fn read_files(&mut self, folder: &Path) -> Result<(), Problem> {
        for (name, link) in &mut self.links {
            link.load_traces(name, folder)?;
        }
        for (name, group) in &mut self.flows {
            group.read_files(folder, name).map_err(|invalid| Problem {
                path: format!("flows.{name}.{}", invalid.parameter),
                message: invalid.message,
                hint: invalid.hint,
            })?;
        }
        Ok(())
    }

    /// The whole scenario as plain data. Whatever is written comes from it, so that the types of a scenario are
    /// compiled for one serializer.
    pub(crate) fn to_value(&self) -> Value {
        serde_json::to_value(self).expect("a scenario is valid JSON")
    }

    /// The AQMs written in Python, each with its dotted path: their classes have to be found before the
    /// scenario runs.
    pub fn python_aqms_mut(&mut self) -> impl Iterator<Item = (String, &mut PythonParameters)> {
        self.links.iter_mut().flat_map(|(name, link)| {
            link.directions_mut().filter_map(move |(suffix, direction)| {
                let (place, aqm) = direction.queue.python_mut()?;
                Some((format!("links.{name}{suffix}.queue.{place}"), aqm))
            })
        })
    }

    /// Returns true if it has AQMs written in Python.
    pub fn has_python_aqms(&self) -> bool {
        let reverse = self.links.values().filter_map(|link| Some(&link.reverse.as_ref()?.queue));
        self.links.values().map(|link| &link.queue).chain(reverse).any(|queue| queue.python().is_some())
    }
}

fn one() -> u64 {
    1
}
