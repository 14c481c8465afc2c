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

/// Numbers of packets: the time at which they left their last port, and in the lowest bits that port. A scenario whose
/// run is too long for it is refused: [`weir_scenario::longest_run`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PacketOrder {
    port_bits: u32,
}

impl PacketOrder {
    /// The order among packets of so many ports.
    pub(crate) const fn among(ports: usize) -> Self {
        Self { port_bits: ports.next_power_of_two().trailing_zeros() }
    }

    /// A packet that left its last port, `port`, at `at` has arrived.
    #[inline]
    pub(crate) const fn packet(self, at: Instant, port: u32) -> Origin {
        Origin { cause: Cause::Packet, number: at.as_nanos() << self.port_bits | port as u64 }
    }
}

/// Beyond the number of any packet.
const BEYOND_PACKETS: u64 = 1 << 63;

impl Origin {
    #[inline]
    pub(crate) const fn new(cause: Cause, index: u32) -> Self {
        Self { cause, number: BEYOND_PACKETS | index as u64 }
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

#[cfg(test)]
mod tests {
    use weir_scenario::longest_run;
    use weir_types::Duration;

    use super::*;

    /// However many ports there are, packets that left two of them at one instant have no tie, and the earlier comes
    /// first.
    #[test]
    fn packets_of_any_two_ports_have_an_order() {
        for ports in [1_u32, 2, 64, 65, 2000] {
            let at = Instant::ZERO.later(longest_run(ports.div_ceil(2) as usize));
            let order = PacketOrder::among(ports as usize);
            let mut numbers: Vec<u64> = (0..ports).map(|port| order.packet(at, port).number).collect();
            numbers.push(order.packet(at.later(Duration::from_nanos(1)), 0).number);
            assert!(numbers.is_sorted_by(|one, other| one < other), "{ports} ports");
            assert!(numbers.iter().all(|number| *number < BEYOND_PACKETS), "{ports} ports");
        }
    }
}
