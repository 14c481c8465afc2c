//! The least round trip, and `PROBE_RTT`: a short time with little in flight, so that it can be seen again.

use weir_types::Instant;

use super::{Bbr1, Delivery, MIN_CWND, Mode, ProbeRtt, Window, tick};
use crate::congestion::RateSample;

impl Bbr1 {
    /// The least round trip, which is measured anew once it has aged (`bbr_update_min_rtt`).
    pub(super) fn update_min_rtt(&mut self, delivery: &Delivery, window: &mut Window) {
        let now = tick(delivery.now);
        let expired = now.since(self.min_rtt_at) > self.parameters.min_rtt_window;
        if let Some(RateSample { rtt: Some(rtt), .. }) = delivery.sample
            && (rtt < self.min_rtt || expired)
        {
            (self.min_rtt, self.min_rtt_at) = (rtt, now);
        }
        let puts_off = self.probes_rtt() || self.idle_restart || self.parameters.probe_rtt.is_zero();
        if expired && !puts_off {
            self.saved.save(window.cwnd, true);
            self.mode = Mode::ProbeRtt(ProbeRtt::default());
        }
        self.idle_restart &= delivery.sample.is_none();
        self.limits_itself = self.probes_rtt();
        let Mode::ProbeRtt(probe) = &mut self.mode else { return };
        let rounds = (&mut self.rounds, self.round_start);
        if probe.is_over(delivery, rounds, MIN_CWND, self.parameters.probe_rtt) {
            self.leave_probe_rtt(delivery.now, window);
        }
    }

    /// `PROBE_RTT` is over (`bbr_check_probe_rtt_done`).
    pub(super) fn leave_probe_rtt(&mut self, now: Instant, window: &mut Window) {
        self.min_rtt_at = tick(now);
        window.cwnd = window.cwnd.max(self.saved.cwnd);
        if self.full_pipe {
            self.begin_cycle();
        } else {
            self.mode = Mode::Startup;
        }
    }
}
