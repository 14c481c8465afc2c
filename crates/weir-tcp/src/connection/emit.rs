//! Headers of the segments that leave.

use core::ops::Range;

use weir_types::Instant;

use super::Connection;
use crate::{Declared, Flags, Header, Segment};

impl Connection {
    /// Segment `number` leaves.
    #[inline]
    pub(crate) fn emit(&mut self, number: u32, now: Instant) -> Segment {
        if number < self.high || number == self.first {
            return self.emit_special(number, now);
        }
        self.emit_segment(number, now, false, false)
    }

    /// The segments from `next` to below `limit` leave for the first time, none of them the first of its
    /// connection, in rows. The retransmission timer is left to the caller. Returns the number to send next.
    #[expect(clippy::inline_always, reason = "what is sent goes straight to its place")]
    #[inline(always)]
    pub(crate) fn emit_row(&mut self, limit: u32, now: Instant, mut send: impl FnMut(Segment)) -> u32 {
        let first = self.next;
        if first >= limit {
            return first;
        }
        (self.next, self.high) = (limit, limit);
        self.timed.begin(first, now);
        let mut number = first;
        while number < limit {
            let tells_cwr = self.ecn.tell_cwr && self.ecn.capable;
            let is_plain = limit != self.end && !tells_cwr;
            let (header, next) = if is_plain && number + 1 == limit {
                (self.header, limit)
            } else if is_plain && let Ok(more) = u16::try_from(limit - number - 1) {
                (self.header.with_options(more), limit)
            } else {
                self.row(number..limit, now)
            };
            send(Segment { stamp: now, flow: self.flow, number, header });
            number = next;
        }
        limit
    }

    /// The header of a row of the first of these segments, and the number that follows the row.
    #[cold]
    fn row(&mut self, mut numbers: Range<u32>, now: Instant) -> (Header, u32) {
        let cwr = self.takes_cwr(self.ecn.capable);
        let mut row = self.segment(numbers.start, now, cwr, false, false);
        numbers.start += 1;
        let next = numbers.find(|number| !row.append(&self.segment(*number, now, false, false, false)));
        (row.header, next.unwrap_or(numbers.end))
    }

    /// The first segment leaves, or one that was sent before.
    #[inline(never)]
    fn emit_special(&mut self, number: u32, now: Instant) -> Segment {
        let syn = number == self.first && self.parameters.handshake;
        self.emit_segment(number, now, syn, number < self.high)
    }

    /// Segment `number` leaves, as the SYN or not, `again` or for the first time.
    #[expect(clippy::inline_always, reason = "for new data the questions are answered when it is compiled")]
    #[inline(always)]
    fn emit_segment(&mut self, number: u32, now: Instant, syn: bool, again: bool) -> Segment {
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
        let cwr = self.takes_cwr(self.may_tell_cwr(syn, again));
        self.segment(number, now, cwr, syn, again)
    }

    /// Returns true if a segment may tell that the window was cut: new data (RFC 3168, section 6.1.2), and in ns-2
    /// what is sent again.
    #[inline]
    fn may_tell_cwr(&self, syn: bool, again: bool) -> bool {
        self.ecn.capable && !syn && (!again || self.parameters.ecn_on_retransmissions == Some(true))
    }

    /// Returns true, once for each cut, if a segment that `may` tell of the cut leaves.
    #[inline]
    const fn takes_cwr(&mut self, may: bool) -> bool {
        let cwr = may && self.ecn.tell_cwr;
        if cwr {
            self.ecn.tell_cwr = false;
        }
        cwr
    }

    /// Builds segment `number` with its header.
    #[expect(clippy::inline_always, reason = "for new data the questions are answered when it is compiled")]
    #[inline(always)]
    fn segment(&self, number: u32, now: Instant, cwr: bool, syn: bool, again: bool) -> Segment {
        let mut header = self.header;
        if syn {
            header = header.with_bytes(self.parameters.ack_size.bytes());
        } else if number + 1 == self.end {
            header = header.with_bytes(self.last_bytes);
        }
        if syn || again || cwr {
            let told =
                Flags::NONE.with(Flags::SYN, syn).with(Flags::RETRANSMISSION, again).with(Flags::CWR, cwr);
            header = header.with_flags(told.with(Flags::ALL_CAPABLE, self.ecn.asks_routers));
        }
        if syn || again {
            header =
                header.with_ecn(if syn { Declared::at_first(&self.parameters).syn } else { self.ecn.again });
        }
        Segment { stamp: now, flow: self.flow, number, header }
    }
}
