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
//! Four habits of ns-2 that published results depended on are options, off by default:
//! `spacing = "wait"`, `mark_below`, `idle_steps = "whole-and-one"`, `early_above` with
//! `spare_first`.

use alloc::format;

use weir_types::{Instant, Invalid, Level, Probability, Rate, Rng};

use super::Forced;
use crate::{Aqm, Backlog, Link, PacketInfo, Reason, Verdict, parts};

/// How far apart signals are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Spacing {
    /// Each packet by itself with probability `p_b`.
    Independent,
    /// The paper's `p_b / (1 - count p_b)`: gaps uniform on 1..1/p, about 2 p signals per packet.
    #[default]
    Uniform,
    /// ns-2's `wait_`: gaps uniform on 1/p..2/p, about 2/3 p signals per packet.
    Wait,
}

/// How many samples of zero an idle time stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Steps {
    /// The paper's m, not rounded, and no sample for the arrival itself.
    #[default]
    Real,
    /// ns-2: the whole part of m, and one more for the arrival.
    WholeAndOne,
}

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
        }
    }
}

impl RedParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless(
            self.min_th.in_bytes() == self.max_th.in_bytes(),
            "max_th",
            "min_th and max_th are in different units",
            "write both in packets or both in bytes",
        )?;
        Invalid::unless(
            self.min_th.value() < self.max_th.value(),
            "max_th",
            format!("max_th ({}) is not above min_th ({})", self.max_th, self.min_th),
            "exchange the two thresholds, or set max_th to about three times min_th",
        )?;
        Invalid::unless_positive(self.w_q.get(), "w_q")
    }

    /// RED before `link`. The link starts idle.
    pub fn build(&self, link: Link, rng: Rng) -> Red {
        Red {
            parameters: self.clone(),
            average: 0.0,
            count: None,
            idle_since: Some(Instant::ZERO),
            mean_packet: link.mean_packet,
            sample_time: sample_time(link.rate, link.mean_packet),
            probability: 0.0,
            rng,
        }
    }
}

/// Random Early Detection.
#[derive(Clone, Debug)]
pub struct Red {
    parameters: RedParameters,
    /// `avg`, in the unit of the thresholds.
    average: f64,
    /// Packets since the last signal; `None` while the average is below `min_th`.
    count: Option<u32>,
    /// Since when the line has been idle.
    idle_since: Option<Instant>,
    /// Bytes that stand for a packet in the idle rule.
    mean_packet: u32,
    /// `s`: seconds to send a mean packet.
    sample_time: f64,
    /// `p_b`, for the eye.
    probability: f64,
    rng: Rng,
}

/// What RED's average asks for.
enum Zone {
    Below,
    /// Signal with probability `p_b`.
    Ramp(f64),
    Beyond,
}

impl Red {
    /// Updates the average with the queue that the arrival finds.
    fn average(&mut self, queue: Backlog, now: Instant) {
        let w = self.parameters.w_q.get();
        let sample = measure(queue, self.parameters.min_th);
        match (self.idle_since.take(), self.parameters.idle_steps) {
            (None, _) => self.average = parts::ewma(self.average, w, sample),
            (Some(since), Steps::Real) => {
                let m = now.since(since).as_secs_f64() / self.sample_time;
                self.average = parts::ewma_idle(self.average, w, m);
            }
            (Some(since), Steps::WholeAndOne) => {
                // A time of exactly m packets is m, whatever the division does to it.
                let m = libm::floor(now.since(since).as_secs_f64() / self.sample_time + 1e-9);
                self.average = parts::ewma_idle(self.average, w, m + 1.0) + w * sample;
            }
        }
    }

    /// The profile: linear from 0 to `max_p`, and in gentle mode on to 1.
    fn zone(&self) -> Zone {
        let RedParameters { min_th, max_th, max_p, gentle, .. } = &self.parameters;
        let (low, high, top) = (min_th.value(), max_th.value(), max_p.get());
        match self.average {
            average if average < low => Zone::Below,
            average if average < high => Zone::Ramp(parts::linear(average, low, high, top)),
            average if *gentle && average < 2.0 * high => {
                Zone::Ramp(top + parts::linear(average, high, 2.0 * high, 1.0 - top))
            }
            _ => Zone::Beyond,
        }
    }

    fn ramp(&mut self, p: f64) -> Verdict {
        let count = match self.count {
            Some(count) => count.saturating_add(1),
            None if self.parameters.spare_first => {
                self.count = Some(1);
                return Verdict::Pass;
            }
            None => 0,
        };
        self.count = Some(count);
        let spaced = match self.parameters.spacing {
            Spacing::Independent => p,
            Spacing::Uniform => parts::spaced_uniformly(p, f64::from(count)),
            Spacing::Wait => parts::spaced_with_wait(p, f64::from(count)),
        };
        if !self.rng.chance(spaced) {
            return Verdict::Pass;
        }
        self.count = Some(0);
        let marks = self.parameters.ecn && self.parameters.mark_below.is_none_or(|limit| p < limit.get());
        if marks { Verdict::Mark(Reason::Early) } else { Verdict::Drop(Reason::Early) }
    }
}

impl Aqm for Red {
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        self.average(queue, now);
        let calm = self.parameters.early_above.is_some_and(|level| measure(queue, level) <= level.value());
        let zone = if calm { Zone::Below } else { self.zone() };
        let verdict = match zone {
            Zone::Below => {
                self.probability = 0.0;
                self.count = None;
                Verdict::Pass
            }
            Zone::Ramp(p) => {
                self.probability = p;
                self.ramp(p)
            }
            Zone::Beyond => {
                self.probability = 1.0;
                self.count = Some(0);
                match self.parameters.forced {
                    Forced::Mark if self.parameters.ecn => Verdict::Mark(Reason::Forced),
                    _ => Verdict::Drop(Reason::Forced),
                }
            }
        };
        // An overflow is a signal like any other: the next one is spaced from it.
        if queue.overflows(packet.bytes) && self.count.is_some() {
            self.count = Some(0);
        }
        verdict
    }

    fn on_idle(&mut self, now: Instant) {
        self.idle_since.get_or_insert(now);
    }

    fn on_rate(&mut self, rate: Rate, _now: Instant) {
        self.sample_time = sample_time(rate, self.mean_packet);
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("average", self.average);
        record("probability", self.probability);
        record("count", self.count.map_or(-1.0, f64::from));
    }
}

/// The queue in the unit of `level`.
fn measure(queue: Backlog, level: Level) -> f64 {
    if level.in_bytes() { queue.bytes as f64 } else { f64::from(queue.packets) }
}

/// `s`: seconds to send one mean packet.
fn sample_time(rate: Rate, mean_packet: u32) -> f64 {
    1.0 / rate.packets_per_second(mean_packet)
}
