//! Phases of `PROBE_BW`, and the upper bound that probes find.

use super::{
    AckPhase, BETA, BW_PROBE_BASE, BW_PROBE_MAX_ROUNDS, BW_PROBE_RAND, BW_PROBE_RAND_ROUNDS, Bbr, CycleIdx,
    Delivery, Mode, Rs,
};

impl Bbr {
    /// `bbr_set_cycle_idx`
    const fn set_cycle_idx(&mut self, cycle_idx: CycleIdx) {
        self.cycle_idx = cycle_idx;
        self.try_fast_path = false;
    }

    /// Each round of UP doubles the growth of `inflight_hi`.
    fn raise_inflight_hi_slope(&mut self) {
        let growth_this_round = f64::from(1_u32 << self.bw_probe_up_rounds);
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(30);
        self.bw_probe_up_cnt = (self.cwnd / growth_this_round).floor().max(1.0);
    }

    fn probe_inflight_hi_upward(&mut self, rs: &Rs) {
        if !self.tp.2 || self.cwnd < self.inflight_hi {
            return;
        }
        self.bw_probe_up_acks += rs.acked_sacked;
        if self.bw_probe_up_acks >= self.bw_probe_up_cnt {
            let delta = (self.bw_probe_up_acks / self.bw_probe_up_cnt).floor();
            self.bw_probe_up_acks -= delta * self.bw_probe_up_cnt;
            self.inflight_hi += delta;
            self.try_fast_path = false;
        }
        if self.round_start {
            self.raise_inflight_hi_slope();
        }
    }

    fn pick_probe_wait(&mut self) {
        // Of two rounds at most: a coin, whose lower half Weir reads as 1.
        self.rounds_since_probe = u32::from(self.random.uniform() < 1.0 / BW_PROBE_RAND_ROUNDS);
        self.probe_wait = BW_PROBE_BASE + BW_PROBE_RAND * self.random.uniform();
    }

    fn start_bw_probe_refill(&mut self, bw_probe_up_rounds: u32) {
        self.reset_lower_bounds();
        self.bw_probe_up_rounds = bw_probe_up_rounds;
        self.bw_probe_up_acks = 0.0;
        self.stopped_risky_probe = false;
        self.ack_phase = AckPhase::Refilling;
        self.next_rtt_delivered = self.tp.1;
        self.set_cycle_idx(CycleIdx::Refill);
    }

    fn start_bw_probe_up(&mut self, rs: &Rs) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.next_rtt_delivered = self.tp.1;
        self.cycle_mstamp = self.tp.0;
        self.reset_full_bw();
        self.full_bw = rs.sample_bw;
        self.set_cycle_idx(CycleIdx::Up);
        self.raise_inflight_hi_slope();
    }

    pub(super) fn start_bw_probe_down(&mut self) {
        self.reset_congestion_signals();
        self.bw_probe_up_cnt = f64::INFINITY;
        self.pick_probe_wait();
        self.cycle_mstamp = self.tp.0;
        self.ack_phase = AckPhase::ProbeStopping;
        self.next_rtt_delivered = self.tp.1;
        self.set_cycle_idx(CycleIdx::Down);
    }

    pub(super) const fn start_bw_probe_cruise(&mut self) {
        if self.inflight_lo.is_finite() {
            self.inflight_lo = self.inflight_lo.min(self.inflight_hi);
        }
        self.set_cycle_idx(CycleIdx::Cruise);
    }

    pub(super) fn handle_inflight_too_high(&mut self, rs: &Rs) {
        self.prev_probe_too_high = true;
        self.bw_probe_samples = false;
        if !rs.is_app_limited {
            self.inflight_hi = rs.tx_in_flight.max((self.target_inflight() * (1.0 - BETA)).floor());
        }
        if self.in_phase(CycleIdx::Up) {
            self.start_bw_probe_down();
        }
    }

    /// Returns true if it has decided on the next phase.
    fn adapt_upper_bounds(&mut self, rs: &Rs) -> bool {
        if self.ack_phase == AckPhase::ProbeStarting && self.round_start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.round_start {
            self.bw_probe_samples = false;
            self.ack_phase = AckPhase::Init;
            if self.mode == Mode::ProbeBw && !rs.is_app_limited {
                self.advance_max_bw_filter();
            }
            if self.mode == Mode::ProbeBw && self.stopped_risky_probe && !self.prev_probe_too_high {
                self.start_bw_probe_refill(0);
                return true;
            }
        }
        if Self::is_inflight_too_high(rs) {
            if self.bw_probe_samples {
                self.handle_inflight_too_high(rs);
            }
        } else if self.inflight_hi.is_finite() {
            self.inflight_hi = self.inflight_hi.max(rs.tx_in_flight);
            if self.in_phase(CycleIdx::Up) {
                self.probe_inflight_hi_upward(rs);
            }
        }
        false
    }

    /// After a random time, or after as many rounds as Reno would need; then REFILL begins.
    fn check_time_to_probe_bw(&mut self) -> bool {
        let elapsed = (self.tp.0 - self.cycle_mstamp) as f64;
        let rounds = self.target_inflight().min(BW_PROBE_MAX_ROUNDS);
        let is_time = elapsed > self.probe_wait || f64::from(self.rounds_since_probe) >= rounds;
        if is_time {
            self.start_bw_probe_refill(0);
        }
        is_time
    }

    pub(super) fn update_cycle_phase(&mut self, rs: &Rs, ack: &Delivery) {
        if !self.full_bw_reached || self.adapt_upper_bounds(rs) || self.mode != Mode::ProbeBw {
            return;
        }
        let inflight = self.packets_in_net_at_edt(ack.flight_before, ack);
        match self.cycle_idx {
            CycleIdx::Cruise => {
                self.check_time_to_probe_bw();
            }
            CycleIdx::Refill => {
                if self.round_start {
                    self.bw_probe_samples = true;
                    self.start_bw_probe_up(rs);
                }
            }
            CycleIdx::Up => {
                let mut is_bw_probe_done = false;
                if self.prev_probe_too_high && inflight >= self.inflight_hi {
                    self.stopped_risky_probe = true;
                    is_bw_probe_done = true;
                } else if self.tp.2 && self.cwnd >= self.inflight_hi {
                    self.reset_full_bw();
                    self.full_bw = rs.sample_bw;
                } else if self.full_bw_now {
                    is_bw_probe_done = true;
                }
                if is_bw_probe_done {
                    self.prev_probe_too_high = false;
                    self.start_bw_probe_down();
                }
            }
            CycleIdx::Down => {
                if !self.check_time_to_probe_bw()
                    && inflight <= self.inflight_with_headroom()
                    && inflight <= self.inflight(self.max_bw())
                {
                    self.start_bw_probe_cruise();
                }
            }
        }
    }
}
