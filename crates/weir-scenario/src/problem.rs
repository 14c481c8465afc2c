//! Errors in a value, for those who find them out after the scenario has been read.

/// A value that does not go together with the others.
pub(crate) struct Problem {
    /// Dotted path.
    pub(crate) path: String,
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl Problem {
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), hint: hint.into() }
    }

    pub(crate) fn unless(
        holds: bool,
        path: impl Into<String>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Result<(), Self> {
        if holds {
            Ok(())
        } else {
            Err(Self { path: path.into(), message: message.into(), hint: hint.into() })
        }
    }
}

/// Returns true if a name can be part of a path and of a file name.
pub(crate) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}
