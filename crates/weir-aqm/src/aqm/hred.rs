//! HRED, Hybrid RED: a reconstruction.
//!
//! C. Joo, S. Bahk: *Hybrid Random Early Detection*, J. Korean Institute of Communication
//! Sciences 27(12A), 2002. A line over the whole buffer, whose height adapts on every arrival. With
//! `l` the queue before the arrival, or its average with weight `w_q`; the paper's 1 is the queue itself:
//!
//! ```text
//! p_min <- p_min + K_alpha p (l - max_th)                   l > max_th
//! p_min <- p_min - K_beta  p (min_th - l)                   l < min_th
//! p_max  = p_min + (1 / K) (p_min / max_th) (max_th - min_th)                     (8)
//! p      = p_min + (p_max - p_min) (l - min_th) / (max_th - min_th)               (6)
//! K_alpha = S / (C RTT)^2 (2 + g) / (1 + g),  K_beta = 2 K_alpha                  (11)
//! ```
//!
//! `S` is the mean packet, `C` the capacity, `RTT` the largest round trip. By (9) a load that grows by
//! the share `g` needs `(1 + g)^2 p`; (11) makes `p` rise so far within one RTT. Each packet is
//! signalled independently with probability `p`.
//!
//! Errors and gaps of the paper:
//!
//! - Figure 1 prints `l > min_th` for the decrease. Its increment, `min_th - l`, requires
//!   `l < min_th`.
//! - `p` in both steps is the line before the step; the verdict uses the line after it.
//! - Equation (10) lost a product, which (11) needs. Gains in table 2 are per bit.
//! - The initial `p_min` is not stated. Steps are proportional to `p`, so zero would never change:
//!   here it is 0.001, and `p_min` stays in [1e-6, 1]; `p` stays in [0, 1].
//! - `p_min` does not change on an idle link.

use alloc::boxed::Box;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid, Level, Probability, Rate, Rng};

use super::{
    IdleM,
    red::{Average, thresholds::check_pair},
};
use crate::{Aqm, Backlog, Curve, Limit, Link, PacketInfo, Reason, Verdict};

/// Lower bound of `p_min`: steps are proportional to it.
const FLOOR: f64 = 1e-6;
/// `K_alpha` per bit (paper, Table 2).
const K_ALPHA: f64 = 1.3563e-10;

/// Parameters of HRED.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HredParameters {
    /// Queue below which the probability decreases. In packets, the mean packet counts as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "half of `max_th` (paper: 125 of 500 kB)"))]
    #[schemars(extend("x-role" = "first"))]
    pub min_th: Option<Level>,
    /// Queue above which the probability increases; in the unit of `min_th`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "twice `min_th` if that is set, otherwise half of the buffer (paper: 250 of 500 kB)"))]
    #[schemars(extend("x-tunable" = { "from": "6 packets", "to": "buffer", "source": "Weir: any band that the buffer holds" }))]
    #[schemars(extend("x-role" = "last"))]
    pub max_th: Option<Level>,
    /// K, the flatness of the line. By equation (7) the default is stable at `min_th` for round trips up to 218.75 ms
    /// on the paper's link, not for its 240 ms.
    #[schemars(extend("x-default-source" = "paper, Table 2"))]
    pub k: f64,
    /// Largest round-trip time without queueing, for the gains by equation (11).
    #[schemars(extend("x-default-source" = "the paper's `K_alpha` (Table 2), which equation (11) gives for it"))]
    pub rtt: Duration,
    /// g, the share by which the load grows, and which equation (11) answers within one `rtt`.
    #[schemars(extend("x-default-source" = "paper, Table 2: small growth, for which (2 + g) / (1 + g) is 2"))]
    pub growth: f64,
    /// `K_beta / K_alpha`: speed of decrease over speed of increase.
    #[schemars(extend("x-default-source" = "paper, Table 2"))]
    pub fall: f64,
    /// `K_alpha` per bit, the gain of increases, in place of equation (11).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "equation (11), by `rtt` and `growth` (paper: 1.3563e-10)"))]
    pub k_alpha: Option<f64>,
    /// `K_beta` per bit, the gain of decreases, in place of `fall`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "`fall` times `K_alpha` (paper: 2.7126e-10)"))]
    pub k_beta: Option<f64>,
    /// Weight of a new sample in the average queue; 1 is the queue itself.
    #[schemars(extend("x-default-source" = "paper, Table 1"))]
    pub w_q: Probability,
    /// Initial `p_min`.
    #[schemars(extend("x-default-source" = "Weir; the paper gives none"))]
    pub p_min: Probability,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
}

impl Default for HredParameters {
    fn default() -> Self {
        Self {
            min_th: None,
            max_th: None,
            k: 2.0,
            rtt: Duration::from_millis(240),
            growth: 0.0,
            fall: 2.0,
            k_alpha: None,
            k_beta: None,
            w_q: Probability::constant(1.0),
            p_min: Probability::constant(1e-3),
            ecn: false,
        }
    }
}

impl HredParameters {
    /// The queue lengths among the parameters.
    pub(crate) fn levels(&mut self) -> Vec<&mut Level> {
        self.min_th.iter_mut().chain(&mut self.max_th).collect()
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        if let (Some(min_th), Some(max_th)) = (self.min_th, self.max_th) {
            check_pair(min_th, max_th)?;
        }
        for (level, name) in [(self.min_th, "min_th"), (self.max_th, "max_th")] {
            Invalid::unless(
                level.is_none_or(|level| level.value() > 0.0),
                name,
                "a threshold is zero",
                "write a level above zero, or leave it to the buffer",
            )?;
        }
        let published = Self::default();
        super::check_gain(self.k, "k", published.k)?;
        Invalid::unless_positive(self.rtt.as_secs_f64(), "rtt")?;
        super::check_gain(self.fall, "fall", published.fall)?;
        Invalid::unless(
            self.growth >= 0.0 && self.growth.is_finite(),
            "growth",
            alloc::format!("the load grows by {}, not by zero or more", self.growth),
            "write the share by which it grows: 1 where it doubles",
        )?;
        for (gain, name) in [(self.k_alpha, "k_alpha"), (self.k_beta, "k_beta")] {
            gain.map_or(Ok(()), |gain| super::check_gain(gain, name, K_ALPHA))?;
        }
        Invalid::unless(
            self.k_alpha.is_none() || self.growth == 0.0,
            "growth",
            "growth has no effect beside k_alpha",
            "leave one of them out: k_alpha is the gain itself",
        )?;
        Invalid::unless(
            self.k_beta.is_none() || self.fall.to_bits() == published.fall.to_bits(),
            "fall",
            "fall has no effect beside k_beta",
            "leave one of them out: k_beta is the gain itself",
        )?;
        Invalid::unless_positive(self.w_q.get(), "w_q")?;
        Invalid::unless(
            self.p_min.get() >= FLOOR,
            "p_min",
            "p_min begins too low to rise again",
            "its steps are in proportion to it; write at least 0.000001",
        )
    }

    /// HRED before `link`.
    pub fn build(&self, link: Link, rng: Rng) -> Hred {
        let mean_packet = f64::from(link.mean_packet);
        let given = self.max_th.or(self.min_th);
        let unit = match (given, link.limit) {
            (Some(level), _) => level.in_bytes().then_some(1.0),
            (None, Limit::Packets(_)) => None,
            (None, Limit::Bytes(_)) => Some(1.0),
            (None, Limit::Span(_)) => Some(mean_packet),
        };
        let buffer = match link.limit {
            Limit::Bytes(bytes) => Level::Bytes(bytes.max(1) as f64),
            limit => Level::Packets(limit.in_packets(link.mean_packet).max(1.0)),
        };
        let max_th = self.max_th.or(self.min_th.map(|min_th| min_th * 2.0)).unwrap_or(buffer * 0.5);
        let min_th = self.min_th.unwrap_or(max_th * 0.5);
        let counts = if unit.is_some() { Level::Bytes(0.0) } else { Level::Packets(0.0) };
        let averages = self.w_q.get() < 1.0;
        let mut hred = Hred {
            parameters: self.clone(),
            average: averages.then(|| Average::new(counts, self.w_q, IdleM::Real, link)),
            unit,
            min_th: min_th.value(),
            max_th: max_th.value(),
            packet: unit.map_or(1.0, |unit| mean_packet / unit),
            mean_packet: link.mean_packet,
            capacity: 0.0,
            k_alpha: 0.0,
            k_beta: 0.0,
            p_min: self.p_min.get(),
            probability: 0.0,
            rng,
        };
        hred.on_rate(link.rate, Instant::ZERO);
        hred
    }
}

/// Hybrid RED.
#[derive(Clone, Debug)]
pub struct Hred {
    parameters: HredParameters,
    /// `l`, where it is not the queue itself.
    average: Option<Average>,
    /// Bytes of which the queue counts one, and so do all levels: a byte where the thresholds are in bytes,
    /// a mean packet where they come from a buffer given as a time. `None`: it counts packets of any size.
    unit: Option<f64>,
    min_th: f64,
    max_th: f64,
    /// `S`: the mean packet.
    packet: f64,
    /// Its bytes.
    mean_packet: u32,
    /// `C`: what the link sends in a second.
    capacity: f64,
    /// `K_alpha`, per byte or packet.
    k_alpha: f64,
    /// `K_beta`
    k_beta: f64,
    p_min: f64,
    /// `p` of the last arrival, reported by `probe`.
    probability: f64,
    rng: Rng,
}

impl Hred {
    /// `|S(l)|`, equation (7): the gain of a small deviation from `queue` over one control delay, for
    /// flows with a round-trip time of `rtt`. Stable below 1, that is for
    ///
    /// ```text
    /// K > (l + C RTT) / (2 max_th (1 + (l - min_th) / (K max_th)))
    /// ```
    ///
    /// `p_min` cancels out. The paper's K = 2 is stable at `min_th` for round-trip times up to
    /// 218.75 ms, but not for the 240 ms of its gains.
    pub fn loop_gain(&self, queue: Backlog, rtt: Duration) -> f64 {
        self.gain_at(self.length(queue), rtt)
    }

    fn gain_at(&self, l: f64, rtt: Duration) -> f64 {
        let k_max_th = self.parameters.k * self.max_th;
        (l + self.capacity * rtt.as_secs_f64()) / (2.0 * (k_max_th + l - self.min_th))
    }

    /// `l`, as the thresholds count.
    fn length(&self, queue: Backlog) -> f64 {
        self.unit.map_or(f64::from(queue.packets), |unit| queue.bytes as f64 / unit)
    }

    /// `l`, or its average.
    #[inline]
    fn measured(&self, queue: Backlog) -> f64 {
        match &self.average {
            None => self.length(queue),
            Some(average) => average.get() / self.unit.unwrap_or(1.0),
        }
    }

    /// `p` at a queue of `l`: equation (6) with (8).
    fn line(&self, l: f64) -> f64 {
        let height = 1.0 + (l - self.min_th) / (self.parameters.k * self.max_th);
        (self.p_min * height).clamp(0.0, 1.0)
    }

    fn adapt(&mut self, l: f64) {
        let step = if l > self.max_th {
            self.k_alpha * (l - self.max_th)
        } else if l < self.min_th {
            -self.k_beta * (self.min_th - l)
        } else {
            return;
        };
        self.p_min = (self.p_min + step * self.line(l)).clamp(FLOOR, 1.0);
    }
}

impl Aqm for Hred {
    #[inline]
    fn on_enqueue(&mut self, _packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        if let Some(average) = &mut self.average {
            average.update(queue, now);
        }
        let l = self.measured(queue);
        self.adapt(l);
        self.probability = self.line(l);
        match (self.rng.chance(self.probability), self.parameters.ecn) {
            (false, _) => Verdict::Pass,
            (true, true) => Verdict::Mark(Reason::Early),
            (true, false) => Verdict::Drop(Reason::Early),
        }
    }

    fn on_rate(&mut self, rate: Rate, _now: Instant) {
        self.capacity = rate.packets_per_second(self.mean_packet) * self.packet;
        let HredParameters { rtt, growth, fall, k_alpha, k_beta, .. } = self.parameters;
        let pipe = self.capacity * rtt.as_secs_f64();
        let bits = 8.0 * f64::from(self.mean_packet) / self.packet;
        self.k_alpha = k_alpha
            .map_or((2.0 + growth) / (1.0 + growth) * self.packet / (pipe * pipe), |per_bit| per_bit * bits);
        self.k_beta = k_beta.map_or(fall * self.k_alpha, |per_bit| per_bit * bits);
        if let Some(average) = &mut self.average {
            average.on_rate(rate);
        }
    }

    fn on_idle(&mut self, now: Instant) {
        if let Some(average) = &mut self.average {
            average.on_idle(now);
        }
    }

    fn take_over(&mut self, former: &Self) {
        if let (Some(average), Some(of_former)) = (&mut self.average, &former.average) {
            average.take_over(of_former);
        }
        self.p_min = former.p_min;
        self.probability = former.probability;
        self.rng = former.rng.clone();
    }

    /// The line goes over the whole buffer.
    fn curve(&self, queue: Backlog) -> Option<Curve<'_>> {
        Some(Curve {
            variable: "queue",
            value: self.measured(queue),
            end: 2.0 * self.max_th,
            at: Box::new(|l| self.line(l)),
        })
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("p_min", self.p_min);
        record("p_max", self.line(self.max_th));
        record("probability", self.probability);
        record("K_alpha", self.k_alpha);
        record("K_beta", self.k_beta);
        record("loop_gain", self.gain_at(self.min_th, self.parameters.rtt));
    }
}
