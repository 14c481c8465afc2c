//! PI, the proportional-integral controller.
//!
//! C. V. Hollot, V. Misra, D. Towsley, W. Gong: *On Designing Improved Controllers for AQM
//! Routers Supporting TCP Flows*, IEEE Infocom 2001. Every `interval` T, with `q` the queue and
//! `q'` the queue at the update before:
//!
//! ```text
//! p <- p + a (q - q_ref) - b (q' - q_ref), kept on [0, 1]
//! ```
//!
//! Each arriving packet is signalled with probability `p`. The paper designs the gains for a link of
//! C packets per second and at least N flows with round-trip times of at most R:
//!
//! ```text
//! z   = 2 N / (R^2 C)                                      the zero sits on TCP's pole
//! w_g = z                                                  where the loop's gain is 1
//! K   = w_g sqrt(1 + (w_g R)^2) 4 N^2 / (R C)^3
//! a   = K (1/z + T/2),  b = K (1/z - T/2)                  bilinear transform
//! ```
//!
//! It prints K = 9.64e-6 for N = 60, R = 246 ms, C = 3750, the source of the usual gains. The formula
//! gives 9.781e-6: the printed K is 1.4% low.
//!
//! ns-2 uses the gains of 160 Hz at 170 Hz.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid, Level, Rate, Rng};

use crate::{Aqm, Backlog, Link, PacketInfo, Reason, Verdict, parts};

/// Load of the design; the capacity is the link's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PiDesign {
    /// N, the minimum number of long-lived flows.
    #[schemars(range(min = 1))]
    pub flows: u32,
    /// R, the largest round-trip time, queueing included.
    pub rtt: Duration,
    /// `w_g R`, the crossover frequency times R; below 0.85, where the phase margin is zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "the paper's `z R = 2 N / (R C)`, at most 0.5 (a phase margin of 35 degrees)"))]
    pub crossover: Option<f64>,
}

impl PiDesign {
    /// `z`, before a link of `capacity` packets per second.
    fn zero(&self, capacity: f64) -> f64 {
        let rtt = self.rtt.as_secs_f64();
        2.0 * f64::from(self.flows) / (rtt * rtt * capacity)
    }

    /// `a` and `b` for that link.
    fn gains(&self, capacity: f64, interval: Duration) -> (f64, f64) {
        let (flows, rtt, zero) = (f64::from(self.flows), self.rtt.as_secs_f64(), self.zero(capacity));
        let crossover = self.crossover.unwrap_or((zero * rtt).min(0.5)) / rtt;
        let gain = parts::pi_gain(flows, rtt, capacity, crossover);
        parts::pi_bilinear(gain, zero, interval.as_secs_f64())
    }
}

/// Parameters of PI.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PiParameters {
    /// Gain of the current queue, per packet.
    #[schemars(extend("x-default-source" = "the paper; ns-2"))]
    pub a: f64,
    /// Gain of the queue one interval ago, per packet; below `a`.
    #[schemars(extend("x-default-source" = "the paper; ns-2"))]
    pub b: f64,
    /// Compute `a` and `b` by the paper's procedure: `design = { flows = 60, rtt = "246 ms" }`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "`a` and `b` as given", "x-replaces" = ["a", "b"]))]
    pub design: Option<PiDesign>,
    /// Target queue. In bytes, the queue is counted in mean packets; the gains stay per packet.
    #[schemars(extend("x-default-source" = "ns-2; the paper has 200 packets in a buffer of 800"))]
    #[schemars(extend("x-tunable" = { "from": "2 packets", "to": "buffer", "source": "Weir: any queue that the buffer holds" }))]
    #[schemars(extend("x-role" = "queue"))]
    pub q_ref: Level,
    /// T, time between two updates.
    #[schemars(extend("x-default-source" = "the paper, 160 Hz; ns-2 has 170 Hz"))]
    #[schemars(extend("x-role" = "timer"))]
    pub interval: Duration,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
}

impl Default for PiParameters {
    fn default() -> Self {
        Self {
            a: 1.822e-5,
            b: 1.816e-5,
            design: None,
            q_ref: Level::Packets(50.0),
            interval: Duration::from_micros(6250),
            ecn: false,
        }
    }
}

impl PiParameters {
    /// The queue lengths among the parameters.
    pub(crate) fn levels(&mut self) -> Vec<&mut Level> {
        [&mut self.q_ref].into()
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        let given = Self::default();
        super::check_gain(self.a, "a", given.a)?;
        super::check_gain(self.b, "b", given.b)?;
        Invalid::unless(
            self.b < self.a,
            "b",
            alloc::format!("b ({}) is not below a ({})", self.b, self.a),
            "the integral part is a - b; exchange the two, or let a design choose them",
        )?;
        super::check_interval(self.interval, "the paper has 6.25 ms")?;
        let Some(PiDesign { flows, rtt, crossover }) = self.design else { return Ok(()) };
        Invalid::unless(
            (self.a, self.b) == (given.a, given.b),
            "design",
            "a and b are given as well as a design that computes them",
            "leave out a and b, or the design",
        )?;
        Invalid::unless(
            flows > 0 && !rtt.is_zero(),
            "design",
            "no flows, or no round trip",
            "write for example { flows = 60, rtt = \"246 ms\" }",
        )?;
        Invalid::unless(
            crossover.is_none_or(|beta| beta > 0.0 && beta < 0.85),
            "design",
            alloc::format!("a crossover of {} is not between 0 and 0.85", crossover.unwrap_or_default()),
            "above 0.85 the loop has no phase margin; leave it out for the paper's choice",
        )
    }

    /// Rejects a link without a design: each flow needs a window of at least `sqrt(2)`, at which TCP's
    /// `p = 2 / W^2` is 1, and the zero must lie well below the sampling rate.
    pub(crate) fn check_before(&self, link: Link) -> Result<(), Invalid> {
        let Some(design) = &self.design else { return Ok(()) };
        let capacity = link.rate.packets_per_second(link.mean_packet);
        let window = design.rtt.as_secs_f64() * capacity / f64::from(design.flows);
        Invalid::unless(
            window * window >= 2.0,
            "design",
            alloc::format!("{window:.2} packets for each of {} flows in a round trip", design.flows),
            "TCP cannot be slowed down to that; design for fewer flows or longer round trips",
        )?;
        Invalid::unless(
            design.zero(capacity) * self.interval.as_secs_f64() <= 1.0,
            "interval",
            alloc::format!("an interval of {} is too long for round trips of {}", self.interval, design.rtt),
            "shorten it: the paper samples 40 times in a round trip",
        )
    }

    /// PI before `link`. The first update comes after one interval; probability and last queue
    /// start at 0.
    pub fn build(&self, link: Link, rng: Rng) -> Pi {
        let unit = if self.q_ref.in_bytes() { 1.0 / f64::from(link.mean_packet) } else { 1.0 };
        let mut pi = Pi {
            parameters: self.clone(),
            q_ref: self.q_ref.value() * unit,
            mean_packet: link.mean_packet,
            a: self.a,
            b: self.b,
            last_queue: 0.0,
            probability: 0.0,
            update_at: Instant::ZERO + self.interval,
            rng,
        };
        pi.design(link.rate);
        pi
    }
}

/// The proportional-integral controller.
#[derive(Clone, Debug)]
pub struct Pi {
    parameters: PiParameters,
    /// `q_ref` in packets.
    q_ref: f64,
    mean_packet: u32,
    a: f64,
    b: f64,
    /// `q'`: the queue at the last update, in packets.
    last_queue: f64,
    /// `p`.
    probability: f64,
    update_at: Instant,
    rng: Rng,
}

impl Pi {
    /// A design depends on the rate of the link.
    fn design(&mut self, rate: Rate) {
        if let Some(design) = &self.parameters.design {
            let capacity = rate.packets_per_second(self.mean_packet);
            (self.a, self.b) = design.gains(capacity, self.parameters.interval);
        }
    }
}

impl Aqm for Pi {
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, _now: Instant) -> Verdict {
        // A full buffer draws nothing.
        if queue.overflows(packet.bytes) || !self.rng.chance(self.probability) {
            return Verdict::Pass;
        }
        if self.parameters.ecn { Verdict::Mark(Reason::Early) } else { Verdict::Drop(Reason::Early) }
    }

    fn on_rate(&mut self, rate: Rate, _now: Instant) {
        self.design(rate);
    }

    #[inline]
    fn next_update(&self) -> Option<Instant> {
        Some(self.update_at)
    }

    fn update(&mut self, queue: Backlog, now: Instant) {
        let q = parts::in_packets(queue, self.parameters.q_ref, self.mean_packet);
        let step = parts::pi_step(self.a, self.b, q - self.q_ref, self.last_queue - self.q_ref);
        self.probability = (self.probability + step).clamp(0.0, 1.0);
        self.last_queue = q;
        self.update_at = now + self.parameters.interval;
    }

    fn take_over(&mut self, former: &Self) {
        self.last_queue = former.last_queue;
        self.probability = former.probability;
        self.update_at = former.update_at;
        self.rng = former.rng.clone();
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("probability", self.probability);
        record("a", self.a);
        record("b", self.b);
    }
}
