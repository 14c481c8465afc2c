//! What a law is, and the little it is told.

use weir_types::{Buffer, Duration, Instant, Rate};

use crate::PacketInfo;

/// Decides the fate of packets in one queue. Owns its state and its random stream;
/// never owns a packet, never reads a clock.
///
/// A law uses the instants it is given, not the ones it asked for: a late call is legal.
pub trait Aqm: Send {
    /// A packet has arrived; it is not yet counted in `queue`. Whatever the verdict, a
    /// packet that does not fit is dropped for [`Reason::Overflow`]: a law whose paper
    /// tests the buffer first asks `queue.overflows(packet.bytes)`.
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        let _ = (packet, queue, now);
        Verdict::Pass
    }

    /// A packet has reached the head after `sojourn`; it is no longer counted in `queue`.
    fn on_dequeue(&mut self, packet: PacketInfo, sojourn: Duration, queue: Backlog, now: Instant) -> Verdict {
        let _ = (packet, sojourn, queue, now);
        Verdict::Pass
    }

    /// The transmitter asked and the queue was empty: the line falls idle.
    /// An arrival that is refused at an idle line makes it ask, and tell, again.
    fn on_idle(&mut self, now: Instant) {
        let _ = now;
    }

    /// So many packets that this law had let in have been dropped for want of room: a discipline
    /// with several queues makes room in the longest one.
    fn on_overflow(&mut self, packets: u32, now: Instant) {
        let _ = (packets, now);
    }

    /// The link's rate is `rate` from now on.
    fn on_rate(&mut self, rate: Rate, now: Instant) {
        let _ = (rate, now);
    }

    /// When [`Aqm::update`] is next due. Changes only inside `update`.
    fn next_update(&self) -> Option<Instant> {
        None
    }

    /// Periodic work, due at `now`.
    fn update(&mut self, queue: Backlog, now: Instant) {
        let _ = (queue, now);
    }

    /// Shows the inner variables under their published names, for time series.
    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let _ = record;
    }
}

/// What should happen to a packet. The discipline makes it happen: a mark on a packet
/// that is not ECN-capable is a drop (RFC 3168, section 5; RFC 7567, section 4.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Let it through.
    Pass,
    /// Set CE, or drop it if it cannot be marked.
    Mark(Reason),
    /// Drop it.
    Drop(Reason),
}

/// Why a packet was marked or dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// By the law's probability, before the queue was in need.
    Early,
    /// By the law's certainty: beyond a threshold where every packet is signalled.
    Forced,
    /// There was no room.
    Overflow,
}

impl Reason {
    /// The name used in results: `early`, `forced`, `overflow`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Early => "early",
            Self::Forced => "forced",
            Self::Overflow => "overflow",
        }
    }
}

/// How much may wait. The packet being transmitted does not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// At most so many packets.
    Packets(u32),
    /// At most so many bytes.
    Bytes(u64),
}

impl Limit {
    /// More than can ever wait: for a queue that nothing bounds, and for one of several in a buffer,
    /// where a full buffer does not reject the packet that arrives.
    pub const NONE: Self = Self::Packets(u32::MAX);

    /// What `buffer` holds before a link of `rate`: bandwidth-delay products and times become
    /// packets of `mean_packet` bytes, rounded. The delay is the round trip `rtt`.
    pub fn of(buffer: Buffer, rate: Rate, mean_packet: u32, rtt: Duration) -> Self {
        let packets =
            |seconds: f64| Self::Packets(libm::round(rate.packets_per_second(mean_packet) * seconds) as u32);
        match buffer {
            Buffer::Packets(limit) => Self::Packets(limit),
            Buffer::Bytes(limit) => Self::Bytes(limit),
            Buffer::Bdp(factor) => packets(factor * rtt.as_secs_f64()),
            Buffer::Time(span) => packets(span.as_secs_f64()),
        }
    }
}

/// What waits in a queue, and how much may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// Waiting packets.
    pub packets: u32,
    /// Waiting bytes.
    pub bytes: u64,
    /// The buffer.
    pub limit: Limit,
}

impl Backlog {
    /// Whether a packet of `bytes` bytes finds no room.
    #[inline]
    pub const fn overflows(&self, bytes: u32) -> bool {
        match self.limit {
            Limit::Packets(limit) => self.packets >= limit,
            Limit::Bytes(limit) => self.bytes + bytes as u64 > limit,
        }
    }
}

/// What a law is told of the link it stands before, once, when it is built.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Capacity; [`Aqm::on_rate`] tells of a change.
    pub rate: Rate,
    /// The packet size that stands for all where a law counts in packets, in bytes.
    pub mean_packet: u32,
    /// The buffer.
    pub limit: Limit,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_may_be_filled_to_its_limit() {
        let queue = Backlog { packets: 3, bytes: 2500, limit: Limit::Packets(4) };
        assert!(!queue.overflows(9000));
        assert!(Backlog { packets: 4, ..queue }.overflows(1));
        let queue = Backlog { limit: Limit::Bytes(4000), ..queue };
        assert!(!queue.overflows(1500));
        assert!(queue.overflows(1501));
    }

    #[test]
    fn a_buffer_in_time_or_bdp_is_one_in_packets() {
        let limit = |buffer: &str| {
            let rate = "8 Mbit/s".parse().unwrap();
            Limit::of(buffer.parse().unwrap(), rate, 1000, Duration::from_millis(80))
        };
        assert_eq!(limit("12 packets"), Limit::Packets(12));
        assert_eq!(limit("3 kB"), Limit::Bytes(3000));
        // 1000 packets a second.
        assert_eq!(limit("20 ms"), Limit::Packets(20));
        assert_eq!(limit("1.5 BDP"), Limit::Packets(120));
    }
}
