use weir_types::{Buffer, Duration, Rate};

/// Size of a buffer, without the packet in transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Packets.
    Packets(u32),
    /// Bytes.
    Bytes(u64),
}

impl Limit {
    /// No limit: for an unbounded queue, and for a queue that shares its buffer with others, where
    /// an overflow does not drop the arrival.
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

/// Waiting packets of a queue, with the limit of its buffer.
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
    /// Whether a packet of `bytes` bytes does not fit.
    #[inline]
    pub const fn overflows(&self, bytes: u32) -> bool {
        match self.limit {
            Limit::Packets(limit) => self.packets >= limit,
            Limit::Bytes(limit) => self.exceeds(limit, bytes),
        }
    }

    /// Not inlined: most limits are in packets, and both comparisons would be made of each packet.
    #[cold]
    const fn exceeds(&self, limit: u64, bytes: u32) -> bool {
        self.bytes + bytes as u64 > limit
    }
}

/// Properties of the link, passed to an AQM at construction.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Capacity; changes are reported by [`Aqm::on_rate`].
    pub rate: Rate,
    /// Mean packet size in bytes, for AQMs that count packets.
    pub mean_packet: u32,
    /// The buffer.
    pub limit: Limit,
    /// The longest round trip without queueing among the flows over the link; zero if they are unknown.
    pub rtt: Duration,
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
