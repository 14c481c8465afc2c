//! RED, Random Early Detection.
//!
//! S. Floyd, V. Jacobson: *Random Early Detection gateways for congestion avoidance*,
//! IEEE/ACM Trans. Networking 1(4), 1993. On each arrival, with `q` the queue before it:
//!
//! ```text
//! avg  <- (1 - w_q) avg + w_q q                       the link is busy
//! avg  <- (1 - w_q)^m avg,  m = idle time / s         after an idle time; s sends a mean packet
//! p_b   = max_p (avg - min_th) / (max_th - min_th)    for min_th <= avg < max_th
//! p_a   = p_b / (1 - count p_b)                       count: packets since the last signal
//! ```
//!
//! Below `min_th` no packet is signalled, from `max_th` on every packet is. *Gentle* RED (Floyd, 2000)
//! ramps from `max_p` at `max_th` to 1 at `2 max_th`.
//!
//! The queue counts bytes if the thresholds are in bytes. Independently, `byte_mode` scales the
//! probability with the packet size (off; RFC 7141 and RFC 7567, section 4.4, advise against it).
//!
//! ns-2 compatibility is optional, because published results depend on it: `spacing = "wait"`,
//! `mark_p`, `idle_m = "ns2"`, `min_qlen` with `ns2_old`, `byte_mode = "ns2"`.
//!
//! AQMs of the RED family contain a [`Red`] and change its parameters or profile.

mod average;
mod family;
mod signals;
pub(crate) mod thresholds;

use alloc::{boxed::Box, format, vec::Vec};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Instant, Invalid, Level, PacketSize, Probability, Rate, Rng};

use crate::{Aqm, Backlog, Curve, Link, PacketInfo, Verdict, parts};
pub use average::IdleM;
pub(super) use average::{Average, measure};
pub(crate) use family::red_family;
pub use signals::{ByteMode, Spacing};
pub(super) use signals::{Signals, Zone};

red_family! {
    /// Parameters of RED.
    pub struct RedParameters
    min_th {
        /// Average queue below which no packet is signalled: packets, bytes, or a time at the link's rate.
    }
    max_th {
        /// Average queue at which the probability reaches `max_p`; in the unit of `min_th`.
    }
    max_p {
        /// Probability at `max_th`.
        #[schemars(extend("x-default-source" = "Floyd, 1997; 0.02 in the paper"))]
        #[schemars(extend("x-tunable" = { "from": 0.01, "to": 0.5, "source": "Floyd, Gummadi and Shenker, 2001" }))]
    }
    gentle {
        /// Ramp the probability from `max_p` at `max_th` to 1 at twice `max_th` (Floyd, 2000), instead
        /// of a jump to 1.
        #[schemars(extend("x-default-source" = "Floyd and Jacobson, 1993"))]
    }
    ecn {
        /// Mark ECN-capable packets instead of dropping them.
    }
    last {
        /// Mark only while `p_b` is below this value and drop otherwise; ns-2's `mark_p_`.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-default" = "no bound"))]
        mark_p: Option<Probability> = None,
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
        /// Scale the probability with the packet size.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-default" = "the size has no influence (RFC 7567)"))]
        byte_mode: Option<ByteMode> = None,
        /// Packet size that is not scaled with `byte_mode = "paper"`; the paper's `MaximumPacketSize`.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-default" = "the mean packet size of the link"))]
        max_packet_size: Option<PacketSize> = None,
    }
}

impl RedParameters {
    /// The queue lengths among the parameters.
    pub(crate) fn levels(&mut self) -> Vec<&mut Level> {
        self.min_th.iter_mut().chain(&mut self.max_th).chain([&mut self.min_qlen]).collect()
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        thresholds::check(self.min_th, self.max_th)?;
        Invalid::unless(
            self.max_packet_size.is_none() || self.byte_mode == Some(ByteMode::Paper),
            "max_packet_size",
            "max_packet_size has no effect",
            "set byte_mode = \"paper\", the rule that divides by it, or remove it",
        )?;
        Invalid::unless_positive(self.w_q.get(), "w_q")
    }

    /// RED before `link`. The link starts idle.
    pub fn build(&self, link: Link, rng: Rng) -> Red {
        let (min_th, max_th) = thresholds::before(link, self.min_th, self.max_th);
        Red {
            average: Average::new(min_th, self.w_q, self.idle_m, link),
            min_th: min_th.value(),
            max_th: max_th.value(),
            max_p: self.max_p.get(),
            gentle: self.gentle,
            min_qlen: self.min_qlen,
            signals: Signals {
                spacing: self.spacing,
                ecn: self.ecn,
                harddrop: self.harddrop,
                mark_p: self.mark_p,
                ns2_old: self.ns2_old,
                byte_mode: self.byte_mode,
                whole_packet: self.max_packet_size.map_or(link.mean_packet, PacketSize::bytes),
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
    min_qlen: Level,
    signals: Signals,
}

impl Red {
    /// Samples the queue before an arrival. Returns the new average.
    #[inline]
    pub(crate) fn measure(&mut self, queue: Backlog, now: Instant) -> f64 {
        self.average.update(queue, now);
        self.average.get()
    }

    /// Verdict on an arrival: a line from 0 at `min_th` to `max_p` at `max_th`.
    #[inline]
    pub(crate) fn judge(&mut self, packet: PacketInfo, queue: Backlog) -> Verdict {
        self.judge_by(self.max_p, self.line(), packet, queue)
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
        let least = self.min_qlen.value();
        let calm = least > 0.0 && measure(queue, self.min_qlen.in_bytes()) <= least;
        let zone = if calm { Zone::Below } else { self.zone(self.average.get(), top, profile) };
        self.signals.verdict(zone, packet, queue)
    }

    /// The zone of an average.
    #[inline]
    fn zone(&self, average: f64, top: f64, profile: impl FnOnce(f64) -> f64) -> Zone {
        let (low, high) = (self.min_th, self.max_th);
        if average < low {
            Zone::Below
        } else if average < high {
            Zone::Ramp(profile(average))
        } else if self.gentle && average < 2.0 * high {
            Zone::Ramp(top + parts::linear(average, high, 2.0 * high, 1.0 - top))
        } else {
            Zone::Above
        }
    }

    /// The curve that [`Red::judge_by`] follows.
    pub(super) fn curve_by<'a>(&'a self, top: f64, profile: impl Fn(f64) -> f64 + 'a) -> Curve<'a> {
        Curve {
            variable: "average",
            value: self.average.get(),
            end: self.max_th * if self.gentle { 2.2 } else { 1.2 },
            at: Box::new(move |average| self.zone(average, top, &profile).probability()),
        }
    }

    /// The profile of [`Red::judge`].
    #[inline]
    fn line(&self) -> impl Fn(f64) -> f64 + use<> {
        let Self { min_th, max_th, max_p, .. } = *self;
        move |average| parts::linear(average, min_th, max_th, max_p)
    }

    /// `w_q`.
    pub(super) const fn weight(&self) -> f64 {
        self.average.weight()
    }

    /// Sets `w_q`.
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

    fn take_over(&mut self, former: &Self) {
        self.average.take_over(&former.average);
        self.signals.take_over(&former.signals);
    }

    fn curve(&self, _queue: Backlog) -> Option<Curve<'_>> {
        Some(self.curve_by(self.max_p, self.line()))
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("average", self.average.get());
        self.signals.probe(record);
    }
}

/// Rejects bounds of `max_p` in the wrong order.
pub(super) fn check_bounds(bottom: Probability, top: Probability) -> Result<(), Invalid> {
    Invalid::unless(
        bottom <= top,
        "top",
        format!("top ({}) is below bottom ({})", top.get(), bottom.get()),
        "exchange the bounds of max_p",
    )
}
