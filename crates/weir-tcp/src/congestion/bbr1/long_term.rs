//! Policers: BBR version 1 takes their rate from the losses (Linux, `bbr_lt_bw_sampling`).

use weir_types::{Duration, Instant};

use crate::congestion::Delivery;

/// The rate of a policer: it shows in two successive intervals of at least four rounds, each ended by a loss. Each
/// interval lost at least a fifth of what it delivered. Their rates differ by an eighth or 4 kbit/s at most.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LongTerm {
    bw: f64,
    in_use: bool,
    sampling: bool,
    rounds: u32,
    /// Segments delivered and lost when the interval began, and when that was.
    delivered: u64,
    lost: u64,
    began: Instant,
}

impl LongTerm {
    const LEAST_ROUNDS: u32 = 4;
    const LOSS_RATE: f64 = 50.0 / 256.0;
    const MOST_ROUNDS: u32 = 48;

    pub(super) fn in_use(&self) -> Option<f64> {
        self.in_use.then_some(self.bw)
    }

    fn restart(&mut self, delivery: &Delivery) {
        (self.delivered, self.lost, self.began, self.rounds) =
            (delivery.delivered, delivery.lost_so_far, delivery.now, 0);
    }

    fn forget(&mut self, delivery: &Delivery) {
        (self.bw, self.in_use, self.sampling) = (0.0, false, false);
        self.restart(delivery);
    }

    /// A valid sample; `probes_bw` in `PROBE_BW`. Returns whether the rate has just been given up, after 48 rounds.
    pub(super) fn update(&mut self, delivery: &Delivery, round_start: bool, probes_bw: bool) -> bool {
        if self.in_use {
            self.rounds += u32::from(probes_bw && round_start);
            let over = probes_bw && round_start && self.rounds >= Self::MOST_ROUNDS;
            if over {
                self.forget(delivery);
            }
            return over;
        }
        if !self.sampling {
            if delivery.lost == 0 {
                return false;
            }
            self.restart(delivery);
            self.sampling = true;
        }
        if delivery.sample.is_some_and(|sample| sample.app_limited) {
            self.forget(delivery);
            return false;
        }
        self.rounds += u32::from(round_start);
        if self.rounds > 4 * Self::LEAST_ROUNDS {
            self.forget(delivery);
        } else if self.rounds >= Self::LEAST_ROUNDS && delivery.lost > 0 {
            self.end_interval(delivery);
        }
        false
    }

    /// A loss ends an interval, if enough was lost in it.
    fn end_interval(&mut self, delivery: &Delivery) {
        let (lost, delivered) = (delivery.lost_so_far - self.lost, delivery.delivered - self.delivered);
        let time = delivery.now.since(self.began);
        let few = (lost as f64) < Self::LOSS_RATE * delivered as f64;
        if delivered == 0 || few || time < Duration::from_millis(1) {
            return;
        }
        let bw = delivered as f64 / time.as_secs_f64();
        let differs = (bw - self.bw).abs();
        let near = differs <= self.bw / 8.0 || differs * f64::from(delivery.payload) <= 500.0;
        if self.bw > 0.0 && near {
            (self.bw, self.in_use, self.rounds) = (f64::midpoint(bw, self.bw), true, 0);
        } else {
            self.bw = bw;
            self.restart(delivery);
        }
    }
}
