//! REM, Random Exponential Marking.
//!
//! S. Athuraliya, V. H. Li, S. H. Low, Q. Yin: *REM: Active Queue Management*, IEEE Network
//! 15(3), 2001. Every `interval` T, with `b` the backlog, `x` the packets that arrived
//! during T and `c` the packets that the link can send in T:
//!
//! ```text
//! p <- [p + gamma (alpha (b - b*) + x - c)]+            (2)  "rate-and-queue"
//! p <- [p + gamma (b - (1 - alpha) b' - alpha b*)]+     (3)  "queue", b' being the last b
//! m  = 1 - phi^-p                                       (4)
//! ```
//!
//! `updates = "asynchronous"` draws each T anew, from an exponential distribution with this mean. `w_x` makes x an
//! average, as ns-2's `inw_` does.
//!
//! An arriving packet is signalled with probability `m`. In equilibrium `x = c` and `b = b*` for
//! any number of users: the price reflects the load, not the queue.
//!
//! The first REM (D. Lapsley, S. Low: *Random Early Marking: an Optimisation Approach to Internet
//! Congestion Control*, 1999) marks in proportion to a price that is the average queue, RED's. It
//! has neither target nor timer, and its queue grows with the load:
//!
//! ```text
//! p  = gamma avg                                        (5)  "average"
//! m  = 1 - e^-p                                         (6)
//! ```
//!
//! `x` includes packets that are dropped on arrival, as in the authors' ns-2 code. With dropping the
//! queue therefore settles at `b* - (x - c)/alpha`, below the target.
//!
//! ns-2 marks packets when they leave the queue, and passes packets that cannot be marked:
//! `mark_at = "departure"`.

use alloc::{boxed::Box, vec::Vec};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid, Level, Probability, Rate, Rng};

use super::{IdleM, red::Average};
use crate::{
    Aqm, Backlog, Curve, Link, PacketInfo, Reason, Verdict,
    parts::{self, Capacity},
};

/// How the price is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Price {
    /// Equation (2): sum of rate mismatch and queue mismatch.
    #[default]
    RateAndQueue,
    /// Equation (3): sum of queue mismatch and growth of the queue. Needs a target above zero.
    Queue,
    /// The paper of 1999: the average queue, times `per_packet`.
    Average,
}

/// When the price is updated: "periodically or asynchronously" (section 3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Updates {
    /// After every `interval`.
    #[default]
    Periodic,
    /// After times of their own, exponential with a mean of `interval`. c is the capacity in each.
    Asynchronous,
}

/// Where packets are marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MarkAt {
    /// The paper: arrivals. A packet that cannot be marked is dropped.
    #[default]
    Arrival,
    /// ns-2: packets at the head. A packet that cannot be marked passes. Drops stay at arrival.
    Departure,
}

/// Parameters of REM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("x-default-source" = "the paper, section 4.2"))]
pub struct RemParameters {
    /// Base of the marking probability, above 1.
    pub phi: f64,
    /// Weight of the queue mismatch against the rate mismatch.
    pub alpha: f64,
    /// Step of the price per packet of mismatch.
    #[schemars(extend("x-tunable" = { "from": 0.0001, "to": 0.1, "source": "Weir: two decades around the 0.001 of REM, 2001" }))]
    pub gamma: f64,
    /// `b*`, the target queue. In bytes, queue and arrivals are counted in mean packets.
    #[schemars(extend("x-tunable" = { "from": "2 packets", "to": "buffer", "source": "Weir: any queue that the buffer holds" }))]
    #[schemars(extend("x-role" = "queue"))]
    pub target: Level,
    /// T, time between two updates of the price.
    #[schemars(extend("x-default-source" = "ns-2, `pupdtime_`; the paper gives none"))]
    #[schemars(extend("x-role" = "timer"))]
    pub interval: Duration,
    /// When the price is updated.
    #[schemars(extend("x-default-source" = "ns-2; the paper has both"))]
    pub updates: Updates,
    /// Weight of the last interval in x, the average of arrivals per interval; 1 is that interval alone.
    #[schemars(extend("x-default-source" = "the paper; ns-2, `inw_`"))]
    pub w_x: Probability,
    /// How the price is computed. With `"average"`, `phi` is e, and `alpha`, `gamma` and `interval`
    /// are not used; only the unit of `target` is.
    #[schemars(extend("x-default-source" = "the paper, equation (2)"))]
    pub price: Price,
    /// Price per packet of average queue; gamma of the 1999 paper.
    #[schemars(extend("x-default-source" = "the paper of 1999, its simulations"))]
    pub per_packet: f64,
    /// Weight of a new sample in the average queue.
    #[schemars(extend("x-default-source" = "the paper of 1999, its simulations"))]
    pub w_q: Probability,
    /// Mark ECN-capable packets instead of dropping them.
    #[schemars(extend("x-default-source" = "Weir; the paper runs both"))]
    pub ecn: bool,
    /// Where packets are marked.
    #[schemars(extend("x-default-source" = "the paper"))]
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
            updates: Updates::default(),
            w_x: Probability::constant(1.0),
            price: Price::default(),
            per_packet: 0.1,
            w_q: Probability::constant(0.002),
            ecn: false,
            mark_at: MarkAt::default(),
        }
    }
}

/// The parameter that another one needs, and the value that it needs: packets are marked at departure, not dropped.
pub(super) fn needs(key: &str, value: &str) -> Option<(&'static str, &'static str)> {
    match (key, value) {
        ("mark_at", "\"departure\"") => Some(("ecn", "true")),
        ("ecn", "false") => Some(("mark_at", "\"arrival\"")),
        _ => None,
    }
}

impl RemParameters {
    /// The queue lengths among the parameters.
    pub(crate) fn levels(&mut self) -> Vec<&mut Level> {
        [&mut self.target].into()
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless(
            self.phi > 1.0 && self.phi.is_finite(),
            "phi",
            alloc::format!("phi is {}, not above 1", self.phi),
            "the probability 1 - phi^-price needs phi > 1; the paper's is 1.001",
        )?;
        let published = Self::default();
        super::check_gain(self.phi, "phi", published.phi)?;
        super::check_gain(self.alpha, "alpha", published.alpha)?;
        super::check_gain(self.gamma, "gamma", published.gamma)?;
        super::check_interval(self.interval, "ns-2 has 2 ms")?;
        Invalid::unless(
            self.updates == Updates::Periodic || self.price != Price::Average,
            "updates",
            "updates has no effect",
            "the price is updated on every arrival with price = \"average\"; leave it out",
        )?;
        Invalid::unless_positive(self.w_x.get(), "w_x")?;
        let averages = self.w_x.get() < 1.0;
        Invalid::unless(
            !averages || self.price == Price::RateAndQueue,
            "w_x",
            "w_x has no effect",
            "arrivals enter the price with price = \"rate-and-queue\" only; leave it out",
        )?;
        Invalid::unless(
            !averages || self.updates == Updates::Periodic,
            "w_x",
            "w_x averages over intervals that are all different",
            "write updates = \"periodic\", or leave w_x out",
        )?;
        Invalid::unless(
            self.ecn || self.mark_at == MarkAt::Arrival,
            "mark_at",
            "mark_at has no effect",
            "set ecn = true, since drops stay at arrival, or leave it out",
        )?;
        Invalid::unless(
            self.price != Price::Queue || self.target.value() > 0.0,
            "target",
            "the target is zero",
            "equation (3) cannot tell an idle link from a matched one; set a target above zero, \
             or price = \"rate-and-queue\"",
        )?;
        super::check_gain(self.per_packet, "per_packet", published.per_packet)?;
        Invalid::unless_positive(self.w_q.get(), "w_q")
    }

    /// REM before `link`. The first update comes after one interval; price and last backlog
    /// start at 0.
    pub fn build(&self, link: Link, mut rng: Rng) -> Rem {
        let span = self.next_span(&mut rng);
        let unit = if self.target.in_bytes() { 1.0 / f64::from(link.mean_packet) } else { 1.0 };
        Rem {
            parameters: self.clone(),
            marks_at_departure: self.ecn && self.mark_at == MarkAt::Departure,
            target: self.target.value() * unit,
            unit,
            average: Average::new(self.target, self.w_q, IdleM::Real, link),
            capacity: Capacity::new(link.rate, link.mean_packet, span),
            rate: link.rate,
            mean_packet: link.mean_packet,
            arrived: 0.0,
            arrivals: 0.0,
            last_backlog: 0.0,
            price: 0.0,
            probability: 0.0,
            span,
            update_at: Instant::ZERO + span,
            rng,
        }
    }

    /// `m` at a price.
    #[inline]
    fn probability(&self, price: f64) -> f64 {
        if self.price == Price::Average {
            parts::exponential_natural(price)
        } else {
            parts::exponential(price, self.phi)
        }
    }

    /// The time from one update to the next.
    fn next_span(&self, rng: &mut Rng) -> Duration {
        match self.updates {
            Updates::Periodic => self.interval,
            // At least a nanosecond, in which time moves.
            Updates::Asynchronous => {
                self.interval.mul_f64(-libm::log(1.0 - rng.uniform())).max(Duration::from_nanos(1))
            }
        }
    }
}

/// Random Exponential Marking.
#[derive(Clone, Debug)]
pub struct Rem {
    parameters: RemParameters,
    /// Not at arrival.
    marks_at_departure: bool,
    /// `b*` in packets.
    target: f64,
    /// Packets, or bytes over the mean packet.
    unit: f64,
    /// `avg`, for the price of 1999.
    average: Average,
    /// `c`.
    capacity: Capacity,
    rate: Rate,
    mean_packet: u32,
    /// Packets that arrived since the last update.
    arrived: f64,
    /// `x`, their average.
    arrivals: f64,
    /// `b'`: the backlog at the last update, in packets.
    last_backlog: f64,
    /// `p`.
    price: f64,
    /// `m`.
    probability: f64,
    /// T, of the interval that lasts.
    span: Duration,
    update_at: Instant,
    rng: Rng,
}

impl Aqm for Rem {
    #[expect(clippy::inline_always, reason = "what the queue knows of an arrival stays in registers")]
    #[inline(always)]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        if self.parameters.price == Price::Average {
            self.average.update(queue, now);
            self.price = self.parameters.per_packet * (self.average.get() * self.unit);
            self.probability = self.parameters.probability(self.price);
        }
        self.arrived += parts::arrival_in_packets(packet.bytes, self.parameters.target, self.mean_packet);
        // A full buffer draws nothing.
        if queue.overflows(packet.bytes) || self.marks_at_departure || !self.rng.chance(self.probability) {
            return Verdict::Pass;
        }
        if self.parameters.ecn { Verdict::Mark(Reason::Early) } else { Verdict::Drop(Reason::Early) }
    }

    #[inline]
    fn on_dequeue(&mut self, packet: PacketInfo, _: Duration, _: Backlog, _: Instant) -> Verdict {
        if self.marks_at_departure && packet.ecn.is_markable() && self.rng.chance(self.probability) {
            Verdict::Mark(Reason::Early)
        } else {
            Verdict::Pass
        }
    }

    fn on_idle(&mut self, now: Instant) {
        self.average.on_idle(now);
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        self.average.on_rate(rate);
        self.rate = rate;
        let to_come = self.update_at.since(now).as_secs_f64() / self.span.as_secs_f64();
        self.capacity.becomes(Capacity::new(rate, self.mean_packet, self.span), to_come);
    }

    #[inline]
    fn next_update(&self) -> Option<Instant> {
        (self.parameters.price != Price::Average).then_some(self.update_at)
    }

    fn update(&mut self, queue: Backlog, now: Instant) {
        let RemParameters { alpha, gamma, price, w_x, updates, .. } = self.parameters;
        let b = parts::in_packets(queue, self.parameters.target, self.mean_packet);
        let c = self.capacity.take();
        self.arrivals = parts::ewma(self.arrivals, w_x.get(), self.arrived);
        let mismatch = match price {
            Price::RateAndQueue => parts::mismatch(alpha, b, self.target, self.arrivals, c),
            Price::Queue => parts::mismatch_by_queue(alpha, b, self.last_backlog, self.target),
            Price::Average => return,
        };
        self.price = (self.price + gamma * mismatch).max(0.0);
        self.probability = self.parameters.probability(self.price);
        self.last_backlog = b;
        self.arrived = 0.0;
        if updates == Updates::Asynchronous {
            self.span = self.parameters.next_span(&mut self.rng);
            self.capacity = Capacity::new(self.rate, self.mean_packet, self.span);
        }
        self.update_at = now + self.span;
    }

    fn take_over(&mut self, former: &Self) {
        self.average.take_over(&former.average);
        self.arrived = former.arrived;
        self.arrivals = former.arrivals;
        self.last_backlog = former.last_backlog;
        self.price = former.price;
        self.probability = former.probability;
        self.update_at = former.update_at;
        // The interval that lasts has a length of its own.
        if self.parameters.updates == Updates::Asynchronous {
            (self.span, self.capacity) = (former.span, former.capacity);
        }
        self.rng = former.rng.clone();
    }

    fn curve(&self, _queue: Backlog) -> Option<Curve<'_>> {
        let base =
            if self.parameters.price == Price::Average { core::f64::consts::E } else { self.parameters.phi };
        Some(Curve {
            variable: "price",
            value: self.price,
            end: parts::measure_shown(libm::log(base)),
            at: Box::new(|price| self.parameters.probability(price)),
        })
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("price", self.price);
        record("probability", self.probability);
    }
}
