//! The transmitter of a modem.

use weir_types::{Instant, Rate};

use super::{
    exchange::Exchange,
    parameters::{Docsis, work},
};
use crate::service::{rates::ReportedRate, supply::Supply};

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
