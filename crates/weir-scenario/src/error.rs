use std::fmt;

/// Why a scenario cannot be run: where, what, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ScenarioError {
    /// The file, as it was named.
    pub file: String,
    /// Line in the file, from 1.
    pub line: Option<usize>,
    /// Dotted path of the value.
    pub path: Option<String>,
    /// Description of the error.
    pub message: String,
    /// Advice on how to correct it.
    pub hint: Option<String>,
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(path) = &self.path {
            write!(f, ": {path}")?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}
