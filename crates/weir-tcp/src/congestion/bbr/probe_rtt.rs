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
    /// An ACK arrives, which may begin a round. Returns true if `PROBE_RTT` is over: `lasts` and a round have passed
    /// since at most `most` segments were in flight.
    pub(in crate::congestion) fn is_over(
        &mut self,
        delivery: &Delivery,
        (rounds, round_start): (&mut Rounds, bool),
        most: f64,
        lasts: Duration,
    ) -> bool {
        let now = tick(delivery.now);
        let Some(until) = self.until else {
            if f64::from(delivery.flight) <= most {
                (self.until, self.round) = (Some(now + lasts), false);
                rounds.begin(delivery.delivered);
            }
            return false;
        };
        self.round |= round_start;
        self.round && now > until
    }
}
