//! Signals of BBR version 3: losses and marks, of a round, of a sample and of a cycle of probes.

use super::{Bbr3, Delivery, RateSample};

impl Bbr3 {
    /// A segment is lost, and `delivered` have been delivered (`bbr_note_loss`).
    pub(super) fn note_loss(&mut self, delivered: u64) {
        self.bounds.note_loss(delivered);
        if let Some(ecn) = &mut self.ecn {
            ecn.note_loss();
        }
    }

    /// A tail loss probe has repaired the loss of one segment, which no ACK reports. In a probe it counts among those
    /// that have been delivered of late (`bbr_run_loss_probe_recovery`).
    pub(super) fn note_repaired_tail(&mut self, delivery: &Delivery, app_limited: bool) {
        self.note_loss(delivery.delivered);
        let flight = self.bounds.inflight_latest + 1.0;
        if self.probing && self.parameters.is_too_high(1, flight as u32) {
            self.bound_flight(flight, app_limited, delivery.now, delivery.delivered);
        }
    }

    /// A sample is valid, and `lost` segments are newly lost: a round that ends lowers the lower bounds by its losses
    /// and marks, unless the flow probes (`bbr_adapt_lower_bounds`).
    pub(super) fn adapt_lower(&mut self, lost: u32, cwnd: f64) {
        self.bounds.loss_in_round |= lost > 0;
        if !self.bounds.round_start {
            return;
        }
        if !self.probes() {
            let kept = self.ecn.as_ref().and_then(|ecn| ecn.kept());
            self.bounds.adapt_lower(kept, self.max_bw(), cwnd, self.parameters.beta);
        }
        self.bounds.loss_in_round = false;
        if let Some(ecn) = &mut self.ecn {
            ecn.end_round();
        }
    }

    /// An ACK arrives, which may begin a round: counts its marks, and ends STARTUP if there are too many.
    pub(super) fn hear_marks(&mut self, delivery: &Delivery) {
        let Some(ecn) = &mut self.ecn else { return };
        ecn.count(delivery);
        let ratio = if self.round_start { ecn.renew(delivery.delivered, self.min_rtt) } else { None };
        ecn.in_round |= ecn.eligible && delivery.marked > 0;
        if !self.full_pipe && ratio.is_some_and(|ratio| ecn.is_full(ratio)) {
            self.fill_pipe();
        }
    }

    /// Returns true if the sample tells of too many losses or marks (`bbr_is_inflight_too_high`).
    pub(super) fn is_too_high(&self, sample: &RateSample) -> bool {
        self.parameters.is_too_high(sample.lost, sample.flight)
            || self.ecn.as_ref().is_some_and(|ecn| ecn.is_too_high(sample.delivered))
    }

    /// The ACK has been dealt with: notes what its sample says of the cycle.
    pub(super) fn note_cycle(&mut self, delivery: &Delivery) {
        if let Some(ecn) = &mut self.ecn {
            ecn.loss_in_cycle |= delivery.sample.is_some_and(|sample| sample.lost > 0);
            ecn.in_cycle |= ecn.sampled > 0;
        }
    }

    /// Forgets the signals of round and cycle (`bbr_reset_congestion_signals`).
    pub(super) fn reset_signals(&mut self) {
        self.bounds.reset_signals();
        if let Some(ecn) = &mut self.ecn {
            (ecn.in_round, ecn.in_cycle, ecn.loss_in_cycle) = (false, false, false);
        }
    }
}
