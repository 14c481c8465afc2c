//! Service of a transmitter: a fixed rate, a schedule of rates, a token bucket, a trace of delivery
//! opportunities, or the grants of a cable modem.

mod bucket;
mod delivery;
mod docsis;
mod rates;
mod supply;
mod work;

use alloc::{boxed::Box, sync::Arc};

use weir_types::{Draws, Duration, Instant, Rate, TransmitClock};

use bucket::BucketClock;
pub use bucket::TokenBucket;
use delivery::Deliverer;
pub use delivery::DeliveryTrace;
pub use docsis::Docsis;
use docsis::Upstream;
pub use rates::RateSchedule;
use rates::ScheduledClock;
pub use supply::{Capacity, Supply};
use work::WORK_PER_BIT;

/// Service of a transmitter.
#[derive(Clone, Debug)]
pub enum Service {
    /// A fixed rate.
    Fixed(Rate),
    /// Rates that change at known instants. A packet in transmission continues at the new rate.
    Scheduled(Arc<RateSchedule>),
    /// A mean rate with bursts above it. The rate may change at known instants.
    Bucket(TokenBucket),
    /// Only at the opportunities of a trace.
    Trace(Arc<DeliveryTrace>),
    /// Only what a CMTS has granted. Its rate may change at known instants.
    Docsis(Box<Docsis>),
}

impl Service {
    /// Work is counted in bits times this, so that a rate of b bit/s does b of it in a nanosecond and
    /// nothing is rounded.
    pub const WORK_PER_BIT: u128 = WORK_PER_BIT;

    /// When `bytes` bytes that arrive at `from` at an idle transmitter, its bucket full, have left it at the
    /// earliest.
    pub fn earliest(&self, from: Instant, bytes: u64) -> Instant {
        let bits = u128::from(bytes) * 8;
        let span = |bits: u128, rate: Rate| bits * WORK_PER_BIT / u128::from(rate.bits_per_second());
        let later = |nanos: u128| from + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX / 4));
        match self {
            Self::Fixed(rate) => later(span(bits, *rate)),
            Self::Scheduled(schedule) => schedule.reaches(schedule.work(from) + bits * WORK_PER_BIT),
            Self::Bucket(bucket) => {
                let beyond = bits.saturating_sub(u128::from(bucket.burst) * 8);
                let of_peak = bucket.peak.map_or(from, |peak| later(span(bits, peak)));
                bucket.rates.reaches(bucket.rates.work(from) + beyond * WORK_PER_BIT).max(of_peak).max(from)
            }
            Self::Trace(trace) => trace.earliest(from, bytes),
            Self::Docsis(docsis) => docsis.earliest(from, bytes),
        }
    }

    /// The service with the draws of its component, where it has some.
    #[must_use]
    pub fn drawing(mut self, draws: impl FnOnce() -> Draws) -> Self {
        if let Self::Docsis(docsis) = &mut self {
            docsis.draws = draws();
        }
        self
    }
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
    Docsis(Box<Upstream>),
}

impl Transmitter {
    pub(crate) fn new(service: Service) -> Self {
        match service {
            Service::Fixed(rate) => Self::Fixed(TransmitClock::new(rate)),
            Service::Scheduled(schedule) => Self::Scheduled(Box::new(ScheduledClock::new(schedule))),
            Service::Bucket(bucket) => Self::Bucket(Box::new(BucketClock::new(bucket))),
            Service::Trace(trace) => Self::Trace(Box::new(Deliverer::new(trace))),
            Service::Docsis(docsis) => Self::Docsis(Box::new(Upstream::new(*docsis))),
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
            Self::Trace(deliverer) => deliverer.serve(start, bytes),
            Self::Docsis(upstream) => upstream.serve(bytes),
        }
    }

    /// Returns true if a packet must wait for an opportunity or a grant even if nothing waits before it.
    #[inline]
    pub(crate) const fn waits(&self) -> bool {
        matches!(self, Self::Trace(_) | Self::Docsis(_))
    }

    /// A packet has arrived at `now` where nothing waits: when it may be taken.
    pub(crate) fn opportunity(&mut self, now: Instant) -> Instant {
        match self {
            Self::Trace(deliverer) => deliverer.after(now),
            Self::Docsis(upstream) => upstream.opportunity(now),
            _ => now,
        }
    }

    /// When the rate changes, or something else than a packet is due; [`Instant::MAX`] if neither is to come.
    pub(crate) fn next_change(&self) -> Instant {
        match self {
            Self::Scheduled(clock) => clock.next_change(),
            Self::Bucket(clock) => clock.next_change(),
            Self::Docsis(upstream) => upstream.next_change(),
            Self::Fixed(_) | Self::Trace(_) => Instant::MAX,
        }
    }

    /// The change that was due has come: the rate from now on.
    pub(crate) fn change(&mut self) -> Rate {
        match self {
            Self::Scheduled(clock) => clock.change(),
            Self::Bucket(clock) => clock.change(),
            Self::Docsis(upstream) => upstream.change(),
            Self::Fixed(_) | Self::Trace(_) => self.rate(),
        }
    }

    /// The requests and grants of a modem, if they are due and not a change of its rate.
    #[inline]
    pub(crate) fn exchange(&mut self) -> Option<&mut Upstream> {
        match self {
            Self::Docsis(upstream) if !upstream.changes_rate() => Some(upstream),
            _ => None,
        }
    }

    /// The rate in force: of a trace, its mean.
    pub(crate) const fn rate(&self) -> Rate {
        match self {
            Self::Fixed(clock) => clock.rate(),
            Self::Scheduled(clock) => clock.rate(),
            Self::Bucket(clock) => clock.rate(),
            Self::Trace(deliverer) => deliverer.rate(),
            Self::Docsis(upstream) => upstream.rate(),
        }
    }

    /// Work that can be sent up to `now`; `None` at a fixed rate. The packet taken last ends at `free_at`;
    /// [`Instant::MAX`] if it has ended.
    pub(crate) fn supply(&self, now: Instant, free_at: Instant) -> Option<Supply> {
        let sending = free_at < Instant::MAX;
        let unsent = |of: &dyn Fn() -> u128| if sending { of() } else { 0 };
        match self {
            Self::Fixed(_) => None,
            Self::Scheduled(clock) => Some(Supply {
                come: clock.offered(now),
                unsent: unsent(&|| clock.unsent(now, free_at)),
                ..Supply::default()
            }),
            Self::Bucket(clock) => Some(clock.supply(now, unsent(&|| clock.unsent(now, free_at)))),
            Self::Docsis(upstream) => Some(upstream.supply(now, sending)),
            Self::Trace(deliverer) => Some(Supply {
                come: deliverer.offered(now),
                unsent: unsent(&|| deliverer.unsent(now)),
                ..Supply::default()
            }),
        }
    }
}
