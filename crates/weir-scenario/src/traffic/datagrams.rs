//! Sources of datagrams, which send at their own rate whatever happens to their packets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Rate};

/// A constant bit rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"rate": "80 kbit/s"}]))]
pub struct Cbr {
    /// Bits on the wire per second, of each source.
    pub rate: Rate,
    /// The time between two packets. Default: always the same.
    #[serde(default)]
    pub gaps: Gaps,
    /// Declare packets ECN-capable, and ignore the marks. Default off.
    #[serde(default)]
    pub ecn: bool,
}

/// The times between the packets of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Gaps {
    /// All the same; the first packet leaves at once.
    #[default]
    Equal,
    /// Exponential: packets leave as a Poisson process.
    Exponential,
}

/// On and off in turn (ns-2's Application/Traffic/Exponential and Pareto). What is left of the time to the
/// next packet when a source goes off counts when it is on again. So the mean rate is `rate` x `on` /
/// (`on` + `off`). A source begins with a time on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"rate": "1 Mbit/s", "on": "400 ms", "off": "600 ms"}]))]
pub struct OnOff {
    /// Bits on the wire per second while a source is on.
    pub rate: Rate,
    /// Mean time on. Default 500 ms (ns-2).
    #[serde(default = "half_a_second")]
    pub on: Duration,
    /// Mean time off. Default 500 ms (ns-2).
    #[serde(default = "half_a_second")]
    pub off: Duration,
    /// Times on and off are Pareto of this shape, above 1; many sources of shape 1.5 together are
    /// long-range dependent. Default: they are exponential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<f64>,
    /// Declare packets ECN-capable, and ignore the marks. Default off.
    #[serde(default)]
    pub ecn: bool,
}

const ONE_BIT: Rate = match Rate::from_bits_per_second(1) {
    Some(rate) => rate,
    None => unreachable!(),
};

impl Default for Cbr {
    fn default() -> Self {
        Self { rate: ONE_BIT, gaps: Gaps::default(), ecn: false }
    }
}

impl Default for OnOff {
    fn default() -> Self {
        Self { rate: ONE_BIT, on: half_a_second(), off: half_a_second(), shape: None, ecn: false }
    }
}

fn half_a_second() -> Duration {
    Duration::from_millis(500)
}
