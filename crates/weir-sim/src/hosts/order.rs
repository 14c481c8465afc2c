//! The order of packets at one instant.

use weir_types::Instant;

/// The kind of event that makes an endpoint send. At the same instant, the order of declaration decides: packets are
/// worked out before timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    /// A packet has arrived.
    Packet,
    /// A bulk flow begins.
    Start,
    /// The jitter of a sender is over.
    SendLater,
    /// A retransmission timer expires.
    Timer,
    /// A delayed ACK is due.
    DelayedAck,
    /// A generator begins a flow or sends a datagram.
    Generator,
}

/// The turn of a packet among those that reach the same port: first by its arrival, then by what sent it. It
/// does not depend on when the simulation worked that out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Turn {
    /// The arrival.
    pub(crate) due: Instant,
    /// The instant at which it was sent, and in the lowest bits the cause.
    sent: u64,
    /// See [`Origin`].
    number: u64,
}

impl Turn {
    /// After all others.
    pub(super) const NEVER: Self = Self { due: Instant::MAX, sent: u64::MAX, number: u64::MAX };
}

/// Bits of [`Turn::sent`] for the cause; the rest are nanoseconds, for 73 years.
const CAUSE_BITS: u32 = 3;

/// The event that makes an endpoint send.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    cause: Cause,
    /// For a packet: the time at which it left its last port, and that port. Otherwise the index of the flow or
    /// generator, beyond all packets: an ACK that was delayed follows those that packets of the same instant have
    /// caused.
    pub(crate) number: u64,
}

/// Bits of [`Origin::number`] for the port; the rest are nanoseconds, for four years.
const PORT_BITS: u32 = 6;

/// Beyond the number of any packet.
const BEYOND_PACKETS: u64 = 1 << 63;

impl Origin {
    #[inline]
    pub(crate) const fn new(cause: Cause, index: u32) -> Self {
        Self { cause, number: BEYOND_PACKETS | index as u64 }
    }

    /// A packet that left its last port, `port`, at `at` has arrived.
    #[inline]
    pub(crate) const fn packet(at: Instant, port: u32) -> Self {
        Self {
            cause: Cause::Packet,
            number: at.as_nanos() << PORT_BITS | (port as u64 & ((1 << PORT_BITS) - 1)),
        }
    }

    /// The packet that this origin has sent arrives.
    pub(crate) const fn of_arrival(self) -> Self {
        Self { cause: Cause::Packet, number: self.number }
    }

    /// The turn of what is sent at `now` and arrives at `due`.
    #[inline]
    pub(crate) const fn turn(self, now: Instant, due: Instant) -> Turn {
        Turn { due, sent: now.as_nanos() << CAUSE_BITS | self.cause as u64, number: self.number }
    }
}
