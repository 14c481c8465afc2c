//! CAKE's shaper: it works by a debt in time, so that no burst needs a size.

use weir_types::{Instant, Rate};

/// When the next packet may leave.
#[derive(Debug)]
pub(super) struct Shaper {
    pub(super) rate: Rate,
    /// From this instant on all that was taken is paid for.
    next: Instant,
    /// Drops delay a packet to this instant at most. After a pause that is one and a half times the time of the packet
    /// before. In a long busy period it gets ahead of `next`, and drops may delay more.
    failsafe: Instant,
}

impl Shaper {
    pub(super) const fn new(rate: Rate) -> Self {
        Self { rate, next: Instant::ZERO, failsafe: Instant::ZERO }
    }

    /// Nothing has waited until `now`: time that was not used is lost.
    pub(super) fn wake(&mut self, now: Instant) {
        if self.next < now {
            (self.next, self.failsafe) = (now, now);
        }
    }

    /// Charges `bytes` bytes on the wire.
    pub(super) fn charge(&mut self, bytes: u32, dropped: bool) {
        let time = self.rate.time_to_send(bytes);
        self.next += time;
        if !dropped {
            self.failsafe += time + time / 2;
        }
    }

    /// Goes on with the debt of `former`.
    pub(super) const fn take_over(&mut self, former: &Self) {
        (self.next, self.failsafe) = (former.next, former.failsafe);
    }

    /// When the next packet may leave.
    pub(super) fn ready_at(&self) -> Instant {
        self.next.min(self.failsafe)
    }
}
