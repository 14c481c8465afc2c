//! Parameters of a modem and its CMTS.

use alloc::sync::Arc;

use weir_types::{Draws, Duration, Instant, Rate};

use crate::service::{rates::RateSchedule, work::WORK_PER_BIT};

/// Requests and grants of a cable modem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Docsis {
    /// The rates at which tokens come: Maximum Sustained Traffic Rate.
    pub rates: Arc<RateSchedule>,
    /// Depth of the bucket that grants take their bytes from: Maximum Traffic Burst.
    pub burst: u64,
    /// Peak Traffic Rate: a MAP interval grants no more than comes in it at this rate. `None`: no bound.
    pub peak: Option<Rate>,
    /// The rate of the channel, at which a granted burst leaves.
    pub channel: Rate,
    /// Time between two MAP messages, and the span that each of them grants.
    pub map_interval: Duration,
    /// The shortest time from a request to the beginning of the interval that grants it.
    pub request_to_grant: Duration,
    /// Guaranteed Grant Rate of Proactive Grant Service: granted in every interval without a request.
    pub guaranteed: Option<Rate>,
    /// Places of grants and requests in their intervals, by the number of the interval.
    pub draws: Draws,
}

impl Docsis {
    /// The largest grant of an interval, in bytes.
    pub fn most(&self) -> u64 {
        let fastest = self.peak.map_or(self.channel, |peak| peak.min(self.channel));
        self.bytes_in_map(fastest).min(self.burst)
    }

    /// Bytes of `rate` in a MAP interval, rounded down.
    pub fn bytes_in_map(&self, rate: Rate) -> u64 {
        let work = u128::from(rate.bits_per_second()) * u128::from(self.map_interval.as_nanos());
        u64::try_from(work / (8 * WORK_PER_BIT)).unwrap_or(u64::MAX)
    }

    /// Bytes granted in every interval without a request, rounded up: no less than the rate, as in `docsis-ns3`.
    pub(super) fn proactive(&self) -> u64 {
        self.guaranteed.map_or(0, |rate| {
            let work = u128::from(rate.bits_per_second()) * u128::from(self.map_interval.as_nanos());
            u64::try_from(work.div_ceil(8 * WORK_PER_BIT)).unwrap_or(u64::MAX)
        })
    }

    /// Time of `bytes` bytes on the channel.
    pub(super) fn time(&self, bytes: u64) -> Duration {
        let nanos = u128::from(bytes) * 8 * WORK_PER_BIT / u128::from(self.channel.bits_per_second());
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX / 4))
    }

    /// When bytes that arrive at `from` have left, at the earliest: with a full bucket, by grants that other packets
    /// asked for.
    pub(in crate::service) fn earliest(&self, from: Instant, bytes: u64) -> Instant {
        let beyond = bytes.saturating_sub(self.burst);
        let tokens = self.rates.reaches(self.rates.work(from) + work(beyond));
        (from + self.time(bytes)).max(tokens)
    }
}

/// Work of so many bytes.
pub(super) fn work(bytes: u64) -> u128 {
    u128::from(bytes) * 8 * WORK_PER_BIT
}
