//! How a sender paces: the parameters. The rule is in `transport/modern/pacing.rs`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::Invalid;

use crate::congestion::check_ratio;

/// Parameters of pacing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PacingParameters {
    /// The rate in slow start, while `cwnd` is below half of `ssthresh`, in multiples of `cwnd / srtt`. A congestion
    /// control with a rate of its own does not use it.
    #[schemars(extend("x-default-source" = "Linux, tcp_pacing_ss_ratio"))]
    pub slow_start_ratio: f64,
    /// The rate while `cwnd` is at least half of `ssthresh`, in multiples of `cwnd / srtt`. A congestion control with
    /// a rate of its own does not use it.
    #[schemars(extend("x-default-source" = "Linux, tcp_pacing_ca_ratio"))]
    pub avoidance_ratio: f64,
    /// Number of segments that leave before pacing begins.
    #[schemars(extend("x-default-source" = "Linux, tcp_update_skb_after_send"))]
    pub initial_burst: u32,
    /// Leave in bursts, as segmentation offload builds them: as many as the rate sends in 1 ms, at least two.
    #[schemars(extend("x-default-source" = "one segment at a time"))]
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
