//! Transfers of finite size: those that arrive at random, and users who start one after the other.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use weir_types::{Duration, UnitError};

use super::{Size, Sizes};

/// Flows of finite size that arrive at random instants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"load": 0.5, "size": {"cdf": "web-search"}}]))]
pub struct Poisson {
    /// Flows that arrive per unit of time, on average: `"100 /s"`. Either this or `load`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<ArrivalRate>,
    /// Bits that arrive, as a share of what the narrowest link of the path carries. Either this or
    /// `rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    /// Bytes of each flow on the wire, headers included, the SYN not.
    pub size: Sizes,
}

/// Users who transfer one flow after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"size": "50 kB", "think_time": "2 s"}]))]
pub struct ClosedLoop {
    /// Bytes of each flow on the wire, headers included, the SYN not.
    pub size: Sizes,
    /// Mean of the exponential time from the arrival of the last byte to the next flow. Default 0 s.
    #[serde(default)]
    pub think_time: Duration,
}

impl Default for Poisson {
    fn default() -> Self {
        Self { rate: None, load: None, size: Sizes::Fixed(Size::of_packets(1.0)) }
    }
}

impl Default for ClosedLoop {
    fn default() -> Self {
        Self { size: Sizes::Fixed(Size::of_packets(1.0)), think_time: Duration::ZERO }
    }
}

/// How many flows arrive per second; above zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArrivalRate(f64);

impl ArrivalRate {
    /// Arrivals per second.
    pub const fn per_second(self) -> f64 {
        self.0
    }
}

impl FromStr for ArrivalRate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let error = || {
            UnitError::new(format!("\"{text}\" is not a rate of arrivals"), "write for example \"100 /s\"")
        };
        let (number, unit) = text.split_once('/').ok_or_else(error)?;
        let per = match unit.trim() {
            "s" => 1.0,
            "ms" => 1e3,
            "min" => 1.0 / 60.0,
            _ => return Err(error()),
        };
        let number = number.trim();
        let number: f64 =
            number.strip_suffix("flows").unwrap_or(number).trim().parse().map_err(|_| error())?;
        let rate = number * per;
        if rate > 0.0 && rate <= 1e9 { Ok(Self(rate)) } else { Err(error()) }
    }
}

impl fmt::Display for ArrivalRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} /s", self.0)
    }
}

impl<'de> Deserialize<'de> for ArrivalRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RateVisitor;

        impl de::Visitor<'_> for RateVisitor {
            type Value = ArrivalRate;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a rate of arrivals, such as \"100 /s\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<ArrivalRate, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_any(RateVisitor)
    }
}

impl Serialize for ArrivalRate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for ArrivalRate {
    fn schema_name() -> Cow<'static, str> {
        "ArrivalRate".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "a rate of arrivals with its unit: /s, /ms, /min",
            "pattern": "^\\s*\\+?[0-9.]+\\s*(flows)?\\s*/\\s*(s|ms|min)\\s*$",
            "examples": ["100 /s"],
        })
    }
}
