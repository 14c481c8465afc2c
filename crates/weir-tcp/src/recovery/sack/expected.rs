//! The fast path of the usual ACK: see [`crate::sender`].

use core::ops::Range;

use weir_types::Instant;

use super::Sack;
use crate::{connection::Connection, recovery::Recovery};

impl Sack {
    /// No loss is suspected or repaired.
    #[inline]
    pub(crate) fn repairs_nothing(&self) -> bool {
        !self.active
            && !self.reducing
            && !self.forced
            && self.probe.is_none()
            && self.limited == 0
            && self.board.is_at_rest()
            && self.rack.as_ref().is_none_or(|rack| rack.is_at_rest(&self.board))
    }

    /// At rest: whether an ACK of all below `number` covers the segment that caused it, sent at `stamp`.
    #[inline]
    pub(crate) fn covers_cause(&self, number: u32, stamp: Instant) -> bool {
        let acked = number - self.board.una();
        self.rack.as_ref().is_none_or(|rack| rack.sent_none_before(acked, stamp))
    }

    /// The segments below `number` are the first that are outstanding, and have arrived; one of them, sent at `stamp`,
    /// caused the ACK.
    #[inline]
    pub(crate) fn advance(&mut self, number: u32, stamp: Instant, now: Instant) {
        let acked = number - self.board.una();
        self.board.advance(number);
        if let Some(rack) = &mut self.rack {
            rack.advance(acked, stamp, now);
        }
    }

    /// An ACK of all below `number`, at rest, before the sender takes it in.
    #[inline(never)]
    pub(crate) fn on_expected(
        &mut self,
        connection: &mut Connection,
        number: u32,
        echo: bool,
        stamp: Instant,
        now: Instant,
    ) {
        self.advance(number, stamp, now);
        connection.inform(number, echo, stamp, now);
    }

    /// These segments leave, new ones.
    #[inline]
    pub(crate) fn sent_row(&mut self, numbers: Range<u32>, now: Instant) {
        self.board.sent(numbers.end);
        if let Some(rack) = &mut self.rack {
            rack.sent_row(numbers, now);
        }
    }

    /// The segments from `first` on have left, and the retransmission timer is set. Returns when the sender is
    /// due.
    #[inline(never)]
    pub(crate) fn after_expected(&mut self, connection: &Connection, first: u32, now: Instant) -> Instant {
        self.sent_row(first..connection.high, now);
        self.arm_probe_afresh(connection, now);
        connection.timer.min(self.due())
    }
}
