//! Round trips and the retransmission timer (RFC 6298).

use weir_types::Instant;

use super::Sender;
use crate::{
    Segment,
    congestion::{Congestion, Signal},
};

impl Sender {
    /// The timer that [`Sender::timeout`] announced has expired.
    pub fn on_timeout(&mut self, now: Instant) {
        if self.timer > now {
            return self.on_selective_timeout(now);
        }
        if self.held {
            self.held = false;
            return self.restart_timer(now);
        }
        self.counters.timeouts += 1;
        if !self.is_connecting() || self.counters.timeouts > u64::from(self.parameters.steady_syns) {
            self.rtt.back_off();
        }
        if self.is_connecting() {
            // The SYN was lost: begin with one segment, the threshold untouched.
            self.window.cwnd = 1.0;
        } else {
            let again = self.expired_at.replace(self.una) == Some(self.una);
            if again {
                self.window.cwnd = 1.0;
            } else {
                let flight = self.flight();
                self.congestion.on_timeout(Signal { now, flight }, &mut self.window);
            }
            self.reduced = true;
            self.cut_by_mark = false;
            self.recovery.leave();
            self.recovery.cut(self.high);
        }
        self.duplicates = 0;
        self.limited = 0;
        self.repair = false;
        self.timed = None;
        self.burst = u32::MAX;
        match &mut self.sack {
            None => self.next = self.una,
            Some(sack) => sack.expire(now),
        }
        self.restart_timer(now);
    }

    /// When [`Sender::on_timeout`] is due; [`Instant::MAX`] while nothing is outstanding.
    #[inline]
    pub fn timeout(&self) -> Instant {
        match &self.sack {
            None => self.timer,
            Some(sack) => self.timer.min(sack.due()),
        }
    }

    /// Takes a sample, which ends the back-off, unless a mark at a window of one has just called
    /// for it.
    pub(super) fn time_round_trip(&mut self, ack: &Segment, now: Instant) {
        let sent = if self.parameters.timestamps {
            Some(ack.stamp)
        } else {
            self.timed.take_if(|(number, _)| *number < ack.number).map(|(_, sent)| sent)
        };
        if let Some(sent) = sent {
            self.rtt.sample(now.since(sent), &self.parameters);
            if !self.held {
                self.rtt.recover();
            }
        }
    }

    /// Starts the timer anew, or stops it if nothing is outstanding (RFC 6298, 5.1 to 5.3).
    #[inline]
    pub(super) fn restart_timer(&mut self, now: Instant) {
        if self.held {
            return;
        }
        self.timer =
            if self.una < self.high { now + self.rtt.timeout(&self.parameters) } else { Instant::MAX };
    }
}
