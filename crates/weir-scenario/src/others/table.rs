//! Tables of names.

/// Names of other tools, with what to write for them.
pub(super) type Table = &'static [(&'static [&'static str], &'static str)];
