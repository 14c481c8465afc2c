//! Reno's fast recovery (RFC 5681, section 3.2). The third duplicate ACK sends the lowest outstanding segment
//! again, every further one inflates the window by a segment, and the first ACK of new data ends it. It
//! is [`super::NewReno`]'s but for that end: several losses in one window begin as many recoveries, each
//! with a cut, or wait for the timer.

/// Parameters of Reno's fast recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, default)
)]
pub struct RenoRecoveryParameters {
    /// Losses of one window cut it once: after a recovery or a timeout, duplicate ACKs below what was
    /// the highest number sent then start nothing (ns-2's `bugFix_`). Default off (RFC 5681).
    pub once_per_window: bool,
}
