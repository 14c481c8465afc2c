//! Propagation round trips: one for all flows of a group, or drawn for each.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use weir_types::Duration;

/// A propagation round trip: one for all, or drawn once for each flow.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Rtt {
    /// One round trip for every flow.
    Fixed(Duration),
    /// Drawn for every flow from a distribution.
    Drawn(RttDistribution),
}

/// Where round trips are drawn from.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RttDistribution {
    /// Between `from` and `to`, all equally likely.
    Uniform(Uniform),
    /// `at_least` plus an exponential time, `mean` in all.
    Exponential(Exponential),
    /// Logarithm normal, not below `at_least`.
    LogNormal(LogNormal),
}

/// Between two bounds, all equally likely.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Uniform {
    /// Least.
    pub from: Duration,
    /// Greatest.
    pub to: Duration,
}

/// A bound plus an exponential time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exponential {
    /// Least.
    pub at_least: Duration,
    /// Mean, the bound included.
    pub mean: Duration,
}

/// Logarithm normal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogNormal {
    /// Half of the flows lie below.
    pub median: Duration,
    /// Standard deviation of the natural logarithm.
    pub sigma: f64,
    /// Least: shorter draws become this.
    pub at_least: Duration,
}

/// By hand, since an untagged enum would forget where and why reading failed.
impl<'de> Deserialize<'de> for Rtt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RttVisitor;

        impl<'de> de::Visitor<'de> for RttVisitor {
            type Value = Rtt;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration such as \"80 ms\", or a distribution")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Rtt, E> {
                text.parse().map(Rtt::Fixed).map_err(E::custom)
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Rtt, E> {
                self.visit_str(&value.to_string())
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Rtt, E> {
                self.visit_str(&value.to_string())
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Rtt, A::Error> {
                let one =
                    || de::Error::custom("a round trip is drawn from one distribution, such as uniform");
                let name: String = map.next_key()?.ok_or_else(one)?;
                let distribution = match name.as_str() {
                    "uniform" => RttDistribution::Uniform(map.next_value()?),
                    "exponential" => RttDistribution::Exponential(map.next_value()?),
                    "log-normal" => RttDistribution::LogNormal(map.next_value()?),
                    other => {
                        return Err(de::Error::unknown_variant(
                            other,
                            &["uniform", "exponential", "log-normal"],
                        ));
                    }
                };
                match map.next_key::<de::IgnoredAny>()? {
                    Some(_) => Err(one()),
                    None => Ok(Rtt::Drawn(distribution)),
                }
            }
        }

        deserializer.deserialize_any(RttVisitor)
    }
}

impl Rtt {
    /// The shortest that can be drawn.
    pub const fn minimum(&self) -> Duration {
        match self {
            Self::Fixed(rtt) => *rtt,
            Self::Drawn(RttDistribution::Uniform(uniform)) => uniform.from,
            Self::Drawn(RttDistribution::Exponential(exponential)) => exponential.at_least,
            Self::Drawn(RttDistribution::LogNormal(normal)) => normal.at_least,
        }
    }

    /// Round trip that stands for the largest in a bandwidth-delay product: the bound where there is one, else
    /// twice the mean or median.
    pub fn typical_maximum(&self) -> Duration {
        match self {
            Self::Fixed(rtt) => *rtt,
            Self::Drawn(RttDistribution::Uniform(uniform)) => uniform.to,
            Self::Drawn(RttDistribution::Exponential(exponential)) => exponential.mean * 2,
            Self::Drawn(RttDistribution::LogNormal(normal)) => normal.median * 2,
        }
    }
}
