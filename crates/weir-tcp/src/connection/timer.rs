//! Round trips and the retransmission timer (RFC 6298).

use weir_types::Instant;

use super::{Connection, Timed};

impl Connection {
    /// The retransmission timer has expired: the next timeout is longer (RFC 6298, 5.5). All is sent again, so no
    /// round trip is timed.
    pub(crate) fn back_off(&mut self) {
        self.counters.timeouts += 1;
        if !self.is_connecting() || self.counters.timeouts > self.parameters.syn_linear_timeouts {
            self.rtt.back_off();
        }
        self.timed = Timed::NONE;
    }

    /// Takes a sample from an ACK of all below `number`, caused by a segment sent at `stamp`. It ends the back-off,
    /// unless a mark at a window of one has just called for it.
    pub(crate) fn time_round_trip(&mut self, number: u32, stamp: Instant, now: Instant) {
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
