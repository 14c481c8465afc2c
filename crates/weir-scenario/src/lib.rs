//! What an experiment is: plain data, read from TOML, checked before anything runs.
//!
//! ```
//! let scenario = weir_scenario::Document::parse("example.toml", r#"
//!     schema = 1
//!     name = "example"
//!     duration = "10 s"
//!     [links.bottleneck]
//!     rate = "10 Mbit/s"
//!     delay = "10 ms"
//!     buffer = "1 BDP"
//!     queue.red = { max_th = "30 packets" }
//!     [flows.ftp]
//!     count = 5
//!     rtt = "40 ms"
//! "#)?.scenario()?;
//! assert_eq!(scenario.rate("bottleneck", weir_scenario::Direction::Forward).bits_per_second(), 10_000_000);
//! # Ok::<(), weir_scenario::ScenarioError>(())
//! ```

mod check;
mod defaults;
mod document;
mod error;
mod identity;
mod measure;
mod network;
mod overrides;
mod population;
mod presets;
mod schema;
mod sweep;
mod topology;
mod traffic;
mod wording;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::Duration;

pub use document::{Document, read_queue};
pub use error::ScenarioError;
pub use identity::run_key;
pub use measure::{Measure, Series};
pub use network::{Bottleneck, LoadChange, Network, Path, Port};
pub use population::{CountAt, CountSteps, Lifetime, PopulationChange};
pub use schema::{choices_of, schema};
pub use sweep::{Axes, AxisValues, Sweep, SweepMethod};
pub use topology::{
    Bernoulli, ChainStep, DirectedLink, Direction, GilbertElliott, Link, LinkBuffer, Loss, PortSpec,
    RateChange, ReverseLink,
};
pub use traffic::{
    Access, ArrivalRate, Bulk, Cbr, Cdf, CdfFile, ClosedLoop, Content, Exponential, ExponentialSize,
    FlowGroup, Gaps, LogNormal, LogNormalSize, ObjectCount, OnOff, PageTime, ParetoSize, Poisson, Replay,
    Rtt, RttDistribution, Size, SizeDistribution, Sizes, ThreeGpp, Trace, TracePacket, Traffic, Uniform, Web,
};

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
    /// What is left out and how the run is divided.
    #[serde(default)]
    pub measure: Measure,
    /// Links by name, each with a queue discipline.
    #[serde(default)]
    pub links: IndexMap<String, Link>,
    /// Groups of flows by name.
    #[serde(default)]
    pub flows: IndexMap<String, FlowGroup>,
    /// Sets of overrides by name: `[variants.NAME]` holds paths and values, and a label.
    #[serde(default, skip_serializing)]
    pub variants: Variants,
    /// What `weir sweep` varies, and how often it runs each point. Says nothing about how the
    /// scenario behaves. Default: nothing is varied.
    #[serde(default, skip_serializing)]
    pub sweep: Option<Sweep>,
}

/// The variants of a scenario file. They are applied to the text, so that an error points at
/// the line of the override; what remains here are their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variants(pub Vec<String>);

impl<'de> Deserialize<'de> for Variants {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = IndexMap::<String, serde::de::IgnoredAny>::deserialize(deserializer)?;
        Ok(Self(names.into_keys().collect()))
    }
}

impl JsonSchema for Variants {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Variants".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "properties": { "label": { "type": "string", "description": "What to call it in tables and pictures." } },
                "additionalProperties": true,
            }
        })
    }
}

impl Scenario {
    /// The whole scenario as TOML, every default written out.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).expect("a scenario is valid TOML")
    }

    /// The whole scenario as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a scenario is valid JSON")
    }

    /// What the scenario, every default written out, has at a dotted path; `None` if there is nothing. Of a
    /// row of links the first stands for all.
    pub fn value(&self, path: &str) -> Option<serde_json::Value> {
        let plain = serde_json::to_value(self).expect("a scenario is valid JSON");
        let at = |path: &str| plain.pointer(&format!("/{}", path.replace('.', "/"))).cloned();
        at(path).or_else(|| at(&topology::first_written_out(path)?))
    }

    /// Whether setting `path` leaves every choice as it is. It does not where it is a parameter
    /// of an AQM that this scenario does not have.
    pub fn has_choice(&self, path: &str) -> bool {
        let has =
            |(place, name): (&str, &str)| self.value(place).is_none_or(|choice| choice.get(name).is_some());
        choices_of(path).into_iter().all(has)
    }
}

fn one() -> u64 {
    1
}
