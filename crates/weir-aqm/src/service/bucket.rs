//! A token bucket: a mean rate, and bursts above it after a pause.
//!
//! ```text
//! tokens      grow at the rate, up to `burst`
//! a packet    begins once there are tokens for all of it, and takes them
//!             leaves B 8 / peak later; at once without a peak
//! ```
//!
//! As tbf of Linux (`man tc-tbf`), whose peak is a second bucket of one packet. After a pause the first packet of a
//! bucket leaves at once, which a transmitter of the same rate would send for B 8 / rate.

use weir_types::{Duration, Instant, Rate, TransmitClock};

use super::{supply::Supply, work::WORK_PER_BIT};

/// Rate, depth and peak of a token bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    /// The rate at which tokens come.
    pub rate: Rate,
    /// Depth of the bucket, in bytes. A larger packet waits until tokens for all of it have come.
    pub burst: u64,
    /// The rate of a burst; `None`: it leaves at once.
    pub peak: Option<Rate>,
}

/// No two packets leave at the same instant: their order must be seen.
const APART: Duration = Duration::from_nanos(1);

/// Serves packets from a token bucket.
#[derive(Debug)]
pub(crate) struct BucketClock {
    bucket: TokenBucket,
    /// Work that the tokens are good for, at the instant `at`.
    tokens: u128,
    at: Instant,
    peak: Option<TransmitClock>,
    /// Work of the packet that was taken last.
    last: u128,
}

impl BucketClock {
    /// A full bucket.
    pub(crate) fn new(bucket: TokenBucket) -> Self {
        let tokens = u128::from(bucket.burst) * 8 * WORK_PER_BIT;
        Self { bucket, tokens, at: Instant::ZERO, peak: bucket.peak.map(TransmitClock::new), last: 0 }
    }

    pub(crate) fn serve(&mut self, now: Instant, bytes: u32) -> (Instant, Instant) {
        let rate = u128::from(self.bucket.rate.bits_per_second());
        let depth = u128::from(self.bucket.burst) * 8 * WORK_PER_BIT;
        let come = rate * u128::from(now.since(self.at).as_nanos());
        self.tokens = (self.tokens + come).min(depth);
        self.last = u128::from(bytes) * 8 * WORK_PER_BIT;
        let wait = self.last.saturating_sub(self.tokens).div_ceil(rate);
        self.tokens = self.tokens + rate * wait - self.last;
        self.at = now + Duration::from_nanos(wait as u64);
        let end = match &mut self.peak {
            Some(peak) => peak.finish(self.at, bytes),
            None => self.at.max(now + APART),
        };
        (end, end)
    }

    pub(crate) const fn rate(&self) -> Rate {
        self.bucket.rate
    }

    /// With `unsent` of the packet that was taken last.
    pub(crate) fn supply(&self, now: Instant, unsent: u128) -> Supply {
        let rate = u128::from(self.bucket.rate.bits_per_second());
        let over = |rate: u128| rate * u128::from(now.as_nanos());
        let depth = u128::from(self.bucket.burst) * 8 * WORK_PER_BIT;
        // A packet that waits has taken tokens that come until `at`.
        let ahead = rate * u128::from(self.at.since(now).as_nanos());
        let come = rate * u128::from(now.since(self.at).as_nanos());
        let tokens = (self.tokens + come).min(depth.max(self.tokens));
        Supply {
            come: over(rate),
            stored: (tokens + unsent).saturating_sub(ahead),
            peak: self.bucket.peak.map(|peak| over(u128::from(peak.bits_per_second()))),
            unsent,
        }
    }

    /// The packet taken last ends at `free_at`, with its last bits at the peak.
    pub(super) fn unsent(&self, now: Instant, free_at: Instant) -> u128 {
        let left = u128::from(free_at.since(now).as_nanos());
        match self.bucket.peak {
            Some(peak) => self.last.min(u128::from(peak.bits_per_second()) * left),
            None => {
                if left > 0 {
                    self.last
                } else {
                    0
                }
            }
        }
    }
}
