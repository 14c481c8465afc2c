//! Codepoints of the Diffserv field.

use alloc::{borrow::Cow, format};
use core::{fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::UnitError;

/// The six bits of the Diffserv field of the IP header (RFC 2474), beside the two of ECN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dscp(u8);

/// Codepoints with a name: RFC 2474 and 2597 (CS, AF), 3246 (EF), 5865 (VA), 8622 (LE).
const NAMES: [(&str, u8); 23] = [
    ("CS0", 0),
    ("LE", 1),
    ("CS1", 8),
    ("AF11", 10),
    ("AF12", 12),
    ("AF13", 14),
    ("CS2", 16),
    ("AF21", 18),
    ("AF22", 20),
    ("AF23", 22),
    ("CS3", 24),
    ("AF31", 26),
    ("AF32", 28),
    ("AF33", 30),
    ("CS4", 32),
    ("AF41", 34),
    ("AF42", 36),
    ("AF43", 38),
    ("CS5", 40),
    ("VA", 44),
    ("EF", 46),
    ("CS6", 48),
    ("CS7", 56),
];

impl Dscp {
    /// Best effort: no codepoint in particular.
    pub const CS0: Self = Self(0);

    /// The codepoint with this number; `None` above 63.
    pub const fn new(number: u8) -> Option<Self> {
        if number < 64 { Some(Self(number)) } else { None }
    }

    /// From the lowest six of `bits`.
    #[inline]
    pub const fn of_bits(bits: u8) -> Self {
        Self(bits & 0x3f)
    }

    /// Its number, 0 to 63.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Dscp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|(_, number)| *number == self.0) {
            Some((name, _)) => f.write_str(name),
            None => write!(f, "{}", self.0),
        }
    }
}

impl FromStr for Dscp {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        let named = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        let number = named.map(|(_, number)| *number).or_else(|| text.parse().ok());
        number.and_then(Self::new).ok_or_else(|| {
            UnitError::new(
                format!("\"{text}\" is not a Diffserv codepoint"),
                "write a name such as \"CS1\", \"AF41\", \"EF\" or \"LE\", or a number from 0 to 63",
            )
        })
    }
}

impl<'de> Deserialize<'de> for Dscp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DscpVisitor;

        impl de::Visitor<'_> for DscpVisitor {
            type Value = Dscp;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a Diffserv codepoint, such as \"EF\" or 46")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Dscp, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Dscp, E> {
                format!("{number}").parse().map_err(E::custom)
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Dscp, E> {
                format!("{number}").parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_any(DscpVisitor)
    }
}

impl Serialize for Dscp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Dscp {
    fn schema_name() -> Cow<'static, str> {
        "Dscp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A Diffserv codepoint: a name, or a number from 0 to 63",
            "anyOf": [
                { "type": "string", "examples": ["CS1", "AF41", "EF", "LE"] },
                { "type": "integer", "minimum": 0, "maximum": 63 },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;

    #[test]
    fn a_codepoint_is_read_as_it_is_written() {
        for number in 0..64 {
            let dscp = Dscp::new(number).unwrap();
            assert_eq!(dscp.to_string().parse(), Ok(dscp));
        }
        assert_eq!(["ef", " 46", "EF"].map(|text| text.parse::<Dscp>().unwrap().bits()), [46; 3]);
    }

    /// `AFxy` is 8 x + 2 y (RFC 2597), `CSx` is 8 x (RFC 2474).
    #[test]
    fn names_have_the_numbers_of_their_documents() {
        for class in 1..8 {
            assert_eq!(format!("CS{class}").parse(), Ok(Dscp(8 * class)));
        }
        for (class, drop) in (1..5).flat_map(|class| (1..4).map(move |drop| (class, drop))) {
            assert_eq!(format!("AF{class}{drop}").parse(), Ok(Dscp(8 * class + 2 * drop)));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "AF14", "64", "-1", "4.5", "voice"] {
            assert!(text.parse::<Dscp>().is_err(), "{text}");
        }
    }
}
