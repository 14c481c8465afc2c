//! The choice of loss recovery, and its parameters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::Invalid;

/// A choice of loss recovery with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecoveryConfig {
    /// Fast recovery that survives several losses in one window (RFC 6582).
    NewReno(NewRenoParameters),
    /// Fast recovery that the first ACK of new data ends (RFC 5681, section 3.2).
    Reno(RenoRecoveryParameters),
    /// Recovery with selective acknowledgements (RFC 6675).
    Sack(SackParameters),
}

impl RecoveryConfig {
    /// The names of all recoveries.
    pub const NAMES: &[&str] = &["newreno", "reno", "sack"];

    /// The recovery called `name` with its defaults.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "newreno" => Some(Self::NewReno(NewRenoParameters::default())),
            "reno" => Some(Self::Reno(RenoRecoveryParameters::default())),
            "sack" => Some(Self::Sack(SackParameters::default())),
            _ => None,
        }
    }

    /// Its name in scenario files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NewReno(_) => "newreno",
            Self::Reno(_) => "reno",
            Self::Sack(_) => "sack",
        }
    }

    /// Checks that the parameters are consistent.
    ///
    /// # Errors
    /// Names the parameter that is not, and what to do.
    pub fn check(&self) -> Result<(), Invalid> {
        match self {
            Self::Sack(parameters) => parameters.check(),
            Self::NewReno(_) | Self::Reno(_) => Ok(()),
        }
    }
}

impl Default for RecoveryConfig {
    fn default() -> Self {
        Self::NewReno(NewRenoParameters::default())
    }
}

/// Which partial ACKs restart the retransmission timer (RFC 6582, section 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimerReset {
    /// The first: with many losses a timeout ends the repair ("impatient").
    #[default]
    FirstPartialAck,
    /// Every one: one segment is repaired per round trip, however many ("slow but steady").
    EveryPartialAck,
}

/// The window after a full ACK (RFC 6582, section 3.2, step 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FullAckWindow {
    /// `min(ssthresh, max(flight, 1) + 1)`: no burst.
    #[default]
    Flight,
    /// The halved window, less what partial ACKs took beyond the inflation (ns-2).
    Window,
}

/// Parameters of `NewReno` fast recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NewRenoParameters {
    /// Which partial ACKs restart the retransmission timer.
    #[schemars(extend("x-default-source" = "RFC 6582, section 4"))]
    pub timer_reset: TimerReset,
    /// The window after a full ACK.
    #[schemars(extend("x-default-source" = "RFC 6582, section 3.2, step 3"))]
    pub full_ack_window: FullAckWindow,
    /// Segments sent per ACK at most while in recovery; 0 for no limit (ns-2: 2).
    #[schemars(extend("x-default-source" = "RFC 6582", "x-default" = "no limit"))]
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "unless_zero")]
    pub max_burst: Option<u32>,
}

/// Reads 0 as no limit, as ns-2 does, so that a file can take back the limit of a preset.
fn unless_zero<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let limit: Option<u32> = Deserialize::deserialize(deserializer)?;
    Ok(limit.filter(|limit| *limit > 0))
}

/// Parameters of Reno's fast recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RenoRecoveryParameters {
    /// Losses of one window cut it once: after a recovery or a timeout, duplicate ACKs below what was the
    /// highest number sent then start nothing (ns-2's `bugFix_`).
    #[schemars(extend("x-default-source" = "RFC 5681"))]
    pub once_per_window: bool,
    /// The ACK that ends recovery lets the window grow, as others do (ns-2).
    #[schemars(extend("x-default-source" = "RFC 5681"))]
    pub grow_on_exit: bool,
}

/// Rule by which a segment is found lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossDetection {
    /// So many segments above it have arrived (RFC 6675, `IsLost`).
    #[default]
    Dupack,
    /// One that left later has arrived, and it is late (RFC 8985). Finds lost retransmissions too.
    Rack,
}

/// Parameters of recovery with selective acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SackParameters {
    /// How a loss is detected.
    #[schemars(extend("x-default-source" = "RFC 6675"))]
    pub detection: LossDetection,
    /// `DupThresh`: segments above it that say that one is lost.
    #[schemars(extend("x-default-source" = "RFC 6675, section 2"))]
    pub dupthresh: u32,
    /// Cut the window in proportion to what arrives (RFC 9937) instead of at once.
    #[schemars(extend("x-default-source" = "RFC 6675"))]
    pub prr: bool,
    /// After a mark, too, cut the window in proportion to what arrives. The window then does not grow until what was
    /// sent before is acknowledged (Linux).
    #[schemars(extend("x-default-source" = "RFC 3168"))]
    pub prr_on_mark: bool,
    /// The ACK that ends recovery lets the window grow, as others do (Linux).
    #[schemars(extend("x-default-source" = "RFC 6675"))]
    pub grow_on_full_ack: bool,
    /// How fast PRR lets the window climb back when losses took more than the cut.
    #[schemars(extend("x-default-source" = "RFC 9937"))]
    pub prr_bound: PrrBound,
    /// Send a tail loss probe when nothing has come back for two round trips (RFC 8985, section 7). If the timeout is
    /// due earlier, the probe takes its place. A loss at the tail then costs less. Needs RACK.
    #[schemars(extend("x-default-source" = "RFC 6675"))]
    pub tlp: bool,
}

impl Default for SackParameters {
    fn default() -> Self {
        Self {
            detection: LossDetection::default(),
            dupthresh: 3,
            prr: false,
            prr_on_mark: false,
            grow_on_full_ack: false,
            prr_bound: PrrBound::default(),
            tlp: false,
        }
    }
}

impl SackParameters {
    /// Checks that the parameters are consistent.
    ///
    /// # Errors
    /// Names the parameter that is not, and what to do.
    pub fn check(&self) -> Result<(), Invalid> {
        Invalid::unless(
            self.dupthresh > 0,
            "dupthresh",
            "dupthresh is zero",
            "every segment would be lost; RFC 6675 has 3",
        )?;
        Invalid::unless(
            !self.tlp || self.detection == LossDetection::Rack,
            "tlp",
            "tlp needs RACK",
            "add detection = \"rack\"",
        )
    }
}

/// How fast the window climbs back when losses took more than the cut was to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PrrBound {
    /// One segment more than arrives while repairs succeed, as many as arrive while they do not
    /// (RFC 9937, section 6).
    #[default]
    SafeAck,
    /// As many as arrive (RFC 6937, PRR-CRB).
    Crb,
    /// One segment more than arrives (RFC 6937, PRR-SSRB).
    Ssrb,
}
