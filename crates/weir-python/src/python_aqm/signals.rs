//! Ctrl-C and SIGTERM while a call of an AQM keeps the interpreter: Python's own handler waits for it.

#[cfg(unix)]
use std::{
    io::Read,
    os::{fd::AsRawFd, unix::net::UnixStream},
    sync::OnceLock,
};

use pyo3::prelude::*;

/// The numbers of Ctrl-C and SIGTERM.
#[cfg(unix)]
const SIGNALS: [u8; 2] = [2, 15];

/// The socket to which Python writes the numbers of signals, and the one from which they are read.
#[cfg(unix)]
static PAIR: OnceLock<(UnixStream, UnixStream)> = OnceLock::new();

/// A descriptor for `signal.set_wakeup_fd`; None where there is none.
#[pyfunction]
pub(crate) fn signal_descriptor() -> PyResult<Option<i32>> {
    #[cfg(unix)]
    {
        let (theirs, ours) = UnixStream::pair()?;
        theirs.set_nonblocking(true)?;
        ours.set_nonblocking(true)?;
        Ok(Some(PAIR.get_or_init(|| (theirs, ours)).0.as_raw_fd()))
    }
    #[cfg(not(unix))]
    Ok(None)
}

/// Returns true if one of the signals came since the last look.
pub(super) fn came() -> bool {
    #[cfg(unix)]
    {
        let mut told = [0; 64];
        let read = PAIR.get().and_then(|(_, ours)| {
            let mut ours = ours;
            ours.read(&mut told).ok()
        });
        told[..read.unwrap_or(0)].iter().any(|one| SIGNALS.contains(one))
    }
    #[cfg(not(unix))]
    false
}
