//! Rates of sending: which multiples make sense, and how many segments leave together at one.

use weir_types::{Duration, Invalid};

/// A multiple of a rate with which a flow still sends: a hundredth to a hundred times.
pub(crate) fn check_ratio(ratio: f64, parameter: &'static str) -> Result<(), Invalid> {
    Invalid::unless(
        (0.01..=100.0).contains(&ratio),
        parameter,
        alloc::format!("{ratio:?} does not lie between 0.01 and 100"),
        "write a multiple of the rate, such as 1.2",
    )
}

/// Segments of `payload` bytes in a burst of segmentation offload: 1 ms of data, and more on short paths
/// (`tcp_tso_autosize`). `rate` is in segments per second, and `min_rtt` is the least round trip of the path.
pub(crate) fn tso_segments(rate: f64, min_rtt: Duration, payload: u32) -> u32 {
    const MOST: u64 = 1 << 16;
    let halvings = (min_rtt.as_nanos() / 1000) >> 9;
    let near = if halvings < 32 { MOST >> halvings } else { 0 };
    let bytes = ((rate * f64::from(payload)) as u64 >> 10) + near;
    bytes.min(MOST) as u32 / payload
}
