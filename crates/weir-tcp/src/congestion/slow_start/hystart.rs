//! `HyStart`: slow start that ends before the first loss.
//!
//! S. Ha, I. Rhee: *Taming the elephants: New TCP slow start*, Computer Networks 55 (9), 2011, section
//! 4; with the constants of Linux (`tcp_cubic.c`), where it is a part of CUBIC.
//!
//! ```text
//! of every round, once cwnd >= 16:
//!   train   ACKs at most 2 ms apart, from the start of the round on for more than least RTT / 2
//!   delay   least of the first 8 round trips > least RTT + clamp(least RTT / 8, 4 ms, 16 ms)
//! either one: ssthresh = cwnd
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid};

use crate::congestion::{Ack, Window, parts::Round};

/// Parameters of `HyStart`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HystartParameters {
    /// Look at the length of ACK trains.
    #[schemars(extend("x-default-source" = "Linux"))]
    pub train: bool,
    /// Look at the growth of round trips.
    #[schemars(extend("x-default-source" = "Linux"))]
    pub delay: bool,
    /// Smaller windows are left alone, in segments.
    #[schemars(extend("x-default-source" = "Linux"))]
    pub low_window: f64,
    /// ACKs further apart are not of one train.
    #[schemars(extend("x-default-source" = "Linux"))]
    pub spacing: Duration,
}

impl Default for HystartParameters {
    fn default() -> Self {
        Self { train: true, delay: true, low_window: 16.0, spacing: Duration::from_millis(2) }
    }
}

impl HystartParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless_positive(self.low_window, "low_window")
    }
}

/// Samples of a round before its delay is judged.
const SAMPLES: u32 = 8;

/// The state of `HyStart`.
#[derive(Clone, Debug)]
pub(in crate::congestion) struct Hystart {
    parameters: HystartParameters,
    round: Round,
    /// The start of the round, and the last ACK of its train.
    start: Instant,
    last: Instant,
    /// Least round trips, of the connection and of this round; [`Duration::MAX`] before a sample.
    least: Duration,
    current: Duration,
    samples: u32,
    found: bool,
}

impl Hystart {
    pub(super) const fn new(parameters: HystartParameters) -> Self {
        Self {
            parameters,
            round: Round::BEGIN,
            start: Instant::ZERO,
            last: Instant::ZERO,
            least: Duration::MAX,
            current: Duration::MAX,
            samples: 0,
            found: false,
        }
    }

    /// A timeout begins slow start anew. After any other cut the threshold is known, so the search does
    /// not start again if recovery leaves the window below it.
    pub(super) const fn on_cut(&mut self, timeout: bool) {
        self.found = !timeout;
    }

    #[inline(never)]
    pub(super) fn grow(&mut self, ack: Ack, window: &mut Window) {
        self.least = self.least.min(ack.rtt);
        if self.round.ends(&ack) {
            (self.start, self.last) = (ack.now, ack.now);
            (self.current, self.samples) = (Duration::MAX, 0);
        }
        if !self.found && window.cwnd >= self.parameters.low_window {
            self.look(ack);
            if self.found {
                window.ssthresh = window.cwnd;
                return;
            }
        }
        window.cwnd += ack.counted;
    }

    /// Sets `found` if slow start should end here.
    fn look(&mut self, ack: Ack) {
        if self.parameters.train && ack.now.since(self.last) <= self.parameters.spacing {
            self.last = ack.now;
            self.found = ack.now.since(self.start) > self.least / 2;
        }
        if self.parameters.delay {
            self.current = self.current.min(ack.rtt);
            if self.samples < SAMPLES {
                self.samples += 1;
            } else {
                let (low, high) = (Duration::from_millis(4), Duration::from_millis(16));
                self.found |= self.current > self.least + (self.least / 8).clamp(low, high);
            }
        }
    }
}
