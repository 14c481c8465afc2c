//! Quantities as text with a unit: `"64 Mbit/s"`, `"80 ms"`, `"120 packets"`, `"500 kB"`, `"1.5 BDP"`. A
//! bare number where a unit belongs is refused. A unit that two tools of the field read differently is
//! refused, too (tc's `mbps` is megabytes, ns-3's `Mbps` megabits).

mod notation;
mod text;

use alloc::format;
use core::{fmt, str::FromStr};

use crate::{Duration, Rate, UnitError};
pub use notation::quantity;
use notation::{AMOUNT, BUFFER, BYTES, DURATION, LEVEL, MEMORY, Notation, PACKETS, RATE};

/// Room for waiting packets, in the unit it was written in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Buffer {
    /// Packets.
    Packets(u32),
    /// Bytes.
    Bytes(u64),
    /// A multiple of the bandwidth-delay product, the delay being the largest propagation
    /// round trip of the flows that pass. Like a time it is a number of bytes.
    Bdp(f64),
    /// As much as the link sends in this time.
    Time(Duration),
}

/// A queue length to compare with, in the unit it was written in. An AQM counts the queue in the unit of its
/// levels: packets or bytes. A time becomes bytes before the AQM is built: see `Link::length` of `weir-aqm`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// Packets; fractions are allowed, for averages.
    Packets(f64),
    /// Bytes.
    Bytes(f64),
    /// As much as the link sends in this time.
    Time(Duration),
}

impl Level {
    /// The number, in packets, bytes or seconds.
    pub fn value(self) -> f64 {
        match self {
            Self::Packets(value) | Self::Bytes(value) => value,
            Self::Time(span) => span.as_secs_f64(),
        }
    }

    /// Returns true if the level counts bytes.
    pub const fn in_bytes(self) -> bool {
        matches!(self, Self::Bytes(_))
    }

    /// Returns true if the level counts packets.
    pub const fn in_packets(self) -> bool {
        matches!(self, Self::Packets(_))
    }

    /// Returns true if both levels have one unit. A time and bytes do not, before the time is bytes.
    pub fn is_like(self, other: Self) -> bool {
        core::mem::discriminant(&self) == core::mem::discriminant(&other)
    }

    /// Reads an amount of data, in packets or bytes: a level that is no time.
    ///
    /// # Errors
    /// If `text` is none.
    pub fn amount(text: &str) -> Result<Self, UnitError> {
        Self::read(text, &AMOUNT)
    }

    fn read(text: &str, notation: &Notation) -> Result<Self, UnitError> {
        let (value, unit) = notation.parse(text)?;
        Ok(match notation.units[unit].0 {
            "packets" | "packet" => Self::Packets(value),
            "s" | "ms" | "us" => Self::Time(text.parse()?),
            _ => Self::Bytes(value),
        })
    }
}

impl core::ops::Mul<f64> for Level {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        match self {
            Self::Packets(value) => Self::Packets(value * factor),
            Self::Bytes(value) => Self::Bytes(value * factor),
            Self::Time(span) => {
                Self::Time(Duration::from_nanos(libm::round(span.as_nanos() as f64 * factor) as u64))
            }
        }
    }
}

/// An amount of memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// A number of packets; windows may be fractions.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Packets(pub f64);

/// A number in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Probability(f64);

impl Probability {
    /// `None` unless `value` lies in [0, 1].
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Self(value))
    }

    /// A constant of the code. Panics unless `value` lies in [0, 1].
    pub const fn constant(value: f64) -> Self {
        assert!(0.0 <= value && value <= 1.0, "a probability lies in [0, 1]");
        Self(value)
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// The size of one packet in bytes; never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketSize(u32);

impl PacketSize {
    /// `None` for zero.
    pub const fn new(bytes: u32) -> Option<Self> {
        if bytes == 0 { None } else { Some(Self(bytes)) }
    }

    /// Bytes on the wire.
    pub const fn bytes(self) -> u32 {
        self.0
    }
}

impl FromStr for Duration {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (nanos, _) = DURATION.parse(text)?;
        if nanos > u64::MAX as f64 / 4.0 {
            return Err(UnitError::new(format!("\"{text}\" is too long"), "write less than a century"));
        }
        Ok(Self::from_nanos(libm::round(nanos) as u64))
    }
}

impl FromStr for Rate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (bits, _) = RATE.parse(text)?;
        if bits > 1e15 {
            return Err(UnitError::new(
                format!("\"{text}\" is too fast"),
                "write at most \"1000000 Gbit/s\"",
            ));
        }
        Self::from_bits_per_second(libm::round(bits) as u64)
            .ok_or_else(|| UnitError::new("a rate must be above zero", "write for example \"64 Mbit/s\""))
    }
}

impl FromStr for Buffer {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (value, unit) = BUFFER.parse(text)?;
        let whole = libm::round(value);
        Ok(match BUFFER.units[unit].0 {
            "packets" | "packet" => {
                if (whole - value).abs() > 1e-9 || whole > f64::from(u32::MAX) {
                    return Err(UnitError::new(
                        format!("\"{text}\" is not a number of packets that a buffer can hold"),
                        "write a whole number, at most 4294967295",
                    ));
                }
                Self::Packets(whole as u32)
            }
            "BDP" => Self::Bdp(value),
            "s" | "ms" | "us" => Self::Time(Duration::from_nanos(whole as u64)),
            _ => Self::Bytes(whole as u64),
        })
    }
}

impl FromStr for Level {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        Self::read(text, &LEVEL)
    }
}

impl FromStr for Packets {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        PACKETS.parse(text).map(|(value, _)| Self(value))
    }
}

impl FromStr for PacketSize {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (bytes, _) = BYTES.parse(text)?;
        if bytes > 1e6 {
            return Err(UnitError::new(
                format!("\"{text}\" is too large for a packet"),
                "write at most \"1000 kB\"",
            ));
        }
        Self::new(libm::round(bytes) as u32)
            .ok_or_else(|| UnitError::new("a packet has at least one byte", "write for example \"1000 B\""))
    }
}

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (bytes, _) = MEMORY.parse(text)?;
        Ok(Self(libm::round(bytes) as u64))
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packets(n) => write!(f, "{n} packets"),
            Self::Bytes(n) if *n >= 1000 && n.is_multiple_of(1000) => write!(f, "{} kB", n / 1000),
            Self::Bytes(n) => write!(f, "{n} B"),
            Self::Bdp(factor) => write!(f, "{factor} BDP"),
            Self::Time(span) => write!(f, "{span}"),
        }
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            n if n > 0 && n.is_multiple_of(1 << 20) => write!(f, "{} MiB", n >> 20),
            n if n >= 1000 && n.is_multiple_of(1000) => write!(f, "{} kB", n / 1000),
            n => write!(f, "{n} B"),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packets(n) => write!(f, "{n} packets"),
            Self::Bytes(n) if *n >= 1000.0 => write!(f, "{} kB", n / 1000.0),
            Self::Bytes(n) => write!(f, "{n} B"),
            Self::Time(span) => write!(f, "{span}"),
        }
    }
}

impl fmt::Display for Packets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} packets", self.0)
    }
}

impl fmt::Display for PacketSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} B", self.0)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn quantities_read_and_print() {
        assert_eq!("80 ms".parse::<Duration>(), Ok(Duration::from_millis(80)));
        assert_eq!("0.25ms".parse::<Duration>(), Ok(Duration::from_micros(250)));
        assert_eq!(Duration::from_micros(2_500).to_string(), "2.5 ms");
        assert_eq!("64 Mbit/s".parse::<Rate>().unwrap().bits_per_second(), 64_000_000);
        assert_eq!("10mbit".parse::<Rate>().unwrap().to_string(), "10 Mbit/s");
        assert_eq!("3.7 Mbit/s".parse::<Rate>().unwrap().to_string(), "3.7 Mbit/s");
        assert_eq!("120 packets".parse(), Ok(Buffer::Packets(120)));
        assert_eq!("500 kB".parse(), Ok(Buffer::Bytes(500_000)));
        assert_eq!("1.5 BDP".parse(), Ok(Buffer::Bdp(1.5)));
        assert_eq!("20 ms".parse(), Ok(Buffer::Time(Duration::from_millis(20))));
        assert_eq!("2.5 ms".parse(), Ok(Level::Time(Duration::from_micros(2_500))));
        assert_eq!((Level::Time(Duration::from_millis(5)) * 3.0).to_string(), "15 ms");
        assert!(Level::amount("5 ms").unwrap_err().hint.ends_with("MiB"));
        for text in ["32 MiB", "1500 kB", "1024 B", "0 B"] {
            assert_eq!(text.parse::<Bytes>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn ambiguous_and_missing_units_come_back_with_a_hint() {
        let error = "64 Mbps".parse::<Rate>().unwrap_err();
        assert_eq!(error.message, "the unit \"Mbps\" is ambiguous");
        assert!(error.hint.contains("Mbit/s"));
        assert!("64".parse::<Rate>().unwrap_err().message.contains("has no unit"));
        assert!("5 KB".parse::<Buffer>().unwrap_err().hint.contains("KiB"));
        assert!("0 Mbit/s".parse::<Rate>().unwrap_err().message.contains("above zero"));
        assert!("-5 ms".parse::<Duration>().unwrap_err().message.contains("negative"));
        assert!("5 parsecs".parse::<Duration>().unwrap_err().hint.contains("known units"));
    }
    #[test]
    fn any_quantity_has_a_value_in_the_base_unit_of_its_kind() {
        for (text, value, unit) in [
            ("10 Mbit/s", 1e7, "bit/s"),
            ("500kbit", 5e5, "bit/s"),
            ("5 ms", 0.005, "s"),
            ("2 min", 120.0, "s"),
            ("2.5 packets", 2.5, "packets"),
            ("250 kB", 250_000.0, "B"),
            ("1 MiB", 1_048_576.0, "B"),
            ("1.5 BDP", 1.5, "BDP"),
        ] {
            assert_eq!(quantity(text), Ok((value, unit)), "{text}");
        }
        assert!(quantity("10 Mbps").unwrap_err().message.contains("ambiguous"));
        for text in ["5 parsecs", "red", "", "3%", "10"] {
            assert!(quantity(text).unwrap_err().message.contains("is not a quantity"), "{text}");
        }
        assert!(quantity("-5 ms").unwrap_err().message.contains("negative"));
    }
}
