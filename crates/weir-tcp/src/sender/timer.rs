//! Round trips and the retransmission timer (RFC 6298).

use weir_types::Instant;

use super::{Connection, connection::Timed};
use crate::{
    congestion::{Congestion, Signal},
    recovery::Recovery,
};

impl Connection {
    /// The retransmission timer has expired (RFC 6298, section 5).
    pub(super) fn expire<R: Recovery>(&mut self, recovery: &mut R, now: Instant) {
        if self.ecn.held {
            self.ecn.held = false;
            return self.restart_timer(now);
        }
        self.counters.timeouts += 1;
        let connecting = self.is_connecting();
        if !connecting || self.counters.timeouts > self.parameters.syn_linear_timeouts {
            self.rtt.back_off();
        }
        if connecting {
            // The SYN was lost: begin with one segment, the threshold untouched.
            self.window.cwnd = 1.0;
        } else {
            let again = core::mem::replace(&mut self.expired_at, self.una) == self.una;
            if again {
                self.window.cwnd = 1.0;
            } else {
                let flight = recovery.flight(self);
                self.congestion.on_timeout(Signal { now, flight }, &mut self.window);
            }
            self.ecn.tell_cwr = true;
            self.ecn.cut_by_mark = false;
            recovery.leave(self.high);
        }
        self.timed = Timed::NONE;
        recovery.on_timeout(self, now);
        self.restart_timer(now);
    }

    /// Takes a sample from an ACK of all below `number`, caused by a segment sent at `stamp`. It ends the back-off, unless a mark at a window of one has just called for it.
    pub(super) fn time_round_trip(&mut self, number: u32, stamp: Instant, now: Instant) {
        let sent = if self.parameters.timestamps { Some(stamp) } else { self.timed.take_below(number) };
        if let Some(sent) = sent {
            self.rtt.sample(now.since(sent), &self.parameters);
            if !self.ecn.held {
                self.rtt.recover();
            }
        }
    }

    /// Starts the timer again, or stops it if nothing is outstanding (RFC 6298, 5.1 to 5.3).
    #[inline]
    pub(crate) fn restart_timer(&mut self, now: Instant) {
        if self.ecn.held {
            return;
        }
        self.timer =
            if self.una < self.high { now + self.rtt.timeout(&self.parameters) } else { Instant::MAX };
    }
}
