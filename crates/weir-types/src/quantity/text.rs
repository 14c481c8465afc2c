//! Every quantity travels as text in scenario files.

use alloc::borrow::Cow;
use core::{fmt, marker::PhantomData, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{
    BUFFER, BYTES, Buffer, Bytes, DURATION, Duration, LEVEL, Level, MEMORY, PACKETS, PacketSize, Packets,
    Probability, RATE, Rate, UnitError, notation::Notation,
};

struct TextVisitor<T>(&'static Notation, PhantomData<T>);

impl<T: FromStr<Err = UnitError>> TextVisitor<T> {
    fn bare<E: de::Error>(&self, value: impl fmt::Display) -> E {
        E::custom(UnitError::new(
            alloc::format!("{value} has no unit"),
            alloc::format!("write a text with a unit, such as \"{}\"", self.0.example),
        ))
    }
}

impl<T: FromStr<Err = UnitError>> de::Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, such as \"{}\"", self.0.name, self.0.example)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<T, E> {
        Err(self.bare(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<T, E> {
        Err(self.bare(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<T, E> {
        Err(self.bare(value))
    }
}

macro_rules! as_text {
    ($($type:ident: $notation:ident),* $(,)?) => {$(
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(TextVisitor(&$notation, PhantomData))
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let units: alloc::vec::Vec<_> = $notation.units.iter().map(|(name, _)| *name).collect();
                json_schema!({
                    "type": "string",
                    "description": alloc::format!("{} with its unit: {}", $notation.name, units.join(", ")),
                    "pattern": alloc::format!("^\\s*\\+?[0-9.]+\\s*({})\\s*$", units.join("|")),
                    "examples": [$notation.example],
                })
            }
        }
    )*};
}

as_text!(Duration: DURATION, Rate: RATE, Buffer: BUFFER, Level: LEVEL, Packets: PACKETS, PacketSize: BYTES,
    Bytes: MEMORY);

impl<'de> Deserialize<'de> for Probability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        Self::new(value).ok_or_else(|| {
            de::Error::custom(UnitError::new(
                alloc::format!("{value} is not a probability"),
                "write a number from 0 to 1",
            ))
        })
    }
}

impl Serialize for Probability {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.get())
    }
}

impl JsonSchema for Probability {
    fn schema_name() -> Cow<'static, str> {
        "Probability".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}
