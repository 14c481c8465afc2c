//! What has no model, or cannot be integrated.

use std::fmt;

/// The reason, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TheoryError {
    /// The reason.
    pub message: String,
    /// What would help.
    pub hint: String,
    /// The key that it is about.
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
