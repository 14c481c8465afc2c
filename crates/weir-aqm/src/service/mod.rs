//! Service of a transmitter: a fixed rate, a schedule of rates, a token bucket, or a trace of delivery
//! opportunities.

mod bucket;
mod delivery;
mod rates;
mod work;

use alloc::{boxed::Box, sync::Arc};

use weir_types::{Instant, Rate, TransmitClock};

use bucket::BucketClock;
pub use bucket::TokenBucket;
use delivery::Deliverer;
pub use delivery::DeliveryTrace;
pub use rates::RateSchedule;
use rates::ScheduledClock;
use work::WORK_PER_BIT;

/// Service of a transmitter.
#[derive(Clone, Debug)]
pub enum Service {
    /// A fixed rate.
    Fixed(Rate),
    /// Rates that change at known instants. A packet in transmission continues at the new rate.
    Scheduled(Arc<RateSchedule>),
    /// A mean rate with bursts above it.
    Bucket(TokenBucket),
    /// Only at the opportunities of a trace.
    Trace(Arc<DeliveryTrace>),
}

impl Service {
    /// Work is counted in bits times this, so that a rate of b bit/s does b of it in a nanosecond and
    /// nothing is rounded.
    pub const WORK_PER_BIT: u128 = WORK_PER_BIT;
}

impl From<Rate> for Service {
    fn from(rate: Rate) -> Self {
        Self::Fixed(rate)
    }
}

/// State of a service. Most ports have a fixed rate, which is tested first.
#[derive(Debug)]
pub(crate) enum Transmitter {
    Fixed(TransmitClock),
    Scheduled(Box<ScheduledClock>),
    Bucket(Box<BucketClock>),
    Trace(Box<Deliverer>),
}

impl Transmitter {
    pub(crate) fn new(service: Service) -> Self {
        match service {
            Service::Fixed(rate) => Self::Fixed(TransmitClock::new(rate)),
            Service::Scheduled(schedule) => Self::Scheduled(Box::new(ScheduledClock::new(schedule))),
            Service::Bucket(bucket) => Self::Bucket(Box::new(BucketClock::new(bucket))),
            Service::Trace(trace) => Self::Trace(Box::new(Deliverer::new(trace))),
        }
    }

    /// A packet of `bytes` bytes is taken at `start`: when its last bit leaves, and when the next may
    /// be taken.
    pub(crate) fn serve(&mut self, start: Instant, bytes: u32) -> (Instant, Instant) {
        match self {
            Self::Fixed(clock) => {
                let end = clock.finish(start, bytes);
                (end, end)
            }
            Self::Scheduled(clock) => clock.serve(start, bytes),
            Self::Bucket(clock) => clock.serve(start, bytes),
            Self::Trace(deliverer) => deliverer.serve(bytes),
        }
    }

    /// Whether a packet that finds nothing waiting has to wait for an opportunity all the same.
    #[inline]
    pub(crate) const fn waits(&self) -> bool {
        matches!(self, Self::Trace(_))
    }

    /// A packet has arrived at `now` where nothing waits: when it may be taken.
    pub(crate) fn opportunity(&mut self, now: Instant) -> Instant {
        match self {
            Self::Trace(deliverer) => deliverer.after(now),
            _ => now,
        }
    }

    /// When the rate changes next; [`Instant::MAX`] if it does not.
    pub(crate) fn next_change(&self) -> Instant {
        match self {
            Self::Scheduled(clock) => clock.next_change(),
            _ => Instant::MAX,
        }
    }

    /// The change that was due has come: the rate from now on.
    pub(crate) fn change(&mut self) -> Rate {
        match self {
            Self::Scheduled(clock) => clock.change(),
            _ => self.rate(),
        }
    }

    /// The rate in force: of a trace, its mean.
    pub(crate) const fn rate(&self) -> Rate {
        match self {
            Self::Fixed(clock) => clock.rate(),
            Self::Scheduled(clock) => clock.rate(),
            Self::Bucket(clock) => clock.rate(),
            Self::Trace(deliverer) => deliverer.rate(),
        }
    }

    /// Work that could have been done until `now`, since the start of time; `None` of a fixed rate.
    pub(crate) fn offered(&self, now: Instant) -> Option<u128> {
        match self {
            Self::Fixed(_) => None,
            Self::Scheduled(clock) => Some(clock.offered(now)),
            Self::Bucket(clock) => Some(clock.offered(now)),
            Self::Trace(deliverer) => Some(deliverer.offered(now)),
        }
    }

    /// Work that is done after `now`, of the packet that was taken last and ends at `free_at`; 0 of a fixed
    /// rate.
    pub(crate) fn unsent(&self, now: Instant, free_at: Instant) -> u128 {
        match self {
            Self::Fixed(_) => 0,
            Self::Scheduled(clock) => clock.unsent(now, free_at),
            Self::Bucket(clock) => clock.unsent(now, free_at),
            Self::Trace(deliverer) => deliverer.unsent(now),
        }
    }
}
