//! Errors: there is no model, or it cannot be integrated.

use std::fmt;

/// The reason, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TheoryError {
    /// The reason.
    pub message: String,
    /// Hint at a remedy.
    pub hint: String,
    /// The key of the scenario that the error is about.
    pub path: Option<String>,
}

impl TheoryError {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into(), path: None }
    }

    pub(crate) fn at(self, path: impl Into<String>) -> Self {
        Self { path: Some(path.into()), ..self }
    }

    /// This, unless something holds.
    pub(crate) fn unless(self, holds: bool) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for TheoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TheoryError {}
