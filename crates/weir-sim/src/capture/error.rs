use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// A capture cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureError {
    /// The file.
    pub file: PathBuf,
    /// The message of the operating system.
    pub message: String,
    /// The error number of the operating system, if there is one.
    pub number: Option<i32>,
}

impl CaptureError {
    pub(super) fn new(file: &Path, error: &io::Error) -> Self {
        let text = error.to_string();
        let message = text.split(" (os error").next().unwrap_or_default().to_owned();
        Self { file: file.to_owned(), message, number: error.raw_os_error() }
    }

    pub(super) fn refused(file: &Path, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), message: message.into(), number: None }
    }
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be written: {}", self.file.display(), self.message)
    }
}

impl std::error::Error for CaptureError {}
