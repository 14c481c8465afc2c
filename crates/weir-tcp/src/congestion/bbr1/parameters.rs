//! The parameters of BBR version 1.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Invalid};

use super::super::bbr::{check_min_rtt_window, check_min_tso_segments};
use crate::{congestion::check_ratio, preset::InPreset};

/// Parameters of BBR version 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bbr1Parameters {
    /// Gain of rate and window in STARTUP: `2 / ln 2`.
    #[schemars(extend("x-default-source" = "Linux, 739/256"))]
    pub high_gain: f64,
    /// Gain of the rate in DRAIN.
    #[schemars(extend("x-default-source" = "Linux, 88/256"))]
    pub drain_gain: f64,
    /// Gain of the window in `PROBE_BW`.
    #[schemars(extend("x-default-source" = "the draft, section 4.2.3.2"))]
    pub cwnd_gain: f64,
    /// Share of the bandwidth that the rate of pacing leaves free, so that queues drain.
    #[schemars(extend("x-default-source" = "Linux; the draft has none"))]
    pub pacing_margin: f64,
    /// Rounds over which the greatest delivery rate counts.
    #[schemars(extend("x-default-source" = "the draft, BtlBwFilterLen"))]
    pub bw_window: u32,
    /// How long the least round trip counts.
    #[schemars(extend("x-default-source" = "the draft, RTpropFilterLen"))]
    pub min_rtt_window: Duration,
    /// How long `PROBE_RTT` lasts.
    #[schemars(extend("x-default-source" = "the draft, ProbeRTTDuration"))]
    pub probe_rtt: Duration,
    /// Least number of segments in a burst of segmentation offload, at rates from 1.2 Mbit/s on; at lower ones it is
    /// one. A burst has 1 ms of data. Three bursts are added to the window.
    #[schemars(extend("x-default-source" = "Linux, tcp_min_tso_segs of BBR"))]
    pub min_tso_segments: u32,
    /// Take the rate of a policer where losses show one.
    #[schemars(extend("x-default-source" = "Linux; the draft has none"))]
    pub long_term_bw: bool,
}

impl Default for Bbr1Parameters {
    fn default() -> Self {
        Self {
            high_gain: 739.0 / 256.0,
            drain_gain: 88.0 / 256.0,
            cwnd_gain: 2.0,
            pacing_margin: 0.01,
            bw_window: 10,
            min_rtt_window: Duration::from_secs(10),
            probe_rtt: Duration::from_millis(200),
            min_tso_segments: 2,
            long_term_bw: true,
        }
    }
}

impl InPreset for Bbr1Parameters {}

impl Bbr1Parameters {
    pub(in crate::congestion) fn check(&self) -> Result<(), Invalid> {
        for (gain, name) in
            [(self.high_gain, "high_gain"), (self.drain_gain, "drain_gain"), (self.cwnd_gain, "cwnd_gain")]
        {
            check_ratio(gain, name)?;
        }
        Invalid::unless(
            (0.0..1.0).contains(&self.pacing_margin),
            "pacing_margin",
            alloc::format!("{} leaves no rate", self.pacing_margin),
            "Linux has 0.01",
        )?;
        Invalid::unless(self.bw_window > 0, "bw_window", "bw_window is zero", "the draft has 10 rounds")?;
        check_min_rtt_window(self.min_rtt_window)?;
        check_min_tso_segments(self.min_tso_segments)
    }
}
