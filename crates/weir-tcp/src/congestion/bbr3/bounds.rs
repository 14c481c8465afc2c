//! The bounds of BBR version 3: what losses say of bandwidth and flight.
//!
//! ```text
//! inflight_hi   the most segments in flight without too many losses: moved by probes of the bandwidth
//! bw_lo, inflight_lo   the latest round with a loss, at most 30% less than the round before: until the next probe
//! too many      of the segments that were in flight when one left, more than 2% were lost since
//! ```

use super::parameters::Bbr3Parameters;
use crate::congestion::{RateSample, TailAnswer, Transmission, bbr::Rounds};

/// Bounds of the model, and the signals that set them. A bound that is not set is infinite.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The most segments in flight that lose few enough.
    pub(super) inflight_hi: f64,
    /// Segments in flight, and segments per second, that the latest losses leave.
    pub(super) inflight_lo: f64,
    pub(super) bw_lo: f64,
    /// The greatest samples of the present round of losses: segments per second, and segments.
    bw_latest: f64,
    pub(super) inflight_latest: f64,
    /// Rounds of losses: one begins with the first loss.
    rounds: Rounds,
    /// The ACK at hand begins one.
    pub(super) round_start: bool,
    /// Something was lost in it.
    pub(super) loss_in_round: bool,
}

impl Bounds {
    pub(super) fn new() -> Self {
        Self {
            inflight_hi: f64::INFINITY,
            inflight_lo: f64::INFINITY,
            bw_lo: f64::INFINITY,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            rounds: Rounds::default(),
            round_start: false,
            loss_in_round: false,
        }
    }

    /// A segment is lost: the first loss begins a round, so that the round shows what the path still delivers.
    pub(super) const fn note_loss(&mut self, delivered: u64) {
        if !self.loss_in_round {
            self.rounds.begin(delivered);
        }
        self.loss_in_round = true;
    }

    /// A valid sample, of `bw` segments per second.
    pub(super) const fn take_latest(&mut self, sample: &RateSample, bw: f64, delivered: u64) {
        self.bw_latest = self.bw_latest.max(bw);
        self.inflight_latest = self.inflight_latest.max(sample.delivered as f64);
        self.round_start = self.rounds.update(sample, delivered);
    }

    /// The ACK has been dealt with: a new round begins with its sample. While a repeated tail may have been lost, the
    /// samples before it are kept: they tell of the time before the loss.
    pub(super) fn advance_latest(&mut self, sample: &RateSample, bw: f64) {
        if self.round_start && sample.tail != Some(TailAnswer::Open) {
            (self.bw_latest, self.inflight_latest) = (bw, sample.delivered as f64);
        }
    }

    /// A loss of the round lowers the lower bounds; its marks leave the share `kept` of the flight, if there are any.
    pub(super) fn adapt_lower(&mut self, kept: Option<f64>, max_bw: f64, cwnd: f64, beta: f64) {
        let mut from_marks = f64::INFINITY;
        if let Some(kept) = kept {
            if self.inflight_lo.is_infinite() {
                self.inflight_lo = cwnd;
            }
            from_marks = libm::floor(kept * self.inflight_lo);
        }
        if self.loss_in_round {
            let bw = if self.bw_lo.is_finite() { self.bw_lo } else { max_bw };
            let inflight = if self.inflight_lo.is_finite() { self.inflight_lo } else { cwnd };
            self.bw_lo = self.bw_latest.max((1.0 - beta) * bw);
            self.inflight_lo = self.inflight_latest.max(libm::floor((1.0 - beta) * inflight));
        }
        self.inflight_lo = self.inflight_lo.min(from_marks);
    }

    /// The lower bounds are forgotten.
    pub(super) const fn reset_lower(&mut self) {
        (self.bw_lo, self.inflight_lo) = (f64::INFINITY, f64::INFINITY);
    }

    /// Forgets the signals of the present round.
    pub(super) const fn reset_signals(&mut self) {
        (self.loss_in_round, self.bw_latest, self.inflight_latest) = (false, 0.0, 0.0);
    }

    /// `inflight_hi` less the room that is left for others.
    pub(super) fn with_headroom(&self, share: f64, least: f64) -> f64 {
        if self.inflight_hi.is_infinite() {
            return f64::INFINITY;
        }
        (self.inflight_hi - libm::floor(self.inflight_hi * share).max(1.0)).max(least)
    }
}

impl Bbr3Parameters {
    /// Returns true if `lost` of `flight` segments are too many.
    pub(super) fn is_too_high(&self, lost: u64, flight: u32) -> bool {
        lost > 0 && flight > 0 && lost as f64 > libm::floor(f64::from(flight) * self.loss_threshold)
    }

    /// Number of segments in flight, with one that is `lost`, up to which losses were few enough.
    pub(super) fn safe_inflight(&self, lost: &Transmission) -> f64 {
        let (flight, before) = (f64::from(lost.flight) - 1.0, lost.lost as f64 - 1.0);
        let budget = libm::ceil(flight * self.loss_threshold);
        let prefix =
            if before >= budget { 0.0 } else { libm::floor((budget - before) / (1.0 - self.loss_threshold)) };
        flight + prefix
    }
}
