//! The parameters of BBR version 3.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Invalid, Probability};

use super::super::bbr::{check_min_rtt_window, check_min_tso_segments};
use crate::{congestion::check_ratio, preset::InPreset};

/// Parameters of BBR version 3. The defaults are those of google/bbr, branch v3; the draft departs where said.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bbr3Parameters {
    /// Gain of the rate in STARTUP.
    #[schemars(extend("x-default-source" = "Linux, 710/256; the draft: 2.77"))]
    pub startup_gain: f64,
    /// Gain of the rate in DRAIN.
    #[schemars(extend("x-default-source" = "Linux, 88/256; the draft: 0.5, earlier 0.35"))]
    pub drain_gain: f64,
    /// Gain of the rate in `PROBE_BW`, while it goes up.
    #[schemars(extend("x-default-source" = "the draft, section 5.6.1"))]
    pub up_gain: f64,
    /// Gain of the rate in `PROBE_BW`, while it goes down.
    #[schemars(extend("x-default-source" = "Linux, 232/256; the draft: 0.9"))]
    pub down_gain: f64,
    /// Gain of the window.
    #[schemars(extend("x-default-source" = "the draft, section 5.6.1"))]
    pub cwnd_gain: f64,
    /// Gain of the window in `PROBE_BW`, while the rate goes up.
    #[schemars(extend("x-default-source" = "the draft, section 5.6.1"))]
    pub up_cwnd_gain: f64,
    /// Share of the bandwidth that the rate of pacing leaves free, so that queues drain.
    #[schemars(extend("x-default-source" = "the draft, BBR.PacingMarginPercent"))]
    pub pacing_margin: f64,
    /// Share of the segments in flight whose loss says that they are too many.
    #[schemars(extend("x-default-source" = "Linux, 5/256; the draft: 0.02"))]
    pub loss_threshold: f64,
    /// Share of bandwidth and flight that a loss takes off.
    #[schemars(extend("x-default-source" = "Linux, 76/256; the draft: BBR.Beta 0.7 is what is left"))]
    pub beta: f64,
    /// Share of `inflight_hi` that is left free while it cruises.
    #[schemars(extend("x-default-source" = "Linux, 38/256; the draft: 0.15"))]
    pub headroom: f64,
    /// ACKs of a round that tell of losses before they end STARTUP.
    #[schemars(extend("x-default-source" = "the draft, BBR.StartupFullLossCnt"))]
    pub full_loss_count: u32,
    /// How long the least round trip counts.
    #[schemars(extend("x-default-source" = "the draft, MinRTTFilterLen"))]
    pub min_rtt_window: Duration,
    /// How long a round trip must not have been lower before `PROBE_RTT`.
    #[schemars(extend("x-default-source" = "the draft, ProbeRTTInterval"))]
    pub probe_rtt_interval: Duration,
    /// How long `PROBE_RTT` lasts; "0 s": never begins.
    #[schemars(extend("x-default-source" = "the draft, ProbeRTTDuration"))]
    pub probe_rtt: Duration,
    /// Gain of the window in `PROBE_RTT`.
    #[schemars(extend("x-default-source" = "the draft, BBR.ProbeRTTCwndGain"))]
    pub probe_rtt_gain: f64,
    /// The bandwidth is probed again after this time and what is drawn of `probe_spread`, or after `probe_rounds`
    /// round trips, whichever comes first.
    #[schemars(extend("x-default-source" = "the draft, section 5.3.3.5.3"))]
    pub probe_wait: Duration,
    /// The greatest time that is added to `probe_wait`, drawn anew for each probe of the bandwidth.
    #[schemars(extend("x-default-source" = "the draft, section 5.3.3.5.3"))]
    pub probe_spread: Duration,
    /// The bandwidth is probed again after this many round trips, or after `probe_wait` and `probe_spread`,
    /// whichever comes first. If the product of bandwidth and round trip has fewer segments, that is the number of
    /// round trips.
    #[schemars(extend("x-default-source" = "the draft, section 5.3.3.5.3"))]
    pub probe_rounds: u32,
    /// Least number of segments in a burst of segmentation offload. A burst has 1 ms of data, and on short paths more:
    /// 64 KiB, halved for each 0.5 ms of the least round trip. The window has room for three bursts.
    #[schemars(extend("x-default-source" = "Linux, tcp_min_tso_segs of BBR"))]
    pub min_tso_segments: u32,
    /// Answer marks on short paths, as Linux does on routes with the feature `ecn_low`: `ecn = {}`. Meant for data
    /// centres, where queues mark from a low threshold on. Needs `tcp.ecn` and `tcp.accecn`. Segments are ECT(0).
    #[schemars(extend("x-default" = "marks are ignored"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn: Option<Bbr3EcnParameters>,
}

/// Parameters of the answer of BBR version 3 to marks. The defaults are those of google/bbr, branch v3.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bbr3EcnParameters {
    /// Greatest least round trip of a path on which marks are answered; "0 s": on any path. Once they are answered,
    /// they are to the end.
    #[schemars(extend("x-default-source" = "Linux, bbr_ecn_max_rtt_us"))]
    pub max_rtt: Duration,
    /// Weight in alpha of the share of marked segments of the newest round. Alpha has 256 steps.
    #[schemars(extend("x-default-source" = "Linux, bbr_ecn_alpha_gain, 16/256"))]
    pub alpha_gain: f64,
    /// Initial value of alpha.
    #[schemars(extend("x-default-source" = "Linux, bbr_ecn_alpha_init"))]
    pub initial_alpha: Probability,
    /// Share of `inflight_lo` that a round with a mark takes off if alpha is 1.
    #[schemars(extend("x-default-source" = "Linux, bbr_ecn_factor, 85/256"))]
    pub factor: f64,
    /// Share of marked segments that says that too many are in flight: of a sample in a probe, of a round in STARTUP.
    #[schemars(extend("x-default-source" = "Linux, bbr_ecn_thresh"))]
    pub threshold: f64,
    /// Rounds with so many marks, one after the other, that end STARTUP.
    #[schemars(extend("x-default-source" = "Linux, bbr_full_ecn_cnt"))]
    pub full_rounds: u32,
    /// Share of `inflight_hi` by which it grows in the first round of a probe that begins because marks have ceased.
    /// "0": no probe begins for that.
    #[schemars(extend("x-default-source" = "Linux, bbr_ecn_reprobe_gain"))]
    pub reprobe_gain: f64,
}

impl Default for Bbr3EcnParameters {
    fn default() -> Self {
        Self {
            max_rtt: Duration::from_millis(5),
            alpha_gain: 1.0 / 16.0,
            initial_alpha: Probability::constant(1.0),
            factor: 85.0 / 256.0,
            threshold: 0.5,
            full_rounds: 2,
            reprobe_gain: 0.5,
        }
    }
}

impl Bbr3EcnParameters {
    fn check(&self) -> Result<(), Invalid> {
        for (share, name, known) in [
            (self.alpha_gain, "alpha_gain", "Linux has 0.0625"),
            (self.factor, "factor", "Linux has 0.33203125; leave ecn out to ignore marks"),
            (self.threshold, "threshold", "Linux has 0.5"),
        ] {
            let is_share = share > 0.0 && share <= 1.0;
            Invalid::unless(
                is_share,
                name,
                alloc::format!("{share} is not a share above 0, at most 1"),
                known,
            )?;
        }
        Invalid::unless(
            self.full_rounds > 0,
            "full_rounds",
            "full_rounds is zero: STARTUP would not wait for marks",
            "Linux has 2",
        )?;
        Invalid::unless(
            (0.0..=1.0).contains(&self.reprobe_gain),
            "reprobe_gain",
            alloc::format!("{} is not a share from 0 to 1", self.reprobe_gain),
            "Linux has 0.5",
        )
    }
}

impl Default for Bbr3Parameters {
    fn default() -> Self {
        Self {
            startup_gain: 2.77344, // 710 / 256
            drain_gain: 88.0 / 256.0,
            up_gain: 1.25,
            down_gain: 232.0 / 256.0,
            cwnd_gain: 2.0,
            up_cwnd_gain: 2.25,
            pacing_margin: 0.01,
            loss_threshold: 0.019_531_3, // 5 / 256, and not less
            beta: 76.0 / 256.0,
            headroom: 0.148_438, // 38 / 256, and not less
            full_loss_count: 6,
            min_rtt_window: Duration::from_secs(10),
            probe_rtt_interval: Duration::from_secs(5),
            probe_rtt: Duration::from_millis(200),
            probe_rtt_gain: 0.5,
            probe_wait: Duration::from_secs(2),
            probe_spread: Duration::from_secs(1),
            probe_rounds: 63,
            min_tso_segments: 2,
            ecn: None,
        }
    }
}

impl InPreset for Bbr3Parameters {}

impl Bbr3Parameters {
    pub(in crate::congestion) fn check(&self) -> Result<(), Invalid> {
        for (gain, name) in [
            (self.startup_gain, "startup_gain"),
            (self.drain_gain, "drain_gain"),
            (self.up_gain, "up_gain"),
            (self.down_gain, "down_gain"),
            (self.cwnd_gain, "cwnd_gain"),
            (self.up_cwnd_gain, "up_cwnd_gain"),
            (self.probe_rtt_gain, "probe_rtt_gain"),
        ] {
            check_ratio(gain, name)?;
        }
        Invalid::unless(
            self.up_gain >= 1.0,
            "up_gain",
            alloc::format!("a probe at {} of the bandwidth finds no more of it", self.up_gain),
            "write at least 1; the draft has 1.25",
        )?;
        for (share, name, known) in [
            (self.pacing_margin, "pacing_margin", "the draft has 0.01"),
            (self.loss_threshold, "loss_threshold", "the draft has 0.02"),
            (self.beta, "beta", "the draft's 0.7, what is left, is 0.3 here"),
            (self.headroom, "headroom", "the draft has 0.15"),
        ] {
            let is_share = (0.0..1.0).contains(&share);
            Invalid::unless(
                is_share,
                name,
                alloc::format!("{share} is not a share from 0 to below 1"),
                known,
            )?;
        }
        self.check_times()
    }

    /// None of these may be zero.
    fn check_times(&self) -> Result<(), Invalid> {
        let longest_wait = self.probe_wait + self.probe_spread;
        for (holds, name, problem, hint) in [
            (
                self.full_loss_count > 0,
                "full_loss_count",
                "full_loss_count is zero: STARTUP would not wait for losses",
                "the draft has 6 ACKs",
            ),
            (
                !longest_wait.is_zero(),
                "probe_wait",
                "probe_wait and probe_spread are zero: one probe of the bandwidth would follow another",
                "the draft has \"2 s\" and \"1 s\"",
            ),
            (
                self.probe_rounds > 0,
                "probe_rounds",
                "probe_rounds is zero: one probe of the bandwidth would follow another",
                "the draft has 63; a greater number leaves it to probe_wait",
            ),
        ] {
            Invalid::unless(holds, name, problem, hint)?;
        }
        check_min_rtt_window(self.min_rtt_window)?;
        check_min_tso_segments(self.min_tso_segments)?;
        self.ecn.map_or(Ok(()), |ecn| ecn.check().map_err(|invalid| invalid.below("ecn")))
    }
}
