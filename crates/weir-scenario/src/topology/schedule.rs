//! When the rate of a link changes: `"5 Mbit/s at 20 s, 10 Mbit/s at 40 s, every 60 s"`.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use weir_aqm::RateSchedule;
use weir_types::{Duration, Rate, UnitError};

/// Changes of a rate in the order of time, once or again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateChanges {
    /// When, and to what: one at least, in order, after zero.
    changes: Vec<(Duration, Rate)>,
    /// After how long they begin anew; longer than the last change.
    every: Option<Duration>,
}

/// No link changes its rate more often for long, and a run would do nothing else.
const MICROSECOND: Duration = Duration::from_micros(1);

impl RateChanges {
    /// The schedule that begins with `rate`.
    pub fn from(&self, rate: Rate) -> Option<RateSchedule> {
        RateSchedule::new(rate, &self.changes, self.every)
    }
}

impl FromStr for RateChanges {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        const HINT: &str = "write for example \"5 Mbit/s at 20 s, 10 Mbit/s at 40 s\", \
                            followed by \", every 60 s\" if it begins anew";
        let refuse = |message: String| UnitError::new(message, HINT);
        let (mut changes, mut every) = (Vec::new(), None);
        for part in text.split(',').map(str::trim) {
            if every.is_some() {
                return Err(refuse(format!("\"{part}\" comes after the end of the schedule")));
            }
            if let Some(span) = part.strip_prefix("every ") {
                every = Some(span.parse::<Duration>()?);
                continue;
            }
            let (rate, at) = part
                .split_once(" at ")
                .ok_or_else(|| refuse(format!("\"{part}\" is no change of a rate")))?;
            let (rate, at): (Rate, Duration) = (rate.trim().parse()?, at.trim().parse()?);
            let before = changes.last().map_or(Duration::ZERO, |(before, _)| *before);
            if at <= before {
                return Err(refuse(if before.is_zero() {
                    "the rate from the start on is the link's own".to_owned()
                } else {
                    format!("the change at {at} does not come after the one at {before}")
                }));
            }
            changes.push((at, rate));
        }
        let last = changes.last().map(|(at, _)| *at);
        match (last, every) {
            (None, _) => Err(refuse("the rate never changes".to_owned())),
            (Some(last), Some(every)) if every <= last => {
                Err(refuse(format!("the schedule begins anew after {every}, before its change at {last}")))
            }
            (_, Some(every)) if every / (changes.len() as u64) < MICROSECOND => {
                Err(refuse(format!("a cycle of {every} changes the rate more than once in a microsecond")))
            }
            _ => Ok(Self { changes, every }),
        }
    }
}

impl fmt::Display for RateChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (at, rate)) in self.changes.iter().enumerate() {
            write!(f, "{}{rate} at {at}", if index > 0 { ", " } else { "" })?;
        }
        match self.every {
            Some(every) => write!(f, ", every {every}"),
            None => Ok(()),
        }
    }
}

impl<'de> Deserialize<'de> for RateChanges {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl Serialize for RateChanges {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for RateChanges {
    fn schema_name() -> Cow<'static, str> {
        "RateChanges".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^\\s*[^,]+ at [^,]+(,\\s*[^,]+ at [^,]+)*(,\\s*every [^,]+)?\\s*$",
            "examples": ["5 Mbit/s at 20 s, 10 Mbit/s at 40 s, every 60 s"],
        })
    }
}
