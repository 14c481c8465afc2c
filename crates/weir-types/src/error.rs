//! Errors of values, with hints.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
};
use core::fmt;

/// A text that is not a valid quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError {
    /// The error, in one clause.
    pub message: String,
    /// A text to write instead.
    pub hint: String,
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{HINT}{}", self.message, self.hint)
    }
}

impl core::error::Error for UnitError {}

/// Separates message and hint in one text.
const HINT: &str = "; hint: ";

impl UnitError {
    /// An error with this message, and a hint at what to write instead.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }

    /// Splits a text into message and hint.
    pub fn split(text: &str) -> (String, Option<String>) {
        match text.split_once(HINT) {
            Some((message, hint)) => (message.to_string(), Some(hint.to_string())),
            None => (text.to_string(), None),
        }
    }
}

/// An invalid parameter or combination of parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The parameter to look at; dotted if it belongs to a choice: `aqm.red.max_th`.
    pub parameter: Cow<'static, str>,
    /// The error.
    pub message: String,
    /// Hint at a remedy.
    pub hint: String,
}

impl Invalid {
    /// `Err` with these texts unless `holds`.
    ///
    /// # Errors
    /// With these texts.
    pub fn unless(
        holds: bool,
        parameter: &'static str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Result<(), Self> {
        if holds {
            Ok(())
        } else {
            Err(Self { parameter: Cow::Borrowed(parameter), message: message.into(), hint: hint.into() })
        }
    }

    /// Puts `name.` before the parameter of the error.
    #[must_use]
    pub fn below(self, name: &str) -> Self {
        Self { parameter: Cow::Owned(format!("{name}.{}", self.parameter)), ..self }
    }

    /// `Err` unless `value` is a finite number above zero.
    ///
    /// # Errors
    /// If it is not.
    pub fn unless_positive(value: f64, parameter: &'static str) -> Result<(), Self> {
        let what = if value == f64::INFINITY { "finite" } else { "above zero" };
        Self::unless(
            value > 0.0 && value.is_finite(),
            parameter,
            format!("{value} is not {what}"),
            "write a positive number",
        )
    }
}
