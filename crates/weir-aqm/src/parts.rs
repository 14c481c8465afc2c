//! The parts of published AQMs, as pure functions. The REM paper (section 2) asks three questions: how
//! is congestion measured, how does the measure become a probability, how is it fed back.

use weir_types::{Duration, Level, Rate};

use crate::Backlog;

/// One step of an exponentially weighted moving average: `(1 - w) average + w sample`.
#[inline]
pub fn ewma(average: f64, weight: f64, sample: f64) -> f64 {
    (1.0 - weight) * average + weight * sample
}

/// An average after `steps` samples of zero: `(1 - w)^steps average`.
#[inline]
pub fn ewma_idle(average: f64, weight: f64, steps: f64) -> f64 {
    average * libm::pow(1.0 - weight, steps)
}

/// The weight that gives `rate` samples per second a time constant of one second:
/// `1 - exp(-1 / rate)`.
#[inline]
pub fn weight_of(rate: f64) -> f64 {
    -libm::expm1(-1.0 / rate)
}

/// RED's profile: 0 at `low`, `top` at `high`, a straight line between.
#[inline]
pub fn linear(measure: f64, low: f64, high: f64, top: f64) -> f64 {
    top * (measure - low) / (high - low)
}

/// NLRED's profile: 0 at `low`, `top` at `high`, a parabola between.
#[inline]
pub fn quadratic(measure: f64, low: f64, high: f64, top: f64) -> f64 {
    let u = (measure - low) / (high - low);
    top * u * u
}

/// REM's profile, equation (4): `1 - phi^-price`, so that the probability of a path is
/// exponential in the sum of its prices.
#[inline]
pub fn exponential(price: f64, phi: f64) -> f64 {
    1.0 - libm::pow(phi, -price)
}

/// REM's profile in the form of its first paper (Lapsley and Low, 1999): `1 - e^-price`.
#[inline]
pub fn exponential_natural(price: f64) -> f64 {
    1.0 - libm::exp(-price)
}

/// The measure up to which a picture shows `1 - e^(-slope measure)`, which comes to 1 nowhere: there it is a tenth.
pub(crate) fn measure_shown(slope: f64) -> f64 {
    -libm::log1p(-0.1) / slope
}

/// A line through `bottom` at `low` and `top` at `high`, clipped to [0, 1].
#[inline]
pub fn affine(measure: f64, low: f64, high: f64, bottom: f64, top: f64) -> f64 {
    (bottom + linear(measure, low, high, top - bottom)).clamp(0.0, 1.0)
}

/// The mismatch that drives REM's price, equation (2): of rates, `arrived` packets against
/// `capacity`, and of the queue against its target, weighted by `alpha`.
#[inline]
pub fn mismatch(alpha: f64, queue: f64, target: f64, arrived: f64, capacity: f64) -> f64 {
    alpha * (queue - target) + arrived - capacity
}

/// The price by the queue alone, equation (3): the growth of the queue replaces the rate mismatch.
#[inline]
pub fn mismatch_by_queue(alpha: f64, queue: f64, before: f64, target: f64) -> f64 {
    queue - (1.0 - alpha) * before - alpha * target
}

/// One step of PI (Hollot, Misra, Towsley and Gong, 2001) for the distances of the queue from
/// its target now and an interval before.
#[inline]
pub fn pi_step(a: f64, b: f64, now: f64, before: f64) -> f64 {
    a * now - b * before
}

/// PI's `K`: with it the loop has gain 1 at `crossover` radians a second. The loop goes through
/// `flows` TCPs with round trips of `rtt` seconds, on a link of `capacity` packets a second. PI's zero
/// is taken to cancel TCP's pole at `2 flows / (rtt^2 capacity)`.
pub fn pi_gain(flows: f64, rtt: f64, capacity: f64, crossover: f64) -> f64 {
    let (turn, window) = (crossover * rtt, rtt * capacity);
    crossover * libm::sqrt(1.0 + turn * turn) * 4.0 * flows * flows / (window * window * window)
}

/// PI's `a` and `b` for a gain `K`, a zero in radians a second and updates every `interval`
/// seconds: the bilinear transform.
pub fn pi_bilinear(gain: f64, zero: f64, interval: f64) -> (f64, f64) {
    (gain * (1.0 / zero + interval / 2.0), gain * (1.0 / zero - interval / 2.0))
}

/// The queue in packets: real ones, or where `level` is in bytes, bytes over the mean packet.
#[inline]
pub fn in_packets(queue: Backlog, level: Level, mean_packet: u32) -> f64 {
    if level.in_bytes() { queue.bytes as f64 / f64::from(mean_packet) } else { f64::from(queue.packets) }
}

/// The size of an arriving packet in the unit of [`in_packets`].
#[inline]
pub fn arrival_in_packets(bytes: u32, level: Level, mean_packet: u32) -> f64 {
    if level.in_bytes() { f64::from(bytes) / f64::from(mean_packet) } else { 1.0 }
}

/// Spreads a key over all 64 bits: the finaliser of `SplitMix64` (Steele, Lea, Flood 2014). With
/// a salt in the key, a hash of flows.
#[inline]
pub const fn spread(key: u64) -> u64 {
    let mut z = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// One step of a PI controller on the delay, in the form of PIE (RFC 8033, section 4.2): `alpha`
/// against the distance from the target, `beta` against the growth, both in 1/s.
#[inline]
pub fn proportional_integral(
    now: Duration,
    before: Duration,
    target: Duration,
    alpha: f64,
    beta: f64,
) -> f64 {
    let (now, before, target) = (now.as_secs_f64(), before.as_secs_f64(), target.as_secs_f64());
    alpha * (now - target) + beta * (now - before)
}

/// RED's spacing of signals (1993, method 2): `p / (1 - count p)`, which makes the gaps
/// uniform on 1..1/p and the rate about twice `p`.
#[inline]
pub fn spaced_uniformly(p: f64, count: f64) -> f64 {
    let rest = 1.0 - count * p;
    if rest > 0.0 { (p / rest).min(1.0) } else { 1.0 }
}

/// ns-2's `wait_`: no signal until 1/p packets have passed, then gaps uniform on
/// 1/p..2/p, which makes the rate about two thirds of `p`.
#[inline]
pub fn spaced_with_wait(p: f64, count: f64) -> f64 {
    let x = count * p;
    if x < 1.0 {
        0.0
    } else if x < 2.0 {
        (p / (2.0 - x)).min(1.0)
    } else {
        1.0
    }
}

/// `c`: packets that a link can send in one interval, during which its rate may change.
#[derive(Clone, Copy, Debug)]
pub struct Capacity {
    /// For a whole interval at the current rate.
    packets: f64,
    /// Correction for the time before a change in this interval.
    rest: f64,
}

impl Capacity {
    /// The capacity of a link of `rate`, in packets of `mean_packet` bytes.
    pub fn new(rate: Rate, mean_packet: u32, interval: Duration) -> Self {
        Self { packets: rate.packets_per_second(mean_packet) * interval.as_secs_f64(), rest: 0.0 }
    }

    /// Changes to `other`, with the fraction `to_come` of this interval still to come.
    pub fn becomes(&mut self, other: Self, to_come: f64) {
        let rest = self.rest + (self.packets - other.packets) * (1.0 - to_come);
        *self = Self { rest, ..other };
    }

    /// The value for the interval that ends.
    pub const fn take(&mut self) -> f64 {
        self.packets + core::mem::replace(&mut self.rest, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_is_repeated_samples_of_zero() {
        let stepwise = (0..40).fold(10.0, |average, _| ewma(average, 0.002, 0.0));
        assert!((ewma_idle(10.0, 0.002, 40.0) - stepwise).abs() < 1e-12);
    }

    #[test]
    fn an_affine_profile_passes_its_points_and_stops_at_the_ends() {
        let profile = |x| affine(x, 10.0, 20.0, 0.2, 0.4);
        for (x, p) in [(10.0, 0.2), (15.0, 0.3), (20.0, 0.4), (-5.0, 0.0), (100.0, 1.0)] {
            assert!((profile(x) - p).abs() < 1e-12, "{p} at {x}, not {}", profile(x));
        }
        // From 0 to 1 over 0 to 1 it leaves a probability as it is, to the last bit.
        let kept = |p: f64| affine(p, 0.0, 1.0, 0.0, 1.0).to_bits() == p.to_bits();
        assert!([0.0, 1e-300, 0.1, 1.0 / 3.0, 1.0].into_iter().all(kept));
    }

    #[test]
    fn both_exponential_profiles_are_one() {
        for price in [0.0, 1e-6, 0.5, 20.0, 1e6] {
            let (natural, e) = (exponential_natural(price), exponential(price, core::f64::consts::E));
            assert!((natural - e).abs() < 1e-14, "{natural} and {e} at {price}");
        }
    }

    /// The gain of PI and of the plant is 1 at the crossover that is asked for. The plant is the
    /// paper's equation for TCP and queue, whose pole PI's zero cancels.
    #[test]
    fn the_loop_of_pi_has_its_gain_at_the_crossover() {
        let (flows, rtt, capacity) = (60.0, 0.246, 3750.0);
        for crossover in [0.1, 0.53, 3.0] {
            let gain = pi_gain(flows, rtt, capacity, crossover);
            let plant = (rtt * capacity).powi(3) / (4.0 * flows * flows);
            let lag = (1.0 + (crossover * rtt).powi(2)).sqrt();
            assert!((gain * plant / (crossover * lag) - 1.0).abs() < 1e-12);
            // What is integrated in a second is K for every packet too many, at any rate of sampling.
            let (a, b) = pi_bilinear(gain, 0.53, 0.01);
            assert!(((a - b) / 0.01 / gain - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn spaced_probabilities_stay_in_range() {
        for p in [0.0, 1e-9, 0.05, 0.5, 1.0] {
            for count in 0..1000 {
                let spaced = [spaced_uniformly(p, f64::from(count)), spaced_with_wait(p, f64::from(count))];
                assert!(spaced.iter().all(|spaced| (0.0..=1.0).contains(spaced)), "{p}, {count}: {spaced:?}");
            }
        }
    }
}
