//! What the header of a segment that leaves says.

use weir_types::{Ecn, Instant};

use super::Connection;
use crate::{Flags, Segment, congestion::Congestion};

impl Connection {
    /// Segment `number` leaves.
    #[inline]
    pub(crate) fn emit(&mut self, number: u32, now: Instant) -> Segment {
        if number < self.high || number == self.first {
            return self.emit_special(number, now);
        }
        self.emit_new(number, now)
    }

    /// Segment `number` leaves for the first time, and is not the first of its connection.
    #[inline]
    pub(crate) fn emit_new(&mut self, number: u32, now: Instant) -> Segment {
        self.emit_as(number, now, false, false)
    }

    /// The first segment leaves, or one that was sent before.
    #[inline(never)]
    fn emit_special(&mut self, number: u32, now: Instant) -> Segment {
        let syn = number == self.first && self.parameters.handshake;
        self.emit_as(number, now, syn, number < self.high)
    }

    /// Segment `number` leaves, as the SYN or not, `again` or for the first time.
    #[expect(clippy::inline_always, reason = "for new data the questions are answered when it is compiled")]
    #[inline(always)]
    fn emit_as(&mut self, number: u32, now: Instant, syn: bool, again: bool) -> Segment {
        self.counters.sent += 1;
        if again {
            self.counters.retransmitted += 1;
            self.timed.forget(number);
        } else {
            self.high = number + 1;
            self.timed.begin(number, now);
        }
        if self.timer == Instant::MAX {
            self.restart_timer(now);
        }
        let capable = self.ecn.capable && !syn && (!again || self.parameters.ecn_on_retransmissions);
        let cwr = capable && self.ecn.tell_cwr;
        if cwr {
            self.ecn.tell_cwr = false;
        }
        self.congestion.on_sent(number, now);
        Segment {
            stamp: now,
            flow: self.flow,
            number,
            bytes: self.bytes_of(number, syn),
            ecn: if capable { Ecn::Ect0 } else { Ecn::NotEct },
            flags: Flags::NONE
                .with(Flags::SYN, syn)
                .with(Flags::RETRANSMISSION, again)
                .with(Flags::CWR, cwr)
                .with(Flags::ALL_CAPABLE, self.ecn.asks_routers),
            blocks: 0,
        }
    }

    /// Bytes on the wire of a segment.
    #[inline]
    fn bytes_of(&self, number: u32, syn: bool) -> u32 {
        if syn {
            self.parameters.ack_size.bytes()
        } else if number + 1 == self.end {
            self.last_bytes
        } else {
            self.bytes
        }
    }
}
