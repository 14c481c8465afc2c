//! The link of a run with another thread, which watches the run and can end it.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use weir_types::{Duration, Instant};

use crate::memory::{Exceeded, Memory, Part, Share};

/// Watches and stops a run from another thread.
#[derive(Debug, Default)]
pub struct Monitor {
    cancelled: AtomicBool,
    /// Simulated nanoseconds so far.
    simulated: AtomicU64,
    /// The run's share of the common memory, if that has a limit.
    share: OnceLock<Arc<Share>>,
}

/// Why a run was stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Its monitor was asked to, or its observer failed.
    Asked,
    /// The memory that runs may take is used up, and this run has taken most.
    Memory,
}

/// Bytes of the parts of a run that can be told; the rest are packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryParts {
    pub(crate) flows: usize,
    pub(crate) series: usize,
    pub(crate) counts: usize,
}

impl MemoryParts {
    /// The part that takes most of `bytes`.
    fn most_of(self, bytes: u64) -> Part {
        let Self { flows, series, counts } = self;
        let packets = bytes.saturating_sub((flows + series + counts) as u64);
        let parts = [
            (packets, Part::Packets),
            (counts as u64, Part::Counts),
            (series as u64, Part::Series),
            (flows as u64, Part::Flows),
        ];
        parts.into_iter().max_by_key(|(bytes, _)| *bytes).expect("there are four").1
    }
}

impl Monitor {
    /// Asks the run to stop; it stops within a few thousand events.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Simulated time so far.
    pub fn simulated(&self) -> Duration {
        Duration::from_nanos(self.simulated.load(Ordering::Relaxed))
    }

    pub(crate) fn set_simulated(&self, at: Instant) {
        self.simulated.store(at.as_nanos(), Ordering::Relaxed);
    }

    /// Counts the memory of the run, which begins now and in this thread, to `memory` until the share is dropped.
    pub fn limit(&self, memory: &Arc<Memory>) -> Arc<Share> {
        Arc::clone(self.share.get_or_init(|| Arc::new(Share::begin(memory))))
    }

    /// Why the limit of memory has ended the run, if it has.
    pub fn exceeded(&self) -> Option<Exceeded> {
        self.share.get().and_then(|share| share.exceeded())
    }

    /// Checks at `now` that the run may go on. Only its own thread may ask.
    pub(crate) fn look(&self, now: Instant, parts: impl FnOnce() -> MemoryParts) -> Result<(), Stopped> {
        self.set_simulated(now);
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Stopped::Asked);
        }
        match self.share.get() {
            Some(share) if share.is_over() => {
                share.note(|bytes| parts().most_of(bytes));
                Err(Stopped::Memory)
            }
            _ => Ok(()),
        }
    }

    /// Checks, before the run begins, that it may go on to make flows. Only its own thread may ask.
    pub(crate) fn look_at_building(&self) -> Result<(), Stopped> {
        self.look(Instant::ZERO, || MemoryParts { flows: usize::MAX, series: 0, counts: 0 })
    }
}
