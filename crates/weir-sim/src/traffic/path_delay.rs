//! The least possible time of a transfer: alone on its path, with a sender that knows the capacity.

use std::sync::Arc;

use weir_types::Duration;

use crate::hosts::Way;

/// The way of a group's flows for one of its round trips.
#[derive(Clone, Debug)]
pub(crate) struct TimedWay {
    pub(crate) way: Arc<Way>,
    pub(crate) delay: PathDelay,
}

/// Lower bounds of a transfer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathDelay {
    /// Propagation delay of data, and of ACKs.
    pub(crate) forward: Duration,
    pub(crate) backward: Duration,
    /// Rate of the slowest link in bit/s, including access links.
    pub(crate) rate: u64,
}

impl PathDelay {
    /// The least time from the departure of the first packet to the arrival of the last: the round trip of
    /// the handshake, if there is one, propagation delay, and `wire` bytes at the rate of the slowest link.
    pub(crate) fn ideal(&self, wire: u64, handshake: bool) -> Duration {
        let sending = u128::from(wire) * 8_000_000_000 / u128::from(self.rate);
        let sending = Duration::from_nanos(u64::try_from(sending).unwrap_or(u64::MAX / 4));
        let connecting = if handshake { self.forward + self.backward } else { Duration::ZERO };
        connecting + self.forward + sending
    }

    /// The time of a request of `bytes` from the receiver to the sender.
    pub(crate) fn request(&self, bytes: u32) -> Duration {
        self.backward + Duration::from_nanos(u64::from(bytes) * 8_000_000_000 / self.rate)
    }
}
