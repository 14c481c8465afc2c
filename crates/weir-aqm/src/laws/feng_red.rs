//! Self-configuring RED, called *Adaptive RED* by its authors.
//!
//! W. Feng, D. D. Kandlur, D. Saha, K. G. Shin: *A Self-Configuring RED Gateway*, INFOCOM 1999.
//! RED that scales `max_p` whenever its average leaves the band:
//!
//! ```text
//! max_p <- max_p / alpha    when avg falls below min_th
//! max_p <- max_p beta       when avg rises above max_th
//! ```
//!
//! Once for every crossing: `max_p` changes again only after the average was between the
//! thresholds, or beyond the other one. An average equal to a threshold changes nothing.
//!
//! The paper bounds `max_p` nowhere; `bottom` and `top` are ours. It does not say where the
//! average comes from either: here it starts between, so that the first arrival at an empty
//! queue is a crossing, and `max_p` is a third of what was configured from the start. (The state
//! is not initialised in ns-2 and *above* in ns-3, which comes to the same.)

use alloc::format;

use weir_types::{Instant, Invalid, Level, Probability, Rate, Rng};

use super::{Forced, Red, RedParameters, Spacing, red::check_bounds};
use crate::{Aqm, Backlog, Link, PacketInfo, Verdict};

/// Parameters of self-configuring RED.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, default)
)]
pub struct FengRedParameters {
    /// Average queue below which nothing is signalled. Default 5 packets (Floyd, 1997).
    pub min_th: Level,
    /// Average queue at which the probability reaches `max_p`; in the unit of `min_th`.
    /// Default 15 packets (Floyd, 1997).
    pub max_th: Level,
    /// Probability at `max_th` to begin with. Default 0.1 (Floyd, 1997).
    pub max_p: Probability,
    /// What `max_p` is divided by when the average falls below `min_th`. Default 3 (1999 paper).
    pub alpha: f64,
    /// What `max_p` is multiplied with when the average rises above `max_th`. Default 2 (1999
    /// paper).
    pub beta: f64,
    /// Lowest `max_p` that a step leads to. Default 0.0001 (ours; the paper has none).
    pub bottom: Probability,
    /// Highest `max_p` that a step leads to. Default 1 (ours; the paper has none).
    pub top: Probability,
    /// Weight of a new sample in the average. Default 0.002 (Floyd and Jacobson, 1993).
    pub w_q: Probability,
    /// Go on linearly from `max_p` to 1 at twice `max_th` instead of jumping there. Default off,
    /// as in 1999.
    pub gentle: bool,
    /// How signals are spaced. Default: as in RED's paper.
    pub spacing: Spacing,
    /// Mark packets that are ECN-capable instead of dropping them.
    pub ecn: bool,
    /// Packets beyond the highest threshold, if `ecn` is on. Default: drop.
    pub forced: Forced,
}

impl Default for FengRedParameters {
    fn default() -> Self {
        let probability = |p| Probability::new(p).expect("a constant in [0, 1]");
        let RedParameters { min_th, max_th, max_p, w_q, gentle, spacing, ecn, forced, .. } =
            RedParameters::default();
        let (alpha, beta, bottom, top) = (3.0, 2.0, probability(1e-4), probability(1.0));
        Self { min_th, max_th, max_p, alpha, beta, bottom, top, w_q, gentle, spacing, ecn, forced }
    }
}

impl FengRedParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        self.red().check()?;
        for (factor, name) in [(self.alpha, "alpha"), (self.beta, "beta")] {
            Invalid::unless(
                factor >= 1.0 && factor.is_finite(),
                name,
                format!("{name} is {factor}, not a factor of at least 1"),
                "the paper's are alpha = 3 and beta = 2",
            )?;
        }
        check_bounds(self.bottom, self.top)
    }

    /// Self-configuring RED before `link`.
    pub fn build(&self, link: Link, rng: Rng) -> FengRed {
        FengRed {
            red: self.red().build(link, rng),
            alpha: self.alpha,
            beta: self.beta,
            bottom: self.bottom.get(),
            top: self.top.get(),
            status: Status::Between,
        }
    }

    fn red(&self) -> RedParameters {
        let Self { min_th, max_th, max_p, w_q, gentle, spacing, ecn, forced, .. } = *self;
        RedParameters { min_th, max_th, max_p, w_q, gentle, spacing, ecn, forced, ..RedParameters::default() }
    }
}

/// Where the average was last seen off the thresholds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Below,
    Between,
    Above,
}

/// Self-configuring RED.
#[derive(Clone, Debug)]
pub struct FengRed {
    red: Red,
    alpha: f64,
    beta: f64,
    bottom: f64,
    top: f64,
    status: Status,
}

impl FengRed {
    fn adapt(&mut self, average: f64) {
        let Red { min_th, max_th, max_p, .. } = &mut self.red;
        if average < *min_th && self.status != Status::Below {
            self.status = Status::Below;
            *max_p = (*max_p / self.alpha).clamp(self.bottom, self.top);
        } else if average > *max_th && self.status != Status::Above {
            self.status = Status::Above;
            *max_p = (*max_p * self.beta).clamp(self.bottom, self.top);
        } else if *min_th < average && average < *max_th {
            self.status = Status::Between;
        }
    }
}

impl Aqm for FengRed {
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        let average = self.red.measure(queue, now);
        self.adapt(average);
        self.red.judge(packet, queue)
    }

    fn on_idle(&mut self, now: Instant) {
        self.red.on_idle(now);
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        self.red.on_rate(rate, now);
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.red.probe(record);
        record("max_p", self.red.max_p);
    }
}
