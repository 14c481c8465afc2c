//! Empirical distributions of sizes: `bytes share` per line, linear in between.

use std::{borrow::Cow, fmt, path::Path};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeStruct};
use weir_types::Invalid;

use crate::files::{self, Content};

/// An empirical distribution function.
#[derive(Clone, Debug, PartialEq)]
pub struct Cdf {
    /// Bytes, and the share of transfers that are not larger, both in increasing order; the last share
    /// is 1.
    points: Vec<(f64, f64)>,
}

/// The distributions that come with Weir.
const SHIPPED: &[(&str, &str)] = &[
    ("web-search", include_str!("../../data/web-search.cdf")),
    ("hadoop", include_str!("../../data/hadoop.cdf")),
];

/// The file of an empirical distribution, or the name of one that comes with Weir.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CdfFile {
    /// Its name or path.
    pub file: String,
    /// A digest of what it holds; part of the run's key.
    pub digest: Option<String>,
    /// Content of the file.
    pub cdf: Content<Cdf>,
}

impl Cdf {
    /// Reads lines of two numbers; `#` begins a comment.
    ///
    /// # Errors
    /// Names the line that is wrong.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let example = "each line has bytes and a share or percentage, such as \"10000 0.15\"";
        let mut points: Vec<(f64, f64)> = Vec::new();
        let mut last = 0;
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default();
            let words: Vec<_> = line.split([' ', '\t', ',', ';']).filter(|word| !word.is_empty()).collect();
            if words.is_empty() {
                continue;
            }
            last = number;
            let wrong = |message: String| files::at("line", number, message, example);
            let numbers: Result<Vec<f64>, _> = words.iter().map(|word| word.parse()).collect();
            let Ok([bytes, share]) = numbers.as_deref() else {
                return Err(wrong(format!("{} is not two numbers", files::quoted(line.trim()))));
            };
            let (bytes, share) = (*bytes, *share);
            let sound = (0.0..=1e15).contains(&bytes) && (0.0..=100.0).contains(&share);
            if !sound {
                return Err(wrong(format!("{bytes} bytes and a share of {share} cannot be")));
            }
            if let Some(before) = points.last() {
                if bytes < before.0 {
                    return Err(wrong(format!("{bytes} bytes come after {} bytes", before.0)));
                }
                if share < before.1 {
                    return Err(wrong(format!("the share decreases from {} to {share}", before.1)));
                }
            }
            points.push((bytes, share));
        }
        let (Some((largest, whole)), true) = (points.last().copied(), points.len() >= 2) else {
            return Err(files::at("line", last.max(1), "a distribution needs two points at least", example));
        };
        if whole.to_bits() != 1.0_f64.to_bits() && whole.to_bits() != 100.0_f64.to_bits() {
            return Err(files::at(
                "line",
                last,
                format!("the distribution ends at {whole}, not at 1 (or 100 %)"),
                "the last line says the size that no transfer exceeds",
            ));
        }
        if largest <= 0.0 {
            return Err(files::at("line", last, "all transfers have 0 bytes", example));
        }
        for (_, share) in &mut points {
            *share /= whole;
        }
        Ok(Self { points })
    }

    /// The size that a share `u` of transfers does not exceed; below the first point, that of the point.
    pub fn quantile(&self, u: f64) -> f64 {
        let at = self.points.partition_point(|(_, share)| *share <= u);
        let Some(&(bytes, share)) = self.points.get(at) else { return self.points[self.points.len() - 1].0 };
        match at.checked_sub(1).map(|before| self.points[before]) {
            None => bytes,
            Some((from, below)) => from + (bytes - from) * (u - below) / (share - below),
        }
    }

    /// The mean size.
    pub fn mean(&self) -> f64 {
        let first = self.points[0];
        let pairs = self.points.iter().zip(&self.points[1..]);
        pairs.fold(first.0 * first.1, |sum, (low, high)| sum + (high.1 - low.1) * (low.0 + high.0) / 2.0)
    }
}

impl CdfFile {
    /// Reads the file, in `folder` unless it comes with Weir.
    pub(super) fn read(&mut self, folder: &Path) -> Result<(), Invalid> {
        let parse = |bytes: &[u8]| Cdf::parse(&String::from_utf8_lossy(bytes));
        match SHIPPED.iter().find(|(name, _)| *name == self.file) {
            Some((name, text)) => files::take(text.as_bytes(), name, &mut self.digest, &mut self.cdf, parse),
            None => files::read(folder, &mut self.file, &mut self.digest, &mut self.cdf, parse).map_err(
                |invalid| {
                    let names: Vec<_> = SHIPPED.iter().map(|(name, _)| *name).collect();
                    let hint = if invalid.message.contains("cannot be read") {
                        format!("{}; these come with Weir: {}", invalid.hint, names.join(", "))
                    } else {
                        invalid.hint
                    };
                    Invalid { hint, ..invalid }
                },
            ),
        }
    }
}

impl<'de> Deserialize<'de> for CdfFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            file: String,
            #[serde(default)]
            digest: Option<String>,
        }

        struct CdfVisitor;

        impl<'de> de::Visitor<'de> for CdfVisitor {
            type Value = CdfFile;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a distribution, such as \"web-search\", or a path")
            }

            fn visit_str<E: de::Error>(self, file: &str) -> Result<CdfFile, E> {
                Ok(CdfFile { file: file.to_owned(), ..CdfFile::default() })
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<CdfFile, A::Error> {
                let Written { file, digest } =
                    Written::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(CdfFile { file, digest, cdf: Content::default() })
            }
        }

        deserializer.deserialize_any(CdfVisitor)
    }
}

impl Serialize for CdfFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(digest) = &self.digest else { return serializer.serialize_str(&self.file) };
        let mut table = serializer.serialize_struct("CdfFile", 2)?;
        table.serialize_field("file", &self.file)?;
        table.serialize_field("digest", digest)?;
        table.end()
    }
}

impl JsonSchema for CdfFile {
    fn schema_name() -> Cow<'static, str> {
        "CdfFile".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A distribution that comes with Weir, or the path of a file beside the scenario's.",
            "anyOf": [
                { "type": "string", "examples": ["web-search", "hadoop", "mine.cdf"] },
                {
                    "type": "object",
                    "properties": {
                        "file": { "type": "string", "description": "Name or path." },
                        "digest": {
                            "type": "string",
                            "description": "Digest of what the file must hold. Default: whatever it holds.",
                        },
                    },
                    "required": ["file"],
                    "additionalProperties": false,
                },
            ],
        })
    }
}
