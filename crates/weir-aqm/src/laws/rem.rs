//! REM, Random Exponential Marking.
//!
//! S. Athuraliya, V. H. Li, S. H. Low, Q. Yin: *REM: Active Queue Management*, IEEE Network
//! 15(3), 2001. Every `interval` T, with `b` the backlog, `x` the packets that arrived
//! during T and `c` the packets that the link can send in T:
//!
//! ```text
//! p <- [p + gamma (alpha (b - b*) + x - c)]+                     (2)  rate and queue
//! p <- [p + gamma (b - (1 - alpha) b' - alpha b*)]+              (3)  queue alone, b' the last b
//! m  = 1 - phi^-p                                                (4)
//! ```
//!
//! An arriving packet is signalled with probability `m`. In equilibrium `x = c` and `b = b*`
//! whatever the number of users: the price carries the load, not the queue.
//!
//! `x` counts packets that are dropped on arrival, as in the authors' ns-2 code. With
//! dropping the queue therefore settles at `b* - (x - c)/alpha`, below the target in
//! proportion to the loss.
//!
//! In ns-2, marking happens when a packet leaves the queue, and packets that cannot be
//! marked pass unharmed: `mark_at = "departure"`.

use weir_types::{Duration, Instant, Invalid, Level, Rate, Rng};

use crate::{Aqm, Backlog, Link, PacketInfo, Reason, Verdict, parts};

/// What drives the price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Watches {
    /// Equation (2): rate mismatch and queue mismatch.
    #[default]
    RateAndQueue,
    /// Equation (3): the queue and its growth. Needs a target above zero.
    Queue,
}

/// Where packets are marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum MarkAt {
    /// The paper: arrivals. A packet that cannot be marked is dropped.
    #[default]
    Arrival,
    /// ns-2: packets at the head. A packet that cannot be marked passes. Drops stay at arrival.
    Departure,
}

/// Parameters of REM. Defaults: the paper, section 4.2.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, default)
)]
pub struct RemParameters {
    /// Base of the marking probability, above 1. Default 1.001.
    pub phi: f64,
    /// Weight of the queue mismatch against the rate mismatch. Default 0.1.
    pub alpha: f64,
    /// Step of the price per packet of mismatch. Default 0.001.
    pub gamma: f64,
    /// `b*`, the queue to settle at. Default 20 packets. In bytes, queue and arrivals are
    /// counted in bytes over the mean packet size.
    pub target: Level,
    /// T, the time between two updates of the price. Default 2 ms (ns-2's `pupdtime_`;
    /// the paper gives none).
    pub interval: Duration,
    /// What drives the price. Default: equation (2).
    pub watches: Watches,
    /// Mark packets that are ECN-capable instead of dropping them.
    pub ecn: bool,
    /// Where packets are marked. Default: on arrival, as in the paper.
    pub mark_at: MarkAt,
}

impl Default for RemParameters {
    fn default() -> Self {
        Self {
            phi: 1.001,
            alpha: 0.1,
            gamma: 0.001,
            target: Level::Packets(20.0),
            interval: Duration::from_millis(2),
            watches: Watches::default(),
            ecn: false,
            mark_at: MarkAt::default(),
        }
    }
}

impl RemParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless(
            self.phi > 1.0 && self.phi.is_finite(),
            "phi",
            alloc::format!("phi is {}, not above 1", self.phi),
            "the probability 1 - phi^-price needs phi > 1; the paper's is 1.001",
        )?;
        Invalid::unless_positive(self.alpha, "alpha")?;
        Invalid::unless_positive(self.gamma, "gamma")?;
        Invalid::unless(
            self.interval >= Duration::from_micros(10),
            "interval",
            alloc::format!("an interval of {} is too short", self.interval),
            "write at least \"10 us\"; ns-2 has 2 ms",
        )?;
        Invalid::unless(
            self.watches == Watches::RateAndQueue || self.target.value() > 0.0,
            "target",
            "the target is zero",
            "equation (3) cannot tell an idle link from a matched one; set a target above zero, \
             or watches = \"rate-and-queue\"",
        )
    }

    /// REM before `link`. The first update comes after one interval; price and last backlog
    /// start at 0.
    pub fn build(&self, link: Link, rng: Rng) -> Rem {
        let unit = if self.target.in_bytes() { 1.0 / f64::from(link.mean_packet) } else { 1.0 };
        Rem {
            parameters: self.clone(),
            target: self.target.value() * unit,
            capacity: link.rate.packets_per_second(link.mean_packet) * self.interval.as_secs_f64(),
            mean_packet: link.mean_packet,
            arrived: 0.0,
            last_backlog: 0.0,
            price: 0.0,
            probability: 0.0,
            update_at: Instant::ZERO + self.interval,
            rng,
        }
    }
}

/// Random Exponential Marking.
#[derive(Clone, Debug)]
pub struct Rem {
    parameters: RemParameters,
    /// `b*` in packets.
    target: f64,
    /// `c`: packets the link can send in one interval.
    capacity: f64,
    mean_packet: u32,
    /// `x`: packets that arrived since the last update.
    arrived: f64,
    /// `b'`: the backlog at the last update, in packets.
    last_backlog: f64,
    /// `p`.
    price: f64,
    /// `m`.
    probability: f64,
    update_at: Instant,
    rng: Rng,
}

impl Rem {
    /// The backlog in packets, real or of mean size.
    fn backlog(&self, queue: Backlog) -> f64 {
        if self.parameters.target.in_bytes() {
            queue.bytes as f64 / f64::from(self.mean_packet)
        } else {
            f64::from(queue.packets)
        }
    }

    const fn marks_at_departure(&self) -> bool {
        self.parameters.ecn && matches!(self.parameters.mark_at, MarkAt::Departure)
    }
}

impl Aqm for Rem {
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, _now: Instant) -> Verdict {
        self.arrived += if self.parameters.target.in_bytes() {
            f64::from(packet.bytes) / f64::from(self.mean_packet)
        } else {
            1.0
        };
        // A full buffer draws nothing.
        if queue.overflows(packet.bytes) || self.marks_at_departure() || !self.rng.chance(self.probability) {
            return Verdict::Pass;
        }
        if self.parameters.ecn { Verdict::Mark(Reason::Early) } else { Verdict::Drop(Reason::Early) }
    }

    #[inline]
    fn on_dequeue(&mut self, packet: PacketInfo, _: Duration, _: Backlog, _: Instant) -> Verdict {
        if self.marks_at_departure() && packet.ecn.is_markable() && self.rng.chance(self.probability) {
            Verdict::Mark(Reason::Early)
        } else {
            Verdict::Pass
        }
    }

    fn on_rate(&mut self, rate: Rate, _now: Instant) {
        self.capacity = rate.packets_per_second(self.mean_packet) * self.parameters.interval.as_secs_f64();
    }

    #[inline]
    fn next_update(&self) -> Option<Instant> {
        Some(self.update_at)
    }

    fn update(&mut self, queue: Backlog, now: Instant) {
        let RemParameters { phi, alpha, gamma, .. } = self.parameters;
        let b = self.backlog(queue);
        let mismatch = match self.parameters.watches {
            Watches::RateAndQueue => alpha * (b - self.target) + self.arrived - self.capacity,
            Watches::Queue => b - (1.0 - alpha) * self.last_backlog - alpha * self.target,
        };
        self.price = (self.price + gamma * mismatch).max(0.0);
        self.probability = parts::exponential(self.price, phi);
        self.last_backlog = b;
        self.arrived = 0.0;
        self.update_at = now + self.parameters.interval;
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("price", self.price);
        record("probability", self.probability);
    }
}
