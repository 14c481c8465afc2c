//! Modular: an AQM composed of a measure of congestion, a profile and a kind of feedback.
//!
//! The REM paper (Athuraliya, Li, Low and Yin, 2001, sections 2 and 3.3) says that an AQM
//! answers three independent questions. Here each answer is a parameter:
//!
//! ```text
//! x = measure of congestion          queue, average, delay, loss, price, price-by-queue, pi
//! p = profile of x                   linear, gentle, quadratic, exponential, affine
//! signal with p                      geometric or spaced, at arrival or departure, drop or mark
//! ```
//!
//! These points are published AQMs, bit for bit, except for ns-2 compatibility:
//!
//! | AQM | measure | profile | spacing |
//! | --- | --- | --- | --- |
//! | RED; gentle RED | average | linear; gentle | any |
//! | NLRED | average | quadratic, `top = 1.5 max_p` | any |
//! | REM (2); REM (3) | price; price-by-queue | exponential | geometric |
//! | REM of 1999 | average | exponential | geometric |
//! | PI | pi | affine | geometric |
//!
//! The REM paper names two more. A price in RED's profile, `measure = "price"`, `profile =
//! "gentle"`, matches rates, but prices do not add up over a path. Loss or delay in REM's
//! profile adds up, but with the load grows what it measures.
//!
//! The profiles with thresholds draw before the buffer is tested, and an overflow restarts the
//! spacing. The other two draw nothing at a full buffer. Both rules are those of the AQMs that the
//! profiles come from.

mod parameters;

use alloc::boxed::Box;

use weir_types::{Duration, Instant, Probability, Rate, Rng};

use super::{
    IdleM,
    red::{Average, Signals, Zone},
};
use crate::{
    Aqm, Backlog, Curve, Link, PacketInfo, Verdict,
    parts::{self, Capacity},
};
pub use parameters::{CongestionMeasure, ModularParameters, Profile, SignalAt};

impl ModularParameters {
    /// The AQM before `link`, which starts idle. All measures start at 0, the first update comes
    /// after one interval.
    pub fn build(&self, link: Link, rng: Rng) -> Modular {
        let weight = self.weight.unwrap_or_else(|| {
            Probability::constant(if self.measure == CongestionMeasure::Loss { 0.1 } else { 0.002 })
        });
        let unit = if self.target.in_bytes() { 1.0 / f64::from(link.mean_packet) } else { 1.0 };
        let periodic = !matches!(
            self.measure,
            CongestionMeasure::Queue | CongestionMeasure::Average | CongestionMeasure::Delay
        );
        let mut aqm = Modular {
            parameters: Box::new(self.clone()),
            unit,
            mean_packet: link.mean_packet,
            weight: weight.get(),
            target: self.target.value() * unit,
            capacity: Capacity::new(link.rate, link.mean_packet, self.interval),
            low: 0.0,
            high: 0.0,
            top: self
                .top
                .map_or(if self.measure == CongestionMeasure::Pi { 1.0 } else { 0.1 }, Probability::get),
            slope: 0.0,
            average: Average::new(self.target, weight, IdleM::Real, link),
            arrived: 0.0,
            lost: 0.0,
            last_queue: 0.0,
            value: 0.0,
            zone: Zone::Below,
            update_at: periodic.then_some(Instant::ZERO + self.interval),
            signals: Signals {
                spacing: self.spacing,
                ecn: self.ecn,
                harddrop: self.harddrop,
                mark_p: None,
                ns2_old: false,
                byte_mode: None,
                whole_packet: link.mean_packet,
                count: None,
                probability: 0.0,
                rng,
            },
        };
        aqm.stand_before(link.rate);
        aqm
    }
}

/// An AQM composed of parts.
#[derive(Clone, Debug)]
pub struct Modular {
    /// Boxed, because `AnyAqm` is as large as its largest variant.
    parameters: Box<ModularParameters>,
    /// Packets, or bytes over the mean packet.
    unit: f64,
    mean_packet: u32,
    weight: f64,
    /// In packets.
    target: f64,
    /// `c`.
    capacity: Capacity,
    low: f64,
    high: f64,
    top: f64,
    /// `kappa`.
    slope: f64,
    average: Average,
    /// Packets that arrived since the last update, and those that found no room.
    arrived: f64,
    lost: f64,
    /// The queue at the last update, in packets.
    last_queue: f64,
    /// The measure, `x`.
    value: f64,
    /// Zone of `x`.
    zone: Zone,
    update_at: Option<Instant>,
    signals: Signals,
}

impl Modular {
    fn stand_before(&mut self, rate: Rate) {
        let rate = rate.packets_per_second(self.mean_packet);
        (self.low, self.high) = self.parameters.thresholds(rate);
        self.slope = self.parameters.slope(rate);
        self.zone = self.profile(self.value);
    }

    /// Sets the measure.
    fn measured(&mut self, value: f64) {
        self.value = value;
        self.zone = self.profile(value);
    }

    const fn is_price(&self) -> bool {
        matches!(self.parameters.measure, CongestionMeasure::Price | CongestionMeasure::PriceByQueue)
    }

    /// How the measure is embedded in a probability.
    fn profile(&self, x: f64) -> Zone {
        let Self { low, high, top, slope, .. } = *self;
        match self.parameters.profile {
            Profile::Exponential if self.is_price() => Zone::Ramp(parts::exponential(x, self.parameters.phi)),
            Profile::Exponential => Zone::Ramp(parts::exponential_natural(slope * x)),
            Profile::Affine => Zone::Ramp(parts::affine(x, low, high, self.parameters.bottom.get(), top)),
            _ if x < low => Zone::Below,
            Profile::Quadratic if x < high => Zone::Ramp(parts::quadratic(x, low, high, top)),
            _ if x < high => Zone::Ramp(parts::linear(x, low, high, top)),
            Profile::Gentle if x < 2.0 * high => {
                Zone::Ramp(top + parts::linear(x, high, 2.0 * high, 1.0 - top))
            }
            _ => Zone::Above,
        }
    }

    /// How it is fed back.
    fn feed_back(&mut self, packet: PacketInfo, queue: Backlog) -> Verdict {
        let tests_first = matches!(self.parameters.profile, Profile::Exponential | Profile::Affine);
        if tests_first && queue.overflows(packet.bytes) {
            return Verdict::Pass;
        }
        self.signals.verdict(self.zone, packet, queue)
    }
}

impl Aqm for Modular {
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        let ModularParameters { measure, target, signal_at, .. } = *self.parameters;
        match measure {
            CongestionMeasure::Average => {
                self.average.update(queue, now);
                self.measured(self.average.get() * self.unit);
            }
            CongestionMeasure::Queue if signal_at == SignalAt::Arrival => {
                self.measured(parts::in_packets(queue, target, self.mean_packet));
            }
            CongestionMeasure::Loss => {
                self.arrived += 1.0;
                self.lost += if queue.overflows(packet.bytes) { 1.0 } else { 0.0 };
            }
            CongestionMeasure::Price => {
                self.arrived += parts::arrival_in_packets(packet.bytes, target, self.mean_packet);
            }
            CongestionMeasure::Queue
            | CongestionMeasure::Delay
            | CongestionMeasure::PriceByQueue
            | CongestionMeasure::Pi => {}
        }
        if signal_at == SignalAt::Arrival { self.feed_back(packet, queue) } else { Verdict::Pass }
    }

    fn on_dequeue(
        &mut self,
        packet: PacketInfo,
        sojourn: Duration,
        queue: Backlog,
        _now: Instant,
    ) -> Verdict {
        if self.parameters.measure == CongestionMeasure::Delay {
            self.measured(parts::ewma(self.value, self.weight, sojourn.as_secs_f64()));
        }
        if self.parameters.signal_at == SignalAt::Arrival {
            return Verdict::Pass;
        }
        if self.parameters.measure == CongestionMeasure::Queue {
            self.measured(parts::in_packets(queue, self.parameters.target, self.mean_packet));
        }
        self.feed_back(packet, queue)
    }

    fn drops_on_departure(&self) -> bool {
        self.parameters.signal_at == SignalAt::Departure
    }

    fn on_idle(&mut self, now: Instant) {
        self.average.on_idle(now);
    }

    fn on_overflow(&mut self, packets: u32, _now: Instant) {
        self.lost += f64::from(packets);
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        self.average.on_rate(rate);
        if let Some(end) = self.update_at {
            let interval = self.parameters.interval;
            let to_come = end.since(now).as_secs_f64() / interval.as_secs_f64();
            self.capacity.becomes(Capacity::new(rate, self.mean_packet, interval), to_come);
        }
        self.stand_before(rate);
    }

    #[inline]
    fn next_update(&self) -> Option<Instant> {
        self.update_at
    }

    fn update(&mut self, queue: Backlog, now: Instant) {
        let ModularParameters { alpha, gamma, a, b, target, .. } = *self.parameters;
        let q = parts::in_packets(queue, target, self.mean_packet);
        let c = self.capacity.take();
        let price = |mismatch: f64| (self.value + gamma * mismatch).max(0.0);
        let value = match self.parameters.measure {
            CongestionMeasure::Loss if self.arrived > 0.0 => {
                parts::ewma(self.value, self.weight, (self.lost / self.arrived).min(1.0))
            }
            CongestionMeasure::Price => price(parts::mismatch(alpha, q, self.target, self.arrived, c)),
            CongestionMeasure::PriceByQueue => {
                price(parts::mismatch_by_queue(alpha, q, self.last_queue, self.target))
            }
            CongestionMeasure::Pi => {
                let step = parts::pi_step(a, b, q - self.target, self.last_queue - self.target);
                (self.value + step).clamp(0.0, 1.0)
            }
            CongestionMeasure::Queue
            | CongestionMeasure::Average
            | CongestionMeasure::Delay
            | CongestionMeasure::Loss => self.value,
        };
        self.measured(value);
        (self.arrived, self.lost, self.last_queue) = (0.0, 0.0, q);
        self.update_at = self.update_at.map(|_| now + self.parameters.interval);
    }

    fn take_over(&mut self, former: &Self) {
        self.average.take_over(&former.average);
        self.signals.take_over(&former.signals);
        self.arrived = former.arrived;
        self.lost = former.lost;
        self.last_queue = former.last_queue;
        if self.parameters.measure == former.parameters.measure {
            self.value = former.value;
        }
        self.update_at = self.update_at.and(former.update_at).or(self.update_at);
    }

    fn curve(&self, _queue: Backlog) -> Option<Curve<'_>> {
        let end = match self.parameters.profile {
            Profile::Exponential if self.is_price() => parts::measure_shown(libm::log(self.parameters.phi)),
            Profile::Exponential => parts::measure_shown(self.slope),
            Profile::Gentle => 2.2 * self.high,
            _ => 1.2 * self.high,
        };
        let at = |x| self.profile(x).probability();
        Some(Curve { variable: "measure", value: self.value, end, at: Box::new(at) })
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("measure", self.value);
        self.signals.probe(record);
    }
}
