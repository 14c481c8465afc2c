//! RED, Random Early Detection.
//!
//! S. Floyd, V. Jacobson: *Random Early Detection gateways for congestion avoidance*,
//! IEEE/ACM Trans. Networking 1(4), 1993. On each arrival, with `q` the queue before it:
//!
//! ```text
//! avg  <- (1 - w_q) avg + w_q q                       the line is busy
//! avg  <- (1 - w_q)^m avg,  m = idle time / s         it was idle; s sends a mean packet
//! p_b   = max_p (avg - min_th) / (max_th - min_th)    for min_th <= avg < max_th
//! p_a   = p_b / (1 - count p_b)                       count: packets since the last signal
//! ```
//!
//! Below `min_th` nothing is signalled, from `max_th` on everything is. *Gentle* RED
//! (Floyd, 2000) goes on from `max_p` at `max_th` to 1 at `2 max_th`.
//!
//! Two things may be counted in bytes, apart from each other: the queue, where the thresholds
//! are in bytes, and the probability, which then grows with the size of the packet, `by_size`
//! (discouraged by RFC 7141 and RFC 7567, section 4.4; off).
//!
//! Habits of ns-2 that published results depended on are options, off by default:
//! `spacing = "wait"`, `mark_below`, `idle_steps = "whole-and-one"`, `early_above` with
//! `spare_first`, `by_size = "after-spacing"`.
//!
//! The laws that grew out of RED have a [`Red`] and change its parameters or its profile.

mod average;
mod signals;

use alloc::format;

use weir_types::{Instant, Invalid, Level, PacketSize, Probability, Rate, Rng};

use super::Forced;
use crate::{Aqm, Backlog, Link, PacketInfo, Verdict, parts};
pub use average::Steps;
pub(super) use average::{Average, measure};
pub use signals::{BySize, Spacing};
pub(super) use signals::{Signals, Zone};

/// Parameters of RED.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, default)
)]
pub struct RedParameters {
    /// Average queue below which nothing is signalled. Default 5 packets (Floyd, 1997).
    pub min_th: Level,
    /// Average queue at which the probability reaches `max_p`; in the unit of `min_th`.
    /// Default 15 packets, three times `min_th` (Floyd, 1997).
    pub max_th: Level,
    /// Probability at `max_th`. Default 0.1 (Floyd, 1997; 0.02 in the 1993 paper).
    pub max_p: Probability,
    /// Weight of a new sample in the average. Default 0.002 (1993 paper).
    pub w_q: Probability,
    /// Go on linearly to 1 at twice `max_th` instead of jumping there. Default off, as in 1993.
    pub gentle: bool,
    /// How signals are spaced. Default: the paper's.
    pub spacing: Spacing,
    /// Mark packets that are ECN-capable instead of dropping them.
    pub ecn: bool,
    /// Packets beyond the highest threshold, if `ecn` is on. Default: drop.
    pub forced: Forced,
    /// Mark only while `p_b` is below this and drop from there on (ns-2's `mark_p_`).
    /// Default: always mark.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub mark_below: Option<Probability>,
    /// What an idle time does to the average. Default: the paper's rule.
    pub idle_steps: Steps,
    /// Signal only while more than this waits; ns-2: 1 packet. Default: no such condition.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub early_above: Option<Level>,
    /// Never signal the first packet after the average crosses `min_th`, and count it
    /// (ns-2). Default off.
    pub spare_first: bool,
    /// Scale the probability by the size of the packet. Default: all sizes alike (RFC 7567).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub by_size: Option<BySize>,
    /// The size that is not scaled before the spacing (the paper's `MaximumPacketSize`).
    /// Default: the mean packet of the link.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub max_packet: Option<PacketSize>,
}

impl Default for RedParameters {
    fn default() -> Self {
        let probability = |p| Probability::new(p).expect("a constant in [0, 1]");
        Self {
            min_th: Level::Packets(5.0),
            max_th: Level::Packets(15.0),
            max_p: probability(0.1),
            w_q: probability(0.002),
            gentle: false,
            spacing: Spacing::default(),
            ecn: false,
            forced: Forced::default(),
            mark_below: None,
            idle_steps: Steps::default(),
            early_above: None,
            spare_first: false,
            by_size: None,
            max_packet: None,
        }
    }
}

impl RedParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        check_thresholds(self.min_th, self.max_th)?;
        Invalid::unless(
            self.max_packet.is_none() || self.by_size == Some(BySize::BeforeSpacing),
            "max_packet",
            "max_packet has no effect",
            "set by_size = \"before-spacing\", the rule that divides by it, or remove it",
        )?;
        Invalid::unless_positive(self.w_q.get(), "w_q")
    }

    /// RED before `link`. The link starts idle.
    pub fn build(&self, link: Link, rng: Rng) -> Red {
        Red {
            average: Average::new(self.min_th, self.w_q, self.idle_steps, link),
            min_th: self.min_th.value(),
            max_th: self.max_th.value(),
            max_p: self.max_p.get(),
            gentle: self.gentle,
            early_above: self.early_above,
            signals: Signals {
                spacing: self.spacing,
                ecn: self.ecn,
                forced: self.forced,
                mark_below: self.mark_below,
                spare_first: self.spare_first,
                by_size: self.by_size,
                whole_packet: self.max_packet.map_or(link.mean_packet, PacketSize::bytes),
                count: None,
                probability: 0.0,
                rng,
            },
        }
    }
}

/// Random Early Detection.
#[derive(Clone, Debug)]
pub struct Red {
    average: Average,
    /// In packets or bytes, like `max_th` and the average.
    pub(super) min_th: f64,
    pub(super) max_th: f64,
    pub(super) max_p: f64,
    gentle: bool,
    early_above: Option<Level>,
    signals: Signals,
}

impl Red {
    /// Takes in the queue that an arrival finds; the new average.
    #[inline]
    pub(crate) fn measure(&mut self, queue: Backlog, now: Instant) -> f64 {
        self.average.update(queue, now);
        self.average.get()
    }

    /// RED's verdict on an arrival: the profile is a line from 0 at `min_th` to `max_p` at
    /// `max_th`.
    #[inline]
    pub(crate) fn judge(&mut self, packet: PacketInfo, queue: Backlog) -> Verdict {
        let Self { min_th, max_th, max_p, .. } = *self;
        self.judge_by(max_p, |average| parts::linear(average, min_th, max_th, max_p), packet, queue)
    }

    /// The verdict if the probability between the thresholds follows `profile`, which ends at
    /// `top`. From there the gentle ramp goes on to 1.
    #[inline]
    pub(super) fn judge_by(
        &mut self,
        top: f64,
        profile: impl FnOnce(f64) -> f64,
        packet: PacketInfo,
        queue: Backlog,
    ) -> Verdict {
        let (low, high) = (self.min_th, self.max_th);
        let calm = self.early_above.is_some_and(|level| measure(queue, level.in_bytes()) <= level.value());
        let zone = match self.average.get() {
            average if calm || average < low => Zone::Below,
            average if average < high => Zone::Ramp(profile(average)),
            average if self.gentle && average < 2.0 * high => {
                Zone::Ramp(top + parts::linear(average, high, 2.0 * high, 1.0 - top))
            }
            _ => Zone::Beyond,
        };
        self.signals.verdict(zone, packet, queue)
    }

    /// What a new sample weighs in the average.
    pub(super) const fn weight(&self) -> f64 {
        self.average.weight()
    }

    /// From now on a sample weighs `weight` in the average.
    pub(super) const fn set_weight(&mut self, weight: f64) {
        self.average.set_weight(weight);
    }
}

impl Aqm for Red {
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        self.measure(queue, now);
        self.judge(packet, queue)
    }

    fn on_idle(&mut self, now: Instant) {
        self.average.on_idle(now);
    }

    fn on_rate(&mut self, rate: Rate, _now: Instant) {
        self.average.on_rate(rate);
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("average", self.average.get());
        self.signals.probe(record);
    }
}

/// Whether two thresholds go together.
pub(super) fn check_thresholds(min_th: Level, max_th: Level) -> Result<(), Invalid> {
    Invalid::unless(
        min_th.in_bytes() == max_th.in_bytes(),
        "max_th",
        "min_th and max_th are in different units",
        "write both in packets or both in bytes",
    )?;
    Invalid::unless(
        min_th.value() < max_th.value(),
        "max_th",
        format!("max_th ({max_th}) is not above min_th ({min_th})"),
        "exchange the two thresholds, or set max_th to about three times min_th",
    )
}

/// Whether bounds that a law keeps `max_p` in go together.
pub(super) fn check_bounds(bottom: Probability, top: Probability) -> Result<(), Invalid> {
    Invalid::unless(
        bottom <= top,
        "top",
        format!("top ({}) is below bottom ({})", top.get(), bottom.get()),
        "exchange the bounds of max_p",
    )
}
