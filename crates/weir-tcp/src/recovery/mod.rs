//! Loss recovery: how lost segments are found and repaired.

mod newreno;
mod prr;
mod rack;
mod ranges;
mod reno;
mod rtt;
mod sack;
mod sack_log;
mod scoreboard;

use weir_types::Invalid;

pub use newreno::{Exit, NewReno, NewRenoParameters, TimerReset};
pub use prr::{Prr, ReductionBound};
pub use rack::Rack;
pub use ranges::Ranges;
pub use reno::RenoRecoveryParameters;
pub use rtt::RttEstimator;
pub use sack::{LossDetection, Probe, Reduction, Sack, SackParameters};
pub use sack_log::{BLOCKS, Blocks, SackLog};
pub use scoreboard::{NextSegment, Scoreboard};

/// A choice of loss recovery with its parameters.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "lowercase")
)]
pub enum RecoveryConfig {
    /// Fast recovery that survives several losses in one window (RFC 6582).
    NewReno(NewRenoParameters),
    /// Fast recovery that the first ACK of new data ends (RFC 5681, section 3.2).
    Reno(RenoRecoveryParameters),
    /// Recovery with selective acknowledgements (RFC 6675).
    Sack(SackParameters),
}

impl RecoveryConfig {
    /// Its name in scenario files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NewReno(_) => "newreno",
            Self::Reno(_) => "reno",
            Self::Sack(_) => "sack",
        }
    }

    /// Whether the parameters go together.
    ///
    /// # Errors
    /// Names the parameter that does not, and what to do.
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
