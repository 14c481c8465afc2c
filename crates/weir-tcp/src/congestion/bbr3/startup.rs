//! STARTUP, which ends when the pipe is full or its queue too long, and DRAIN.

use super::{Bbr3, Delivery, Mode, RateSample, RecoveryState, Window};

/// The pipe is full if the bandwidth grows by less in three rounds.
const FULL_GROWTH: f64 = 1.25;

impl Bbr3 {
    /// Too many losses end STARTUP, at the end of a round in recovery.
    pub(super) fn check_startup_losses(&mut self, delivery: &Delivery, sample: &RateSample) {
        if self.full_pipe {
            return;
        }
        self.loss_events += u32::from(delivery.lost > 0);
        let many = delivery.state == RecoveryState::Recovery
            && self.loss_events >= self.parameters.full_loss_count
            && self.is_too_high(sample);
        if self.bounds.round_start && many {
            self.fill_pipe();
        } else if self.bounds.round_start {
            self.loss_events = 0;
        }
    }

    /// The queue is too long: the pipe is full, and what is in flight is enough
    /// (`bbr_handle_queue_too_high_in_startup`).
    pub(super) fn fill_pipe(&mut self) {
        self.full_pipe = true;
        self.bounds.inflight_hi = self.inflight(self.max_bw()).max(self.bounds.inflight_latest);
    }

    pub(super) fn reset_full_bw(&mut self, bw: f64) {
        (self.full_bw, self.full_rounds, self.full_now) = (bw, 0, false);
    }

    /// The pipe is full if the bandwidth has grown by less than a quarter in three rounds
    /// (`bbr_check_full_bw_reached`).
    pub(super) fn check_full_pipe(&mut self, sample: &RateSample, bw: f64) {
        if self.full_now || sample.app_limited {
            return;
        }
        if bw >= self.full_bw * FULL_GROWTH {
            self.reset_full_bw(bw);
        } else if self.round_start {
            self.full_rounds += 1;
            self.full_now = self.full_rounds >= 3;
            self.full_pipe |= self.full_now;
        }
    }

    /// STARTUP ends when the pipe is full, DRAIN when no queue is left (`bbr_check_drain`).
    pub(super) fn check_drain(&mut self, delivery: &Delivery, window: &mut Window) {
        if self.mode == Mode::Startup && self.full_pipe {
            self.mode = Mode::Drain;
            window.ssthresh = self.inflight(self.max_bw());
            self.reset_signals();
        }
        if self.mode == Mode::Drain
            && self.packets_in_net_at_edt(delivery.flight, delivery) <= self.inflight(self.max_bw())
        {
            self.begin_down(delivery.now, delivery.delivered);
        }
    }
}
