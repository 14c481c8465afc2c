//! Wireless: `NewReno` that does not treat losses as congestion, on a path that marks.
//!
//! S. Athuraliya, V. Li, S. Low, Q. Yin: *REM: Active Queue Management*, IEEE Network 15 (3), 2001,
//! section 5.
//!
//! ```text
//! an ACK   as Reno
//! a loss   is repaired; the window is afterwards what it was
//! a mark   cwnd = ssthresh = cwnd / 2, at most once per window of data
//! timeout  ssthresh = flight / 2 and cwnd = 1, or cwnd = ssthresh
//! ```
//!
//! "Halves its window" on a timeout can be read both ways.
//!
//! On a mixed path, where some router may not understand ECN, a loss may be one of congestion. The
//! section's last proposal: a bit that the sender sets, such a router clears and the receiver
//! returns. While the latest ACK has it cleared, and for a round trip after, the source is Reno.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Instant, Invalid};

use super::{Ack, Congestion, Facts, Marks, Reno, RenoParameters, Repair, Signal, Window};
use crate::preset::{InPreset, TcpPreset};

/// Response of the window to a timeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AfterTimeout {
    /// Slow start from one segment up to half (RFC 5681).
    #[default]
    SlowStart,
    /// The window is half at once.
    Half,
}

/// Parameters of the wireless control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WirelessParameters {
    /// Response of the window to a timeout.
    #[schemars(extend("x-default-source" = "RFC 5681"))]
    pub timeout: AfterTimeout,
    /// Ask the routers of the path whether all of them understand ECN (`links.NAME.ecn_capable`), and
    /// answer losses as Reno while one does not.
    #[schemars(extend("x-default-source" = "Weir; the paper, section 5, proposes it for paths with routers that cannot mark"))]
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub mixed_path: bool,
    /// Growth, and the response to marks.
    pub reno: RenoParameters,
}

impl InPreset for WirelessParameters {
    fn in_preset(preset: TcpPreset) -> Self {
        Self { reno: RenoParameters::in_preset(preset), ..Self::default() }
    }
}

impl WirelessParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        self.reno.check().map_err(|invalid| invalid.below("reno"))
    }
}

/// The congestion control of a wireless sender.
#[derive(Clone, Debug)]
pub struct Wireless {
    timeout: AfterTimeout,
    reno: Reno,
    /// In loss recovery: the window to come back to.
    kept: Option<f64>,
    /// One past the highest number sent when a mark last cut the window. Losses do not cut, so they do
    /// not hold back the answer to a mark either.
    cut: u32,
    /// State of a mixed path, where some router may not understand ECN; `None` if all do, as the scenario says.
    mixed: Option<Mixed>,
}

/// State of a path on which some router may not understand ECN.
#[derive(Clone, Copy, Debug)]
struct Mixed {
    /// Losses are those of congestion, as far as the latest ACK says.
    conventional: bool,
    /// One past the highest number sent when an ACK last came back with the bit cleared: a round trip is
    /// over when more than that is acknowledged.
    until: u32,
    /// One past the highest number sent.
    high: u32,
}

impl Wireless {
    /// The control with these parameters.
    pub fn new(parameters: &WirelessParameters) -> Self {
        // Until an ACK says otherwise, one does not.
        let mixed = parameters.mixed_path.then_some(Mixed { conventional: true, until: 0, high: 0 });
        Self { timeout: parameters.timeout, reno: Reno::new(&parameters.reno), kept: None, cut: 0, mixed }
    }
}

impl Congestion for Wireless {
    const FACTS: Facts = Facts { marks: Marks::Needed, ..Facts::PLAIN };

    #[inline(never)]
    fn observe(&mut self, ack: Ack, window: &mut Window) -> bool {
        if let Some(mixed) = &mut self.mixed {
            if !ack.all_capable {
                mixed.until = ack.high;
            }
            mixed.conventional = !ack.all_capable || ack.una <= mixed.until;
            mixed.high = ack.high;
        }
        let cuts = ack.echo && ack.una > self.cut;
        if cuts {
            self.cut = ack.high;
            let flight = ack.flight.min(window.cwnd);
            self.reno.on_mark(Signal { now: ack.now, flight }, window);
            if let Some(kept) = &mut self.kept {
                *kept = (*kept / 2.0).max(1.0);
            }
        }
        cuts
    }

    fn on_ack(&mut self, ack: Ack, window: &mut Window) {
        // No growth on an ACK that tells of congestion (RFC 3168, section 6.1.2).
        if !ack.echo {
            self.reno.on_ack(ack, window);
        }
    }

    fn on_loss(&mut self, signal: Signal, window: &mut Window) -> Repair {
        if let Some(Mixed { conventional: true, high, .. }) = self.mixed {
            // One cut a round, whatever it answers.
            self.cut = high;
            self.kept = None;
            return self.reno.on_loss(signal, window);
        }
        self.kept = Some(window.cwnd);
        Repair::Uncut
    }

    fn on_mark(&mut self, _: Signal, _: &mut Window) {}

    fn on_timeout(&mut self, signal: Signal, window: &mut Window) {
        self.kept = None;
        self.reno.on_timeout(signal, window);
        if self.timeout == AfterTimeout::Half {
            window.cwnd = window.ssthresh;
        }
    }

    fn on_recovered(&mut self, _: Instant, window: &mut Window) {
        if let Some(kept) = self.kept.take() {
            window.cwnd = kept;
        }
    }

    fn answers_marks(&self) -> bool {
        false
    }

    fn asks_routers(&self) -> bool {
        self.mixed.is_some()
    }
}
