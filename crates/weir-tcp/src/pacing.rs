//! How a sender paces: the parameters. The rule is in `sender/extended/pacing.rs`.

use weir_types::{Duration, Invalid};

/// Parameters of pacing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, default)
)]
pub struct PacingParameters {
    /// The rate in slow start, while `cwnd` is below half of `ssthresh`, in multiples of `cwnd / srtt`. A congestion
    /// control with a rate of its own does not use it.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "Linux, tcp_pacing_ss_ratio")))]
    pub slow_start_ratio: f64,
    /// The rate while `cwnd` is at least half of `ssthresh`, in multiples of `cwnd / srtt`. A congestion control with
    /// a rate of its own does not use it.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "Linux, tcp_pacing_ca_ratio")))]
    pub avoidance_ratio: f64,
    /// Number of segments that leave before pacing begins.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "Linux, tcp_update_skb_after_send")))]
    pub initial_burst: u32,
    /// Leave in bursts, as segmentation offload builds them: as many as the rate sends in 1 ms, at least two.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "one segment at a time")))]
    pub tso: bool,
}

impl Default for PacingParameters {
    fn default() -> Self {
        Self { slow_start_ratio: 2.0, avoidance_ratio: 1.2, initial_burst: 10, tso: false }
    }
}

impl PacingParameters {
    pub(crate) fn check(&self) -> Result<(), Invalid> {
        check_ratio(self.slow_start_ratio, "slow_start_ratio")?;
        check_ratio(self.avoidance_ratio, "avoidance_ratio")
    }
}

/// A multiple of a rate with which a flow still sends: a hundredth to a hundred times.
pub(crate) fn check_ratio(ratio: f64, parameter: &'static str) -> Result<(), Invalid> {
    Invalid::unless(
        (0.01..=100.0).contains(&ratio),
        parameter,
        alloc::format!("{ratio:?} does not lie between 0.01 and 100"),
        "write a multiple of the rate, such as 1.2",
    )
}

/// Segments of `payload` bytes in a burst of segmentation offload at a rate of segments per second, over a path whose
/// least round trip is `min_rtt`: 1 ms of data, and more on short paths (`tcp_tso_autosize`).
pub(crate) fn tso_segments(rate: f64, min_rtt: Duration, payload: u32) -> u32 {
    const MOST: u64 = 1 << 16;
    let halvings = (min_rtt.as_nanos() / 1000) >> 9;
    let near = if halvings < 32 { MOST >> halvings } else { 0 };
    let bytes = ((rate * f64::from(payload)) as u64 >> 10) + near;
    bytes.min(MOST) as u32 / payload
}
