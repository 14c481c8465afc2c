//! How long a transfer would take if it had its path for itself and its sender knew the capacity.

use weir_types::Duration;

/// A pair of routes of a group, of one of the round trips that were drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) forward: u32,
    pub(crate) backward: u32,
    pub(crate) leg: Leg,
}

/// What bounds a transfer from below.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leg {
    /// Propagation of data, and of ACKs.
    pub(crate) there: Duration,
    pub(crate) back: Duration,
    /// Capacity of the narrowest link, access links included, in bit/s.
    pub(crate) rate: u64,
}

impl Leg {
    /// The least time from the first packet's leaving to the last one's arrival: the round trip of the
    /// handshake, if there is one, propagation, and `wire` bytes at the narrowest link.
    pub(crate) fn ideal(&self, wire: u64, handshake: bool) -> Duration {
        let sending = u128::from(wire) * 8_000_000_000 / u128::from(self.rate);
        let sending = Duration::from_nanos(u64::try_from(sending).unwrap_or(u64::MAX / 4));
        let connecting = if handshake { self.there + self.back } else { Duration::ZERO };
        connecting + self.there + sending
    }

    /// The time of a request of so many bytes from the receiver to the sender.
    pub(crate) fn request(&self, bytes: u32) -> Duration {
        self.back + Duration::from_nanos(u64::from(bytes) * 8_000_000_000 / self.rate)
    }
}
