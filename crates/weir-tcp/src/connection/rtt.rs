//! Round-trip time and retransmission timeout (RFC 6298).

use weir_types::Duration;

use crate::{MinRtoBounds, TcpParameters};

/// Smoothed round-trip time, its variation, and the timeout that follows from them.
#[derive(Clone, Debug, Default)]
pub struct RttEstimator {
    /// Zero before the first sample.
    smoothed: Duration,
    variation: Duration,
    /// The SYN was lost.
    lost_syn: bool,
    /// Doublings since the last sample (Karn's rule).
    backoff: u32,
    /// The timeout that follows; zero if it is to be calculated again.
    timeout: Duration,
}

impl RttEstimator {
    /// The SYN was lost: data begins with a timeout of at least 3 s (5.7).
    pub fn after_lost_syn(&mut self) {
        self.lost_syn = true;
        self.backoff = 0;
        self.timeout = Duration::ZERO;
    }

    /// A segment came back after `rtt` (RFC 6298, 2.2 and 2.3).
    pub fn sample(&mut self, rtt: Duration, parameters: &TcpParameters) {
        let tick = parameters.clock_granularity.as_nanos();
        let rtt = rtt.as_nanos().max(1);
        let rtt = if tick > 1 { rtt.div_ceil(tick) * tick } else { rtt };
        let (smoothed, variation) = match self.smoothed() {
            None => (rtt, rtt / 2),
            Some(smoothed) => {
                let smoothed = smoothed.as_nanos();
                let variation = (3 * self.variation.as_nanos() + smoothed.abs_diff(rtt)) / 4;
                ((7 * smoothed + rtt) / 8, variation)
            }
        };
        self.smoothed = Duration::from_nanos(smoothed);
        self.variation = Duration::from_nanos(variation);
        self.timeout = Duration::ZERO;
    }

    /// The timeout: srtt + max(G, 4 rttvar), within its bounds, doubled per expiry. The parameters are the
    /// same at every call.
    #[inline]
    pub fn timeout(&mut self, parameters: &TcpParameters) -> Duration {
        if self.timeout.is_zero() {
            self.timeout = self.calculate_timeout(parameters);
        }
        self.timeout
    }

    #[inline(never)]
    fn calculate_timeout(&self, parameters: &TcpParameters) -> Duration {
        let least = match parameters.min_rto_bounds {
            MinRtoBounds::Rto => parameters.clock_granularity,
            MinRtoBounds::Rttvar => parameters.clock_granularity.max(parameters.min_rto),
        };
        let measured = self.smoothed().map(|smoothed| smoothed + (self.variation * 4).max(least));
        // The usual timeout.
        if let Some(measured) = measured
            && self.backoff == 0
            && (parameters.min_rto..=parameters.max_rto).contains(&measured)
        {
            return measured;
        }
        let initial = parameters.initial_rto;
        let initial = if self.lost_syn { initial.max(Duration::from_secs(3)) } else { initial };
        let base = measured.unwrap_or(initial).max(parameters.min_rto);
        (base * (1_u64 << self.backoff)).min(parameters.max_rto.max(initial))
    }

    /// The timer expired (5.5).
    pub fn back_off(&mut self) {
        // 2^16 times any timeout is beyond any bound.
        self.backoff = (self.backoff + 1).min(16);
        self.timeout = Duration::ZERO;
    }

    /// A segment that was sent once has come back: the path is alive.
    #[inline]
    pub const fn recover(&mut self) {
        if self.backoff > 0 {
            self.backoff = 0;
            self.timeout = Duration::ZERO;
        }
    }

    /// The smoothed round-trip time.
    #[inline]
    pub fn smoothed(&self) -> Option<Duration> {
        (!self.smoothed.is_zero()).then_some(self.smoothed)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn three_samples_as_rfc_6298_computes_them() {
        let mut estimator = RttEstimator::default();
        let loose = TcpParameters { min_rto: Duration::from_millis(1), ..TcpParameters::default() };
        let expected = [(100_000_000, 50_000_000), (102_500_000, 42_500_000), (99_687_500, 37_500_000)];
        for (millis, (smoothed, variation)) in [100, 120, 80].into_iter().zip(expected) {
            estimator.sample(Duration::from_millis(millis), &loose);
            assert_eq!(estimator.smoothed(), Some(Duration::from_nanos(smoothed)));
            assert_eq!(estimator.variation, Duration::from_nanos(variation));
        }
        assert_eq!(estimator.clone().timeout(&loose), Duration::from_nanos(249_687_500));
        assert_eq!(estimator.timeout(&TcpParameters::default()), Duration::from_secs(1));
    }

    /// Linux: 200 ms above the round trip, as long as that varies by less than 50 ms.
    #[test]
    fn a_floor_under_the_variation() {
        let parameters = TcpParameters {
            min_rto: Duration::from_millis(200),
            min_rto_bounds: MinRtoBounds::Rttvar,
            ..TcpParameters::default()
        };
        let mut estimator = RttEstimator::default();
        estimator.sample(Duration::from_millis(80), &parameters);
        assert_eq!(estimator.timeout(&parameters), Duration::from_millis(280));
        estimator.sample(Duration::from_millis(400), &parameters);
        assert_eq!(estimator.timeout(&parameters), Duration::from_millis(120 + 4 * 110));
    }

    #[test]
    fn expiry_doubles_up_to_the_bound_and_an_ack_ends_it() {
        let mut estimator = RttEstimator::default();
        let parameters = TcpParameters::default();
        let mut seconds = Vec::new();
        for _ in 0..8 {
            seconds.push(estimator.timeout(&parameters).as_nanos() / 1_000_000_000);
            estimator.back_off();
        }
        assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 60, 60]);
        estimator.recover();
        assert_eq!(estimator.timeout(&parameters), Duration::from_secs(1));
    }
}
