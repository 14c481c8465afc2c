//! Adaptive RED.
//!
//! S. Floyd, R. Gummadi, S. Shenker: *Adaptive RED: An Algorithm for Increasing the Robustness of
//! RED's Active Queue Management*, ICSI technical report, 2001. RED that keeps its average in the
//! middle fifth of the band by additive increase and multiplicative decrease of `max_p`. Every
//! `interval`:
//!
//! ```text
//! max_p <- max_p + min(alpha, max_p / 4)    if avg > min_th + 0.6 (max_th - min_th)
//! max_p <- beta max_p                       if avg < min_th + 0.4 (max_th - min_th)
//! ```
//!
//! with `max_p` in [`bottom`, `top`]. From the link, with `C` in packets per second:
//!
//! ```text
//! w_q    = 1 - exp(-1 / C)                      a time constant of one second
//! min_th = max(5, target_delay C / 2),  max_th = 3 min_th
//! ```
//!
//! The test runs at the first arrival later than an interval after the last test. ns-2 counts from
//! the last *change*. In ns-2 the last step may also pass a bound, and the gentle ramp starts at
//! the initial `max_p`. Here both are as in the paper.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid, Level, Probability, Rate, Rng};

use super::{Red, RedParameters, Spacing, red::check_bounds};
use crate::{Aqm, Backlog, Curve, Link, PacketInfo, Verdict, parts};

/// The part of the band between the thresholds that lies outside of the middle fifth, on either side.
const OUTSIDE: f64 = 0.4;

/// Parameters of Adaptive RED.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("x-default-source" = "Floyd, Gummadi and Shenker, 2001"))]
pub struct AdaptiveRedParameters {
    /// Target queueing delay, from which the thresholds are computed.
    #[schemars(extend("x-tunable" = { "from": "1 ms", "to": "50 ms", "source": "Weir: around 5 ms (Floyd, Gummadi and Shenker, 2001)" }))]
    #[schemars(extend("x-role" = "delay"))]
    pub target_delay: Duration,
    /// Average queue below which no packet is signalled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "half of what the link sends in `target_delay`, at least 5 packets"))]
    #[schemars(extend("x-role" = "first"))]
    pub min_th: Option<Level>,
    /// Average queue at which the probability reaches `max_p`; in the unit of `min_th`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "three times `min_th`"))]
    #[schemars(extend("x-role" = "last"))]
    pub max_th: Option<Level>,
    /// Weight of a new sample in the average.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "1 - exp(-1/C), where C is the capacity in packets per second"))]
    pub w_q: Option<Probability>,
    /// Initial probability at `max_th`.
    #[schemars(extend("x-default-source" = "ns-2; the paper gives none"))]
    #[schemars(extend("x-published" = { "from": 0.01, "to": 0.5, "source": "Floyd, Gummadi and Shenker, 2001" }))]
    pub max_p: Probability,
    /// Lower bound of `max_p`.
    pub bottom: Probability,
    /// Upper bound of `max_p`.
    pub top: Probability,
    /// Minimum time between two changes of `max_p`.
    pub interval: Duration,
    /// Increment of `max_p`, limited to a quarter of `max_p`.
    pub alpha: Probability,
    /// Decrease factor of `max_p`.
    pub beta: Probability,
    /// Ramp the probability from `max_p` at `max_th` to 1 at twice `max_th` (Floyd, 2000), instead
    /// of a jump to 1.
    pub gentle: bool,
    /// How signals are spaced.
    #[schemars(extend("x-default-source" = "Floyd and Jacobson, 1993, method 2"))]
    pub spacing: Spacing,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Drop packets above the highest threshold even if `ecn` is on, as Linux can.
    #[schemars(extend("x-default-source" = "RFC 3168, section 7; RFC 7567"))]
    pub harddrop: bool,
}

impl Default for AdaptiveRedParameters {
    fn default() -> Self {
        Self {
            target_delay: Duration::from_millis(5),
            min_th: None,
            max_th: None,
            w_q: None,
            max_p: Probability::constant(0.1),
            bottom: Probability::constant(0.01),
            top: Probability::constant(0.5),
            interval: Duration::from_millis(500),
            alpha: Probability::constant(0.01),
            beta: Probability::constant(0.9),
            gentle: true,
            spacing: Spacing::default(),
            ecn: false,
            harddrop: true,
        }
    }
}

impl AdaptiveRedParameters {
    /// The queue lengths among the parameters.
    pub(crate) fn levels(&mut self) -> Vec<&mut Level> {
        self.min_th.iter_mut().chain(&mut self.max_th).collect()
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless(
            self.min_th.is_some() || self.max_th.is_none(),
            "max_th",
            "max_th is given and min_th is not",
            "give both, or min_th alone, or leave both to target_delay",
        )?;
        Invalid::unless(
            self.min_th.is_none_or(|min_th| min_th.value() > 0.0),
            "min_th",
            "min_th is zero",
            "set it above zero, or leave it to target_delay",
        )?;
        // Any capacity serves: computed thresholds fit each other.
        self.red(1.0).check()?;
        check_bounds(self.bottom, self.top)?;
        // An increment is at most a quarter of `max_p`, so zero would stay.
        Invalid::unless_positive(self.bottom.get(), "bottom")?;
        Invalid::unless_positive(self.alpha.get(), "alpha")?;
        Invalid::unless_positive(self.beta.get(), "beta")
    }

    /// Adaptive RED before `link`.
    pub fn build(&self, link: Link, rng: Rng) -> AdaptiveRed {
        AdaptiveRed {
            red: self.red(link.rate.packets_per_second(link.mean_packet)).build(link, rng),
            parameters: self.clone(),
            mean_packet: link.mean_packet,
            tested_at: Instant::ZERO,
        }
    }

    /// The band in which the average is held before `link`: `max_p` stays as it is there.
    pub(crate) fn band(&self, link: Link) -> (Level, Level) {
        let (min_th, max_th, _) = self.derived(link.rate.packets_per_second(link.mean_packet));
        let wider = max_th.value() / min_th.value() - 1.0;
        let between = |part: f64| min_th * (1.0 + wider * part);
        (between(OUTSIDE), between(1.0 - OUTSIDE))
    }

    /// Thresholds and weight for a link of `capacity` packets per second.
    fn derived(&self, capacity: f64) -> (Level, Level, Probability) {
        let delay = self.target_delay.as_secs_f64();
        let min_th = self.min_th.unwrap_or(Level::Packets((delay * capacity / 2.0).max(5.0)));
        let max_th = self.max_th.unwrap_or(min_th * 3.0);
        let weight = || Probability::new(parts::weight_of(capacity)).expect("a probability");
        (min_th, max_th, self.w_q.unwrap_or_else(weight))
    }

    /// The initial RED for a link of `capacity` packets per second.
    fn red(&self, capacity: f64) -> RedParameters {
        let Self { max_p, gentle, spacing, ecn, harddrop, .. } = *self;
        let (min_th, max_th, w_q) = self.derived(capacity);
        RedParameters {
            min_th: Some(min_th),
            max_th: Some(max_th),
            max_p,
            w_q,
            gentle,
            spacing,
            ecn,
            harddrop,
            ..RedParameters::default()
        }
    }
}

/// Adaptive RED.
#[derive(Clone, Debug)]
pub struct AdaptiveRed {
    red: Red,
    parameters: AdaptiveRedParameters,
    mean_packet: u32,
    /// When the average was last compared with the middle of the band.
    tested_at: Instant,
}

impl AdaptiveRed {
    fn adapt(&mut self, average: f64) {
        let AdaptiveRedParameters { bottom, top, alpha, beta, .. } = self.parameters;
        let Red { min_th, max_th, max_p, .. } = &mut self.red;
        let part = OUTSIDE * (*max_th - *min_th);
        let next = if average < *min_th + part {
            *max_p * beta.get()
        } else if average > *max_th - part {
            *max_p + alpha.get().min(*max_p / 4.0)
        } else {
            return;
        };
        *max_p = next.clamp(bottom.get(), top.get());
    }
}

impl Aqm for AdaptiveRed {
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        let average = self.red.measure(queue, now);
        if now.since(self.tested_at) > self.parameters.interval {
            self.tested_at = now;
            self.adapt(average);
        }
        self.red.judge(packet, queue)
    }

    fn on_idle(&mut self, now: Instant) {
        self.red.on_idle(now);
    }

    /// Recomputes what depends on the link; keeps average and `max_p`.
    fn on_rate(&mut self, rate: Rate, now: Instant) {
        let (min_th, max_th, w_q) = self.parameters.derived(rate.packets_per_second(self.mean_packet));
        self.red.on_rate(rate, now);
        self.red.min_th = min_th.value();
        self.red.max_th = max_th.value();
        self.red.set_weight(w_q.get());
    }

    fn take_over(&mut self, former: &Self) {
        self.red.take_over(&former.red);
        self.red.max_p = former.red.max_p;
        self.tested_at = former.tested_at;
    }

    fn curve(&self, queue: Backlog) -> Option<Curve<'_>> {
        self.red.curve(queue)
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.red.probe(record);
        record("max_p", self.red.max_p);
        record("min_th", self.red.min_th);
        record("max_th", self.red.max_th);
        record("w_q", self.red.weight());
    }
}
