//! The upstream of a cable modem: a packet waits in its queue until the CMTS has granted what the modem asked for.
//!
//! ```text
//! MAP interval k       from k M to (k + 1) M
//! request              once in an interval, at r(k):  bytes that wait - bytes asked for or granted
//! known at k M         requests made until k M - L
//! grant g(k)           min(max(bytes known and not granted, PGS), tokens, most)
//! burst                the first min(g(k), bytes that wait) bytes, from s(k) on, at the rate of the channel
//! s(k)                 k M + u(k) (M - time of `most` on the channel)
//! r(k)                 s(k) with a grant (piggybacked), k M + u(k) M without (contention)
//! ```
//!
//! M is `map_interval`, L `request_to_grant`. u(k) is uniform on [0, 1), and `most` is the largest grant that channel,
//! peak and bucket allow. A packet continues in the next grant where one is too short. It is taken from the queue
//! when its first byte leaves.
//!
//! The loop is that of CableLabs' `docsis-ns3` 1.2 (`doc/source/model-overview.rst`). There, too, a request without a
//! grant never collides, grants lie at random in their interval, and unused bytes of a grant are tokens again. Left
//! out are OFDMA frames, minislots and headers of MAC frames, and other modems but for the place of a grant.

mod exchange;

use alloc::sync::Arc;

use weir_types::{Draws, Duration, Instant, Rate};

use super::{
    rates::{RateSchedule, ReportedRate},
    supply::Supply,
    work::WORK_PER_BIT,
};
use exchange::Exchange;

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

    /// Bytes granted in every interval without a request, rounded up as C.2.2.8.13 of the MAC specification asks for.
    fn proactive(&self) -> u64 {
        self.guaranteed.map_or(0, |rate| {
            let work = u128::from(rate.bits_per_second()) * u128::from(self.map_interval.as_nanos());
            u64::try_from(work.div_ceil(8 * WORK_PER_BIT)).unwrap_or(u64::MAX)
        })
    }

    /// Time of `bytes` bytes on the channel.
    fn time(&self, bytes: u64) -> Duration {
        let nanos = u128::from(bytes) * 8 * WORK_PER_BIT / u128::from(self.channel.bits_per_second());
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX / 4))
    }

    /// When bytes that arrive at `from` have left an idle modem with a full bucket, at the earliest.
    pub(super) fn earliest(&self, from: Instant, bytes: u64) -> Instant {
        let beyond = bytes.saturating_sub(self.burst);
        let tokens = self.rates.reaches(self.rates.work(from) + work(beyond));
        let asked = if self.guaranteed.is_some() { Duration::ZERO } else { self.request_to_grant };
        (from + asked + self.time(bytes)).max(tokens)
    }
}

/// Work of so many bytes.
fn work(bytes: u64) -> u128 {
    u128::from(bytes) * 8 * WORK_PER_BIT
}

/// Serves packets by requests and grants.
#[derive(Debug)]
pub(crate) struct Upstream {
    docsis: Docsis,
    exchange: Exchange,
    /// The exchange as it goes on without further packets, while it is looked at. Kept for its allocation.
    ahead: Exchange,
    /// Work of the packet that was taken last.
    last: u128,
    reported: ReportedRate,
}

impl Upstream {
    /// An idle modem with a full bucket.
    pub(crate) fn new(docsis: Docsis) -> Self {
        let exchange = || Exchange::new(work(docsis.burst));
        let (exchange, ahead, reported) = (exchange(), exchange(), ReportedRate::new(&docsis.rates));
        Self { docsis, exchange, ahead, last: 0, reported }
    }

    /// A packet arrives at `now` where nothing waits: the instant before which nothing can be taken.
    pub(crate) fn opportunity(&mut self, now: Instant) -> Instant {
        self.exchange.wake(&self.docsis, now);
        self.exchange.ready(&self.docsis)
    }

    /// A packet is taken at the instant that [`Upstream::opportunity`] or [`Upstream::step`] gave, or when the one
    /// before has left. The result is when its last byte leaves, and when the next may be taken at the earliest.
    pub(crate) fn serve(&mut self, bytes: u32) -> (Instant, Instant) {
        self.last = work(u64::from(bytes));
        let end = if self.exchange.take(u64::from(bytes)) {
            self.exchange.position(&self.docsis)
        } else {
            self.end_of_rest()
        };
        (end, self.exchange.ready(&self.docsis))
    }

    /// When the rest of a packet has left that its grant was too short for.
    ///
    /// Packets that arrive later do not change it. What they add to requests comes after the bytes of the rest, and
    /// the place of a grant does not depend on its size.
    fn end_of_rest(&mut self) -> Instant {
        self.ahead.copy(&self.exchange);
        while self.ahead.rest() > 0 {
            self.ahead.step(&self.docsis, 0);
        }
        self.ahead.position(&self.docsis)
    }

    /// When a MAP interval begins, a request is due or the rate changes; [`Instant::MAX`] if none of them is to come.
    pub(crate) fn next_change(&self) -> Instant {
        self.exchange.due().min(self.reported.next_change(&self.docsis.rates))
    }

    /// A change of rate is due, before the exchange at that instant.
    pub(crate) fn changes_rate(&self) -> bool {
        self.reported.next_change(&self.docsis.rates) <= self.exchange.due()
    }

    /// The change of rate that was due has come: the rate from now on.
    pub(crate) fn change(&mut self) -> Rate {
        self.reported.change(&self.docsis.rates)
    }

    /// The beginning of a MAP interval or the request that was due comes, while `backlog` bytes wait in the queue. The
    /// result is when the next packet may be taken at the earliest, or the queue is to be told that it is empty.
    pub(crate) fn step(&mut self, backlog: u64) -> Instant {
        let begun = self.exchange.map_is_due().then_some(self.exchange.due());
        self.exchange.step(&self.docsis, backlog);
        // Bursts end with their interval. An arrival before then waits for another grant.
        match begun {
            Some(now) if backlog == 0 && self.exchange.rest() == 0 => now,
            _ => self.exchange.ready(&self.docsis),
        }
    }

    pub(crate) const fn rate(&self) -> Rate {
        self.reported.rate()
    }

    /// While a packet is `sending`: the one that was taken last.
    pub(crate) fn supply(&self, now: Instant, sending: bool) -> Supply {
        let granted = if sending { self.last.min(self.exchange.leaving(&self.docsis, now)) } else { 0 };
        let channel = u128::from(self.docsis.channel.bits_per_second());
        Supply {
            come: self.docsis.rates.work(now),
            stored: self.exchange.tokens(&self.docsis, now) + granted,
            peak: Some(channel * u128::from(now.as_nanos())),
            unsent: granted + if sending { work(self.exchange.rest()) } else { 0 },
        }
    }
}
