//! What several window laws have in common.

use super::Ack;

/// Tells rounds apart: a round ends with the ACK of what was first sent in it (RFC 8257, RFC 9406).
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    end: u32,
}

impl Round {
    /// Before the first round.
    pub(super) const BEGIN: Self = Self { end: 0 };

    /// Whether this ACK ends the round; the next begins with it.
    #[inline]
    pub(super) fn ends(&mut self, ack: &Ack) -> bool {
        let over = ack.una > self.end;
        if over {
            self.end = ack.high;
        }
        over
    }
}
