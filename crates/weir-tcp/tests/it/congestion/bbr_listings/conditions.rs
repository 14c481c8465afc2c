//! Conditions of lines.

/// Conditions that a line draws anew from time to time. Times are in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conditions {
    /// Least and greatest time between two segments at the bottleneck.
    pub(super) spacing: (f64, f64),
    /// Least and greatest round trip without a queue.
    pub(super) delay: (f64, f64),
    /// Greatest number of segments that may wait.
    pub(super) buffer: (f64, f64),
    /// Greatest share of segments lost at random.
    pub(super) loss: f64,
    /// Greatest time that ACKs are held back, to come at once.
    pub(super) aggregation: f64,
    /// Chance at an ACK that there is nothing to send for a while.
    pub(super) idle: f64,
    /// Chance at an ACK that the timer expires.
    pub(super) timeout: f64,
    /// Chance at an ACK that its numbers are drawn at random, as no line would have them.
    pub(super) noise: f64,
    /// Chance at an ACK that a duplicate follows which reports nothing.
    pub(super) duplicates: f64,
    /// Chance at an ACK that it answers a tail loss probe.
    pub(super) probes: f64,
    /// Chance at an ACK that the conditions are drawn anew.
    pub(super) change: f64,
    /// Most segments that leave at once.
    pub(super) burst: f64,
    /// Bytes of data in a segment.
    pub(super) payload: u32,
}

/// Conditions without surprises: 1 ms for each segment, 40 ms, no losses.
pub(super) const CALM: Conditions = Conditions {
    spacing: (1e6, 1e6),
    delay: (40e6, 40e6),
    buffer: (1e9, 1e9),
    loss: 0.0,
    aggregation: 0.0,
    idle: 0.0,
    timeout: 0.0,
    noise: 0.0,
    duplicates: 0.0,
    probes: 0.0,
    change: 0.0,
    burst: 1.0,
    payload: 1448,
};

/// A line of any kind, often below the 1.2 Mbit/s at which bursts of version 1 become short.
pub(super) const WILD: Conditions = Conditions {
    spacing: (0.2e6, 15e6),
    delay: (5e6, 60e6),
    buffer: (5.0, 100.0),
    loss: 0.02,
    aggregation: 10e6,
    idle: 0.001,
    noise: 0.0,
    timeout: 0.0005,
    duplicates: 0.01,
    probes: 0.0,
    change: 0.0005,
    burst: 4.0,
    payload: 1448,
};
/// A faster one, with longer segments.
pub(super) const FAST: Conditions =
    Conditions { spacing: (0.05e6, 1e6), delay: (0.5e6, 60e6), change: 0.0002, payload: 4000, ..WILD };

/// A line that holds ACKs back for times that change, with nothing to send now and then.
pub(super) const HELD_BACK: Conditions = Conditions {
    spacing: (0.2e6, 2e6),
    delay: (2e6, 10e6),
    aggregation: 80e6,
    idle: 0.05,
    change: 0.05,
    ..WILD
};
