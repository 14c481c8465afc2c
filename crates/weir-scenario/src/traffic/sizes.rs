//! Sizes of transfers: one for all, or drawn from a distribution.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use weir_types::{Invalid, Level, PacketSize, UnitError};

use super::CdfFile;

/// An amount of data, as it is on the wire: bytes, headers included, or packets. Sizes in packets are
/// rounded up to whole packets, sizes in bytes to the nearest byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size(Level);

impl Size {
    pub(crate) const fn of_packets(packets: f64) -> Self {
        Self(Level::Packets(packets))
    }

    /// Bytes, where a packet has `packet`.
    pub fn bytes(self, packet: PacketSize) -> f64 {
        match self.0 {
            Level::Bytes(bytes) => bytes,
            Level::Packets(packets) => packets * f64::from(packet.bytes()),
            Level::Time(_) => unreachable!("an amount is no time"),
        }
    }

    /// Returns true if it was given in packets.
    pub const fn in_packets(self) -> bool {
        !self.0.in_bytes()
    }
}

impl FromStr for Size {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let size = Level::amount(text)?;
        if size.value() > 0.0 && size.value() <= 1e15 {
            Ok(Self(size))
        } else {
            Err(UnitError::new(
                format!("\"{text}\" is no size of a transfer"),
                "write for example \"100 kB\"",
            ))
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SizeVisitor;

        impl de::Visitor<'_> for SizeVisitor {
            type Value = Size;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a size, such as \"100 kB\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Size, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Size, E> {
                self.visit_str(&value.to_string())
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Size, E> {
                self.visit_str(&value.to_string())
            }
        }

        deserializer.deserialize_any(SizeVisitor)
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Size {
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "a size on the wire with its unit: B, kB, MB, KiB, MiB, packets",
            "pattern": "^\\s*\\+?[0-9.]+\\s*(packets|packet|B|kB|MB|KiB|MiB)\\s*$",
            "examples": ["100 kB", "12 packets"],
        })
    }
}

/// Sizes of transfers: one for all, or drawn for each.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Sizes {
    /// One size for every transfer.
    Fixed(Size),
    /// Drawn for every transfer from a distribution.
    Drawn(SizeDistribution),
}

/// Where sizes are drawn from.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SizeDistribution {
    /// Exponential.
    Exponential(ExponentialSize),
    /// Pareto: P(X > x) = (scale / x)^shape from scale = mean (shape - 1) / shape on.
    Pareto(ParetoSize),
    /// Pareto of the second kind, Lomax: P(X > x) = (1 + x / scale)^-shape, scale = mean (shape - 1)
    /// (`ParetoII` of ns-2).
    ParetoIi(ParetoSize),
    /// Logarithm normal.
    LogNormal(LogNormalSize),
    /// An empirical distribution: `"web-search"`, `"hadoop"`, or a file beside the scenario's with lines
    /// of bytes and the share, or percentage, of transfers that are not larger.
    Cdf(CdfFile),
}

/// Exponential sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"mean": "50 kB"}]))]
pub struct ExponentialSize {
    /// Mean.
    pub mean: Size,
}

/// Pareto sizes, of the first or second kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"mean": "50 kB", "shape": 1.5}]))]
pub struct ParetoSize {
    /// Mean of the distribution without a bound.
    pub mean: Size,
    /// Shape, above 1; up to 2 the variance is infinite.
    pub shape: f64,
    /// Bound: what would be larger is drawn again. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<Size>,
}

/// Sizes whose logarithm is normal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"median": "20 kB", "sigma": 1.0}]))]
pub struct LogNormalSize {
    /// Half of the transfers are smaller, bounds left aside.
    pub median: Size,
    /// Standard deviation of the natural logarithm.
    pub sigma: f64,
    /// Bound: what would be smaller is drawn again. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<Size>,
    /// Bound: what would be larger is drawn again. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<Size>,
}

impl Default for Sizes {
    /// Sizes of ns-2's large-scale web traffic: Pareto II with a mean of 12 packets and shape 1.2.
    fn default() -> Self {
        let mean = Size::of_packets(12.0);
        Self::Drawn(SizeDistribution::ParetoIi(ParetoSize { mean, shape: 1.2, at_most: None }))
    }
}

impl Sizes {
    /// Returns true if sizes were given in packets, and are whole numbers of them.
    pub const fn in_packets(&self) -> bool {
        match self {
            Self::Fixed(size) => size.in_packets(),
            Self::Drawn(SizeDistribution::Exponential(drawn)) => drawn.mean.in_packets(),
            Self::Drawn(SizeDistribution::Pareto(drawn) | SizeDistribution::ParetoIi(drawn)) => {
                drawn.mean.in_packets()
            }
            Self::Drawn(SizeDistribution::LogNormal(drawn)) => drawn.median.in_packets(),
            Self::Drawn(SizeDistribution::Cdf(_)) => false,
        }
    }

    /// Checks that the parameters go together.
    ///
    /// # Errors
    /// Names the parameter that does not, and what to do.
    pub(crate) fn check(&self, packet: PacketSize) -> Result<(), Invalid> {
        match self {
            Self::Fixed(_) | Self::Drawn(SizeDistribution::Exponential(_) | SizeDistribution::Cdf(_)) => {
                Ok(())
            }
            Self::Drawn(SizeDistribution::Pareto(drawn)) => {
                let scale = drawn.mean.bytes(packet) * (drawn.shape - 1.0) / drawn.shape;
                drawn.check(packet, scale).map_err(|invalid| invalid.below("pareto"))
            }
            Self::Drawn(SizeDistribution::ParetoIi(drawn)) => {
                drawn.check(packet, 0.0).map_err(|invalid| invalid.below("pareto-ii"))
            }
            Self::Drawn(SizeDistribution::LogNormal(drawn)) => {
                drawn.check(packet).map_err(|invalid| invalid.below("log-normal"))
            }
        }
    }
}

impl ParetoSize {
    fn check(&self, packet: PacketSize, least: f64) -> Result<(), Invalid> {
        Invalid::unless(
            self.shape > 1.0 && self.shape <= 100.0,
            "shape",
            format!("a shape of {} is not above 1 and at most 100", self.shape),
            "at 1 and below there is no mean; measured sizes have 1.1 to 1.5",
        )?;
        let bound = self.at_most.map_or(f64::INFINITY, |size| size.bytes(packet));
        Invalid::unless(
            bound > least * 1.01 && bound >= 1.0,
            "at_most",
            "the bound leaves nothing: no transfer is so small",
            format!("the smallest has {:.0} B; write a bound well above", least.max(1.0)),
        )
    }
}

impl LogNormalSize {
    fn check(&self, packet: PacketSize) -> Result<(), Invalid> {
        Invalid::unless(
            self.sigma > 0.0 && self.sigma <= 5.0,
            "sigma",
            format!("sigma is {}, not above 0 and at most 5", self.sigma),
            "a distribution needs some width, and no more than nature has",
        )?;
        // In standard deviations of the logarithm: bounds that cut off nearly all would be drawn for ever.
        let place = |size: Option<Size>, without: f64| {
            size.map_or(without, |size| (size.bytes(packet) / self.median.bytes(packet)).ln() / self.sigma)
        };
        let (low, high) = (place(self.at_least, -10.0), place(self.at_most, 10.0));
        let (parameter, bound) = if low > 2.0 { ("at_least", low) } else { ("at_most", high) };
        Invalid::unless(
            low <= 2.0 && high >= -2.0 && high - low >= 0.1,
            parameter,
            format!("the bounds leave next to nothing: this lies {bound:.1} sigma from the median"),
            "leave room for what is likely between the bounds",
        )
    }
}

/// By hand, since an untagged enum would forget where and why reading failed.
impl<'de> Deserialize<'de> for Sizes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SizesVisitor;

        const KNOWN: &[&str] = &["exponential", "pareto", "pareto-ii", "log-normal", "cdf"];

        impl<'de> de::Visitor<'de> for SizesVisitor {
            type Value = Sizes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a size such as \"100 kB\", or a distribution")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Sizes, E> {
                text.parse().map(Sizes::Fixed).map_err(E::custom)
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Sizes, E> {
                self.visit_str(&value.to_string())
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Sizes, E> {
                self.visit_str(&value.to_string())
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Sizes, A::Error> {
                let one = || {
                    de::Error::custom(UnitError::new(
                        "sizes are drawn from one distribution",
                        "write for example size.exponential.mean = \"10 kB\"",
                    ))
                };
                let name: String = map.next_key()?.ok_or_else(one)?;
                let distribution = match name.as_str() {
                    "exponential" => SizeDistribution::Exponential(map.next_value()?),
                    "pareto" => SizeDistribution::Pareto(map.next_value()?),
                    "pareto-ii" => SizeDistribution::ParetoIi(map.next_value()?),
                    "log-normal" => SizeDistribution::LogNormal(map.next_value()?),
                    "cdf" => SizeDistribution::Cdf(map.next_value()?),
                    other => return Err(de::Error::unknown_variant(other, KNOWN)),
                };
                match map.next_key::<de::IgnoredAny>()? {
                    Some(_) => Err(one()),
                    None => Ok(Sizes::Drawn(distribution)),
                }
            }
        }

        deserializer.deserialize_any(SizesVisitor)
    }
}
