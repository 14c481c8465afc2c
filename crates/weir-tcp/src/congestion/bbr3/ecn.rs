//! The answer of BBR version 3 to marks, an option: google/bbr, branch v3, on routes with the feature `ecn_low`.
//!
//! ```text
//! each round      ratio = marked / delivered       alpha = (1 - g) alpha + g ratio,  g = 1/16, at first 1
//! STARTUP         two rounds with ratio >= 1/2: the pipe is full, inflight_hi = max(BDP, inflight_latest)
//! a probe         more than 1/2 of the segments delivered since one left are marked: too many are in flight
//! DRAIN, DOWN, CRUISE, PROBE_RTT
//!                 a round with a mark: inflight_lo = (1 - alpha / 3) inflight_lo, at first of cwnd; bw_lo stays
//! DOWN, CRUISE    a mark and no loss since DOWN began, and marks have ceased: the next probe begins at once, and
//!                 inflight_hi grows by half in its first round
//! ```
//!
//! Marks are answered from the first round on before which the least round trip is at most 5 ms, and then to the end.
//! The numbers alpha, ratio and what alpha takes off are whole 256ths, rounded down, as in the kernel: shares of
//! marks below 1/16 let alpha fall to 0. Linux's receivers tell of marks as those of DCTCP do; here ACKs count them
//! ([`crate::accecn`]). It is the same number, unless ACKs are lost.

use alloc::collections::VecDeque;

use weir_types::Duration;

use super::parameters::Bbr3EcnParameters;
use crate::accecn::EcnMode;
use crate::congestion::{Delivery, RecoveryState};

/// Steps of alpha from 0 to 1 (`BBR_UNIT`).
const STEPS: f64 = 256.0;

/// Rounds of doubled growth, at most (`bbr_raise_inflight_hi_slope`).
const MOST_ROUNDS: i32 = 30;

/// State of the answer to marks.
#[derive(Clone, Debug)]
pub(super) struct Ecn {
    parameters: Bbr3EcnParameters,
    /// ACKs count the marked segments.
    counts: bool,
    /// The path is short: marks are answered (`ecn_eligible`).
    pub(super) eligible: bool,
    /// The smoothed share of marked segments, in steps.
    alpha: f64,
    /// Segments that arrived marked so far.
    marked: u64,
    /// Numbers of delivered and of marked segments when alpha was last renewed.
    renewed: (u64, u64),
    /// Rounds of STARTUP with too many marks, one after the other.
    full_rounds: u32,
    /// A segment was marked in this round; one was since DOWN began, or lost.
    pub(super) in_round: bool,
    pub(super) in_cycle: bool,
    pub(super) loss_in_cycle: bool,
    log: MarkLog,
    /// Segments of the sample at hand that arrived marked.
    pub(super) sampled: u64,
    /// One past the highest number sent when a mark was told of: until more is acknowledged, marks have not ceased.
    /// Linux's state `TCP_CA_CWR`.
    until: Option<u32>,
    /// Nothing is being repaired, and marks have ceased (`TCP_CA_Open`).
    calm: bool,
}

impl Ecn {
    pub(super) fn new(parameters: Bbr3EcnParameters) -> Self {
        Self {
            parameters,
            counts: false,
            eligible: false,
            alpha: libm::floor(parameters.initial_alpha.get() * STEPS),
            marked: 0,
            renewed: (0, 0),
            full_rounds: 0,
            in_round: false,
            in_cycle: false,
            loss_in_cycle: false,
            log: MarkLog::default(),
            sampled: 0,
            until: None,
            calm: true,
        }
    }

    /// Both ends have agreed on feedback: without counts there is nothing to answer (`bbr_can_use_ecn`).
    pub(super) fn set_mode(&mut self, mode: EcnMode) {
        self.counts = mode == EcnMode::Accurate;
    }

    /// The smoothed share of marked segments.
    pub(super) const fn alpha(&self) -> f64 {
        self.alpha / STEPS
    }

    /// Counts the marks that an ACK tells of, and those of its sample.
    pub(super) fn count(&mut self, delivery: &Delivery) {
        if delivery.marked > 0 {
            self.marked += u64::from(delivery.marked);
            self.log.note(delivery.delivered, self.marked);
        }
        self.sampled =
            delivery.sample.map_or(0, |sample| self.marked - self.log.before(sample.prior_delivered));
        if delivery.state != RecoveryState::Open || self.until.is_some_and(|until| delivery.una > until) {
            self.until = None;
        }
        if delivery.state == RecoveryState::Open && self.until.is_none() && delivery.marked > 0 {
            self.until = Some(delivery.high);
        }
        self.calm = delivery.state == RecoveryState::Open && self.until.is_none();
    }

    /// A round begins. Returns the share of segments of the last one that were marked, in steps, if marks are answered
    /// (`bbr_update_ecn_alpha`).
    pub(super) fn renew(&mut self, delivered: u64, min_rtt: Duration) -> Option<f64> {
        let max_rtt = self.parameters.max_rtt;
        self.eligible |= self.counts && (max_rtt.is_zero() || min_rtt <= max_rtt);
        let (since, marked) = (delivered - self.renewed.0, self.marked - self.renewed.1);
        if !self.eligible || since == 0 {
            return None;
        }
        let (ratio, gain) = (libm::floor(marked as f64 * STEPS / since as f64), self.parameters.alpha_gain);
        let alpha = libm::floor((1.0 - gain) * self.alpha) + libm::floor(gain * ratio);
        self.alpha = alpha.min(STEPS);
        self.renewed = (delivered, self.marked);
        Some(ratio)
    }

    /// A round of STARTUP had this share of marks, in steps. Returns true if there were too many for long enough
    /// (`bbr_check_ecn_too_high_in_startup`).
    pub(super) fn is_full(&mut self, ratio: f64) -> bool {
        let many = ratio >= libm::floor(self.parameters.threshold * STEPS);
        self.full_rounds = if many { self.full_rounds + 1 } else { 0 };
        self.full_rounds >= self.parameters.full_rounds
    }

    /// Returns true if too many of the `delivered` segments of the sample at hand were marked
    /// (`bbr_is_inflight_too_high`).
    pub(super) fn is_too_high(&self, delivered: u64) -> bool {
        let most = libm::floor(delivered as f64 * self.parameters.threshold);
        self.eligible && self.sampled > 0 && self.sampled as f64 > most
    }

    /// Returns the share of the flight that marks of this round leave, if there were any (`bbr_ecn_cut`).
    pub(super) fn kept(&self) -> Option<f64> {
        let cut = libm::floor(self.alpha * self.parameters.factor);
        self.in_round.then_some((STEPS - cut) / STEPS)
    }

    /// A round of losses is over.
    pub(super) const fn end_round(&mut self) {
        self.in_round = false;
    }

    /// A segment is lost.
    pub(super) const fn note_loss(&mut self) {
        self.loss_in_cycle = true;
    }

    /// Marks have ceased, as if another flow had left room: returns how many rounds of growth the next probe skips,
    /// so that it begins with the wanted share of `inflight_hi`. `None`: no reason for a probe
    /// (`bbr_check_time_to_probe_bw`).
    pub(super) fn rounds_of_early_probe(&self, inflight_hi: f64) -> Option<i32> {
        let gain = self.parameters.reprobe_gain;
        let due = gain > 0.0 && self.eligible && self.in_cycle && !self.loss_in_cycle && self.calm;
        due.then(|| libm::ilogb(gain * inflight_hi).clamp(0, MOST_ROUNDS))
    }
}

/// Numbers of marked segments at the deliveries that samples may go back to.
#[derive(Clone, Debug, Default)]
struct MarkLog {
    /// Number of segments that were marked when the oldest number of `later` was not reached.
    first: u64,
    /// Numbers of delivered segments at which more were marked, each with that number.
    later: VecDeque<(u64, u64)>,
}

impl MarkLog {
    fn note(&mut self, delivered: u64, marked: u64) {
        self.later.push_back((delivered, marked));
    }

    /// Number of segments that were marked when so many were `delivered`. Forgets what came before: later samples
    /// go back less far, unless packets overtake each other.
    fn before(&mut self, delivered: u64) -> u64 {
        while let Some(&(at, marked)) = self.later.front()
            && at <= delivered
        {
            self.first = marked;
            self.later.pop_front();
        }
        self.first
    }
}
