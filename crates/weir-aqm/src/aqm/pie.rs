//! PIE, Proportional Integral controller Enhanced.
//!
//! R. Pan, P. Natarajan, F. Baker, G. White: *Proportional Integral Controller Enhanced (PIE)*,
//! RFC 8033, 2017. Every `interval` T, with `qdelay` the delay now and `old` that of T ago:
//!
//! ```text
//! p <- p + [alpha (qdelay - target) + beta (qdelay - old)] / scale(p)        section 4.2
//! scale(p) = 2048, 512, 128, 32, 8, 2, 1   for p below 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1
//! ```
//!
//! The step is at most 0.02 once `p` is 0.1 (section 5.5). `p` grows by 0.02 while `qdelay` exceeds
//! 250 ms (Linux, `high_delay_step`) and is multiplied by 0.98 if both delays are zero. An arriving
//! packet is signalled with probability `p`, with these exceptions: during the burst allowance; if
//! `old` is below half the target and `p` below 0.2; if at most two packets wait. With `derandomise`,
//! no signal comes before the sum of `p` since the last signal is 0.85, and one comes at 8.5
//! (section 5.4).
//!
//! The delay is the sojourn time of the last departure, 0 if the queue is empty, or the backlog over
//! the departure rate. Section 5.2 averages times; Linux, ns-3 and Weir average rates.
//!
//! Linux also starts after half a second, compares the current delay in the second safeguard, and
//! decreases the burst allowance at departures. Further differences: `docs/disciplines/pie.md`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid, PacketSize, Probability, Rng};

use crate::{Aqm, Backlog, Link, PacketInfo, Reason, Verdict, parts};

/// Where the delay is taken from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DelayFrom {
    /// Sojourn time of the last departure.
    #[default]
    Timestamps,
    /// Little's law: the backlog over the estimated departure rate. 0 until 16 KiB have left a backlog
    /// of 16 KiB.
    DepartureRate,
}

/// Parameters of PIE.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("x-default-source" = "RFC 8033"))]
pub struct PieParameters {
    /// Target queueing delay (`QDELAY_REF`).
    #[schemars(extend("x-tunable" = { "from": "1 ms", "to": "50 ms", "source": "Weir: around 10 ms (RFC 8034) and 15 ms (RFC 8033)" }))]
    #[schemars(extend("x-role" = "delay"))]
    pub target: Duration,
    /// T, time between two updates (`T_UPDATE`).
    #[schemars(extend("x-role" = "timer"))]
    pub interval: Duration,
    /// Integral gain, in 1/s.
    pub alpha: f64,
    /// Proportional gain, in 1/s.
    pub beta: f64,
    /// Burst allowance (`MAX_BURST`).
    pub max_burst: Duration,
    /// Mean packet size (`MEAN_PKTSIZE`): two such packets may always wait, and `byte_mode` scales
    /// by it.
    pub mean_packet_size: PacketSize,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Mark only while the probability is below this value and drop otherwise.
    pub mark_ecnth: Probability,
    /// How the delay is measured.
    #[schemars(extend("x-default-source" = "Linux since 5.5; ns-3"))]
    pub delay_from: DelayFrom,
    /// De-randomise: no signal too soon or too late after the last one (section 5.4).
    #[schemars(extend("x-default-source" = "RFC 8033; off in ns-3"))]
    pub derandomise: bool,
    /// Scale the probability with the packet size.
    #[schemars(extend("x-default-source" = "RFC 7141"))]
    pub byte_mode: bool,
    /// Add 0.02 to the probability at every update with a delay above 250 ms.
    #[schemars(extend("x-default-source" = "Linux; not in ns-3"))]
    pub high_delay_step: bool,
}

impl Default for PieParameters {
    fn default() -> Self {
        Self {
            target: Duration::from_millis(15),
            interval: Duration::from_millis(15),
            alpha: 0.125,
            beta: 1.25,
            max_burst: Duration::from_millis(150),
            mean_packet_size: PacketSize::new(1024).expect("above zero"),
            ecn: false,
            mark_ecnth: Probability::constant(0.1),
            delay_from: DelayFrom::default(),
            derandomise: true,
            byte_mode: false,
            high_delay_step: true,
        }
    }
}

impl PieParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        super::check_interval(self.interval, "RFC 8033 has 15 ms")?;
        let published = Self::default();
        super::check_gain(self.alpha, "alpha", published.alpha)?;
        super::check_gain(self.beta, "beta", published.beta)
    }

    /// PIE. It does not need to know the link. The first update comes after one interval.
    pub fn build(&self, _link: Link, rng: Rng) -> Pie {
        Pie {
            parameters: self.clone(),
            probability: 0.0,
            sojourn: Duration::ZERO,
            qdelay_old: Duration::ZERO,
            burst_allowance: self.max_burst,
            accu_prob: 0.0,
            departures: Departures::default(),
            update_at: Instant::ZERO + self.interval,
            rng,
        }
    }
}

/// Proportional Integral controller Enhanced.
#[derive(Clone, Debug)]
pub struct Pie {
    parameters: PieParameters,
    /// `p`; the RFC's `drop_prob_`.
    probability: f64,
    /// Sojourn time of the last departure; 0 if the queue is empty.
    sojourn: Duration,
    /// The delay at the last update.
    qdelay_old: Duration,
    /// Remaining time without signals.
    burst_allowance: Duration,
    /// The sum of `p` over the packets since the last signal.
    accu_prob: f64,
    departures: Departures,
    update_at: Instant,
    rng: Rng,
}

impl Pie {
    /// The RFC's `drop_early`.
    fn signals(&mut self, packet: PacketInfo, queue: Backlog) -> bool {
        let calm = self.qdelay_old < self.parameters.target / 2 && self.probability < 0.2;
        let short = queue.bytes <= 2 * u64::from(self.parameters.mean_packet_size.bytes());
        if !self.burst_allowance.is_zero() || calm || short {
            return false;
        }
        let mut p = self.probability;
        if self.parameters.byte_mode {
            p = (p * f64::from(packet.bytes) / f64::from(self.parameters.mean_packet_size.bytes())).min(1.0);
        }
        if !self.parameters.derandomise {
            return self.rng.chance(p);
        }
        // The sum restarts when `p` is zero.
        self.accu_prob = if p > 0.0 { self.accu_prob + p } else { 0.0 };
        self.accu_prob >= 0.85 && (self.accu_prob >= 8.5 || self.rng.chance(p))
    }

    /// The RFC's `current_qdelay`.
    fn qdelay(&self, queue: Backlog) -> Duration {
        match self.parameters.delay_from {
            _ if queue.packets == 0 => Duration::ZERO,
            DelayFrom::Timestamps => self.sojourn,
            DelayFrom::DepartureRate => self.departures.time_to_leave(queue),
        }
    }
}

impl Aqm for Pie {
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, _now: Instant) -> Verdict {
        // A full buffer draws nothing.
        let full = queue.overflows(packet.bytes);
        if !full && !self.signals(packet, queue) {
            return Verdict::Pass;
        }
        self.accu_prob = 0.0;
        if full {
            Verdict::Pass
        } else if self.parameters.ecn && self.probability < self.parameters.mark_ecnth.get() {
            Verdict::Mark(Reason::Early)
        } else {
            Verdict::Drop(Reason::Early)
        }
    }

    #[inline]
    fn on_dequeue(&mut self, packet: PacketInfo, sojourn: Duration, queue: Backlog, now: Instant) -> Verdict {
        self.sojourn = if queue.packets == 0 { Duration::ZERO } else { sojourn };
        if self.parameters.delay_from == DelayFrom::DepartureRate {
            self.departures.count(packet.bytes, queue, now);
        }
        Verdict::Pass
    }

    fn on_idle(&mut self, _now: Instant) {
        self.departures.under_way = None;
    }

    #[inline]
    fn next_update(&self) -> Option<Instant> {
        Some(self.update_at)
    }

    fn update(&mut self, queue: Backlog, now: Instant) {
        let PieParameters { target, alpha, beta, .. } = self.parameters;
        let (qdelay, old) = (self.qdelay(queue), self.qdelay_old);
        self.update_at = now + self.parameters.interval;
        if self.probability <= 0.0 && qdelay.is_zero() && old.is_zero() && target / 2 > Duration::ZERO {
            // A shortcut for most queues of FQ-PIE.
            self.burst_allowance = self.parameters.max_burst;
            return;
        }
        let step = parts::proportional_integral(qdelay, old, target, alpha, beta) / scale(self.probability);
        let largest = if self.probability < 0.1 { f64::INFINITY } else { 0.02 };
        let mut p = self.probability + step.min(largest);
        if self.parameters.high_delay_step && qdelay > Duration::from_millis(250) {
            p += 0.02;
        }
        if qdelay.is_zero() && old.is_zero() {
            p *= 0.98;
        }
        self.probability = p.clamp(0.0, 1.0);

        self.burst_allowance = self.burst_allowance.saturating_sub(self.parameters.interval);
        if self.probability <= 0.0 && qdelay < target / 2 && old < target / 2 {
            self.burst_allowance = self.parameters.max_burst;
        }
        self.qdelay_old = qdelay;
    }

    fn take_over(&mut self, former: &Self) {
        let parameters = self.parameters.clone();
        *self = Self { parameters, ..former.clone() };
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("probability", self.probability);
        record("qdelay_old", self.qdelay_old.as_secs_f64());
        record("burst_allowance", self.burst_allowance.as_secs_f64());
        record("accu_prob", self.accu_prob);
        record("avg_dq_rate", self.departures.average.unwrap_or(0.0));
    }
}

/// Divisor of a step: steps of a small probability are small (section 4.2).
fn scale(p: f64) -> f64 {
    const TABLE: [(f64, f64); 6] =
        [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (0.1, 2.0)];
    TABLE.iter().find(|(below, _)| p < *below).map_or(1.0, |(_, divisor)| *divisor)
}

/// Estimation of the departure rate, section 5.2: the time that 16 KiB take to leave while at least
/// as much waits.
#[derive(Clone, Debug, Default)]
struct Departures {
    /// `avg_dq_rate`, bytes per second.
    average: Option<f64>,
    /// A measurement: its start, and the bytes that have left.
    under_way: Option<(Instant, u64)>,
}

impl Departures {
    /// `DQ_THRESHOLD`, bytes.
    const THRESHOLD: u64 = 1 << 14;
    /// Weight of a new measurement, `DQ_THRESHOLD` / 2^16.
    const WEIGHT: f64 = 0.25;

    /// A packet of `bytes` has left `queue` behind. The first packet of a measurement is not counted:
    /// its bytes leave during the measurement, those of the last one after it.
    fn count(&mut self, bytes: u32, queue: Backlog, now: Instant) {
        if let Some((start, departed)) = &mut self.under_way {
            *departed += u64::from(bytes);
            if *departed >= Self::THRESHOLD && now > *start {
                let rate = *departed as f64 / now.since(*start).as_secs_f64();
                self.average =
                    Some(self.average.map_or(rate, |average| parts::ewma(average, Self::WEIGHT, rate)));
                self.under_way = None;
            }
        }
        if self.under_way.is_none() && queue.bytes >= Self::THRESHOLD {
            self.under_way = Some((now, 0));
        }
    }

    fn time_to_leave(&self, queue: Backlog) -> Duration {
        self.average.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(queue.bytes as f64 / rate))
    }
}

#[cfg(test)]
mod tests {
    use weir_types::{Ecn, Streams};

    use super::*;
    use crate::Limit;

    const WAITING: Backlog = Backlog { packets: 9, bytes: 9000, limit: Limit::Packets(100) };

    /// The probability after `p` with these delays, old and new, in ms.
    fn step(p: f64, old: u64, new: u64, parameters: &PieParameters) -> f64 {
        let rate = "64 Mbit/s".parse().expect("a rate");
        let link = Link { rate, mean_packet: 1000, limit: WAITING.limit, rtt: Duration::ZERO };
        let mut pie = parameters.build(link, Streams::new(1).at("pie"));
        (pie.probability, pie.qdelay_old) = (p, Duration::from_millis(old));
        let packet = PacketInfo { bytes: 1000, ecn: Ecn::NotEct, flow: 0 };
        pie.on_dequeue(packet, Duration::from_millis(new), WAITING, Instant::ZERO);
        pie.update(WAITING, pie.update_at);
        pie.probability
    }

    #[test]
    fn steps_of_a_large_probability_are_limited() {
        let without = PieParameters { high_delay_step: false, ..PieParameters::default() };
        for (old, new, parameters, expected) in [
            (20, 30, &PieParameters::default(), 0.164_375),
            (20, 100, &PieParameters::default(), 0.17),
            (290, 300, &PieParameters::default(), 0.19),
            (290, 300, &without, 0.17),
        ] {
            assert!((step(0.15, old, new, parameters) - expected).abs() < 1e-12, "{old} to {new} ms");
        }
    }

    #[test]
    fn silence_lets_the_probability_fall_faster() {
        assert!((step(0.01, 0, 0, &PieParameters::default()) - 0.008_881_25).abs() < 1e-12);
    }

    /// The scale is that of the previous probability, on both sides of each bound.
    #[test]
    fn small_probabilities_take_small_steps() {
        let bounds = [(1e-6, 2048.0, 512.0), (1e-5, 512.0, 128.0), (1e-4, 128.0, 32.0), (1e-3, 32.0, 8.0)];
        for (bound, below, above) in bounds.into_iter().chain([(0.01, 8.0, 2.0), (0.1, 2.0, 1.0)]) {
            for (p, divisor) in [(bound * 0.999_999, below), (bound, above)] {
                let expected = p + 0.125 * 0.001 / divisor;
                assert!((step(p, 16, 16, &PieParameters::default()) - expected).abs() < 1e-15, "{p}");
            }
        }
    }
}
