//! Delays that a line adds to each packet, behind the transmitter.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Bytes, Duration, Rate};

use crate::{defaults::is_off, problem::Problem};

/// A token bucket instead of a transmitter of constant rate: `rate` on average, faster after a pause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"burst": "30 kB", "peak": "100 Mbit/s"}]))]
pub struct TokenBucketSpec {
    /// Bytes that may leave above the rate after a pause. A larger packet waits until tokens for all of it have come.
    pub burst: Bytes,
    /// The rate of a burst. Default: a burst leaves at once, as from tbf of Linux without a peak.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak: Option<Rate>,
}

/// Random delay of each packet on the line, besides its propagation delay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"uniform": {"max": "4 ms"}}]))]
pub struct DelayVariation {
    /// Between zero and a largest delay, all equally likely. One of `uniform` and `normal` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uniform: Option<UniformDelay>,
    /// Normally distributed; a draw below zero counts as zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normal: Option<NormalDelay>,
    /// Correlation of the delay of a packet with that of the packet before it, from 0 to below 1. Default: 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub correlation: f64,
    /// Packets overtake each other, as their delays say. Default: off, a packet waits for those before it.
    #[serde(default, skip_serializing_if = "is_off")]
    pub reorder: bool,
}

/// A delay between zero and `max`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UniformDelay {
    /// The largest delay.
    pub max: Duration,
}

/// A delay of the normal distribution, not below zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NormalDelay {
    /// Its mean, before draws below zero are replaced.
    pub mean: Duration,
    /// Its standard deviation.
    pub sd: Duration,
}

/// Packets leave the line together, at the times of grants, as frames of Wi-Fi that hold many packets. They have left
/// the queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"interval": "4 ms", "packets": 64}]))]
pub struct Aggregation {
    /// Time between grants; with `max_interval` the shortest.
    pub interval: Duration,
    /// The longest time between grants; each is drawn between the two, all equally likely. Default: all are equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_interval: Option<Duration>,
    /// Packets that a grant lets go. Default: all that wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub packets: Option<u32>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl TokenBucketSpec {
    /// That the bucket at `path` can be filled, and bursts are faster than `rate`, the highest of the link.
    pub(crate) fn check(&self, path: &str, rate: Rate) -> Result<(), Problem> {
        Problem::unless(
            self.burst.0 > 0,
            format!("{path}.burst"),
            "the bucket holds nothing",
            "write at least a packet: \"1514 B\"",
        )?;
        Problem::unless(
            self.peak.is_none_or(|peak| peak > rate),
            format!("{path}.peak"),
            format!("the peak is not above the highest rate, {rate}"),
            "write a higher rate, or leave peak out: bursts then leave at once",
        )
    }
}

impl DelayVariation {
    /// That one distribution is given, and the correlation is one.
    pub(crate) fn check(&self, path: &str) -> Result<(), Problem> {
        Problem::unless(
            self.uniform.is_some() != self.normal.is_some(),
            path,
            if self.uniform.is_some() { "two distributions: which?" } else { "no distribution is given" },
            "write one of uniform = { max = \"4 ms\" } and normal = { mean = \"4 ms\", sd = \"1 ms\" }",
        )?;
        Problem::unless(
            (0.0..1.0).contains(&self.correlation),
            format!("{path}.correlation"),
            format!("{} is no correlation of this model", self.correlation),
            "write a number from 0 to below 1",
        )?;
        let width = self.uniform.as_ref().map(|uniform| ("uniform.max", uniform.max));
        let width = width.or_else(|| self.normal.as_ref().map(|normal| ("normal.sd", normal.sd)));
        let (key, width) = width.unwrap_or_else(|| unreachable!("one is given"));
        Problem::unless(
            !width.is_zero(),
            format!("{path}.{key}"),
            "nothing varies",
            "write a time above zero, or leave delay_variation out",
        )
    }
}

impl Aggregation {
    /// That grants come, and let something go.
    pub(crate) fn check(&self, path: &str) -> Result<(), Problem> {
        Problem::unless(
            !self.interval.is_zero(),
            format!("{path}.interval"),
            "grants without time between them",
            "write a time above zero, or leave aggregation out",
        )?;
        Problem::unless(
            self.max_interval.is_none_or(|most| most >= self.interval),
            format!("{path}.max_interval"),
            format!("it is below interval, {}", self.interval),
            "write a longer time, or leave it out",
        )?;
        Problem::unless(
            self.packets != Some(0),
            format!("{path}.packets"),
            "nothing ever gets through",
            "write 1 or more",
        )
    }
}
