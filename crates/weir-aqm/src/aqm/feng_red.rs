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
//! Once per crossing: `max_p` changes again only after the average was between the thresholds or
//! past the other one. An average equal to a threshold changes nothing.
//!
//! The paper has no bounds; `bottom` and `top` are Weir's. It does not state the initial position
//! of the average. Here it is between the thresholds, so the first arrival at an empty queue
//! divides `max_p` by 3. ns-2 (uninitialised) and ns-3 (*above*) behave the same.

use alloc::{format, vec::Vec};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Instant, Invalid, Level, Probability, Rate, Rng};

use super::{Red, RedParameters, Spacing, red::check_bounds, red_family};
use crate::{Aqm, Backlog, Curve, Link, PacketInfo, Verdict};

red_family! {
    /// Parameters of self-configuring RED.
    pub struct FengRedParameters
    min_th {
        /// Average queue below which no packet is signalled.
    }
    max_th {
        /// Average queue at which the probability reaches `max_p`; in the unit of `min_th`.
    }
    max_p {
        /// Initial probability at `max_th`.
        #[schemars(extend("x-default-source" = "Floyd, 1997"))]
    }
    after_max_p {
        /// Divisor of `max_p` when the average falls below `min_th`.
        #[schemars(extend("x-default-source" = "Feng et al., 1999"))]
        alpha: f64 = 3.0,
        /// Factor of `max_p` when the average rises above `max_th`.
        #[schemars(extend("x-default-source" = "Feng et al., 1999"))]
        beta: f64 = 2.0,
        /// Lower bound of `max_p`.
        #[schemars(extend("x-default-source" = "Weir; the paper has no bound"))]
        bottom: Probability = Probability::constant(1e-4),
        /// Upper bound of `max_p`.
        #[schemars(extend("x-default-source" = "Weir; the paper has no bound"))]
        top: Probability = Probability::constant(1.0),
    }
    gentle {
        /// Ramp the probability from `max_p` at `max_th` to 1 at twice `max_th` (Floyd, 2000), instead
        /// of a jump to 1.
        #[schemars(extend("x-default-source" = "Feng et al., 1999"))]
    }
    ecn {
        /// Mark ECN-capable packets instead of dropping them.
    }
    red {}
}

impl FengRedParameters {
    /// The queue lengths among the parameters.
    pub(crate) fn levels(&mut self) -> Vec<&mut Level> {
        self.min_th.iter_mut().chain(&mut self.max_th).collect()
    }

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
}

/// Position of the average, except on a threshold.
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

    fn take_over(&mut self, former: &Self) {
        self.red.take_over(&former.red);
        self.red.max_p = former.red.max_p;
        self.status = former.status;
    }

    fn curve(&self, queue: Backlog) -> Option<Curve<'_>> {
        self.red.curve(queue)
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.red.probe(record);
        record("max_p", self.red.max_p);
    }
}
