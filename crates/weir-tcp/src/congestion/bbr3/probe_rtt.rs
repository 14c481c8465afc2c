//! The least round trip, and `PROBE_RTT`: a short time with little in flight, so that it can be seen again.

use super::{
    Bbr3, Delivery, MIN_CWND, RateSample, Window, bdp,
    state::{Acks, Mode},
    tick,
};

impl Bbr3 {
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
        if expired && self.mode != Mode::ProbeRtt && !self.parameters.probe_rtt.is_zero() {
            self.saved.save(window.cwnd, true);
            self.mode = Mode::ProbeRtt;
            self.probe_rtt.begin();
            self.acks = Acks::Stopping;
            self.rounds.begin(delivery.delivered);
        }
        if self.mode != Mode::ProbeRtt {
            return;
        }
        let (most, rounds) = (self.probe_rtt_cwnd(), (&mut self.rounds, self.round_start));
        if self.probe_rtt.is_over(delivery, rounds, most, self.parameters.probe_rtt) {
            self.recent_rtt_at = now;
            window.cwnd = window.cwnd.max(self.saved.cwnd);
            self.leave_probe_rtt(delivery);
        }
    }

    fn leave_probe_rtt(&mut self, delivery: &Delivery) {
        self.bounds.reset_lower();
        if self.full_pipe {
            self.begin_down(delivery.now, delivery.delivered);
            self.begin_cruise();
        } else {
            self.mode = Mode::Startup;
        }
    }

    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        bdp(self.bw(), self.min_rtt, self.parameters.probe_rtt_gain).max(MIN_CWND)
    }
}
