//! The parts that published laws are made of, as pure functions. The REM paper (section 2)
//! puts it in three questions: how is congestion measured, how is the measure embedded in a
//! probability, how is it fed back. A law calls these and still reads like its paper.

/// One step of an exponentially weighted moving average: `(1 - w) average + w sample`.
#[inline]
pub fn ewma(average: f64, weight: f64, sample: f64) -> f64 {
    (1.0 - weight) * average + weight * sample
}

/// An average that has seen `steps` samples of zero: `(1 - w)^steps average`.
#[inline]
pub fn ewma_idle(average: f64, weight: f64, steps: f64) -> f64 {
    average * libm::pow(1.0 - weight, steps)
}

/// RED's profile: 0 at `low`, `top` at `high`, a straight line between.
#[inline]
pub fn linear(measure: f64, low: f64, high: f64, top: f64) -> f64 {
    top * (measure - low) / (high - low)
}

/// REM's profile, equation (4): `1 - phi^-price`, so that the probability of a path is
/// exponential in the sum of its prices.
#[inline]
pub fn exponential(price: f64, phi: f64) -> f64 {
    1.0 - libm::pow(phi, -price)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_is_repeated_samples_of_zero() {
        let stepwise = (0..40).fold(10.0, |average, _| ewma(average, 0.002, 0.0));
        assert!((ewma_idle(10.0, 0.002, 40.0) - stepwise).abs() < 1e-12);
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
