//! What the versions of BBR share: filters, and what the sender holds back in the host.

mod long_term;

use alloc::collections::VecDeque;

use weir_types::{Duration, Instant};

pub(super) use self::long_term::LongTerm;
use super::Delivery;

/// The greatest of what was measured in the latest rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct MaxFilter {
    /// Round and value, the values falling: each is the greatest since the one before.
    kept: VecDeque<(u64, f64)>,
}

impl MaxFilter {
    pub(super) fn get(&self) -> f64 {
        self.kept.front().map_or(0.0, |kept| kept.1)
    }

    /// Takes in `value`, of `round`; what is older than `window` rounds is forgotten.
    pub(super) fn update(&mut self, round: u64, value: f64, window: u64) {
        while self.kept.back().is_some_and(|kept| kept.1 <= value) {
            self.kept.pop_back();
        }
        self.kept.push_back((round, value));
        while self.kept.front().is_some_and(|kept| round - kept.0 > window) {
            self.kept.pop_front();
        }
    }
}

/// Segments beyond what the bandwidth explains, as delayed and aggregated ACKs bring them: the greatest over five to
/// ten rounds. The window needs room for them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aggregation {
    began: Instant,
    acked: f64,
    extra: [f64; 2],
    rounds: u32,
    slot: usize,
}

impl Aggregation {
    /// Rounds in each of the two slots.
    const ROUNDS: u32 = 5;
    /// ACKs after which an epoch ends in any case.
    const MOST: f64 = (1_u32 << 20) as f64;

    /// An ACK arrived while the bandwidth was `rate`, in segments per second.
    pub(super) fn update(&mut self, rate: f64, delivery: &Delivery, round_start: bool, cwnd: f64) {
        if delivery.newly == 0 {
            return;
        }
        if round_start {
            self.rounds += 1;
            if self.rounds > Self::ROUNDS {
                (self.rounds, self.slot) = (0, 1 - self.slot);
                self.extra[self.slot] = 0.0;
            }
        }
        let newly = f64::from(delivery.newly);
        let mut expected = libm::floor(segments_in(rate, delivery.now.since(self.began)));
        if self.acked <= expected || self.acked + newly >= Self::MOST {
            (self.acked, self.began, expected) = (0.0, delivery.now, 0.0);
        }
        self.acked += newly;
        let extra = (self.acked - expected).min(cwnd);
        self.extra[self.slot] = self.extra[self.slot].max(extra);
    }

    /// Segments to add to the window, at most what `rate` sends in 100 ms.
    pub(super) fn extra(&self, rate: f64) -> f64 {
        self.extra[0].max(self.extra[1]).min(libm::floor(rate * 0.1))
    }
}

/// Segments that `rate` sends in a time.
#[inline]
pub(super) fn segments_in(rate: f64, time: Duration) -> f64 {
    rate * (time.as_nanos() as f64 * 1e-9)
}

/// Of `flight` segments those that will be in the network when the next one leaves.
pub(super) fn in_net_at_release(flight: u32, rate: f64, extra: f64, delivery: &Delivery) -> f64 {
    let gone = libm::floor(segments_in(rate, delivery.next_release.since(delivery.now)));
    (f64::from(flight) + extra - gone).max(0.0)
}
