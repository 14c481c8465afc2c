//! Reno: additive increase, multiplicative decrease.
//!
//! M. Allman, V. Paxson, E. Blanton: *TCP Congestion Control*, RFC 5681, section 3.1; N. Khademi,
//! M. Welzl, G. Armitage, G. Fairhurst: *TCP Alternative Backoff with ECN (ABE)*, RFC 8511, section 3.
//!
//! ```text
//! an ACK   cwnd += n          while cwnd < ssthresh (slow start)
//!          cwnd += n / cwnd   from there on (congestion avoidance)
//! a loss   ssthresh = max(flight / 2, 2),  cwnd = ssthresh
//! a mark   the same, with beta_ecn for 1 / 2 under ABE
//! timeout  ssthresh as for a loss, cwnd = 1
//! ```
//!
//! `n` is one per ACK or per segment acknowledged. In equilibrium, without delayed ACKs, a signal
//! rate `p` allows a window `W = sqrt(3 / (2 p))`.

use alloc::boxed::Box;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Invalid, Probability};

use super::{
    Ack, Congestion, Facts, Repair, Signal, SlowStartConfig, Window, parts::Credits, slow_start::SlowStart,
};
use crate::preset::{InPreset, TcpPreset};

/// Quantity from which `ssthresh` is calculated when the window is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SsthreshFrom {
    /// Segments outstanding (`FlightSize`; RFC 5681, equation 4).
    #[default]
    Flight,
    /// The congestion window, used or not (ns-2, Linux).
    Window,
}

/// Parameters of Reno.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RenoParameters {
    /// Quantity from which `ssthresh` is calculated when the window is cut.
    #[schemars(extend("x-default-source" = "RFC 5681, equation 4"))]
    pub ssthresh_from: SsthreshFrom,
    /// Round `ssthresh` down to whole segments (ns-2, Linux).
    #[schemars(extend("x-default-source" = "RFC 5681, which counts bytes"))]
    pub integer_ssthresh: bool,
    /// Grow and cut the window by whole segments: by one more when as many as the window holds have been
    /// acknowledged (RFC 3465, Linux). Otherwise by 1 / cwnd for each.
    #[schemars(extend("x-default-source" = "RFC 5681, equation 3"))]
    pub integer_cwnd: bool,
    /// Share of the window that a mark leaves. ABE: 0.8 (RFC 8511).
    #[schemars(extend("x-default-source" = "RFC 3168", "x-default" = "half, as a loss"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta_ecn: Option<Probability>,
    /// How slow start ends besides a loss, a mark or `ssthresh`.
    #[schemars(extend("x-default-source" = "RFC 5681"))]
    pub slow_start: SlowStartConfig,
}

impl InPreset for RenoParameters {
    fn in_preset(preset: TcpPreset) -> Self {
        let rfc = Self::default();
        match preset {
            TcpPreset::Rfc => rfc,
            // precisionReduce_ false: slowdown() cuts an integer window.
            TcpPreset::Ns2 => Self { ssthresh_from: SsthreshFrom::Window, integer_ssthresh: true, ..rfc },
            // tcp_reno_ssthresh halves tp->snd_cwnd, a whole number that tcp_cong_avoid_ai increments.
            TcpPreset::Linux => Self { ssthresh_from: SsthreshFrom::Window, integer_cwnd: true, ..rfc },
        }
    }
}

impl RenoParameters {
    pub(in crate::congestion) fn check(&self) -> Result<(), Invalid> {
        self.slow_start.check()?;
        Invalid::unless_positive(self.beta_ecn.map_or(1.0, Probability::get), "beta_ecn")
    }
}

/// Reno's congestion control.
#[derive(Clone, Debug)]
pub struct Reno {
    ssthresh_from: SsthreshFrom,
    integer_ssthresh: bool,
    /// Optional features, boxed, so that plain senders stay small.
    special: Option<Box<Special>>,
}

/// Options beyond RFC 5681.
#[derive(Clone, Debug)]
struct Special {
    beta_ecn: f64,
    /// If it grows by whole segments.
    credits: Option<Credits>,
    slow_start: SlowStart,
}

impl Reno {
    /// Reno with these parameters.
    pub fn new(parameters: &RenoParameters) -> Self {
        let is_special = parameters.beta_ecn.is_some()
            || parameters.slow_start != SlowStartConfig::Standard
            || parameters.integer_cwnd;
        Self {
            ssthresh_from: parameters.ssthresh_from,
            integer_ssthresh: parameters.integer_ssthresh,
            special: is_special.then(|| {
                let beta_ecn = parameters.beta_ecn.map_or(0.5, Probability::get);
                let credits = parameters.integer_cwnd.then(Credits::default);
                Box::new(Special { beta_ecn, credits, slow_start: parameters.slow_start.build() })
            }),
        }
    }

    #[inline(never)]
    fn grow_specially(&mut self, ack: Ack, window: &mut Window) {
        let Some(Special { slow_start, credits, .. }) = self.special.as_deref_mut() else { return };
        let Window { cwnd, ssthresh, .. } = *window;
        match credits {
            None if cwnd >= ssthresh => window.cwnd += ack.counted / cwnd,
            None => slow_start.grow(ack, window),
            Some(credits) => {
                let left = slow_start.grow_whole(ack, window);
                credits.grow(left, window.cwnd, &mut window.cwnd);
            }
        }
    }

    /// The window was cut, by a timeout or else.
    pub(super) fn end_slow_start(&mut self, timeout: bool) {
        if let Some(special) = &mut self.special {
            special.slow_start.on_cut(timeout);
            special.credits.iter_mut().for_each(Credits::clear);
        }
    }

    /// The fraction `beta` of what is halved; the threshold never below two segments.
    fn cut(&self, beta: f64, signal: Signal, window: &mut Window) -> f64 {
        let kept = match self.ssthresh_from {
            SsthreshFrom::Flight => signal.flight * beta,
            SsthreshFrom::Window => window.cwnd * beta,
        };
        let integer_cwnd = self.special.as_ref().is_some_and(|special| special.credits.is_some());
        let whole = if self.integer_ssthresh || integer_cwnd { libm::floor(kept) } else { kept };
        window.ssthresh = whole.max(2.0);
        match self.ssthresh_from {
            SsthreshFrom::Window if !integer_cwnd => kept.max(1.0),
            _ => window.ssthresh,
        }
    }
}

impl Congestion for Reno {
    const FACTS: Facts = Facts { kernel_name: Some("reno"), ..Facts::PLAIN };

    const OBSERVES: bool = false;

    /// Returns true if it grows by RFC 5681 alone.
    #[inline]
    fn is_plain(&self) -> bool {
        self.special.is_none()
    }

    /// Grows by RFC 5681 alone, unless there are options.
    #[inline]
    fn grow_plainly(&mut self, counted: f64, window: &mut Window) -> bool {
        if self.special.is_some() {
            return false;
        }
        window.cwnd += if window.cwnd >= window.ssthresh { counted / window.cwnd } else { counted };
        true
    }

    #[inline]
    fn on_ack(&mut self, ack: Ack, window: &mut Window) {
        if !self.grow_plainly(ack.counted, window) {
            self.grow_specially(ack, window);
        }
    }

    fn on_loss(&mut self, signal: Signal, window: &mut Window) -> Repair {
        self.end_slow_start(false);
        window.cwnd = self.cut(0.5, signal, window);
        Repair::Recover
    }

    fn on_mark(&mut self, signal: Signal, window: &mut Window) {
        self.end_slow_start(false);
        let beta = self.special.as_ref().map_or(0.5, |special| special.beta_ecn);
        // A mark at a window of two or three may take it to one (RFC 3168, section 6.1.2).
        let kept = self.cut(beta, signal, window);
        window.cwnd = kept.min(window.cwnd * beta).max(1.0);
    }

    fn on_timeout(&mut self, signal: Signal, window: &mut Window) {
        self.end_slow_start(true);
        self.cut(0.5, signal, window);
        window.cwnd = 1.0;
    }
}
