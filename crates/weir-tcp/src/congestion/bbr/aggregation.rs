//! ACKs that bring more at once than the bandwidth explains.

use weir_types::Instant;

use super::{floor, max, min, segments_in};
use crate::congestion::Delivery;

/// Segments beyond what the bandwidth explains, as delayed and aggregated ACKs bring them: the greatest over five to
/// ten rounds. The window needs room for them.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::congestion) struct Aggregation {
    began: Instant,
    acked: f64,
    extra: [f64; 2],
    rounds: u32,
    slot: usize,
}

impl Aggregation {
    /// Rounds in each of the two slots.
    pub(in crate::congestion) const ROUNDS: u32 = 5;
    /// ACKs after which an epoch ends in any case.
    const MOST: f64 = (1_u32 << 20) as f64;

    /// An ACK with a valid sample arrived while the bandwidth was `rate`, in segments per second; a slot lasts
    /// `rounds`.
    pub(in crate::congestion) fn update(
        &mut self,
        rate: f64,
        delivery: &Delivery,
        round_start: bool,
        rounds: u32,
        cwnd: f64,
    ) {
        if round_start {
            self.rounds += 1;
            if self.rounds >= rounds {
                (self.rounds, self.slot) = (0, 1 - self.slot);
                self.extra[self.slot] = 0.0;
            }
        }
        let newly = f64::from(delivery.newly);
        let mut expected = floor(segments_in(rate, delivery.now.since(self.began)));
        if self.acked <= expected || self.acked + newly >= Self::MOST {
            (self.acked, self.began, expected) = (0.0, delivery.now, 0.0);
        }
        self.acked += newly;
        let extra = min(self.acked - expected, cwnd);
        self.extra[self.slot] = max(self.extra[self.slot], extra);
    }

    /// The first segment after an idle time leaves: an epoch begins.
    pub(in crate::congestion) const fn restart(&mut self, now: Instant) {
        (self.acked, self.began) = (0.0, now);
    }

    /// Segments to add to the window, at most what `rate` sends in 100 ms.
    pub(in crate::congestion) fn extra(&self, rate: f64) -> f64 {
        min(max(self.extra[0], self.extra[1]), floor(rate * 0.1))
    }
}
