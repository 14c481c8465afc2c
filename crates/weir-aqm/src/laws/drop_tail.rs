//! DropTail: no law at all. The buffer is the link's; a packet that finds it full is
//! dropped, and nothing else ever is.

use weir_types::{Invalid, Rng};

use crate::{Aqm, Link};

/// DropTail has no parameters: the buffer belongs to the link.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct DropTailParameters {}

impl DropTailParameters {
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "every law has a check")]
    pub(super) const fn check(&self) -> Result<(), Invalid> {
        Ok(())
    }

    /// The law. It needs neither link nor randomness.
    pub fn build(&self, _link: Link, _rng: Rng) -> DropTail {
        DropTail
    }
}

/// Lets every packet through; the buffer does the rest.
#[derive(Clone, Debug)]
pub struct DropTail;

impl Aqm for DropTail {}
