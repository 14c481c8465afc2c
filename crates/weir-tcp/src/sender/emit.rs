//! What leaves: which segment, whether the window lets it go, and what its header says.

use weir_types::{Ecn, Instant};

use super::Sender;
use crate::{Flags, Segment};

impl Sender {
    /// The next segment that may leave now.
    #[inline]
    pub fn poll_segment(&mut self, now: Instant) -> Option<Segment> {
        if self.sack.is_some() {
            return self.poll_selective(now);
        }
        if self.repair {
            return self.poll_repair(now);
        }
        if !self.has_room() {
            self.window_limited = self.next - self.una >= self.window.cwnd as u32;
            return None;
        }
        self.limited += u32::from(self.next - self.una >= self.usable_window(0));
        self.burst -= 1;
        self.next += 1;
        Some(self.emit(self.next - 1, now))
    }

    /// The segment that loss recovery sends again at once, if there is one.
    #[inline]
    pub fn poll_repair(&mut self, now: Instant) -> Option<Segment> {
        if self.sack.is_some() {
            return self.poll_hole(now);
        }
        if !self.repair || self.held {
            return None;
        }
        self.repair = false;
        self.next = self.next.max(self.una + 1);
        Some(self.emit(self.una, now))
    }

    /// Whether the window lets the next segment go.
    #[inline]
    pub fn has_room(&self) -> bool {
        if self.sack.is_some() {
            return self.choice().is_some();
        }
        if self.next >= self.end || self.burst == 0 || self.held {
            return false;
        }
        // Limited transmit (RFC 3042): the first two duplicates each let one more go.
        let extra = match self.duplicates {
            extra @ 1..=2 if self.parameters.limited_transmit && !self.recovery.is_active() => extra,
            _ => 0,
        };
        self.next - self.una < self.usable_window(extra)
    }

    pub(super) fn emit(&mut self, number: u32, now: Instant) -> Segment {
        let again = number < self.high;
        let syn = number == self.first && self.parameters.handshake;
        self.high = self.high.max(number + 1);
        self.counters.sent += 1;
        self.counters.retransmitted += u64::from(again);
        if again {
            self.timed.take_if(|(timed, _)| *timed == number);
        } else if self.timed.is_none() {
            self.timed = Some((number, now));
        }
        if self.timer == Instant::MAX {
            self.restart_timer(now);
        }
        let capable = self.parameters.ecn && !syn && (!again || self.parameters.ecn_on_retransmissions);
        let tells = capable && self.reduced;
        self.reduced &= !tells;
        Segment {
            stamp: now,
            flow: self.flow,
            number,
            bytes: self.bytes_of(number, syn),
            ecn: if capable { Ecn::Ect0 } else { Ecn::NotEct },
            flags: Flags::NONE
                .with(Flags::SYN, syn)
                .with(Flags::RETRANSMISSION, again)
                .with(Flags::CWR, tells)
                .with(Flags::ALL_CAPABLE, self.parameters.congestion.asks_routers()),
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

    /// The whole part of the window, inflated in recovery, and `extra` segments, within what the
    /// receiver allows.
    #[inline]
    pub(super) fn usable_window(&self, extra: u32) -> u32 {
        if self.is_connecting() {
            return 1;
        }
        let window = (self.window.cwnd as u32).saturating_add(self.recovery.inflation() + extra);
        window.min(self.window.bound as u32)
    }
}
