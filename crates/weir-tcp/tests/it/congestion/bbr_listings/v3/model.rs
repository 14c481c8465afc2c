//! The model of the path: bandwidth, bounds, the full pipe, and the least round trip.

use super::{
    AckPhase, BETA, Bbr, CWND_MIN_TARGET, CycleIdx, Delivery, FULL_BW_CNT, FULL_BW_THRESH, FULL_LOSS_CNT,
    Instant, LOSS_THRESH, MIN_RTT_WIN, Mode, PROBE_RTT_MODE, PROBE_RTT_WIN, RecoveryState, Rs, jiffies,
};

impl Bbr {
    /// `bbr_is_probing_bandwidth`
    pub(super) fn is_probing_bandwidth(&self) -> bool {
        self.mode == Mode::Startup || self.in_phase(CycleIdx::Refill) || self.in_phase(CycleIdx::Up)
    }

    pub(super) const fn reset_full_bw(&mut self) {
        (self.full_bw, self.full_bw_cnt, self.full_bw_now) = (0.0, 0, false);
    }

    pub(super) const fn reset_lower_bounds(&mut self) {
        (self.bw_lo, self.inflight_lo) = (f64::INFINITY, f64::INFINITY);
    }

    pub(super) const fn reset_congestion_signals(&mut self) {
        (self.loss_in_round, self.bw_latest, self.inflight_latest) = (false, 0.0, 0.0);
    }

    /// Keeps the greatest of this cycle and of the one before.
    pub(super) const fn advance_max_bw_filter(&mut self) {
        if self.bw_hi[1] > 0.0 {
            self.bw_hi = [self.bw_hi[1], 0.0];
        }
    }

    pub(super) fn update_latest_delivery_signals(&mut self, rs: &Rs) {
        self.loss_round_start = false;
        if !rs.valid || rs.acked_sacked == 0.0 {
            return;
        }
        self.bw_latest = self.bw_latest.max(rs.sample_bw);
        self.inflight_latest = self.inflight_latest.max(rs.delivered);
        if rs.prior_delivered >= self.loss_round_delivered {
            self.loss_round_delivered = self.tp.1;
            self.loss_round_start = true;
        }
    }

    pub(super) const fn advance_latest_delivery_signals(&mut self, rs: &Rs) {
        if self.loss_round_start && !rs.is_acking_tlp_retrans_seq {
            (self.bw_latest, self.inflight_latest) = (rs.sample_bw, rs.delivered);
        }
    }

    /// Losses outside of probes cut the lower bounds by beta, but not below what has just been delivered.
    fn adapt_lower_bounds(&mut self) {
        if self.is_probing_bandwidth() || !self.loss_in_round {
            return;
        }
        if self.bw_lo.is_infinite() {
            self.bw_lo = self.max_bw();
        }
        if self.inflight_lo.is_infinite() {
            self.inflight_lo = self.cwnd;
        }
        self.bw_lo = self.bw_latest.max(self.bw_lo * (1.0 - BETA));
        self.inflight_lo = self.inflight_latest.max((self.inflight_lo * (1.0 - BETA)).floor());
    }

    pub(super) fn update_congestion_signals(&mut self, rs: &Rs) {
        if !rs.valid || rs.acked_sacked == 0.0 {
            return;
        }
        if !rs.is_app_limited || rs.sample_bw >= self.max_bw() {
            self.bw_hi[1] = self.bw_hi[1].max(rs.sample_bw);
        }
        self.loss_in_round |= rs.losses;
        if self.loss_round_start {
            self.adapt_lower_bounds();
            self.loss_in_round = false;
        }
    }

    /// Is the share of losses in the flight of a segment too high?
    pub(super) fn is_inflight_too_high(rs: &Rs) -> bool {
        rs.lost > 0.0 && rs.tx_in_flight > 0.0 && rs.lost > (rs.tx_in_flight * LOSS_THRESH).floor()
    }

    /// The flight at which losses became too many: `(lost_prev + lost_prefix) / (inflight_prev + lost_prefix)` is the
    /// threshold.
    pub(super) fn inflight_hi_from_lost_skb(rs: &Rs) -> f64 {
        let inflight_prev = rs.tx_in_flight - 1.0;
        let lost_prev = rs.lost - 1.0;
        let loss_budget = (inflight_prev * LOSS_THRESH).ceil();
        let lost_prefix = ((loss_budget - lost_prev).max(0.0) / (1.0 - LOSS_THRESH)).floor();
        inflight_prev + lost_prefix
    }

    pub(super) fn check_loss_too_high_in_startup(&mut self, rs: &Rs, state: RecoveryState) {
        if self.full_bw_reached {
            return;
        }
        if rs.losses {
            self.loss_events_in_round = (self.loss_events_in_round + 1).min(15);
        }
        if self.loss_round_start
            && state == RecoveryState::Recovery
            && self.loss_events_in_round >= FULL_LOSS_CNT
            && Self::is_inflight_too_high(rs)
        {
            self.full_bw_reached = true;
            self.inflight_hi = self.inflight(self.max_bw()).max(self.inflight_latest);
        } else if self.loss_round_start {
            self.loss_events_in_round = 0;
        }
    }

    pub(super) fn check_full_bw_reached(&mut self, rs: &Rs) {
        if self.full_bw_now || rs.is_app_limited {
            return;
        }
        if rs.sample_bw >= self.full_bw * FULL_BW_THRESH {
            self.reset_full_bw();
            self.full_bw = rs.sample_bw;
            return;
        }
        if self.round_start {
            self.full_bw_cnt += 1;
            self.full_bw_now = self.full_bw_cnt >= FULL_BW_CNT;
            self.full_bw_reached |= self.full_bw_now;
        }
    }

    pub(super) fn check_drain(&mut self, ack: &Delivery) {
        if self.mode == Mode::Startup && self.full_bw_reached {
            self.mode = Mode::Drain;
            self.ssthresh = self.inflight(self.max_bw());
            self.reset_congestion_signals();
        }
        if self.mode == Mode::Drain
            && self.packets_in_net_at_edt(ack.flight, ack) <= self.inflight(self.max_bw())
        {
            self.mode = Mode::ProbeBw;
            self.start_bw_probe_down();
        }
    }

    pub(super) fn update_min_rtt(&mut self, ack: &Delivery) {
        let now = jiffies(ack.now);
        let probe_rtt_expired = now > self.probe_rtt_min_stamp + PROBE_RTT_WIN;
        if let Some(rtt) = ack.sample.and_then(|rs| rs.rtt)
            && (rtt.as_nanos() < self.probe_rtt_min || probe_rtt_expired)
        {
            (self.probe_rtt_min, self.probe_rtt_min_stamp) = (rtt.as_nanos(), now);
        }
        let min_rtt_expired = now > self.min_rtt_stamp + MIN_RTT_WIN;
        if self.probe_rtt_min <= self.min_rtt || min_rtt_expired {
            (self.min_rtt, self.min_rtt_stamp) = (self.probe_rtt_min, self.probe_rtt_min_stamp);
        }
        if probe_rtt_expired && self.mode != Mode::ProbeRtt && self.idle_restart {
            self.seen.insert("PROBE_RTT put off");
        }
        if probe_rtt_expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save_cwnd();
            self.probe_rtt_done_stamp = None;
            self.ack_phase = AckPhase::ProbeStopping;
            self.next_rtt_delivered = ack.delivered;
        }
        // `rs->delivered`; nothing below reads it.
        self.idle_restart &= ack.sample.is_none();
        self.app_limited = self.mode == Mode::ProbeRtt;
        if self.mode != Mode::ProbeRtt {
            return;
        }
        if self.probe_rtt_done_stamp.is_none() && f64::from(ack.flight) <= self.probe_rtt_cwnd() {
            self.probe_rtt_done_stamp = Some(now + PROBE_RTT_MODE);
            self.probe_rtt_round_done = false;
            self.next_rtt_delivered = ack.delivered;
        } else if self.probe_rtt_done_stamp.is_some() {
            self.probe_rtt_round_done |= self.round_start;
            if self.probe_rtt_round_done {
                self.check_probe_rtt_done(ack.now);
            }
        }
    }

    pub(super) fn check_probe_rtt_done(&mut self, now: Instant) {
        if self.probe_rtt_done_stamp.is_none_or(|done| jiffies(now) <= done) {
            return;
        }
        self.probe_rtt_min_stamp = jiffies(now);
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        self.exit_probe_rtt();
    }

    fn exit_probe_rtt(&mut self) {
        self.reset_lower_bounds();
        if self.full_bw_reached {
            self.mode = Mode::ProbeBw;
            self.start_bw_probe_down();
            self.start_bw_probe_cruise();
        } else {
            self.mode = Mode::Startup;
        }
    }

    /// `bbr_bound_cwnd_for_inflight_model`
    pub(super) fn bound_cwnd_for_inflight_model(&mut self) {
        let cap = if self.mode == Mode::ProbeRtt || self.in_phase(CycleIdx::Cruise) {
            self.inflight_with_headroom()
        } else if self.mode == Mode::ProbeBw {
            self.inflight_hi
        } else {
            f64::INFINITY
        };
        self.cwnd = self.cwnd.min(cap.min(self.inflight_lo).max(CWND_MIN_TARGET));
    }
}
