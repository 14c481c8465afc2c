//! States of BBR version 3.

use crate::congestion::bbr::ProbeRtt;

/// State of BBR (`bbr_mode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The rate doubles in each round until the pipe is full.
    Startup,
    /// The queue that STARTUP has built drains.
    Drain,
    /// The rate goes up and down about the bandwidth.
    ProbeBw(Phase),
    /// Little is in flight, so that the least round trip can be seen again.
    ProbeRtt(ProbeRtt),
}

/// Phases of `PROBE_BW`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// More is sent than the bandwidth, until losses or a bandwidth that has stopped growing.
    Up,
    /// The queue drains.
    Down,
    /// The rate is the bandwidth, and the window leaves room for others.
    Cruise,
    /// The pipe is filled once before more is sent.
    Refill,
}

/// Phase of the latest probe that samples report (the draft's `BBR.ack_phase`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Acks {
    /// No probe has begun.
    Init,
    /// REFILL has begun: samples are older.
    Refilling,
    /// UP has begun: samples are older.
    Starting,
    /// Samples are of the probe.
    Feedback,
    /// DOWN has begun: samples are still of the probe.
    Stopping,
}

/// Parts of BBR that an ACK changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// The model and the control.
    All,
    /// The control alone.
    Control,
    /// Neither.
    Nothing,
}
