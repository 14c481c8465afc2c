//! Step: every packet that finds more than K waiting is marked.
//!
//! M. Alizadeh, A. Greenberg, D. Maltz, J. Padhye, P. Patel, B. Prabhakar, S. Sengupta, M. Sridharan:
//! *Data Center TCP (DCTCP)*, SIGCOMM 2010, section 3.1; RFC 8257, section 3.1.
//!
//! ```text
//! mark an arrival if  q > K
//! ```
//!
//! `q` is the instantaneous queue. Step marking is for senders that answer the fraction of marks, as
//! DCTCP does, with K > C RTT / 7. NewReno halves its window at a mark, which leaves the link idle if
//! K is below one bandwidth-delay product.

use alloc::{boxed::Box, vec::Vec};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Instant, Invalid, Level, Rng};

use super::red::measure;
use crate::{Aqm, Backlog, Curve, Link, PacketInfo, Reason, Verdict};

/// Parameters of the step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("x-draws" = false))]
pub struct StepParameters {
    /// K: an arrival that finds more than this is marked.
    #[schemars(extend("x-default-source" = "the paper, for 1 Gbit/s; 65 packets for 10 Gbit/s"))]
    #[schemars(extend("x-tunable" = { "from": "1 packet", "to": "buffer", "source": "Weir: any queue that the buffer holds" }))]
    #[schemars(extend("x-role" = "first last"))]
    pub threshold: Level,
    /// Mark ECN-capable packets instead of dropping them.
    #[schemars(extend("x-default-source" = "RFC 8257"))]
    pub ecn: bool,
}

impl Default for StepParameters {
    fn default() -> Self {
        Self { threshold: Level::Packets(20.0), ecn: true }
    }
}

impl StepParameters {
    /// The queue lengths among the parameters.
    pub(crate) fn levels(&mut self) -> Vec<&mut Level> {
        [&mut self.threshold].into()
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless_positive(self.threshold.value(), "threshold")
    }

    /// The step. It needs neither link nor randomness.
    pub fn build(&self, _link: Link, _rng: Rng) -> Step {
        Step { parameters: self.clone() }
    }
}

/// Marks every packet above a threshold.
#[derive(Clone, Debug)]
pub struct Step {
    parameters: StepParameters,
}

impl Step {
    #[inline]
    fn is_above(&self, queue: f64) -> bool {
        queue > self.parameters.threshold.value()
    }
}

impl Aqm for Step {
    #[inline]
    fn on_enqueue(&mut self, _packet: PacketInfo, queue: Backlog, _now: Instant) -> Verdict {
        let StepParameters { threshold, ecn } = self.parameters;
        if !self.is_above(measure(queue, threshold.in_bytes())) {
            return Verdict::Pass;
        }
        if ecn { Verdict::Mark(Reason::Forced) } else { Verdict::Drop(Reason::Forced) }
    }

    fn curve(&self, queue: Backlog) -> Option<Curve<'_>> {
        let threshold = self.parameters.threshold;
        Some(Curve {
            variable: "queue",
            value: measure(queue, threshold.in_bytes()),
            end: 2.0 * threshold.value(),
            at: Box::new(|queue| f64::from(u8::from(self.is_above(queue)))),
        })
    }

    /// It learns nothing.
    fn take_over(&mut self, _former: &Self) {}
}
