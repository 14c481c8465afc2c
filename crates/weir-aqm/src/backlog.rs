use weir_types::{Buffer, Duration, Level, Rate};

/// Size of a buffer, without the packet in transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Packets.
    Packets(u32),
    /// Bytes.
    Bytes(u64),
    /// Bytes of a whole number of mean packets, which the link sends in a time. An AQM that takes levels of its own
    /// from such a buffer counts in mean packets.
    Span(u64),
}

impl Limit {
    /// No limit: for an unbounded queue, and for a queue that shares its buffer with others, where
    /// an overflow does not drop the arrival.
    pub const NONE: Self = Self::Packets(u32::MAX);

    /// The size of `buffer` at a link of `rate`. A bandwidth-delay product or a time becomes the bytes that the link
    /// sends in it, whatever the sizes of packets. They are rounded to packets of `mean_packet` bytes, so that packets
    /// of one size fill the buffer to the last byte. The delay of the product is the round trip `rtt`.
    pub fn of(buffer: Buffer, rate: Rate, mean_packet: u32, rtt: Duration) -> Self {
        let bytes = |seconds: f64| {
            let packets = libm::round(packets_sent(rate, mean_packet, seconds)) as u64;
            Self::Span(packets.saturating_mul(u64::from(mean_packet)))
        };
        match buffer {
            Buffer::Packets(limit) => Self::Packets(limit),
            Buffer::Bytes(limit) => Self::Bytes(limit),
            Buffer::Bdp(factor) => bytes(factor * rtt.as_secs_f64()),
            Buffer::Time(span) => bytes(span.as_secs_f64()),
        }
    }

    /// Capacity of the buffer, in packets of `mean_packet` bytes.
    pub fn in_packets(self, mean_packet: u32) -> f64 {
        match self {
            Self::Packets(limit) => f64::from(limit),
            Self::Bytes(limit) | Self::Span(limit) => limit as f64 / f64::from(mean_packet),
        }
    }

    /// Capacity of the buffer in bytes, if packets have `mean_packet` bytes.
    pub fn in_bytes(self, mean_packet: u32) -> f64 {
        match self {
            Self::Packets(limit) => f64::from(limit) * f64::from(mean_packet),
            Self::Bytes(limit) | Self::Span(limit) => limit as f64,
        }
    }
}

/// Mean packets that a link of `rate` sends in so many seconds.
fn packets_sent(rate: Rate, mean_packet: u32, seconds: f64) -> f64 {
    rate.packets_per_second(mean_packet) * seconds
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
    /// Returns true if a packet of `bytes` bytes does not fit.
    #[inline]
    pub const fn overflows(&self, bytes: u32) -> bool {
        match self.limit {
            Limit::Packets(limit) => self.packets >= limit,
            Limit::Bytes(limit) | Limit::Span(limit) => self.exceeds(limit, bytes),
        }
    }

    /// Returns true if more waits than fits.
    #[inline]
    pub const fn is_over_limit(&self) -> bool {
        match self.limit {
            Limit::Packets(limit) => self.packets > limit,
            Limit::Bytes(limit) | Limit::Span(limit) => self.bytes > limit,
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
    /// Capacity; changes are reported by [`crate::Aqm::on_rate`].
    pub rate: Rate,
    /// Mean packet size in bytes, for AQMs that count packets.
    pub mean_packet: u32,
    /// The buffer.
    pub limit: Limit,
    /// The longest round trip without queueing among the flows over the link; zero if they are unknown.
    pub rtt: Duration,
}

impl Link {
    /// `level` as a length of the queue: a time is what the link sends in it, in bytes, as a buffer in time is. It
    /// is not rounded to packets, since a threshold may lie between two.
    #[must_use]
    pub fn length(self, level: Level) -> Level {
        match level {
            Level::Time(span) => {
                let packets = packets_sent(self.rate, self.mean_packet, span.as_secs_f64());
                Level::Bytes(packets * f64::from(self.mean_packet))
            }
            length => length,
        }
    }
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
    fn a_buffer_in_time_or_bdp_is_one_in_bytes() {
        let limit = |buffer: &str| {
            let rate = "8 Mbit/s".parse().unwrap();
            Limit::of(buffer.parse().unwrap(), rate, 1000, Duration::from_millis(80))
        };
        assert_eq!(limit("12 packets"), Limit::Packets(12));
        assert_eq!(limit("3 kB"), Limit::Bytes(3000));
        // 1000 packets a second, of 1000 bytes.
        assert_eq!(limit("20 ms"), Limit::Span(20_000));
        assert_eq!(limit("1.5 BDP"), Limit::Span(120_000));
        // Whole packets.
        assert_eq!(limit("20.4 ms"), Limit::Span(20_000));
        assert_eq!(limit("20.5 ms"), Limit::Span(21_000));
    }

    #[test]
    fn a_threshold_in_time_is_what_the_link_sends_in_it() {
        let rate = "8 Mbit/s".parse().unwrap();
        let link = Link { rate, mean_packet: 1000, limit: Limit::NONE, rtt: Duration::ZERO };
        let length = |level: &str| link.length(level.parse().unwrap());
        assert_eq!(length("20 ms"), Level::Bytes(20_000.0));
        assert_eq!(length("400 us"), Level::Bytes(400.0));
        assert_eq!(length("20 packets"), Level::Packets(20.0));
        assert_eq!(length("3 kB"), Level::Bytes(3000.0));
    }
}
