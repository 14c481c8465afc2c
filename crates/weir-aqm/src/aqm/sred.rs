//! SRED, Stabilized RED: the probability follows the queue and an estimate of the number of flows.
//!
//! T. Ott, T. Lakshman, L. Wong: *SRED: Stabilized RED*, IEEE Infocom 1999, sections 2 to 4. A list holds M *zombies*:
//! flows of earlier packets. Each arrival is compared with one of them, drawn at random:
//!
//! ```text
//! the zombie is its flow:   Hit = 1
//! else                      Hit = 0, and with probability p its flow takes the zombie's place
//! P <- (1 - alpha) P + alpha Hit             1/P estimates the number of flows
//!
//! p_sred = max_p        B/3 <= q             B is the buffer, q the queue
//!          max_p / 4    B/6 <= q < B/3
//!          0                   q < B/6
//! p_zap  = p_sred min(1, 1 / (256 P)^2)                  simple SRED
//!          p_sred min(1, 1 / (256 P)^2) (1 + Hit / P)    full SRED
//! ```
//!
//! The arrival is signalled with probability `p_zap`. N flows of TCP keep a queue of one length if the probability
//! grows as N²: so does `p_zap`, up to 256 flows. In full SRED a flow that sends more than its share has more hits,
//! and is signalled more often.
//!
//! Until the list is full an arrival joins it and counts as no hit.
//!
//! The rule and its constants follow descriptions of the paper and the implementation in J-Sim, which agree but for
//! `alpha`. The paper itself was not compared line by line.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Instant, Invalid, Probability, Rng};

use crate::{Aqm, Backlog, Limit, Link, PacketInfo, Reason, Verdict};

/// Parameters of SRED.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SredParameters {
    /// M, flows that the list holds.
    #[schemars(range(min = 1, max = 65_536))]
    #[schemars(extend("x-default-source" = "the paper, section 2"))]
    pub zombies: u32,
    /// p: probability that an arrival takes the place of a zombie of another flow.
    #[schemars(extend("x-default-source" = "the paper, section 2"))]
    pub overwrite: Probability,
    /// Weight of an arrival in the frequency of hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "p / M: the estimate remembers as many packets as the list"))]
    #[schemars(extend("x-default-source" = "Weir, after the paper, section 2"))]
    pub alpha: Option<Probability>,
    /// Probability with a third of the buffer or more in use, at `flows` flows.
    #[schemars(extend("x-default-source" = "the paper, section 3"))]
    #[schemars(extend("x-tunable" = { "from": 0.01, "to": 0.5, "source": "Weir: around the paper's 0.15" }))]
    pub max_p: Probability,
    /// Number of flows up to which the probability grows as its square.
    #[schemars(range(min = 1))]
    #[schemars(extend("x-default-source" = "the paper, section 3"))]
    pub flows: u32,
    /// Full SRED: hits raise the probability.
    #[schemars(extend("x-default-source" = "the paper, section 4"))]
    pub full: bool,
    /// Mark ECN-capable packets instead of dropping them.
    #[schemars(extend("x-default-source" = "the paper drops"))]
    pub ecn: bool,
}

impl Default for SredParameters {
    fn default() -> Self {
        Self {
            zombies: 1000,
            overwrite: Probability::constant(0.25),
            alpha: None,
            max_p: Probability::constant(0.15),
            flows: 256,
            full: true,
            ecn: false,
        }
    }
}

impl SredParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless(
            (1..=65_536).contains(&self.zombies),
            "zombies",
            "the list is empty or longer than 65,536",
            "the paper has 1000",
        )?;
        Invalid::unless_positive(self.overwrite.get(), "overwrite")?;
        Invalid::unless_positive(self.alpha.map_or(1.0, Probability::get), "alpha")?;
        Invalid::unless(self.flows > 0, "flows", "the probability grows up to no flow", "the paper has 256")
    }

    /// SRED before `link`, whose buffer sets the two thresholds.
    pub fn build(&self, link: Link, rng: Rng) -> Sred {
        let share = self.overwrite.get() / f64::from(self.zombies);
        Sred {
            alpha: self.alpha.map_or(share, Probability::get),
            zombies: Vec::with_capacity(self.zombies as usize),
            frequency: 0.0,
            probability: 0.0,
            limit: link.limit,
            parameters: self.clone(),
            rng,
        }
    }
}

/// Stabilized RED.
#[derive(Clone, Debug)]
pub struct Sred {
    parameters: SredParameters,
    alpha: f64,
    /// Flow numbers of zombies.
    zombies: Vec<u32>,
    /// P, frequency of hits.
    frequency: f64,
    /// `p_zap` of the last arrival, reported by `probe`.
    probability: f64,
    limit: Limit,
    rng: Rng,
}

impl Sred {
    /// Compares an arrival of `flow` with a zombie. Returns true if it is a hit.
    fn hits(&mut self, flow: u32) -> bool {
        let listed = self.parameters.zombies as usize;
        if self.zombies.len() < listed {
            self.zombies.push(flow);
            return false;
        }
        let drawn = (self.rng.uniform() * listed as f64) as usize;
        let Some(zombie) = self.zombies.get_mut(drawn) else { return false };
        if *zombie == flow {
            return true;
        }
        if self.rng.chance(self.parameters.overwrite.get()) {
            *zombie = flow;
        }
        false
    }

    /// `p_sred`.
    fn by_length(&self, queue: Backlog) -> f64 {
        let share = match self.limit {
            Limit::Packets(limit) => f64::from(queue.packets) / f64::from(limit),
            Limit::Bytes(limit) | Limit::Span(limit) => queue.bytes as f64 / limit as f64,
        };
        let max_p = self.parameters.max_p.get();
        if share >= 1.0 / 3.0 {
            max_p
        } else if share >= 1.0 / 6.0 {
            max_p / 4.0
        } else {
            0.0
        }
    }
}

impl Aqm for Sred {
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, _now: Instant) -> Verdict {
        let hit = f64::from(u8::from(self.hits(packet.flow)));
        self.frequency += self.alpha * (hit - self.frequency);
        let by_flows = 1.0 / (f64::from(self.parameters.flows) * self.frequency);
        let more = if self.parameters.full && hit > 0.0 { 1.0 + hit / self.frequency } else { 1.0 };
        let p_zap = self.by_length(queue) * (by_flows * by_flows).min(1.0) * more;
        self.probability = p_zap.min(1.0);
        match (self.rng.chance(self.probability), self.parameters.ecn) {
            (false, _) => Verdict::Pass,
            (true, true) => Verdict::Mark(Reason::Early),
            (true, false) => Verdict::Drop(Reason::Early),
        }
    }

    /// A shorter list keeps its oldest zombies; a longer one fills up first.
    fn take_over(&mut self, former: &Self) {
        self.zombies.clear();
        self.zombies.extend(former.zombies.iter().take(self.parameters.zombies as usize));
        self.frequency = former.frequency;
        self.probability = former.probability;
        self.rng = former.rng.clone();
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("probability", self.probability);
        record("P", self.frequency);
        record("flows", if self.frequency > 0.0 { 1.0 / self.frequency } else { f64::INFINITY });
    }
}
