//! Gains, rate and window of version 3, and the calls of the transport.

use super::{
    BW_PROBE_CWND_GAIN, Bbr, CWND_GAIN, CWND_MIN_TARGET, Counts, CycleIdx, DOWN_GAIN, DRAIN_GAIN, Delivery,
    EXTRA_ACKED_WIN_RTTS, Listing, Mode, RecoveryState, Rs, STARTUP_CWND_GAIN, STARTUP_PACING_GAIN, Shown,
    TailAnswer, Transmission, UP_GAIN, bdp, bw_to_pacing_rate, jiffies, seconds, valid,
};

impl Bbr {
    /// Rarer rules at work.
    pub(in super::super) fn sights(&self) -> impl Iterator<Item = &'static str> {
        let up = self.in_phase(CycleIdx::Up);
        [
            (self.mode == Mode::Drain && self.inflight_hi.is_finite(), "STARTUP ended by losses"),
            (self.bw_lo < self.max_bw(), "bw_lo"),
            (self.inflight_lo.is_finite(), "inflight_lo"),
            (up && self.cwnd >= self.inflight_hi && self.bw_probe_up_rounds > 1, "UP at its bound"),
            (self.stopped_risky_probe, "risky probe"),
            (self.pacing_rate * self.mss < 150_000.0, "less than 1.2 Mbit/s"),
        ]
        .into_iter()
        .filter_map(|(seen, sight)| seen.then_some(sight))
        .chain(self.seen.iter().copied())
    }

    fn update_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = match (self.mode, self.cycle_idx) {
            (Mode::Startup, _) => (STARTUP_PACING_GAIN, STARTUP_CWND_GAIN),
            (Mode::Drain, _) => (DRAIN_GAIN, STARTUP_CWND_GAIN),
            (Mode::ProbeBw, CycleIdx::Up) => (UP_GAIN, CWND_GAIN + BW_PROBE_CWND_GAIN),
            (Mode::ProbeBw, CycleIdx::Down) => (DOWN_GAIN, CWND_GAIN),
            (Mode::ProbeBw, CycleIdx::Cruise | CycleIdx::Refill) => (1.0, CWND_GAIN),
            (Mode::ProbeRtt, _) => (1.0, 1.0),
        };
    }

    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = bw_to_pacing_rate(self.bw(), gain);
        if self.full_bw_reached || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    fn set_cwnd(&mut self, acked: f64) {
        if acked > 0.0 {
            let bw = self.bw();
            let extra = self.aggregation.cwnd(bw);
            let target = self.quantization_budget(bdp(bw, self.min_rtt, self.cwnd_gain) + extra);
            self.try_fast_path = false;
            if self.full_bw_reached {
                self.cwnd += acked;
                if self.cwnd >= target {
                    self.cwnd = target;
                    self.try_fast_path = true;
                }
            } else if self.cwnd < target || self.cwnd < 2.0 * self.init_cwnd {
                self.cwnd += acked;
            } else {
                self.try_fast_path = true;
            }
            self.cwnd = self.cwnd.max(CWND_MIN_TARGET);
        }
        if self.mode == Mode::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
    }
}

impl Bbr {
    fn update_model(&mut self, rs: &Rs, ack: &Delivery) {
        self.update_congestion_signals(rs);
        let rounds = if self.full_bw_reached { EXTRA_ACKED_WIN_RTTS } else { 1 };
        let bw = self.bw();
        self.aggregation.update(ack, self.round_start, rounds, bw, self.cwnd);
        if self.aggregation.cut_short {
            self.seen.insert("epoch cut short by a restart");
        }
        self.check_loss_too_high_in_startup(rs, ack.state);
        self.check_full_bw_reached(rs);
        self.check_drain(ack);
        self.update_cycle_phase(rs, ack);
        self.update_min_rtt(ack);
    }

    /// Returns whether that is all, and whether the model is still to be updated.
    fn run_fast_path(&mut self, rs: &Rs, ack: &Delivery) -> (bool, bool) {
        let below = rs.is_app_limited && rs.sample_bw < self.max_bw();
        if !self.try_fast_path || !below || self.loss_in_round {
            return (false, true);
        }
        let (prev_mode, prev_min_rtt) = (self.mode, self.min_rtt);
        self.check_drain(ack);
        self.update_cycle_phase(rs, ack);
        self.update_min_rtt(ack);
        let done = self.mode == prev_mode && self.min_rtt == prev_min_rtt && self.try_fast_path;
        self.seen.insert(if done { "fast path" } else { "half of the fast path" });
        (done, false)
    }
}

impl Bbr {
    fn note_loss(&mut self) {
        if !self.loss_in_round {
            self.loss_round_delivered = self.tp.1;
        }
        self.loss_in_round = true;
    }

    fn run_loss_probe_recovery(&mut self, tlp_orig_data_app_limited: bool) {
        self.note_loss();
        let rs = Rs {
            valid: false,
            sample_bw: 0.0,
            delivered: 0.0,
            prior_delivered: 0,
            is_app_limited: tlp_orig_data_app_limited,
            tx_in_flight: self.inflight_latest + 1.0,
            lost: 1.0,
            losses: false,
            acked_sacked: 0.0,
            is_acking_tlp_retrans_seq: false,
        };
        if self.bw_probe_samples && Self::is_inflight_too_high(&rs) {
            self.seen.insert("a repaired tail ended a probe");
            self.handle_inflight_too_high(&rs);
        }
    }
}

impl Listing for Bbr {
    fn init(&mut self, ack: &Delivery) {
        self.mss = f64::from(ack.payload);
        self.tp = (ack.now.as_nanos(), ack.delivered, ack.full);
        (self.min_rtt, self.min_rtt_stamp) = (ack.min_rtt.as_nanos(), jiffies(ack.now));
        (self.probe_rtt_min, self.probe_rtt_min_stamp) = (self.min_rtt, self.min_rtt_stamp);
        let bw = self.cwnd / seconds(ack.smoothed.as_nanos());
        self.pacing_rate = bw_to_pacing_rate(bw, STARTUP_PACING_GAIN);
        self.next_rtt_delivered = ack.delivered;
        self.loss_round_delivered = ack.delivered + 1;
        self.aggregation.init(ack);
    }

    fn skb_marked_lost(&mut self, skb: &Transmission) {
        self.tp.0 = skb.now.as_nanos();
        self.tp.1 = skb.delivered;
        self.note_loss();
        let mut rs = Rs {
            valid: false,
            sample_bw: 0.0,
            delivered: 0.0,
            prior_delivered: 0,
            is_app_limited: skb.app_limited,
            tx_in_flight: f64::from(skb.flight),
            lost: skb.lost as f64,
            losses: false,
            acked_sacked: 0.0,
            is_acking_tlp_retrans_seq: false,
        };
        if self.bw_probe_samples && Self::is_inflight_too_high(&rs) {
            rs.tx_in_flight = Self::inflight_hi_from_lost_skb(&rs);
            self.handle_inflight_too_high(&rs);
        }
    }

    fn ssthresh(&mut self) {
        self.save_cwnd();
    }

    fn enter_loss(&mut self, _: &Counts) {
        self.cwnd = 1.0;
        self.prev_ca_state = RecoveryState::Loss;
        self.reset_full_bw();
        if !self.is_probing_bandwidth() && self.inflight_lo.is_infinite() {
            self.inflight_lo = self.cwnd.max(self.prior_cwnd);
        }
    }

    fn tx_start(&mut self, tp: &Counts) {
        (self.tp.0, self.tp.1) = (tp.now.as_nanos(), tp.delivered);
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
        self.tp = (ack.now.as_nanos(), ack.delivered, ack.full);
        // `set_state`, at the end of the state of loss.
        if self.prev_ca_state == RecoveryState::Loss && ack.state != RecoveryState::Loss {
            self.cwnd = self.cwnd.max(self.prior_cwnd);
            self.try_fast_path = false;
        }
        let sample = ack.sample.as_ref();
        // `CA_EVENT_TLP_RECOVERY`, earlier in the same ACK.
        if let Some(TailAnswer::Repaired { app_limited }) = sample.and_then(|rs| rs.tail) {
            self.run_loss_probe_recovery(app_limited);
        }
        let rs = Rs {
            valid: valid(ack).is_some(),
            sample_bw: valid(ack).map_or(0.0, |(_, bw)| bw),
            delivered: sample.map_or(0.0, |rs| rs.delivered as f64),
            prior_delivered: sample.map_or(0, |rs| rs.prior_delivered),
            is_app_limited: sample.is_some_and(|rs| rs.app_limited),
            tx_in_flight: sample.map_or(0.0, |rs| f64::from(rs.flight)),
            lost: sample.map_or(0.0, |rs| rs.lost as f64),
            losses: ack.lost > 0,
            acked_sacked: f64::from(ack.newly),
            is_acking_tlp_retrans_seq: sample.is_some_and(|rs| rs.tail == Some(TailAnswer::Open)),
        };
        self.round_start = rs.valid && rs.prior_delivered >= self.next_rtt_delivered;
        if self.round_start {
            self.next_rtt_delivered = ack.delivered;
            self.rounds_since_probe = (self.rounds_since_probe + 1).min(255);
        }
        self.update_latest_delivery_signals(&rs);
        let before = (self.mode, self.cycle_idx);
        let (done, update_model) = self.run_fast_path(&rs, ack);
        if update_model {
            self.update_model(&rs, ack);
        }
        if ack.newly == 0 && before != (self.mode, self.cycle_idx) {
            self.seen.insert(if before.0 == Mode::Drain {
                "DRAIN ended by a duplicate"
            } else {
                "phase ended by a duplicate"
            });
        }
        if !done {
            self.update_gains();
            self.set_pacing_rate(self.pacing_gain);
            self.set_cwnd(rs.acked_sacked);
            self.bound_cwnd_for_inflight_model();
        }
        self.advance_latest_delivery_signals(&rs);
        self.prev_ca_state = ack.state;
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
            bounds: Some([self.inflight_hi, self.inflight_lo]),
        }
    }
}
