//! The least round trip, and `PROBE_RTT`: a short time with little in flight, so that it can be seen again.

use weir_types::Instant;

use super::{
    Bbr3, Delivery, MIN_CWND, RateSample, Window,
    state::{Acks, Mode},
    tick,
};
use crate::congestion::bbr::ProbeRtt;

impl Bbr3 {
    /// The least round trip, which is measured anew once it has aged (`bbr_update_min_rtt`).
    pub(super) fn update_min_rtt(&mut self, delivery: &Delivery, window: &mut Window) {
        let now = tick(delivery.now);
        let expired = now > self.recent_rtt_at + self.parameters.probe_rtt_interval;
        if let Some(RateSample { rtt: Some(rtt), .. }) = delivery.sample
            && (rtt < self.recent_rtt || expired)
        {
            (self.recent_rtt, self.recent_rtt_at) = (rtt, now);
        }
        if self.recent_rtt <= self.min_rtt || now > self.min_rtt_at + self.parameters.min_rtt_window {
            (self.min_rtt, self.min_rtt_at) = (self.recent_rtt, self.recent_rtt_at);
        }
        let puts_off = self.probes_rtt() || self.idle_restart || self.parameters.probe_rtt.is_zero();
        if expired && !puts_off {
            self.saved.save(window.cwnd, true);
            self.mode = Mode::ProbeRtt(ProbeRtt::default());
            self.acks = Acks::Stopping;
            self.rounds.begin(delivery.delivered);
        }
        self.idle_restart &= delivery.sample.is_none();
        self.limits_itself = self.probes_rtt();
        let most = self.probe_rtt_cwnd();
        let Mode::ProbeRtt(probe) = &mut self.mode else { return };
        let rounds = (&mut self.rounds, self.round_start);
        if probe.is_over(delivery, rounds, most, self.parameters.probe_rtt) {
            self.leave_probe_rtt(delivery.now, delivery.delivered, window);
        }
    }

    /// `PROBE_RTT` is over: its little flight has told nothing of losses (`bbr_check_probe_rtt_done`,
    /// `bbr_exit_probe_rtt`).
    pub(super) fn leave_probe_rtt(&mut self, now: Instant, delivered: u64, window: &mut Window) {
        self.recent_rtt_at = tick(now);
        window.cwnd = window.cwnd.max(self.saved.cwnd);
        self.bounds.reset_lower();
        if self.full_pipe {
            self.begin_down(now, delivered);
            self.begin_cruise();
        } else {
            self.mode = Mode::Startup;
        }
    }

    /// The window of `PROBE_RTT`, in segments (`bbr_probe_rtt_cwnd`).
    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp(self.bw(), self.parameters.probe_rtt_gain).max(MIN_CWND)
    }
}
