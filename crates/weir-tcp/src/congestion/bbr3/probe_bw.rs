//! Probes of the bandwidth: the phases of `PROBE_BW`, and the greatest flight that they find safe.

use weir_types::{Duration, Instant};

use super::{
    Bbr3, Delivery, RateSample,
    state::{Acks, Mode, Phase},
};

impl Bbr3 {
    /// Rate and window change with the phase (`bbr_set_cycle_idx`).
    const fn begin_phase(&mut self, phase: Phase) {
        self.mode = Mode::ProbeBw(phase);
        self.try_fast_path = false;
    }

    /// The queue drains after a probe. How long to wait for the next is drawn, so that flows do not probe together
    /// (`bbr_start_bw_probe_down`, `bbr_pick_probe_wait`).
    pub(super) fn begin_down(&mut self, now: Instant, delivered: u64) {
        self.reset_signals();
        self.up_each = f64::INFINITY;
        self.rounds_since_probe = u32::from(self.random.uniform() < 0.5);
        let spread = self.parameters.probe_spread.as_secs_f64() * self.random.uniform();
        self.wait = self.parameters.probe_wait + Duration::from_nanos((spread * 1e9) as u64);
        self.phase_at = now;
        self.acks = Acks::Stopping;
        self.rounds.begin(delivered);
        self.begin_phase(Phase::Down);
    }

    /// The queue has drained (`bbr_start_bw_probe_cruise`).
    pub(super) fn begin_cruise(&mut self) {
        if self.bounds.inflight_lo.is_finite() {
            self.bounds.inflight_lo = self.bounds.inflight_lo.min(self.bounds.inflight_hi);
        }
        self.begin_phase(Phase::Cruise);
    }

    /// Fills the pipe once before more is sent; UP will grow as if `up_rounds` of it had passed
    /// (`bbr_start_bw_probe_refill`).
    fn begin_refill(&mut self, up_rounds: i32, delivered: u64) {
        self.bounds.reset_lower();
        (self.up_rounds, self.up_acked) = (up_rounds, 0.0);
        self.risky = false;
        self.acks = Acks::Refilling;
        self.rounds.begin(delivered);
        self.begin_phase(Phase::Refill);
    }

    /// Sends more than the bandwidth (`bbr_start_bw_probe_up`).
    fn begin_up(&mut self, delivery: &Delivery, bw: f64) {
        self.acks = Acks::Starting;
        self.rounds.begin(delivery.delivered);
        self.phase_at = delivery.now;
        self.reset_full_bw(bw);
        self.begin_phase(Phase::Up);
        self.raise_slope();
    }

    /// `inflight_hi` grows by twice as much in the next round (`bbr_raise_inflight_hi_slope`).
    fn raise_slope(&mut self) {
        self.up_each = libm::floor(libm::ldexp(self.cwnd, -self.up_rounds)).max(1.0);
        self.up_rounds = (self.up_rounds + 1).min(30);
    }

    /// Too many losses or marks, with `flight` segments in flight: once per probe they bound it
    /// (`bbr_handle_inflight_too_high`).
    pub(super) fn bound_flight(&mut self, flight: f64, app_limited: bool, now: Instant, delivered: u64) {
        (self.too_high, self.probing) = (true, false);
        if !app_limited {
            let least = libm::floor(self.target_inflight() * (1.0 - self.parameters.beta));
            self.bounds.inflight_hi = flight.max(least);
        }
        if self.mode == Mode::ProbeBw(Phase::Up) {
            self.begin_down(now, delivered);
        }
    }

    /// Moves `inflight_hi`, as samples of a probe say (`bbr_adapt_upper_bounds`). Returns true if that has begun
    /// another phase.
    fn adapt_upper(&mut self, delivery: &Delivery, sample: &RateSample) -> bool {
        if self.acks == Acks::Starting && self.round_start {
            self.acks = Acks::Feedback;
        }
        let probes_bw = matches!(self.mode, Mode::ProbeBw(_));
        if self.acks == Acks::Stopping && self.round_start {
            (self.probing, self.acks) = (false, Acks::Init);
            if probes_bw && !sample.app_limited && self.max_bw[1] > 0.0 {
                self.max_bw = [self.max_bw[1], 0.0];
            }
            if probes_bw && self.risky && !self.too_high {
                self.begin_refill(0, delivery.delivered);
                return true;
            }
        }
        if self.is_too_high(sample) {
            if self.probing {
                let flight = f64::from(sample.flight);
                self.bound_flight(flight, sample.app_limited, delivery.now, delivery.delivered);
            }
        } else if self.bounds.inflight_hi.is_finite() {
            self.bounds.inflight_hi = self.bounds.inflight_hi.max(f64::from(sample.flight));
            if self.mode == Mode::ProbeBw(Phase::Up) {
                self.raise_flight(delivery);
            }
        }
        false
    }

    /// A probe without too many losses: `inflight_hi` grows, if it is in full use (`bbr_probe_inflight_hi_upward`).
    fn raise_flight(&mut self, delivery: &Delivery) {
        if !delivery.full || self.cwnd < self.bounds.inflight_hi {
            return;
        }
        self.up_acked += f64::from(delivery.newly);
        let more = libm::floor(self.up_acked / self.up_each);
        if more >= 1.0 {
            self.up_acked -= more * self.up_each;
            self.bounds.inflight_hi += more;
            self.try_fast_path = false;
        }
        if self.round_start {
            self.raise_slope();
        }
    }

    /// Returns how many rounds of growth the next probe skips, if it is time for it (`bbr_check_time_to_probe_bw`).
    /// It is after a drawn time, or as soon as Reno would have grown by a segment per round to the same window. Marks
    /// that have ceased make it earlier.
    fn rounds_of_next_probe(&self, now: Instant) -> Option<i32> {
        let early = self.ecn.as_ref().and_then(|ecn| ecn.rounds_of_early_probe(self.bounds.inflight_hi));
        let rounds = f64::from(self.parameters.probe_rounds).min(self.target_inflight());
        let is_time = now > self.phase_at + self.wait || f64::from(self.rounds_since_probe) >= rounds;
        early.or_else(|| is_time.then_some(0))
    }

    /// The next phase, if it is its turn (`bbr_update_cycle_phase`).
    pub(super) fn update_phase(&mut self, delivery: &Delivery, sample: &RateSample, bw: f64) {
        if !self.full_pipe || self.adapt_upper(delivery, sample) {
            return;
        }
        let Mode::ProbeBw(phase) = self.mode else { return };
        let flight = self.packets_in_net_at_edt(delivery.flight_before, delivery);
        if matches!(phase, Phase::Cruise | Phase::Down)
            && let Some(up_rounds) = self.rounds_of_next_probe(delivery.now)
        {
            return self.begin_refill(up_rounds, delivery.delivered);
        }
        match phase {
            Phase::Down if flight <= self.with_headroom() && flight <= self.inflight(self.max_bw()) => {
                self.begin_cruise();
            }
            Phase::Refill if self.round_start => {
                self.probing = true;
                self.begin_up(delivery, bw);
            }
            Phase::Up => {
                self.risky |= self.too_high && flight >= self.bounds.inflight_hi;
                let over = if self.risky {
                    true
                } else if delivery.full && self.cwnd >= self.bounds.inflight_hi {
                    self.reset_full_bw(bw);
                    false
                } else {
                    self.full_now
                };
                if over {
                    self.too_high = false;
                    self.begin_down(delivery.now, delivery.delivered);
                }
            }
            Phase::Cruise | Phase::Down | Phase::Refill => {}
        }
    }
}
