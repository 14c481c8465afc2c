//! Policers: BBR version 1 takes their rate from the losses (Linux, `bbr_lt_bw_sampling`).

use weir_types::{Duration, Instant};

use super::tick;
use crate::congestion::{Counts, Delivery};

/// Facts that tell of a policer: those of a valid sample, or of a timeout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// Segments delivered so far, and when the last of them was.
    delivered: u64,
    delivered_at: Instant,
    /// Segments found lost so far.
    lost: u64,
    /// Some were found lost just now.
    loses: bool,
    app_limited: bool,
    /// Bytes of data in a segment.
    payload: u32,
}

impl From<&Delivery> for Evidence {
    fn from(delivery: &Delivery) -> Self {
        Self {
            delivered: delivery.delivered,
            delivered_at: delivery.now,
            lost: delivery.lost_so_far,
            loses: delivery.lost > 0,
            app_limited: delivery.sample.is_some_and(|sample| sample.app_limited),
            payload: delivery.payload,
        }
    }
}

impl From<&Counts> for Evidence {
    fn from(counts: &Counts) -> Self {
        let Counts { delivered, delivered_at, lost_so_far: lost, payload, .. } = *counts;
        Self { delivered, delivered_at, lost, loses: true, app_limited: false, payload }
    }
}

/// News of a policer's rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It shows, and is the rate from now on.
    Policed,
    /// It is given up, after 48 rounds.
    Over,
}

/// The rate of a policer: it shows in two successive intervals of at least four rounds, each ended by a loss. Each
/// interval lost at least a fifth of what it delivered. Their rates differ by an eighth or 4 kbit/s at most. Intervals
/// are whole milliseconds.
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
    /// 4 kbit/s, in bytes per second.
    const SMALL_DIFFERENCE: f64 = 500.0;

    pub(super) fn in_use(&self) -> Option<f64> {
        self.in_use.then_some(self.bw)
    }

    const fn restart(&mut self, evidence: &Evidence) {
        (self.delivered, self.lost, self.rounds) = (evidence.delivered, evidence.lost, 0);
        self.began = evidence.delivered_at;
    }

    const fn forget(&mut self, evidence: &Evidence) {
        (self.bw, self.in_use, self.sampling) = (0.0, false, false);
        self.restart(evidence);
    }

    /// A valid sample, or a timeout, which counts as the end of a round; `probes_bw` in `PROBE_BW`. Pacing leaves
    /// `margin` of a rate free.
    pub(super) fn update(
        &mut self,
        evidence: &Evidence,
        round_start: bool,
        probes_bw: bool,
        margin: f64,
    ) -> Option<Verdict> {
        if self.in_use {
            self.rounds += u32::from(probes_bw && round_start);
            let over = probes_bw && round_start && self.rounds >= Self::MOST_ROUNDS;
            return over.then(|| {
                self.forget(evidence);
                Verdict::Over
            });
        }
        if !self.sampling {
            if !evidence.loses {
                return None;
            }
            self.restart(evidence);
            self.sampling = true;
        }
        if evidence.app_limited {
            self.forget(evidence);
            return None;
        }
        self.rounds += u32::from(round_start);
        if self.rounds > 4 * Self::LEAST_ROUNDS {
            self.forget(evidence);
        } else if self.rounds >= Self::LEAST_ROUNDS && evidence.loses {
            return self.end_interval(evidence, margin);
        }
        None
    }

    /// A loss ends an interval, if enough was lost in it (`bbr_lt_bw_interval_done`).
    fn end_interval(&mut self, evidence: &Evidence, margin: f64) -> Option<Verdict> {
        let (lost, delivered) = (evidence.lost - self.lost, evidence.delivered - self.delivered);
        let time = tick(evidence.delivered_at).since(tick(self.began));
        let few = (lost as f64) < Self::LOSS_RATE * delivered as f64;
        if delivered == 0 || few || time < Duration::from_millis(1) {
            return None;
        }
        let bw = delivered as f64 / time.as_secs_f64();
        let differs = (bw - self.bw).abs();
        let bytes = (1.0 - margin) * differs * f64::from(evidence.payload);
        if self.bw > 0.0 && (differs <= self.bw / 8.0 || bytes <= Self::SMALL_DIFFERENCE) {
            (self.bw, self.in_use, self.rounds) = (f64::midpoint(bw, self.bw), true, 0);
            return Some(Verdict::Policed);
        }
        self.bw = bw;
        self.restart(evidence);
        None
    }
}
