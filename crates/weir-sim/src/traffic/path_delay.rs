//! The least possible time of a transfer: alone on its path, with a sender that knows the capacity.

use std::sync::Arc;

use weir_aqm::Service;
use weir_types::{Duration, Instant};

use crate::hosts::Way;

/// The way of a group's flows for one of its round trips.
#[derive(Clone, Debug)]
pub(crate) struct TimedWay {
    pub(crate) way: Arc<Way>,
    pub(crate) delay: PathDelay,
}

/// Lower bounds of a transfer.
#[derive(Clone, Debug)]
pub(crate) struct PathDelay {
    /// Propagation delay of data, and of ACKs.
    pub(crate) forward: Duration,
    pub(crate) backward: Duration,
    /// Rate of the slowest link in bit/s when the run begins, including access links.
    pub(crate) rate: u64,
    /// Rate of the slowest link whose rate never changes, in bit/s; none if there are none.
    pub(crate) fixed: Option<u64>,
    /// The other links, with the propagation delay before each.
    pub(crate) varying: Box<[(Duration, Service)]>,
}

impl PathDelay {
    /// The least time from the departure of the first packet, at `begun`, to the arrival of the last. It is the
    /// propagation delay, and `wire` bytes over the link that takes longest for them, from `begun` on. The round
    /// trip of the handshake is added, if there is one.
    pub(crate) fn ideal(&self, wire: u64, handshake: bool, begun: Instant) -> Duration {
        let sending = self.fixed.map_or(0, |rate| u128::from(wire) * 8_000_000_000 / u128::from(rate));
        let sending = Duration::from_nanos(u64::try_from(sending).unwrap_or(u64::MAX / 4));
        let connecting = if handshake { self.forward + self.backward } else { Duration::ZERO };
        let over = |(before, service): &(Duration, Service)| {
            let arrives = begun + connecting + *before;
            service.earliest(arrives, wire).since(arrives)
        };
        let sending = self.varying.iter().map(over).fold(sending, Duration::max);
        connecting + self.forward + sending
    }

    /// The time of a request of `bytes` from the receiver to the sender.
    pub(crate) fn request(&self, bytes: u32) -> Duration {
        self.backward + Duration::from_nanos(u64::from(bytes) * 8_000_000_000 / self.rate)
    }
}
