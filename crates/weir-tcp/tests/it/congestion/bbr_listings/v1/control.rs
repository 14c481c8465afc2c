//! Gains, rate and window of version 1, and the calls of the transport.

use super::{
    Bbr, CWND_GAIN, CWND_MIN_TARGET, Counts, DRAIN_GAIN, Delivery, EXTRA_ACKED_WIN_RTTS, HIGH_GAIN, Listing,
    MIN_TSO_RATE, Mode, PACING_GAIN, RecoveryState, Shown, TCP_INIT_CWND, bdp, bw_to_pacing_rate, seconds,
};

impl Bbr {
    /// The rate is that of a policer.
    pub(in super::super) const fn uses_lt_bw(&self) -> bool {
        self.lt_use_bw
    }

    /// The rate is below 1.2 Mbit/s.
    pub(in super::super) fn is_slow(&self) -> bool {
        self.pacing_rate * self.mss < MIN_TSO_RATE
    }

    fn update_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = match self.mode {
            Mode::Startup => (HIGH_GAIN, HIGH_GAIN),
            Mode::Drain => (DRAIN_GAIN, HIGH_GAIN),
            Mode::ProbeBw if self.lt_use_bw => (1.0, CWND_GAIN),
            Mode::ProbeBw => (PACING_GAIN[self.cycle_idx], CWND_GAIN),
            Mode::ProbeRtt => (1.0, 1.0),
        };
    }

    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = bw_to_pacing_rate(self.bw(), gain);
        if self.full_bw_reached || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    /// Returns true under packet conservation, where the window is set.
    fn set_cwnd_to_recover_or_restore(&mut self, ack: &Delivery) -> bool {
        let (prev_state, state) = (self.prev_ca_state, ack.state);
        let conserved = f64::from(ack.flight + ack.newly);
        if ack.lost > 0 {
            self.cwnd = (self.cwnd - f64::from(ack.lost)).max(1.0);
        }
        if state == RecoveryState::Recovery && prev_state != RecoveryState::Recovery {
            self.packet_conservation = true;
            self.next_rtt_delivered = ack.delivered;
            self.cwnd = conserved;
        } else if prev_state >= RecoveryState::Recovery && state < RecoveryState::Recovery {
            self.cwnd = self.cwnd.max(self.prior_cwnd);
            self.packet_conservation = false;
        }
        self.prev_ca_state = state;
        if self.packet_conservation {
            self.cwnd = self.cwnd.max(conserved);
        }
        self.packet_conservation
    }

    fn set_cwnd(&mut self, ack: &Delivery) {
        let acked = f64::from(ack.newly);
        if ack.newly > 0 && !self.set_cwnd_to_recover_or_restore(ack) {
            let bw = self.bw();
            let extra = if self.full_bw_reached { self.aggregation.cwnd(bw) } else { 0.0 };
            let target = self.quantization_budget(bdp(bw, self.min_rtt, self.cwnd_gain) + extra);
            if self.full_bw_reached {
                self.cwnd = (self.cwnd + acked).min(target);
            } else if self.cwnd < target || (ack.delivered as f64) < TCP_INIT_CWND {
                self.cwnd += acked;
            }
            self.cwnd = self.cwnd.max(CWND_MIN_TARGET);
        }
        if self.mode == Mode::ProbeRtt {
            self.cwnd = self.cwnd.min(CWND_MIN_TARGET);
        }
    }
}

impl Listing for Bbr {
    fn init(&mut self, ack: &Delivery) {
        self.mss = f64::from(ack.payload);
        self.tp = (ack.now.as_nanos(), ack.delivered, ack.lost_so_far);
        self.min_rtt = ack.min_rtt.as_nanos();
        self.min_rtt_stamp = super::jiffies(ack.now);
        let bw = self.cwnd / seconds(ack.smoothed.as_nanos());
        self.pacing_rate = bw_to_pacing_rate(bw, HIGH_GAIN);
        self.aggregation.init(ack);
        self.reset_lt_bw_sampling();
    }

    fn ssthresh(&mut self) {
        self.save_cwnd();
    }

    fn enter_loss(&mut self, tp: &Counts) {
        self.tp = (tp.delivered_at.as_nanos(), tp.delivered, tp.lost_so_far);
        self.cwnd = 1.0;
        self.prev_ca_state = RecoveryState::Loss;
        self.full_bw = 0.0;
        self.round_start = true;
        let before = (self.lt_use_bw, self.lt_bw);
        self.lt_bw_sampling(true, false);
        match (before, self.lt_use_bw) {
            ((false, _), true) => self.seen.insert("policer shown by a timeout"),
            ((true, _), false) => self.seen.insert("policer given up at a timeout"),
            ((_, bw), _) => bw != self.lt_bw && self.seen.insert("interval ended by a timeout"),
        };
    }

    fn tx_start(&mut self, tp: &Counts) {
        self.tp.0 = tp.delivered_at.as_nanos();
        self.idle_restart = true;
        self.aggregation.restart(tp.now);
        if self.mode == Mode::ProbeBw {
            self.set_pacing_rate(1.0);
            self.seen.insert("restart in PROBE_BW");
        } else if self.mode == Mode::ProbeRtt {
            self.check_probe_rtt_done(tp.now);
            if self.mode != Mode::ProbeRtt {
                self.seen.insert("PROBE_RTT ended by a restart");
            }
        }
    }

    fn main(&mut self, ack: &Delivery) {
        let delivered_mstamp = if ack.newly > 0 { ack.now.as_nanos() } else { self.tp.0 };
        self.tp = (delivered_mstamp, ack.delivered, ack.lost_so_far);
        self.update_bw(ack);
        let bw = self.bw();
        self.aggregation.update(ack, self.round_start, EXTRA_ACKED_WIN_RTTS, bw, self.cwnd);
        if self.aggregation.cut_short {
            self.seen.insert("epoch cut short by a restart");
        }
        if self.mode == Mode::ProbeBw && self.is_next_cycle_phase(ack) {
            self.advance_cycle_phase();
        }
        self.check_full_bw_reached(ack);
        self.check_drain(ack);
        self.update_min_rtt(ack);
        self.update_gains();
        self.set_pacing_rate(self.pacing_gain);
        self.set_cwnd(ack);
    }

    fn shown(&self) -> Shown {
        Shown {
            mode: f64::from(self.mode as u8),
            bw: self.bw(),
            min_rtt: seconds(self.min_rtt),
            pacing_gain: self.pacing_gain,
            cwnd_gain: self.cwnd_gain,
            pacing_rate: self.pacing_rate,
            cwnd: self.cwnd,
            ssthresh: self.ssthresh,
            app_limited: self.app_limited,
            bounds: None,
        }
    }
}
