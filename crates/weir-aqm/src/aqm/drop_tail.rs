//! DropTail: a packet that finds the buffer of the link full is dropped.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Invalid, Rng};

use crate::{Aqm, Link};

/// DropTail has no parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-draws" = false))]
pub struct DropTailParameters {}

impl DropTailParameters {
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "every AQM has a check")]
    pub(super) const fn check(&self) -> Result<(), Invalid> {
        Ok(())
    }

    /// The AQM. It needs neither link nor randomness.
    pub fn build(&self, _link: Link, _rng: Rng) -> DropTail {
        DropTail
    }
}

/// Passes every packet; only a full buffer drops.
#[derive(Clone, Debug)]
pub struct DropTail;

impl Aqm for DropTail {
    /// It learns nothing.
    fn take_over(&mut self, _former: &Self) {}
}
