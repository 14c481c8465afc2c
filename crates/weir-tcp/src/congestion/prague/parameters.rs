//! Parameters of Prague.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Invalid, Packets, Probability};

use crate::{
    congestion::RenoParameters,
    preset::{InPreset, TcpPreset},
};

/// Parameters of Prague.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PragueParameters {
    /// `g`: weight of the newest round in alpha.
    #[schemars(extend("x-default-source" = "the draft, section 2.4.2"))]
    pub gain: f64,
    /// alpha before the first mark. With 0 the first mark halves the window.
    #[schemars(extend("x-default-source" = "tcp_prague 0.7, `prague_alpha_mode`"))]
    pub initial_alpha: Probability,
    /// `T`: flows with shorter round trips take no more than with this one.
    #[schemars(extend("x-default-source" = "the draft, section 2.4.4"))]
    pub target_rtt: Duration,
    /// Rounds after slow start before `target_rtt` counts.
    #[schemars(extend("x-default-source" = "tcp_prague 0.7, `prague_rtt_transition`"))]
    pub transition: u32,
    /// Up to this window the state is a rate. "0 packets": never.
    #[schemars(extend("x-default-source" = "tcp_prague 0.7, `prague_cwnd_transit`"))]
    pub rate_mode_below: Packets,
    /// Parameters of Reno, to which Prague falls back without accurate feedback.
    #[schemars(extend("x-default-source" = "RFC 5681"))]
    pub reno: RenoParameters,
}

impl Default for PragueParameters {
    fn default() -> Self {
        Self {
            gain: 1.0 / 16.0,
            initial_alpha: Probability::constant(0.0),
            target_rtt: Duration::from_millis(25),
            transition: 4,
            rate_mode_below: Packets(4.0),
            reno: RenoParameters::default(),
        }
    }
}

impl InPreset for PragueParameters {
    fn in_preset(preset: TcpPreset) -> Self {
        Self { reno: RenoParameters::in_preset(preset), ..Self::default() }
    }
}

impl PragueParameters {
    pub(in crate::congestion) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless(
            self.gain > 0.0 && self.gain <= 1.0,
            "gain",
            alloc::format!("{} is no weight", self.gain),
            "the draft has 0.0625",
        )?;
        Invalid::unless(
            !self.target_rtt.is_zero(),
            "target_rtt",
            "target_rtt is zero",
            "write \"1 us\" for flows that differ by their round trips",
        )?;
        self.reno.check().map_err(|invalid| invalid.below("reno"))
    }
}
