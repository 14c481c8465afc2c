//! Queueing delay as LEDBAT tells it (RFC 6817, section 2.4.2), shared by LEDBAT and LEDBAT++.
//!
//! ```text
//! base      least delay of each minute, for the last BASE_HISTORY minutes
//! current   the last CURRENT_FILTER delays, none of which is older than a round trip
//! queueing delay = MIN(current) - MIN(base)
//! ```
//!
//! A delay is the round trip of the segment that caused an ACK, as by TCP timestamps. RFC 6817 asks for the one-way
//! delay; LEDBAT++ for the round trip, since clocks differ and TCP has no one-way delay. Both are the same if ACKs do
//! not queue and are not delayed. The minimum of a few delays leaves most delayed ACKs out.

use weir_types::{Duration, Instant, Invalid};

/// Greatest `BASE_HISTORY` in minutes, and greatest `CURRENT_FILTER`.
const MOST_MINUTES: usize = 10;
const MOST_DELAYS: usize = 16;
/// Time that one minimum of the history covers.
const MINUTE: Duration = Duration::from_secs(60);

/// The last delays and the least delays of the last minutes.
#[derive(Clone, Debug)]
pub(super) struct DelayFilter {
    base: Ring<Duration, MOST_MINUTES>,
    current: Ring<Sample, MOST_DELAYS>,
    /// The minute of the newest minimum; `None` before the first delay.
    minute: Option<u64>,
}

/// A delay, and when it was measured.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Instant,
    delay: Duration,
}

impl DelayFilter {
    /// No delay known. Call [`DelayFilter::check`] first.
    pub(super) const fn new(base_history: u32, current_filter: u32) -> Self {
        let none = Sample { at: Instant::ZERO, delay: Duration::MAX };
        Self {
            base: Ring::new(base_history, Duration::MAX),
            current: Ring::new(current_filter, none),
            minute: None,
        }
    }

    /// Checks the two lengths.
    pub(super) fn check(base_history: u32, current_filter: u32) -> Result<(), Invalid> {
        let within = |length: u32, most: usize, parameter: &'static str, hint: &'static str| {
            let problem = alloc::format!("{parameter} is {length}, not 1 to {most}");
            Invalid::unless(length >= 1 && length as usize <= most, parameter, problem, hint)
        };
        within(base_history, MOST_MINUTES, "base_history", "RFC 6817 has 10 minutes")?;
        within(current_filter, MOST_DELAYS, "current_filter", "write for example 4")
    }

    /// Takes a delay in (`update_base_delay` and `update_current_delay`).
    pub(super) fn sample(&mut self, now: Instant, delay: Duration) {
        self.current.push(Sample { at: now, delay });
        let minute = Some(now.since(Instant::ZERO).as_nanos() / MINUTE.as_nanos());
        if self.minute == minute {
            let least = self.base.newest().min(delay);
            self.base.replace(least);
        } else {
            self.minute = minute;
            self.base.push(delay);
        }
    }

    /// The base delay.
    pub(super) fn base(&self) -> Duration {
        self.base.all().iter().copied().min().unwrap_or(Duration::MAX)
    }

    /// The queueing delay.
    pub(super) fn queueing(&self) -> Duration {
        let newest = self.current.newest();
        let recent = self.current.all().iter().filter(|sample| newest.at.since(sample.at) <= newest.delay);
        let current = recent.map(|sample| sample.delay).min().unwrap_or(newest.delay);
        current.saturating_sub(self.base())
    }

    /// Shows both under their names in the RFC; zero before the first delay.
    pub(super) fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let base = if self.minute.is_some() { self.base() } else { Duration::ZERO };
        record("base_delay", base.as_secs_f64());
        record("queuing_delay", self.queueing().as_secs_f64());
    }
}

/// The last entries, at most `N`.
#[derive(Clone, Copy, Debug)]
struct Ring<T, const N: usize> {
    entries: [T; N],
    length: usize,
    newest: usize,
}

impl<T: Copy, const N: usize> Ring<T, N> {
    const fn new(length: u32, none: T) -> Self {
        Self { entries: [none; N], length: length as usize, newest: 0 }
    }

    /// A new entry in the place of the oldest.
    fn push(&mut self, entry: T) {
        self.newest = (self.newest + 1) % self.length;
        self.replace(entry);
    }

    /// Another entry in the place of the newest.
    const fn replace(&mut self, entry: T) {
        self.entries[self.newest] = entry;
    }

    const fn newest(&self) -> T {
        self.entries[self.newest]
    }

    fn all(&self) -> &[T] {
        &self.entries[..self.length]
    }
}
