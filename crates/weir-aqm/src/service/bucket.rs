//! A token bucket: a mean rate, and bursts above it after a pause.
//!
//! ```text
//! tokens      grow at the rate of the moment, up to `burst`
//! a packet    begins once there are tokens for all of it, and takes them
//!             leaves B 8 / peak later; at once without a peak
//! ```
//!
//! As tbf of Linux (`man tc-tbf`), whose peak is a second bucket of one packet. After a pause the first packet of a
//! bucket leaves at once, which a transmitter of the same rate would send for B 8 / rate.

use alloc::sync::Arc;

use weir_types::{Duration, Instant, Rate, TransmitClock};

use super::{
    rates::{RateSchedule, ReportedRate},
    supply::Supply,
    work::WORK_PER_BIT,
};

/// Rates, depth and peak of a token bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    /// The rates at which tokens come.
    pub rates: Arc<RateSchedule>,
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
    reported: ReportedRate,
}

impl BucketClock {
    /// A full bucket.
    pub(crate) fn new(bucket: TokenBucket) -> Self {
        let tokens = u128::from(bucket.burst) * 8 * WORK_PER_BIT;
        let (peak, reported) = (bucket.peak.map(TransmitClock::new), ReportedRate::new(&bucket.rates));
        Self { bucket, tokens, at: Instant::ZERO, peak, last: 0, reported }
    }

    pub(crate) fn serve(&mut self, now: Instant, bytes: u32) -> (Instant, Instant) {
        let rates = &*self.bucket.rates;
        let depth = u128::from(self.bucket.burst) * 8 * WORK_PER_BIT;
        let come = rates.work(now).saturating_sub(rates.work(self.at));
        self.tokens = (self.tokens + come).min(depth);
        self.last = u128::from(bytes) * 8 * WORK_PER_BIT;
        let lack = self.last.saturating_sub(self.tokens);
        self.at = if lack > 0 { rates.after(now, lack) } else { now };
        self.tokens = self.tokens + (rates.work(self.at) - rates.work(now)) - self.last;
        let end = match &mut self.peak {
            Some(peak) => peak.finish(self.at, bytes),
            None => self.at.max(now + APART),
        };
        (end, end)
    }

    pub(crate) fn next_change(&self) -> Instant {
        self.reported.next_change(&self.bucket.rates)
    }

    pub(crate) fn change(&mut self) -> Rate {
        self.reported.change(&self.bucket.rates)
    }

    pub(crate) const fn rate(&self) -> Rate {
        self.reported.rate()
    }

    /// With `unsent` of the packet that was taken last.
    pub(crate) fn supply(&self, now: Instant, unsent: u128) -> Supply {
        let rates = &*self.bucket.rates;
        let depth = u128::from(self.bucket.burst) * 8 * WORK_PER_BIT;
        // A packet that waits has taken tokens that come until `at`.
        let ahead = rates.work(self.at).saturating_sub(rates.work(now));
        let come = rates.work(now).saturating_sub(rates.work(self.at));
        let tokens = (self.tokens + come).min(depth.max(self.tokens));
        Supply {
            come: rates.work(now),
            stored: (tokens + unsent).saturating_sub(ahead),
            peak: self
                .bucket
                .peak
                .map(|peak| u128::from(peak.bits_per_second()) * u128::from(now.as_nanos())),
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
