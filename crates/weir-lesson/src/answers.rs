//! Answers, each with the range of the quantity in which it is right.

use serde::Serialize;

use crate::quantity::Quantity;

/// The values for which an answer is right: above `low` and up to `high`. None has no border.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Range {
    /// The lower border.
    pub low: Option<f64>,
    /// The upper border.
    pub high: Option<f64>,
}

/// An answer to the question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// Its words.
    pub text: String,
    /// Its text as HTML.
    pub html: String,
    /// Where it is right.
    pub range: Range,
    /// The range as it is written, such as `below 0.5`.
    pub written: String,
    /// True for the one that is right after the move, as the author says. Tests hold it to that.
    pub right: bool,
}

/// Something else that the lesson says, and that the simulation can show.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// Its words.
    pub text: String,
    /// Its text as HTML.
    pub html: String,
    /// The quantity that decides.
    pub measured: Quantity,
    /// Where it is right.
    pub range: Range,
    /// The range as it is written.
    pub written: String,
}

impl Range {
    /// Reads `below 0.5`, `0.5 to 1.5` or `above 12 ms`, in this unit, which may be written.
    ///
    /// # Errors
    /// A message and a hint, if it is no range.
    pub(crate) fn parse(text: &str, unit: &str) -> Result<Self, (String, String)> {
        let refuse = || {
            let example = if unit.is_empty() { String::new() } else { format!(" {unit}") };
            let hint = format!("write `below 2{example}`, `2 to 5{example}` or `above 5{example}`");
            (format!("\"{text}\" is no range"), hint)
        };
        let number = |written: &str| {
            let written = written.trim();
            let bare = written.strip_suffix(unit).unwrap_or(written).trim_end();
            bare.parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(refuse)
        };
        let written = text.trim();
        if let Some(high) = written.strip_prefix("below ") {
            return Ok(Self { low: None, high: Some(number(high)?) });
        }
        if let Some(low) = written.strip_prefix("above ") {
            return Ok(Self { low: Some(number(low)?), high: None });
        }
        let (low, high) = written.split_once(" to ").ok_or_else(refuse)?;
        let (low, high) = (number(low)?, number(high)?);
        if low < high { Ok(Self { low: Some(low), high: Some(high) }) } else { Err(refuse()) }
    }

    /// Returns true if no value is in both.
    pub(crate) fn is_apart_from(self, other: Self) -> bool {
        let ends_before =
            |one: Self, next: Self| matches!((one.high, next.low), (Some(high), Some(low)) if high <= low);
        ends_before(self, other) || ends_before(other, self)
    }

    /// Returns true for a value in it.
    pub fn contains(self, value: f64) -> bool {
        self.low.is_none_or(|low| value > low) && self.high.is_none_or(|high| value <= high)
    }
}
