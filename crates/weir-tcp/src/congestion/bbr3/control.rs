//! Gains, rate and window of BBR version 3.

use super::{
    Bbr3, Delivery, MIN_CWND, Window,
    state::{Mode, Phase},
};

impl Bbr3 {
    /// The gains of the state (`bbr_update_gains`).
    pub(super) fn update_gains(&mut self) {
        let known = self.parameters;
        (self.pacing_gain, self.cwnd_gain) = match self.mode {
            Mode::Startup => (known.startup_gain, known.cwnd_gain),
            Mode::Drain => (known.drain_gain, known.cwnd_gain),
            Mode::ProbeBw(Phase::Up) => (known.up_gain, known.up_cwnd_gain),
            Mode::ProbeBw(Phase::Down) => (known.down_gain, known.cwnd_gain),
            Mode::ProbeBw(Phase::Cruise | Phase::Refill) => (1.0, known.cwnd_gain),
            Mode::ProbeRtt(_) => (1.0, 1.0),
        };
    }

    /// The rate of pacing (`bbr_set_pacing_rate`). Before the pipe is full it only rises.
    pub(super) fn set_rate(&mut self, delivery: &Delivery, window: &Window) {
        let kept = 1.0 - self.parameters.pacing_margin;
        let before = *self.rate.get_or_insert_with(|| {
            let round_trip = delivery.smoothed.as_secs_f64().max(1e-6);
            kept * self.parameters.startup_gain * window.cwnd / round_trip
        });
        self.pace_at(self.pacing_gain, before);
    }

    /// Paces at the bandwidth times `gain`, the rate having been `before`.
    pub(super) fn pace_at(&mut self, gain: f64, before: f64) {
        let rate = (1.0 - self.parameters.pacing_margin) * gain * self.bw();
        if rate > 0.0 && (self.full_pipe || rate > before) {
            self.rate = Some(rate);
        }
    }

    /// The window follows its target, within the bounds of losses (`bbr_set_cwnd`).
    pub(super) fn set_cwnd(&mut self, delivery: &Delivery, window: &mut Window) {
        if delivery.newly > 0 {
            let target = self.bdp(self.bw(), self.cwnd_gain) + self.aggregation.extra(self.bw());
            let target = self.quantization_budget(target);
            let grown = window.cwnd + f64::from(delivery.newly);
            if self.full_pipe {
                self.try_fast_path = grown >= target;
                window.cwnd = grown.min(target);
            } else {
                self.try_fast_path = window.cwnd >= target.max(2.0 * self.init_cwnd);
                if !self.try_fast_path {
                    window.cwnd = grown;
                }
            }
            window.cwnd = window.cwnd.max(MIN_CWND);
        }
        if self.probes_rtt() {
            window.cwnd = window.cwnd.min(self.probe_rtt_cwnd());
        }
        let cap = match self.mode {
            Mode::ProbeBw(Phase::Cruise) | Mode::ProbeRtt(_) => self.with_headroom(),
            Mode::ProbeBw(_) => self.bounds.inflight_hi,
            Mode::Startup | Mode::Drain => f64::INFINITY,
        };
        window.cwnd = window.cwnd.min(cap.min(self.bounds.inflight_lo).max(MIN_CWND));
        self.cwnd = window.cwnd;
    }
}
