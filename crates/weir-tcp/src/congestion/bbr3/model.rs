//! How an ACK changes the model of BBR version 3, and how little it may change it.

use core::mem::discriminant;

use super::{Aggregation, Bbr3, Delivery, RateSample, Window, state::Work};

impl RateSample {
    /// The sample of an ACK of nothing new.
    pub(super) const NOTHING: Self = Self {
        interval: None,
        delivered: 0,
        prior_delivered: 0,
        app_limited: false,
        rtt: None,
        flight: 0,
        lost: 0,
        tail: None,
    };
}

impl Bbr3 {
    /// The fast path, while the application limits and nothing is lost or marked: a sample below the bandwidth tells of
    /// phases and round trips alone. If they stay as they are, rate and window do, too (`bbr_run_fast_path`). `bw` is
    /// the rate of the sample, or 0.
    pub(super) fn run_fast_path(
        &mut self,
        delivery: &Delivery,
        (sample, bw): (RateSample, f64),
        window: &mut Window,
    ) -> Work {
        let calm = !self.bounds.loss_in_round && self.ecn.as_ref().is_none_or(|ecn| !ecn.in_round);
        if !(self.try_fast_path && sample.app_limited && bw < self.max_bw() && calm) {
            return Work::All;
        }
        let (mode, min_rtt) = (discriminant(&self.mode), self.min_rtt);
        self.check_drain(delivery, window);
        self.update_phase(delivery, &sample, bw);
        self.update_min_rtt(delivery, window);
        let same = discriminant(&self.mode) == mode && self.min_rtt == min_rtt && self.try_fast_path;
        if same { Work::Nothing } else { Work::Control }
    }

    /// Everything that an ACK tells of the path (`bbr_update_model`).
    pub(super) fn update_model(
        &mut self,
        delivery: &Delivery,
        (sample, bw): (RateSample, f64),
        window: &mut Window,
    ) {
        if sample.interval.is_some() {
            if !sample.app_limited || bw >= self.max_bw() {
                self.max_bw[1] = self.max_bw[1].max(bw);
            }
            self.adapt_lower(delivery.lost, window.cwnd);
            let rounds = if self.full_pipe { Aggregation::ROUNDS } else { 1 };
            self.aggregation.update(self.bw(), delivery, self.round_start, rounds, window.cwnd);
        }
        self.check_startup_losses(delivery, &sample);
        self.check_full_pipe(&sample, bw);
        self.check_drain(delivery, window);
        self.update_phase(delivery, &sample, bw);
        self.update_min_rtt(delivery, window);
    }
}
