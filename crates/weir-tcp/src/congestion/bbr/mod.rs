//! Parts that the versions of BBR share: rounds, aggregation of ACKs, and what the sender holds back in the host.

mod aggregation;
mod probe_rtt;
mod saved;

use weir_types::{Duration, Instant, Invalid};

pub(super) use self::{aggregation::Aggregation, probe_rtt::ProbeRtt, saved::Saved};
use super::{Delivery, RateSample, tso_segments};

/// The least window, in segments.
pub(super) const MIN_CWND: f64 = 4.0;
/// Linux's first window, in segments (`TCP_INIT_CWND`).
pub(super) const INIT_CWND: f64 = 10.0;

/// Round trips, counted by packets: a round ends when a segment is delivered that left after it began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    pub(super) count: u64,
    /// A round ends when a segment arrives that left after so many were delivered.
    next: u64,
}

impl Rounds {
    /// A valid sample: whether a round begins with it.
    #[inline]
    pub(super) const fn update(&mut self, sample: &RateSample, delivered: u64) -> bool {
        let begins = sample.prior_delivered >= self.next;
        if begins {
            self.next = delivered;
            self.count += 1;
        }
        begins
    }

    /// A round begins now.
    pub(super) const fn begin(&mut self, delivered: u64) {
        self.next = delivered;
    }
}

/// The instant on a clock of milliseconds, as Linux times `PROBE_RTT` (`tcp_jiffies32`).
#[inline]
pub(super) fn tick(now: Instant) -> Instant {
    const TICK: u64 = 1_000_000;
    Instant::from_nanos(now.as_nanos() / TICK * TICK)
}

/// The whole number nearest to `value`, which is not negative and below 2^51: above 2^52 a number has no fraction. On
/// the way of each ACK: the functions of the library ask for more.
#[inline]
fn nearest(value: f64) -> f64 {
    const NO_FRACTION: f64 = (1_u64 << 52) as f64;
    (value + NO_FRACTION) - NO_FRACTION
}

/// The least whole number that is not below `value`, for which see [`nearest`].
#[inline]
pub(super) fn ceil(value: f64) -> f64 {
    let whole = nearest(value);
    if whole < value { whole + 1.0 } else { whole }
}

/// The greatest whole number that is not above `value`, for which see [`nearest`].
#[inline]
pub(super) fn floor(value: f64) -> f64 {
    let whole = nearest(value);
    if whole > value { whole - 1.0 } else { whole }
}

/// The lesser of two numbers; the one of the library looks for NaN, too.
#[inline]
pub(super) fn min(one: f64, other: f64) -> f64 {
    if other < one { other } else { one }
}

/// The greater of two numbers, likewise.
#[inline]
pub(super) fn max(one: f64, other: f64) -> f64 {
    if other > one { other } else { one }
}

/// Segments that `rate` sends in a time.
#[inline]
pub(super) fn segments_in(rate: f64, time: Duration) -> f64 {
    rate * (time.as_nanos().cast_signed() as f64 * 1e-9)
}

/// `gain` times the product of bandwidth and round trip, in whole segments; `unknown` before a round trip is known.
#[inline]
pub(super) fn bdp(bw: f64, min_rtt: Duration, gain: f64, unknown: f64) -> f64 {
    if min_rtt == Duration::MAX {
        return unknown;
    }
    ceil(segments_in(bw, min_rtt) * gain)
}

/// Segments in a burst of segmentation offload, at least `least`.
pub(super) fn burst(rate: f64, min_rtt: Duration, payload: u32, least: u32) -> f64 {
    f64::from(tso_segments(rate, min_rtt, payload).max(least))
}

/// Segments in the network when the next one leaves, at its earliest departure time, if `flight` are in it now
/// (`bbr_packets_in_net_at_edt`).
#[inline]
pub(super) fn packets_in_net_at_edt(flight: u32, rate: f64, extra: f64, delivery: &Delivery) -> f64 {
    let gone = floor(segments_in(rate, delivery.next_release.since(delivery.now)));
    max(f64::from(flight) + extra - gone, 0.0)
}

/// A least round trip that counts for a while.
pub(super) fn check_min_rtt_window(window: Duration) -> Result<(), Invalid> {
    let problem = "min_rtt_window is zero: no round trip would count";
    Invalid::unless(!window.is_zero(), "min_rtt_window", problem, "the draft has \"10 s\"")
}

/// Bursts of something.
pub(super) fn check_min_tso_segments(segments: u32) -> Result<(), Invalid> {
    let problem = "min_tso_segments is zero: a burst has at least one segment";
    Invalid::unless(segments > 0, "min_tso_segments", problem, "Linux has 2")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::float_cmp, reason = "whole numbers are exact")]

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn whole_numbers_are_those_of_the_library(
            value in prop_oneof![0.0..1e15_f64, 0.0..100.0_f64, (0_u32..1000).prop_map(f64::from)],
        ) {
            prop_assert_eq!(ceil(value), libm::ceil(value));
            prop_assert_eq!(floor(value), libm::floor(value));
        }
    }
}
