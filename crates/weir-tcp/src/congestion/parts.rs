//! Parts that several congestion controls share.

use super::Ack;

/// Tells rounds apart: a round ends with the ACK of what was first sent in it (RFC 8257, RFC 9406).
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    end: u32,
}

impl Round {
    /// Before the first round.
    pub(super) const BEGIN: Self = Self { end: 0 };

    /// Returns true if this ACK ends the round; the next begins with it.
    #[inline]
    pub(super) fn ends(&mut self, ack: &Ack) -> bool {
        let over = ack.una > self.end;
        if over {
            self.end = ack.high;
        }
        over
    }
}

/// A window that grows by whole segments, as in a TCP without fractions: by one for every `per` that are
/// acknowledged (RFC 5681, section 3.1, by RFC 3465; Linux).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Credits {
    /// Acknowledged and not yet worth a segment.
    count: f64,
}

impl Credits {
    /// `counted` more are acknowledged.
    #[inline]
    pub(super) fn grow(&mut self, counted: f64, per: f64, cwnd: &mut f64) {
        if self.count >= per {
            // Gathered while `per` was larger: they count as one segment.
            self.count = 0.0;
            *cwnd += 1.0;
        }
        self.count += counted;
        if self.count < per {
            return;
        }
        let steps = libm::floor(self.count / per);
        self.count -= steps * per;
        *cwnd += steps;
    }

    /// The window was cut.
    pub(super) const fn clear(&mut self) {
        self.count = 0.0;
    }
}
