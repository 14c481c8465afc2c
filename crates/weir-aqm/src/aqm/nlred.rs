//! NLRED, Nonlinear RED.
//!
//! K. Zhou, K. L. Yeung, V. O. K. Li: *Nonlinear RED: a simple yet efficient active queue
//! management scheme*, Computer Networks 50(18), 2006. RED with a parabola instead of a line:
//!
//! ```text
//! p_b = max_p' ((avg - min_th) / (max_th - min_th))^2    for min_th <= avg < max_th
//! max_p' = 1.5 max_p
//! ```
//!
//! The factor 1.5 makes the areas under both profiles equal; they cross at two thirds of the band.
//! Average, spacing and the rest are RED's.
//!
//! Where gentle RED continues from `max_p`, gentle NLRED continues from `max_p'`. ns-3 continues
//! from `max_p`, so that the probability falls at `max_th`.

use alloc::{format, vec::Vec};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Instant, Invalid, Level, Probability, Rate, Rng};

use super::{IdleM, Red, RedParameters, Spacing, red_family};
use crate::{Aqm, Backlog, Curve, Link, PacketInfo, Verdict, parts};

red_family! {
    /// Parameters of NLRED.
    pub struct NlredParameters
    min_th {
        /// Average queue below which no packet is signalled.
    }
    max_th {
        /// Average queue at which the probability reaches `nl_factor max_p`; in the unit of `min_th`.
    }
    max_p {
        /// Probability of RED at `max_th`.
        #[schemars(extend("x-default-source" = "Floyd, 1997"))]
        #[schemars(extend("x-tunable" = { "from": 0.01, "to": 0.5, "source": "Floyd, Gummadi and Shenker, 2001" }))]
    }
    after_max_p {
        /// `max_p' / max_p`; 1.5 makes the areas under both profiles equal.
        #[schemars(extend("x-default-source" = "Zhou et al., 2006"))]
        nl_factor: f64 = 1.5,
    }
    gentle {
        /// Ramp the probability to 1 at twice `max_th`, instead of a jump to 1.
        #[schemars(extend("x-default-source" = "Zhou et al., 2006"))]
    }
    ecn {
        /// Mark ECN-capable packets instead of dropping them.
    }
    last {
        /// How an idle time enters the average.
        #[schemars(extend("x-default-source" = "Floyd and Jacobson, 1993"))]
        idle_m: IdleM = IdleM::default(),
        /// Signal early only if more than this waits; ns-2 tests `qlen > 1`. With zero there is no such condition.
        #[schemars(extend("x-default-source" = "Floyd and Jacobson, 1993"))]
        min_qlen: Level = Level::Packets(0.0),
        /// After the average crosses `min_th`, count the first packet but do not signal it; ns-2's
        /// `old`.
        #[schemars(extend("x-default-source" = "Floyd and Jacobson, 1993"))]
        ns2_old: bool = false,
    }
    red { idle_m, min_qlen, ns2_old }
}

impl NlredParameters {
    /// The queue lengths among the parameters.
    pub(crate) fn levels(&mut self) -> Vec<&mut Level> {
        self.min_th.iter_mut().chain(&mut self.max_th).chain([&mut self.min_qlen]).collect()
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        self.red().check()?;
        Invalid::unless_positive(self.nl_factor, "nl_factor")?;
        let top = self.nl_factor * self.max_p.get();
        Invalid::unless(
            top <= 1.0,
            "max_p",
            format!("the probability would end at nl_factor max_p = {top}"),
            format!("lower max_p to at most {}, or nl_factor", 1.0 / self.nl_factor),
        )
    }

    /// NLRED before `link`.
    pub fn build(&self, link: Link, rng: Rng) -> Nlred {
        Nlred { red: self.red().build(link, rng), top: self.nl_factor * self.max_p.get() }
    }
}

/// Nonlinear RED.
#[derive(Clone, Debug)]
pub struct Nlred {
    red: Red,
    /// `max_p'`.
    top: f64,
}

impl Nlred {
    #[inline]
    fn parabola(&self) -> impl Fn(f64) -> f64 + use<> {
        let (min_th, max_th, top) = (self.red.min_th, self.red.max_th, self.top);
        move |average| parts::quadratic(average, min_th, max_th, top)
    }
}

impl Aqm for Nlred {
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        self.red.measure(queue, now);
        self.red.judge_by(self.top, self.parabola(), packet, queue)
    }

    fn curve(&self, _queue: Backlog) -> Option<Curve<'_>> {
        Some(self.red.curve_by(self.top, self.parabola()))
    }

    fn on_idle(&mut self, now: Instant) {
        self.red.on_idle(now);
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        self.red.on_rate(rate, now);
    }

    fn take_over(&mut self, former: &Self) {
        self.red.take_over(&former.red);
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.red.probe(record);
    }
}
