//! HRED, Hybrid RED: a reconstruction.
//!
//! C. Joo, S. Bahk: *Hybrid Random Early Detection*, J. Korean Institute of Communication
//! Sciences 27(12A), 2002. A line over the whole buffer, on the queue itself and not on an
//! average; its height adapts on every arrival. With `l` the queue before the arrival:
//!
//! ```text
//! p_min <- p_min + K_alpha p (l - max_th)                   l > max_th
//! p_min <- p_min - K_beta  p (min_th - l)                   l < min_th
//! p_max  = p_min + (1 / K) (p_min / max_th) (max_th - min_th)                     (8)
//! p      = p_min + (p_max - p_min) (l - min_th) / (max_th - min_th)               (6)
//! K_alpha = 2 S / (C RTT)^2,  K_beta = 2 K_alpha                                  (11)
//! ```
//!
//! `S` is the mean packet, `C` the capacity, `RTT` the largest round trip. Each packet is
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

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid, Level, Probability, Rate, Rng};

use super::red::thresholds::check_pair;
use crate::{Aqm, Backlog, Limit, Link, PacketInfo, Reason, Verdict};

/// Lower bound of `p_min`: steps are proportional to it.
const FLOOR: f64 = 1e-6;

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
    /// Largest round-trip time without queueing, for the gains.
    #[schemars(extend("x-default-source" = "the paper's `K_alpha` (Table 2), which equation (11) gives for it"))]
    pub rtt: Duration,
    /// `K_beta / K_alpha`: speed of decrease over speed of increase.
    #[schemars(extend("x-default-source" = "paper, Table 2"))]
    pub fall: f64,
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
            fall: 2.0,
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
        let mut hred = Hred {
            parameters: self.clone(),
            unit,
            min_th: min_th.value(),
            max_th: max_th.value(),
            packet: unit.map_or(1.0, |unit| mean_packet / unit),
            mean_packet: link.mean_packet,
            capacity: 0.0,
            k_alpha: 0.0,
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

    /// `p` at a queue of `l`: equation (6) with (8).
    fn line(&self, l: f64) -> f64 {
        let height = 1.0 + (l - self.min_th) / (self.parameters.k * self.max_th);
        (self.p_min * height).clamp(0.0, 1.0)
    }

    fn adapt(&mut self, l: f64) {
        let step = if l > self.max_th {
            self.k_alpha * (l - self.max_th)
        } else if l < self.min_th {
            -self.parameters.fall * self.k_alpha * (self.min_th - l)
        } else {
            return;
        };
        self.p_min = (self.p_min + step * self.line(l)).clamp(FLOOR, 1.0);
    }
}

impl Aqm for Hred {
    #[inline]
    fn on_enqueue(&mut self, _packet: PacketInfo, queue: Backlog, _now: Instant) -> Verdict {
        let l = self.length(queue);
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
        let pipe = self.capacity * self.parameters.rtt.as_secs_f64();
        self.k_alpha = 2.0 * self.packet / (pipe * pipe);
    }

    fn take_over(&mut self, former: &Self) {
        self.p_min = former.p_min;
        self.probability = former.probability;
        self.rng = former.rng.clone();
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("p_min", self.p_min);
        record("p_max", self.line(self.max_th));
        record("probability", self.probability);
        record("K_alpha", self.k_alpha);
        record("K_beta", self.parameters.fall * self.k_alpha);
        record("loop_gain", self.gain_at(self.min_th, self.parameters.rtt));
    }
}
