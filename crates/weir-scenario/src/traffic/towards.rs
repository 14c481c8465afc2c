//! The direction of a capture that is replayed.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use weir_types::UnitError;

use crate::capture::Subnet;

/// Which packets of a capture are replayed, by where they went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Towards {
    /// Packets of the direction with more bytes.
    Larger,
    /// Packets of both directions.
    Both,
    /// Packets to these networks, one at least.
    Subnets(Vec<Subnet>),
}

impl FromStr for Towards {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text {
            "larger" => Ok(Self::Larger),
            "both" => Ok(Self::Both),
            _ => text.parse().map(|subnet| Self::Subnets(vec![subnet])).map_err(|error: UnitError| {
                UnitError::new(error.message, format!("{}, \"larger\" or \"both\"", error.hint))
            }),
        }
    }
}

impl<'de> Deserialize<'de> for Towards {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TowardsVisitor;

        impl<'de> de::Visitor<'de> for TowardsVisitor {
            type Value = Towards;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a network such as \"192.0.2.0/24\", a list of them, \"larger\" or \"both\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Towards, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Towards, A::Error> {
                let mut subnets = Vec::new();
                while let Some(text) = list.next_element::<String>()? {
                    subnets.push(text.parse().map_err(de::Error::custom)?);
                }
                if subnets.is_empty() {
                    let none =
                        UnitError::new("a list without a network", "leave it out for the larger direction");
                    return Err(de::Error::custom(none));
                }
                Ok(Towards::Subnets(subnets))
            }
        }

        deserializer.deserialize_any(TowardsVisitor)
    }
}

impl Serialize for Towards {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Larger => serializer.serialize_str("larger"),
            Self::Both => serializer.serialize_str("both"),
            Self::Subnets(subnets) => match &subnets[..] {
                [one] => serializer.collect_str(one),
                several => serializer.collect_seq(several.iter().map(ToString::to_string)),
            },
        }
    }
}

impl JsonSchema for Towards {
    fn schema_name() -> Cow<'static, str> {
        "Towards".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let subnet = generator.subschema_for::<Subnet>();
        json_schema!({
            "description": "a network or several, \"larger\" or \"both\"",
            "anyOf": [
                { "type": "string", "enum": ["larger", "both"] },
                subnet,
                { "type": "array", "items": subnet, "minItems": 1 },
            ],
            "examples": ["192.0.2.0/24"],
        })
    }
}
