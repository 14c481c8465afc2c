//! Tahoe: every loss begins slow start anew.
//!
//! V. Jacobson: *Congestion Avoidance and Control*, SIGCOMM 1988; as ns-2's `Agent/TCP` has it.
//!
//! ```text
//! a loss   ssthresh = max(flight / 2, 2),  cwnd = 1,  and all from the lost segment on is sent again
//! a mark   as Reno
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::Invalid;

use super::{Ack, Congestion, Reno, RenoParameters, Repair, Signal, Window};
use crate::preset::{InPreset, TcpPreset};

/// Parameters of Tahoe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TahoeParameters {
    /// Growth, and the response to marks.
    pub reno: RenoParameters,
}

impl InPreset for TahoeParameters {
    fn in_preset(preset: TcpPreset) -> Self {
        Self { reno: RenoParameters::in_preset(preset) }
    }
}

impl TahoeParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        self.reno.check().map_err(|invalid| invalid.below("reno"))
    }
}

/// Tahoe's congestion control.
#[derive(Clone, Debug)]
pub struct Tahoe {
    reno: Reno,
}

impl Tahoe {
    /// Tahoe with these parameters.
    pub fn new(parameters: &TahoeParameters) -> Self {
        Self { reno: Reno::new(&parameters.reno) }
    }
}

impl Congestion for Tahoe {
    fn on_ack(&mut self, ack: Ack, window: &mut Window) {
        self.reno.on_ack(ack, window);
    }

    fn on_loss(&mut self, signal: Signal, window: &mut Window) -> Repair {
        self.reno.on_timeout(signal, window);
        Repair::StartOver
    }

    fn on_mark(&mut self, signal: Signal, window: &mut Window) {
        self.reno.on_mark(signal, window);
    }

    fn on_timeout(&mut self, signal: Signal, window: &mut Window) {
        self.reno.on_timeout(signal, window);
    }
}
