//! Link rates, and the clock that turns packets into time without losing a fraction.

use core::{fmt, num::NonZeroU64};

use crate::{Duration, Instant, decimal::write_decimal};

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// A link rate in bits per second; never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(NonZeroU64);

impl Rate {
    /// A rate of `bits` per second, `None` for zero.
    pub const fn from_bits_per_second(bits: u64) -> Option<Self> {
        match NonZeroU64::new(bits) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }

    /// Bits per second.
    pub const fn bits_per_second(self) -> u64 {
        self.0.get()
    }

    /// Packets of `bytes` bytes per second.
    pub fn packets_per_second(self, bytes: u32) -> f64 {
        self.bits_per_second() as f64 / (8.0 * f64::from(bytes))
    }

    /// Time to put `bytes` bytes on the wire, rounded down to a nanosecond. For a
    /// sequence of packets use [`TransmitClock`], which keeps what is cut off here.
    pub const fn time_to_send(self, bytes: u32) -> Duration {
        Duration::from_nanos(bytes as u64 * 8 * NANOS_PER_SECOND / self.0.get())
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, unit) = match self.bits_per_second() {
            n if n >= 1_000_000_000 => (1_000_000_000, "Gbit/s"),
            n if n >= 1_000_000 => (1_000_000, "Mbit/s"),
            n if n >= 1_000 => (1_000, "kbit/s"),
            _ => (1, "bit/s"),
        };
        write_decimal(f, self.bits_per_second(), scale)?;
        write!(f, " {unit}")
    }
}

/// Turns a sequence of packets into instants on the wire. It carries the remainder of bits x 10^9 /
/// rate from packet to packet. So a million packets end exactly where a million times the true
/// duration says.
#[derive(Clone, Debug)]
pub struct TransmitClock {
    rate: Rate,
    /// Remainder carried to the next packet, in units of 1/rate ns.
    remainder: u64,
    /// Sizes repeat: the last quotient and remainder are kept to save a division.
    bytes: u32,
    quotient: u64,
    rest: u64,
}

impl TransmitClock {
    /// A clock for a link of this rate, with nothing carried.
    pub const fn new(rate: Rate) -> Self {
        Self { rate, remainder: 0, bytes: 0, quotient: 0, rest: 0 }
    }

    /// The rate in force.
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// From the next packet on the link runs at `rate`.
    pub fn set_rate(&mut self, rate: Rate) {
        if rate != self.rate {
            *self = Self::new(rate);
        }
    }

    /// The instant the last bit of `bytes` bytes leaves if the first one leaves at `start`.
    #[inline]
    pub fn finish(&mut self, start: Instant, bytes: u32) -> Instant {
        if bytes != self.bytes {
            let scaled = u128::from(bytes) * 8 * u128::from(NANOS_PER_SECOND);
            let rate = u128::from(self.rate.bits_per_second());
            self.quotient = (scaled / rate) as u64;
            self.rest = (scaled % rate) as u64;
            self.bytes = bytes;
        }
        let mut nanos = self.quotient;
        self.remainder += self.rest;
        if self.remainder >= self.rate.bits_per_second() {
            self.remainder -= self.rate.bits_per_second();
            nanos += 1;
        }
        start.later(Duration::from_nanos(nanos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 3.7 Mbit/s a 1000-byte packet takes 2162162.16 ns: dropping the fraction would
    /// end a million packets 162 us early.
    #[test]
    fn a_million_packets_end_where_arithmetic_says() {
        let rate = Rate::from_bits_per_second(3_700_000).unwrap();
        let mut clock = TransmitClock::new(rate);
        let mut now = Instant::ZERO;
        for _ in 0..1_000_000 {
            now = clock.finish(now, 1000);
        }
        let exact = 1_000_000_u128 * 8_000 * 1_000_000_000 / 3_700_000;
        assert_eq!(u128::from(now.as_nanos()), exact);
    }

    #[test]
    fn sizes_may_alternate() {
        let rate = Rate::from_bits_per_second(7).unwrap();
        let mut clock = TransmitClock::new(rate);
        let mut now = Instant::ZERO;
        for bytes in [1, 2, 3, 1, 2, 3, 1] {
            now = clock.finish(now, bytes);
        }
        assert_eq!(now.as_nanos(), 13 * 8 * 1_000_000_000 / 7);
    }
}
