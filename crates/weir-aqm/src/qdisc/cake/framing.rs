//! Bytes that a packet takes on the wire behind the shaper (`cake_calc_overhead` of Linux).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the line carries frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Carrier {
    /// As they are (tc: `noatm`).
    #[default]
    Plain,
    /// In ATM cells of 53 bytes, which hold 48 of the frame: ADSL.
    Atm,
    /// With one byte more for every 64, or part of them: PTM, as VDSL2 has it. A little more than the line takes.
    Ptm,
}

/// Bytes that are added to a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Framing {
    /// Bytes of headers below IP.
    pub(super) overhead: u32,
    /// The least size of a frame.
    pub(super) least: u32,
    pub(super) carrier: Carrier,
}

impl Framing {
    /// Bytes that a packet of `bytes` bytes takes.
    #[inline]
    pub(super) const fn bytes(self, bytes: u32) -> u32 {
        let frame = bytes + self.overhead;
        let frame = if frame < self.least { self.least } else { frame };
        match self.carrier {
            Carrier::Plain => frame,
            Carrier::Atm => frame.div_ceil(48) * 53,
            Carrier::Ptm => frame + frame.div_ceil(64),
        }
    }
}
