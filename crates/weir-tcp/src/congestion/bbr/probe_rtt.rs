//! How long `PROBE_RTT` lasts.

use weir_types::{Duration, Instant};

use super::{Rounds, tick};
use crate::congestion::Delivery;

/// A time with little in flight, so that the least round trip can be seen again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::congestion) struct ProbeRtt {
    /// When it may end; `None` before the flight is small enough.
    until: Option<Instant>,
    /// A round has ended since.
    round: bool,
}

impl ProbeRtt {
    /// It has lasted long enough (`bbr_check_probe_rtt_done`).
    pub(in crate::congestion) fn has_lasted(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| tick(now) > until)
    }

    /// An ACK arrives, which may begin a round. Returns true if `PROBE_RTT` is over: `lasts` and a round have passed
    /// since at most `most` segments were in flight.
    pub(in crate::congestion) fn is_over(
        &mut self,
        delivery: &Delivery,
        (rounds, round_start): (&mut Rounds, bool),
        most: f64,
        lasts: Duration,
    ) -> bool {
        if self.until.is_none() {
            if f64::from(delivery.flight) <= most {
                (self.until, self.round) = (Some(tick(delivery.now) + lasts), false);
                rounds.begin(delivery.delivered);
            }
            return false;
        }
        self.round |= round_start;
        self.round && self.has_lasted(delivery.now)
    }
}
