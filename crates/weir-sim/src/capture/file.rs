//! A capture file during the run.
//!
//! Packets are written in the order of their instants, as in a capture on one machine. A port reports its
//! departures late, by at most the delay of the shortest pipe behind it. Packets wait here until no earlier
//! one can follow.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process,
};

use weir_scenario::pcapng;
use weir_types::{Duration, Instant};

use super::{error::CaptureError, frame::Frame};

/// Bytes between two writes to the disk.
const BUFFER: usize = 1 << 18;

/// The properties of an interface, written before the packets.
#[derive(Clone, Debug)]
pub(super) struct Interface {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) bits_per_second: u64,
    /// The captured packets include dropped ones.
    pub(super) shows_drops: bool,
}

/// Counts of an interface.
#[derive(Clone, Copy, Debug)]
struct Statistics {
    packets: u64,
    drops: u64,
    shows_drops: bool,
}

#[derive(Debug)]
pub(super) struct CaptureFile {
    path: PathBuf,
    /// Its name until it is complete; empty afterwards.
    temporary: PathBuf,
    out: BufWriter<File>,
    waiting: BinaryHeap<Reverse<Waiting>>,
    serial: u64,
    /// The greatest time by which a departure is reported late.
    lateness: Duration,
    /// Counts of each interface.
    seen: Vec<Statistics>,
    /// The first error.
    failed: Option<io::Error>,
}

impl CaptureFile {
    pub(super) fn create(
        path: &Path,
        application: &str,
        comments: &[String],
        interfaces: &[Interface],
        lateness: Duration,
    ) -> Result<Self, CaptureError> {
        let begin = || {
            let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
            let temporary = path.with_file_name(format!(".{}.{}.tmp", name.to_string_lossy(), process::id()));
            if path.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            let out = BufWriter::with_capacity(BUFFER, File::create(&temporary)?);
            Ok((temporary, out))
        };
        let (temporary, out) = begin().map_err(|error| CaptureError::new(path, &error))?;
        let shows_drops = interfaces.iter().map(|interface| interface.shows_drops);
        let seen = shows_drops.map(|shows_drops| Statistics { packets: 0, drops: 0, shows_drops }).collect();
        let waiting = BinaryHeap::new();
        let mut file =
            Self { path: path.to_owned(), temporary, out, waiting, serial: 0, lateness, seen, failed: None };
        file.head(application, comments, interfaces).map_err(|error| CaptureError::new(path, &error))?;
        Ok(file)
    }

    fn head(&mut self, application: &str, comments: &[String], interfaces: &[Interface]) -> io::Result<()> {
        pcapng::section(&mut self.out, application, comments)?;
        for Interface { name, description, bits_per_second, .. } in interfaces {
            pcapng::interface(&mut self.out, name, description, *bits_per_second)?;
        }
        Ok(())
    }

    /// Adds a packet that `interface` captured at `at`.
    pub(super) fn packet(&mut self, interface: u32, at: Instant, frame: Frame) {
        self.serial += 1;
        self.waiting.push(Reverse(Waiting { at, serial: self.serial, interface, frame }));
    }

    /// Counts a drop at `interface`.
    pub(super) fn dropped(&mut self, interface: u32) {
        self.seen[interface as usize].drops += 1;
    }

    /// Writes the packets that no earlier one can precede after `now`.
    pub(super) fn write_until(&mut self, now: Instant) {
        let settled = Duration::from_nanos(now.as_nanos()).saturating_sub(self.lateness);
        self.write_before(Instant::ZERO + settled);
    }

    fn write_before(&mut self, instant: Instant) {
        while let Some(Reverse(next)) = self.waiting.peek()
            && next.at < instant
        {
            let Waiting { at, interface, frame, .. } = next;
            self.seen[*interface as usize].packets += 1;
            if self.failed.is_none() {
                let nanos = at.as_nanos();
                self.failed =
                    pcapng::packet(&mut self.out, *interface, nanos, frame.bytes(), frame.original).err();
            }
            self.waiting.pop();
        }
    }

    /// The first error, if there is one.
    pub(super) fn failure(&self) -> Option<CaptureError> {
        self.failed.as_ref().map(|error| CaptureError::new(&self.path, error))
    }

    /// Completes the file at the `end` of the run and gives it its name. Later packets are left out.
    pub(super) fn finish(mut self, end: Instant) -> Result<(), CaptureError> {
        self.write_before(end + Duration::from_nanos(1));
        let result = self.failed.take().map_or_else(|| self.complete(end), Err);
        result.map_err(|error| CaptureError::new(&self.path, &error))
    }

    fn complete(&mut self, end: Instant) -> io::Result<()> {
        for (interface, Statistics { packets, drops, shows_drops }) in (0..).zip(&self.seen) {
            let came = if *shows_drops { *packets } else { packets + drops };
            pcapng::statistics(&mut self.out, interface, end.as_nanos(), came, *drops)?;
        }
        self.out.flush()?;
        fs::rename(&self.temporary, &self.path)?;
        self.temporary.clear();
        Ok(())
    }
}

impl Drop for CaptureFile {
    fn drop(&mut self) {
        if !self.temporary.as_os_str().is_empty() {
            // Remove an incomplete file. If this fails, its name still ends in `.tmp`.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// A packet that waits for earlier ones.
#[derive(Debug)]
struct Waiting {
    at: Instant,
    serial: u64,
    interface: u32,
    frame: Frame,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.serial).cmp(&(other.at, other.serial))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}
