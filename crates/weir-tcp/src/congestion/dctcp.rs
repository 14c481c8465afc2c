//! DCTCP: a mark cuts the window by as much as marks are frequent.
//!
//! M. Alizadeh, A. Greenberg, D. Maltz, J. Padhye, P. Patel, B. Prabhakar, S. Sengupta, M. Sridharan:
//! *Data Center TCP (DCTCP)*, SIGCOMM 2010; S. Bensley, D. Thaler, P. Balasubramanian, L. Eggert,
//! G. Judd: RFC 8257, section 3.3.
//!
//! ```text
//! every window of data   alpha = (1 - g) alpha + g M,   M = marked / acknowledged
//! a mark, once a window  cwnd = cwnd (1 - alpha / 2)
//! else                   as Reno
//! ```
//!
//! The receiver echoes marks one by one ([`super::Feedback::Exact`]). Where an ACK that ends a window
//! bears an echo, alpha is renewed first. Under a step at K (AQM `step`) N flows of window W make a saw
//! of `sqrt(N (C RTT + K) / 2)` packets about K (the paper, section 3.3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Invalid, Probability};

use super::{
    Ack, Congestion, Facts, Feedback, Marks, Reno, RenoParameters, Repair, Signal, Window, parts::Round,
};
use crate::{
    accecn::EcnMode,
    preset::{InPreset, TcpPreset},
};

/// Parameters of DCTCP.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DctcpParameters {
    /// `g`: weight of the newest window in alpha.
    #[schemars(extend("x-default-source" = "RFC 8257, section 4.2"))]
    pub gain: f64,
    /// alpha before the first window.
    #[schemars(extend("x-default-source" = "RFC 8257, section 3.3"))]
    pub initial_alpha: Probability,
    /// Cut by whole segments, rounded down (Linux). At a small window a small alpha then cuts nothing. With accurate
    /// feedback (`accecn`) alpha is then in whole 1024ths, too.
    #[schemars(extend("x-default-source" = "RFC 8257, which counts bytes"))]
    pub integer_cwnd: bool,
    /// Which ACK ends a window of data.
    #[schemars(extend("x-default-source" = "RFC 8257, section 3.3"))]
    pub window_end: WindowEnd,
    /// Growth, and the response to losses.
    #[schemars(extend("x-default-source" = "RFC 8257, section 3.4"))]
    pub reno: RenoParameters,
}

/// Which ACK ends a window of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowEnd {
    /// One for more than had been sent at its start (RFC 8257).
    #[default]
    Passed,
    /// One for all that had been sent (Linux): with windows of two or three segments, sooner by an ACK.
    Reached,
}

impl Default for DctcpParameters {
    fn default() -> Self {
        Self {
            gain: 1.0 / 16.0,
            initial_alpha: Probability::constant(1.0),
            integer_cwnd: false,
            window_end: WindowEnd::default(),
            reno: RenoParameters::default(),
        }
    }
}

impl InPreset for DctcpParameters {
    fn in_preset(preset: TcpPreset) -> Self {
        let rfc = Self { reno: RenoParameters::in_preset(preset), ..Self::default() };
        match preset {
            TcpPreset::Rfc => rfc,
            TcpPreset::Ns2 => Self { initial_alpha: Probability::constant(0.0), ..rfc },
            TcpPreset::Linux => Self { integer_cwnd: true, window_end: WindowEnd::Reached, ..rfc },
        }
    }
}

impl DctcpParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless(
            self.gain > 0.0 && self.gain <= 1.0,
            "gain",
            alloc::format!("{} is no weight", self.gain),
            "RFC 8257 has 0.0625",
        )?;
        self.reno.check().map_err(|invalid| invalid.below("reno"))
    }
}

/// DCTCP's congestion control.
#[derive(Clone, Debug)]
pub struct Dctcp {
    gain: f64,
    integer_cwnd: bool,
    window_end: WindowEnd,
    /// The smoothed fraction of marked segments.
    alpha: f64,
    /// Segments of this window of data: acknowledged, and of these marked.
    acked: u32,
    marked: u32,
    /// ACKs count the marked segments.
    counts: bool,
    round: Round,
    reno: Reno,
}

impl Dctcp {
    /// DCTCP with these parameters.
    pub fn new(parameters: &DctcpParameters) -> Self {
        Self {
            gain: parameters.gain,
            integer_cwnd: parameters.integer_cwnd,
            window_end: parameters.window_end,
            alpha: parameters.initial_alpha.get(),
            acked: 0,
            marked: 0,
            counts: false,
            round: Round::BEGIN,
            reno: Reno::new(&parameters.reno),
        }
    }
}

impl Dctcp {
    /// The new alpha in whole 1024ths, as in Linux: what is added and taken off is rounded down, and what is too
    /// little to lose a step goes at once.
    fn alpha_in_steps(&self, fraction: f64) -> f64 {
        let alpha = self.alpha * STEPS;
        let lost = libm::floor(alpha * self.gain);
        let kept = if lost > 0.0 { alpha - lost } else { 0.0 };
        (kept + libm::floor(fraction * self.gain * STEPS)).min(STEPS) / STEPS
    }
}

/// Steps of alpha from 0 to 1 (Linux, `DCTCP_MAX_ALPHA`).
const STEPS: f64 = 1024.0;

impl Congestion for Dctcp {
    const FACTS: Facts = Facts {
        marks: Marks::Wanted,
        feedback: Feedback::Exact,
        scalable: true,
        kernel_name: Some("dctcp"),
        ..Facts::PLAIN
    };

    #[inline(never)]
    fn observe(&mut self, ack: Ack, _: &mut Window) -> bool {
        self.acked += ack.acked;
        self.marked += match self.counts {
            true => ack.marked,
            false if ack.echo => ack.acked,
            false => 0,
        };
        let una = ack.una + u32::from(self.window_end == WindowEnd::Reached);
        if self.round.ends(&Ack { una, ..ack }) {
            if self.acked > 0 {
                let fraction = f64::from(self.marked) / f64::from(self.acked);
                self.alpha = if self.counts && self.integer_cwnd {
                    self.alpha_in_steps(fraction)
                } else {
                    self.alpha + self.gain * (fraction - self.alpha)
                };
            }
            (self.acked, self.marked) = (0, 0);
        }
        false
    }

    fn on_ecn(&mut self, mode: EcnMode) {
        self.counts = mode == EcnMode::Accurate;
    }

    fn on_ack(&mut self, ack: Ack, window: &mut Window) {
        self.reno.on_ack(ack, window);
    }

    fn on_loss(&mut self, signal: Signal, window: &mut Window) -> Repair {
        self.reno.on_loss(signal, window)
    }

    fn on_mark(&mut self, _: Signal, window: &mut Window) {
        self.reno.end_slow_start(false);
        let less = window.cwnd * self.alpha / 2.0;
        let less = if self.integer_cwnd { libm::floor(less) } else { less };
        window.cwnd = (window.cwnd - less).max(1.0);
        window.ssthresh = window.cwnd.max(2.0);
    }

    fn on_timeout(&mut self, signal: Signal, window: &mut Window) {
        self.reno.on_timeout(signal, window);
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("alpha", self.alpha);
    }
}
