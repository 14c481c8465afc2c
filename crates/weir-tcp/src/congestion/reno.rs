//! Reno (RFC 5681): the window grows by one segment per ACK in slow start, by one per
//! window in congestion avoidance, and is halved by a loss or a mark.
//!
//! In equilibrium, without delayed ACKs, a signal rate `p` allows a window
//! `W = sqrt(3 / (2 p))`.

use super::{Congestion, Window};

/// What is halved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Halves {
    /// What is outstanding (RFC 5681, equation 4).
    #[default]
    Flight,
    /// The window, used or not (ns-2).
    Window,
}

/// Parameters of Reno.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, default)
)]
pub struct RenoParameters {
    /// What is halved. Default: what is outstanding.
    pub halves: Halves,
    /// Round the slow-start threshold down to whole segments (ns-2). Default off.
    pub whole_ssthresh: bool,
}

/// Reno's window law.
#[derive(Clone, Debug)]
pub struct Reno {
    parameters: RenoParameters,
}

impl Reno {
    /// Reno with these parameters.
    pub const fn new(parameters: RenoParameters) -> Self {
        Self { parameters }
    }

    /// Half of what is halved; the threshold never below two segments.
    fn halve(&self, window: &mut Window, flight: f64) -> f64 {
        let half = match self.parameters.halves {
            Halves::Flight => flight / 2.0,
            Halves::Window => window.cwnd / 2.0,
        };
        let whole = if self.parameters.whole_ssthresh { libm::floor(half) } else { half };
        window.ssthresh = whole.max(2.0);
        match self.parameters.halves {
            Halves::Flight => window.ssthresh,
            Halves::Window => half.max(1.0),
        }
    }
}

impl Congestion for Reno {
    #[inline]
    fn on_ack(&mut self, window: &mut Window) {
        window.cwnd += if window.cwnd < window.ssthresh { 1.0 } else { 1.0 / window.cwnd };
    }

    fn on_loss(&mut self, window: &mut Window, flight: f64) {
        window.cwnd = self.halve(window, flight);
    }

    fn on_mark(&mut self, window: &mut Window, flight: f64) {
        // A mark at a window of two or three may take it to one (RFC 3168, section 6.1.2).
        let half = self.halve(window, flight);
        window.cwnd = half.min(window.cwnd / 2.0).max(1.0);
    }

    fn on_timeout(&mut self, window: &mut Window, flight: f64) {
        self.halve(window, flight);
        window.cwnd = 1.0;
    }
}
