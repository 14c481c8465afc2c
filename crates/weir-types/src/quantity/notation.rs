//! The units there are, and those that are refused.

use alloc::{format, string::ToString, vec::Vec};

use crate::UnitError;

/// How a quantity is written: the units with their factors, the spellings that are
/// refused because they are read in two ways, and an example.
pub(super) struct Notation {
    pub(super) name: &'static str,
    pub(super) units: &'static [(&'static str, f64)],
    ambiguous: &'static [(&'static str, &'static str)],
    pub(super) example: &'static str,
}

impl Notation {
    /// The value in base units and the index of the unit it was written in.
    pub(super) fn parse(&self, text: &str) -> Result<(f64, usize), UnitError> {
        let text = text.trim();
        let (number, unit) = parts(text);
        let value: f64 = number.parse().map_err(|_| {
            UnitError::new(
                format!("\"{text}\" is not {}", self.name),
                format!("write a number and a unit, such as \"{}\"", self.example),
            )
        })?;
        if unit.is_empty() {
            return Err(UnitError::new(
                format!("\"{text}\" has no unit"),
                format!("write for example \"{}\"", self.example),
            ));
        }
        if let Some((_, readings)) = self.ambiguous.iter().find(|(name, _)| *name == unit) {
            return Err(UnitError::new(format!("the unit \"{unit}\" is ambiguous"), (*readings).to_string()));
        }
        let Some(index) = self.units.iter().position(|(name, _)| *name == unit) else {
            let mut known = self.units.iter().map(|(name, _)| *name);
            let same = SAME.iter().find(|(other, _)| other.eq_ignore_ascii_case(unit));
            let wanted = same.map_or(unit, |(_, name)| *name);
            let hint = match known.clone().find(|name| name.eq_ignore_ascii_case(wanted)) {
                Some(meant) => format!("did you mean \"{} {meant}\"?", parts(text).0),
                None => format!("known units: {}", known.by_ref().collect::<Vec<_>>().join(", ")),
            };
            return Err(UnitError::new(format!("\"{unit}\" is not a unit of {}", self.name), hint));
        };
        if value < 0.0 {
            return Err(UnitError::new(
                format!("\"{text}\" is negative"),
                format!("write for example \"{}\"", self.example),
            ));
        }
        Ok((value * self.units[index].1, index))
    }
}

/// Other spellings of units, and those that are read.
const SAME: [(&str, &str); 10] = [
    ("sec", "s"),
    ("seconds", "s"),
    ("msec", "ms"),
    ("usec", "us"),
    ("pkt", "packets"),
    ("pkts", "packets"),
    ("p", "packets"),
    ("byte", "B"),
    ("bytes", "B"),
    ("kbyte", "kB"),
];

/// Number and unit.
fn parts(text: &str) -> (&str, &str) {
    let split = text.find(|c: char| c.is_alphabetic() || c == '%').unwrap_or(text.len());
    (text[..split].trim(), text[split..].trim())
}

/// A quantity of any kind on one scale with the others of its kind: its value in "bit/s", "s",
/// "packets", "B" or "BDP", and which of these it is.
///
/// # Errors
/// If it is no number with a unit, or the unit is not known or ambiguous.
pub fn quantity(text: &str) -> Result<(f64, &'static str), UnitError> {
    let (_, unit) = parts(text.trim());
    let kinds = [&RATE, &DURATION, &BUFFER];
    let known = |kind: &&&Notation| {
        let ambiguous = kind.ambiguous.iter().map(|(name, _)| *name);
        kind.units.iter().map(|(name, _)| *name).chain(ambiguous).any(|name| name == unit)
    };
    let Some(kind) = kinds.iter().find(known) else {
        let examples = kinds.map(|kind| format!("\"{}\"", kind.example));
        return Err(UnitError::new(
            format!("\"{text}\" is not a quantity"),
            format!("write a number and a unit, such as {}", examples.join(", ")),
        ));
    };
    let (value, unit) = kind.parse(text)?;
    Ok(match kind.units[unit].0 {
        "BDP" => (value, "BDP"),
        "packets" | "packet" => (value, "packets"),
        _ if kind.name == RATE.name => (value, "bit/s"),
        _ if kind.name == DURATION.name => (value / 1e9, "s"),
        _ => (value, "B"),
    })
}

pub(super) const DURATION: Notation = Notation {
    name: "a duration",
    units: &[("s", 1e9), ("ms", 1e6), ("us", 1e3), ("µs", 1e3), ("ns", 1.0), ("min", 60e9)],
    ambiguous: &[
        ("m", "\"min\" is minutes, \"ms\" milliseconds"),
        ("M", "\"min\" is minutes, \"ms\" milliseconds"),
    ],
    example: "80 ms",
};

pub(super) const RATE: Notation = Notation {
    name: "a rate",
    units: &[
        ("bit/s", 1.0),
        ("kbit/s", 1e3),
        ("Mbit/s", 1e6),
        ("Gbit/s", 1e9),
        ("kbit", 1e3),
        ("Mbit", 1e6),
        ("Gbit", 1e9),
        ("mbit", 1e6),
        ("gbit", 1e9),
    ],
    ambiguous: &[
        ("bps", "\"bps\" is bytes per second in tc and bits elsewhere; write \"bit/s\""),
        ("kbps", "\"kbps\" is kilobytes in tc and kilobits elsewhere; write \"kbit/s\""),
        ("mbps", "\"mbps\" is megabytes in tc and megabits elsewhere; write \"Mbit/s\""),
        ("Mbps", "\"Mbps\" is read as bits by ns-3 and as bytes by tc; write \"Mbit/s\""),
        ("Gbps", "\"Gbps\" is read as bits by ns-3 and as bytes by tc; write \"Gbit/s\""),
        ("gbps", "\"gbps\" is gigabytes in tc and gigabits elsewhere; write \"Gbit/s\""),
        ("kb/s", "bits or bytes? write \"kbit/s\""),
        ("Mb/s", "bits or bytes? write \"Mbit/s\""),
        ("MB/s", "bits or bytes? write \"Mbit/s\" (8 Mbit/s is 1 megabyte per second)"),
        ("Gb/s", "bits or bytes? write \"Gbit/s\""),
        ("GB/s", "bits or bytes? write \"Gbit/s\""),
    ],
    example: "64 Mbit/s",
};

const BYTE_AMBIGUITIES: &[(&str, &str)] = &[
    ("b", "\"b\" is bits to some and bytes to tc; write \"B\" for bytes"),
    ("k", "write \"kB\" (1000 bytes) or \"KiB\" (1024)"),
    ("K", "write \"kB\" (1000 bytes) or \"KiB\" (1024)"),
    ("KB", "1000 or 1024 bytes? write \"kB\" (1000) or \"KiB\" (1024)"),
    ("kb", "bits or bytes? write \"kB\" (1000 bytes) or \"KiB\" (1024)"),
    ("Mb", "bits or bytes? write \"MB\" (1,000,000 bytes)"),
    ("p", "\"packets\" is spelled out: \"120 packets\""),
];

pub(super) const BUFFER: Notation = Notation {
    name: "a buffer size",
    units: &[
        ("packets", 1.0),
        ("packet", 1.0),
        ("B", 1.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("BDP", 1.0),
        ("s", 1e9),
        ("ms", 1e6),
        ("us", 1e3),
    ],
    ambiguous: BYTE_AMBIGUITIES,
    example: "120 packets",
};

pub(super) const LEVEL: Notation = Notation {
    name: "a queue level",
    units: &[
        ("packets", 1.0),
        ("packet", 1.0),
        ("B", 1.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("s", 1e9),
        ("ms", 1e6),
        ("us", 1e3),
    ],
    ambiguous: BYTE_AMBIGUITIES,
    example: "20 packets",
};

pub(super) const AMOUNT: Notation = Notation {
    name: "a size",
    units: &[
        ("packets", 1.0),
        ("packet", 1.0),
        ("B", 1.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
    ],
    ambiguous: BYTE_AMBIGUITIES,
    example: "100 kB",
};

pub(super) const PACKETS: Notation = Notation {
    name: "a number of packets",
    units: &[("packets", 1.0), ("packet", 1.0)],
    ambiguous: BYTE_AMBIGUITIES,
    example: "20 packets",
};

pub(super) const MEMORY: Notation = Notation {
    name: "an amount of memory",
    units: &[("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("KiB", 1024.0), ("MiB", 1_048_576.0)],
    ambiguous: BYTE_AMBIGUITIES,
    example: "32 MiB",
};

pub(super) const BYTES: Notation = Notation {
    name: "a packet size",
    units: &[("B", 1.0), ("kB", 1e3), ("KiB", 1024.0)],
    ambiguous: BYTE_AMBIGUITIES,
    example: "1000 B",
};
