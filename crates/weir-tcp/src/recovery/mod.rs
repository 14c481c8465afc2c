//! Loss recovery: how lost segments are found and repaired.

mod newreno;
mod rtt;

pub use newreno::{Exit, NewReno, NewRenoParameters, TimerReset};
pub use rtt::RttEstimator;

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
}

impl Default for RecoveryConfig {
    fn default() -> Self {
        Self::NewReno(NewRenoParameters::default())
    }
}
