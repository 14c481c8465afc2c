//! Scalable TCP: the time to recover from a loss does not depend on the rate.
//!
//! T. Kelly: *Scalable TCP: improving performance in highspeed wide area networks*, Computer Communication
//! Review 33 (2), 2003, sections 2 and 3.
//!
//! ```text
//! cwnd > lwnd    an ACK           cwnd += a for each segment that it acknowledges
//!                a loss, a mark   cwnd -= b cwnd
//! else           as Reno
//!
//! steady state   cwnd = a / (b p)          recovery   -ln(1 - b) / ln(1 + a) = 13.4 round trips
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Invalid, Probability};

use super::{Ack, Congestion, Facts, Reno, RenoParameters, Repair, Signal, Window};
use crate::preset::{InPreset, TcpPreset};

/// Parameters of Scalable TCP.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScalableParameters {
    /// Growth per acknowledged segment, in segments.
    #[schemars(extend("x-default-source" = "Kelly 2003, section 3"))]
    pub a: Probability,
    /// Share of the window that a loss or a mark takes away.
    #[schemars(extend("x-default-source" = "Kelly 2003, section 3"))]
    pub b: Probability,
    /// Greatest window at which Reno's rules hold, in segments.
    #[schemars(extend("x-default-source" = "Kelly 2003, section 3"))]
    pub lwnd: u32,
    /// The rules up to `lwnd`, and slow start.
    #[schemars(extend("x-default-source" = "RFC 5681"))]
    pub reno: RenoParameters,
}

impl Default for ScalableParameters {
    fn default() -> Self {
        Self {
            a: Probability::constant(0.01),
            b: Probability::constant(0.125),
            lwnd: 16,
            reno: RenoParameters::default(),
        }
    }
}

impl InPreset for ScalableParameters {
    fn in_preset(preset: TcpPreset) -> Self {
        Self { reno: RenoParameters::in_preset(preset), ..Self::default() }
    }
}

impl ScalableParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless_positive(self.a.get(), "a")?;
        Invalid::unless_positive(self.b.get(), "b")?;
        Invalid::unless_positive(1.0 - self.b.get(), "b")?;
        self.reno.check().map_err(|invalid| invalid.below("reno"))
    }
}

/// Scalable TCP's congestion control.
#[derive(Clone, Debug)]
pub struct Scalable {
    a: f64,
    b: f64,
    lwnd: f64,
    reno: Reno,
}

impl Scalable {
    /// Scalable TCP with these parameters.
    pub fn new(parameters: &ScalableParameters) -> Self {
        let ScalableParameters { a, b, lwnd, reno } = parameters;
        Self { a: a.get(), b: b.get(), lwnd: f64::from(*lwnd), reno: Reno::new(reno) }
    }

    /// Takes the share `b` away; false, and nothing done, where Reno's rules hold.
    fn cut(&mut self, window: &mut Window) -> bool {
        let scales = window.cwnd > self.lwnd;
        if scales {
            self.reno.end_slow_start(false);
            window.cwnd = (window.cwnd * (1.0 - self.b)).max(1.0);
            window.ssthresh = window.cwnd.max(2.0);
        }
        scales
    }
}

impl Congestion for Scalable {
    const FACTS: Facts = Facts { kernel_name: Some("scalable"), ..Facts::PLAIN };

    fn on_ack(&mut self, ack: Ack, window: &mut Window) {
        if window.cwnd > self.lwnd && window.cwnd >= window.ssthresh {
            window.cwnd += self.a * ack.counted;
        } else {
            self.reno.on_ack(ack, window);
        }
    }

    fn on_loss(&mut self, signal: Signal, window: &mut Window) -> Repair {
        if self.cut(window) { Repair::Recover } else { self.reno.on_loss(signal, window) }
    }

    fn on_mark(&mut self, signal: Signal, window: &mut Window) {
        if !self.cut(window) {
            self.reno.on_mark(signal, window);
        }
    }

    fn on_timeout(&mut self, signal: Signal, window: &mut Window) {
        self.reno.on_timeout(signal, window);
    }
}
