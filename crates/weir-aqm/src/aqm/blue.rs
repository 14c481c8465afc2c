//! Blue: one probability, raised on packet loss, lowered when the link falls idle.
//!
//! W. Feng, K. Shin, D. Kandlur, D. Saha: *The Blue Active Queue Management Algorithms*,
//! IEEE/ACM Trans. Networking 10(4), 2002.
//!
//! ```text
//! on a loss, or with the queue above L:  p_m <- min(1, p_m + d1)
//! when the link falls idle:              p_m <- max(0, p_m - d2)
//! ```
//!
//! each only if the last change is more than `freeze` ago. Each arrival is signalled with
//! probability `p_m`. A loss is a packet that finds the buffer full, not a drop by Blue. An idle
//! link lowers `p_m` once; the paper leaves this open. At `p_m = 1`, an arrival that Blue drops at
//! an idle link makes it idle again, so `p_m` can fall.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid, Level, Probability, Rng};

use super::red::measure;
use crate::{Aqm, Backlog, Link, PacketInfo, Reason, Verdict};

/// Parameters of Blue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BlueParameters {
    /// Increment of the probability on a loss.
    #[schemars(extend("x-default-source" = "paper, faster set; also 0.0025"))]
    #[schemars(extend("x-tunable" = { "from": 0.001, "to": 0.1, "source": "Weir: around the paper's 0.0025 and 0.02" }))]
    pub d1: Probability,
    /// Decrement of the probability when the link falls idle.
    #[schemars(extend("x-default-source" = "paper, faster set; also 0.00025"))]
    pub d2: Probability,
    /// Minimum time between two changes.
    #[schemars(extend("x-default-source" = "paper, faster set; also 10 ms"))]
    #[schemars(extend("x-tunable" = { "from": "10 ms", "to": "500 ms", "source": "Weir: around the paper's 10 and 100 ms" }))]
    pub freeze: Duration,
    /// `L`: an arrival that finds more than this counts as a loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "only losses count"))]
    pub level: Option<Level>,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
}

impl Default for BlueParameters {
    fn default() -> Self {
        Self {
            d1: Probability::constant(0.02),
            d2: Probability::constant(0.002),
            freeze: Duration::from_millis(100),
            level: None,
            ecn: false,
        }
    }
}

impl BlueParameters {
    /// The queue lengths among the parameters.
    pub(crate) fn levels(&mut self) -> Vec<&mut Level> {
        self.level.iter_mut().collect()
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless_positive(self.d1.get(), "d1")?;
        Invalid::unless_positive(self.d2.get(), "d2")
    }

    /// Blue before any link. The probability starts at 0, as if it had changed at time 0.
    pub fn build(&self, _link: Link, rng: Rng) -> Blue {
        Blue { parameters: self.clone(), probability: 0.0, changed_at: Instant::ZERO, rng }
    }
}

/// Blue.
#[derive(Clone, Debug)]
pub struct Blue {
    parameters: BlueParameters,
    /// `p_m`.
    probability: f64,
    /// When `p_m` was last changed.
    changed_at: Instant,
    rng: Rng,
}

impl Blue {
    /// Changes the probability unless it is frozen.
    fn step(&mut self, by: f64, now: Instant) {
        if now.since(self.changed_at) > self.parameters.freeze {
            self.probability = (self.probability + by).clamp(0.0, 1.0);
            self.changed_at = now;
        }
    }
}

impl Aqm for Blue {
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        let lost = queue.overflows(packet.bytes);
        if lost || self.parameters.level.is_some_and(|level| measure(queue, level.in_bytes()) > level.value())
        {
            self.step(self.parameters.d1.get(), now);
        }
        // A full buffer draws nothing.
        if lost || !self.rng.chance(self.probability) {
            return Verdict::Pass;
        }
        if self.parameters.ecn { Verdict::Mark(Reason::Early) } else { Verdict::Drop(Reason::Early) }
    }

    fn on_overflow(&mut self, _packets: u32, now: Instant) {
        self.step(self.parameters.d1.get(), now);
    }

    fn on_idle(&mut self, now: Instant) {
        self.step(-self.parameters.d2.get(), now);
    }

    fn take_over(&mut self, former: &Self) {
        self.probability = former.probability;
        self.changed_at = former.changed_at;
        self.rng = former.rng.clone();
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("probability", self.probability);
    }
}
