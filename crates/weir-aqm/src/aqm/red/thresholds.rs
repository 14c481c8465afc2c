//! RED's thresholds where the scenario gives none.
//!
//! ```text
//! min_th = max(15 packets, min(C R, B / 2)) / 3, in whole packets    C: rate, R: longest round trip, B: buffer
//! max_th = 3 min_th
//! ```
//!
//! A sender that halves its window leaves the link idle unless about a bandwidth-delay product `C R` waits
//! (C. Villamizar, C. Song: *High performance TCP in ANSNET*, ACM CCR 24(5), 1994). Half of the buffer is left
//! to bursts, which the average does not follow. The factor 3 and the least values, 5 and 15 packets, are
//! those of S. Floyd: *RED: Discussions of setting parameters*, 1997.

use alloc::format;

use weir_types::{Duration, Invalid, Level};

use crate::Link;

/// `max_th / min_th`.
const FACTOR: f64 = 3.0;

/// The least `max_th`, in packets.
const LEAST: f64 = 15.0;

/// Defaults of both thresholds, in the words of the schema.
pub(crate) const MIN_TH: &str = "a third of `max_th` (Floyd, 1997)";
pub(crate) const MAX_TH: &str = "three times `min_th` if that is set (Floyd, 1997), otherwise the \
    bandwidth-delay product, at most half of the buffer and at least 15 packets";

/// Both thresholds for a RED before `link`, `min_th` and `max_th` being what is given.
pub(crate) fn before(link: Link, min_th: Option<Level>, max_th: Option<Level>) -> (Level, Level) {
    match (min_th, max_th) {
        (Some(min_th), Some(max_th)) => (min_th, max_th),
        (Some(min_th), None) if min_th.value() > 0.0 => (min_th, min_th * FACTOR),
        (None, Some(max_th)) => (max_th * (1.0 / FACTOR), max_th),
        (given, None) => {
            let bdp = link.rate.packets_per_second(link.mean_packet) * link.rtt.as_secs_f64();
            let room = link.limit.in_packets(link.mean_packet);
            let min_th = libm::round(bdp.min(room / 2.0).max(LEAST) / FACTOR);
            let derived = match given {
                Some(Level::Bytes(_)) => Level::Bytes(min_th * f64::from(link.mean_packet)),
                _ => Level::Packets(min_th),
            };
            (given.unwrap_or(derived), derived * FACTOR)
        }
    }
}

/// Rejects what cannot be a pair of thresholds.
pub(crate) fn check(min_th: Option<Level>, max_th: Option<Level>) -> Result<(), Invalid> {
    match (min_th, max_th) {
        (Some(min_th), Some(max_th)) => check_pair(min_th, max_th),
        _ => Invalid::unless(
            max_th.is_none_or(|level| level.value() > 0.0),
            "max_th",
            "max_th is zero",
            "set it above zero, or leave it to the link",
        ),
    }
}

/// Rejects thresholds in different units or in the wrong order.
pub(in crate::aqm) fn check_pair(min_th: Level, max_th: Level) -> Result<(), Invalid> {
    Invalid::unless(
        min_th.in_packets() == max_th.in_packets(),
        "max_th",
        format!("min_th ({min_th}) and max_th ({max_th}) are in different units"),
        "write both in packets, or both in bytes or as times",
    )?;
    // Neither remedy raises max_th, which the buffer may not hold.
    let hint = if max_th.value() <= 0.0 {
        "set max_th above zero".into()
    } else if min_th == max_th {
        format!("set min_th to about a third of max_th: \"{}\"", shown(max_th * (1.0 / FACTOR)))
    } else {
        format!("exchange the two thresholds: min_th = \"{max_th}\", max_th = \"{min_th}\"")
    };
    Invalid::unless(
        // A time and bytes are compared when the time is bytes.
        !min_th.is_like(max_th) || min_th.value() < max_th.value(),
        "max_th",
        format!("max_th ({max_th}) is not above min_th ({min_th})"),
        hint,
    )
}

/// A level to be proposed: with the digits that a person would write.
fn shown(level: Level) -> Level {
    let cut = |value: f64| if value < 10.0 { libm::floor(value * 10.0) / 10.0 } else { libm::floor(value) };
    match level {
        Level::Packets(packets) => Level::Packets(cut(packets)),
        Level::Bytes(bytes) => Level::Bytes(cut(bytes)),
        Level::Time(span) => Level::Time(Duration::from_nanos(span.as_nanos() / 10_000 * 10_000)),
    }
}
