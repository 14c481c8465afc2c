//! Adaptive RED: what it takes from the link, and how `max_p` follows the average.

use weir_aqm::{
    Aqm, Link, Verdict,
    aqm::{AdaptiveRed, AdaptiveRedParameters, AqmConfig},
    parts,
};
use weir_types::{Duration, Ecn, Instant, Level};

use crate::support::{link, millis, near, packet, packets, probability, rate, read, stream, waiting};

/// Thresholds of 5 and 15 packets and an average that is the queue itself: the middle of the
/// band is 9 to 11.
fn following(max_p: f64) -> AdaptiveRed {
    let parameters = AdaptiveRedParameters {
        min_th: Some(packets(5.0)),
        w_q: Some(probability(1.0)),
        max_p: probability(max_p),
        ..AdaptiveRedParameters::default()
    };
    let mut aqm = parameters.build(link(), stream("adaptive-red"));
    assert_eq!(see(&mut aqm, 0, Instant::ZERO), Verdict::Pass);
    aqm
}

fn see(aqm: &mut AdaptiveRed, queue: u32, now: Instant) -> Verdict {
    aqm.on_enqueue(packet(Ecn::NotEct), waiting(queue), now)
}

/// A link that sends so many packets of 1000 bytes a second.
fn before(packets_per_second: u64) -> AdaptiveRed {
    let link = Link { rate: rate(8000 * packets_per_second), ..link() };
    AdaptiveRedParameters::default().build(link, stream("adaptive-red"))
}

#[test]
fn the_weight_is_a_second_of_packets() {
    for (capacity, w_q, tolerance) in [(1250, 7.996_801e-4, 1e-10), (8000, 1.249_922e-4, 1e-10)] {
        near(parts::weight_of(f64::from(capacity)), w_q, tolerance);
        let mut aqm = before(u64::from(capacity as u32));
        see(&mut aqm, 0, Instant::ZERO);
        see(&mut aqm, 1000, Instant::ZERO);
        near(read(&aqm, "average"), 1000.0 * w_q, 1e-6);
    }
    // After a second of packets that find 10, 1 - 1/e of them are forgotten.
    let mut aqm = before(8000);
    see(&mut aqm, 0, Instant::ZERO);
    for _ in 0..8000 {
        see(&mut aqm, 10, Instant::ZERO);
    }
    near(read(&aqm, "average"), 10.0 * (1.0 - (-1.0_f64).exp()), 1e-9);
}

#[test]
fn thresholds_follow_from_the_target_delay() {
    for (capacity, min_th, max_th) in [(5625, 14.0625, 42.1875), (1250, 5.0, 15.0), (8000, 20.0, 60.0)] {
        let aqm = before(capacity);
        near(read(&aqm, "min_th"), min_th, 1e-12);
        near(read(&aqm, "max_th"), max_th, 1e-12);
    }
}

/// Derived values are derived again at a new rate; given values stay.
#[test]
fn a_new_rate_gives_new_thresholds_and_weight() {
    let mut aqm = before(1250);
    see(&mut aqm, 0, Instant::ZERO);
    aqm.on_rate(rate(8000 * 5625), Instant::ZERO);
    near(read(&aqm, "min_th"), 14.0625, 1e-12);
    near(read(&aqm, "max_th"), 42.1875, 1e-12);
    see(&mut aqm, 1000, Instant::ZERO);
    near(read(&aqm, "average"), 1000.0 * parts::weight_of(5625.0), 1e-12);

    let mut aqm = following(0.1);
    aqm.on_rate(rate(1_000_000_000), Instant::ZERO);
    near(read(&aqm, "max_th"), 15.0, 0.0);
    see(&mut aqm, 7, Instant::ZERO);
    near(read(&aqm, "average"), 7.0, 0.0);
}

#[test]
fn max_p_grows_by_steps_and_shrinks_by_factors() {
    for (queue, before, after) in [
        (12, 0.1, 0.11),
        (12, 0.02, 0.025),
        (8, 0.1, 0.09),
        // The middle of the band, with its ends.
        (9, 0.1, 0.1),
        (10, 0.1, 0.1),
        (11, 0.1, 0.1),
        // The bounds.
        (12, 0.495, 0.5),
        (12, 0.5, 0.5),
        (8, 0.0105, 0.01),
        (8, 0.01, 0.01),
    ] {
        let mut aqm = following(before);
        see(&mut aqm, queue, millis(501));
        near(read(&aqm, "max_p"), after, 1e-12);
    }
}

/// At the first arrival later than an interval after the last test, whether it changed anything
/// or not.
#[test]
fn tests_are_an_interval_apart() {
    let mut aqm = following(0.1);
    let mut max_p_at = |queue, at| {
        see(&mut aqm, queue, at);
        read(&aqm, "max_p")
    };
    near(max_p_at(12, millis(500)), 0.1, 1e-12);
    near(max_p_at(12, millis(500) + Duration::from_nanos(1)), 0.11, 1e-12);
    near(max_p_at(12, millis(1000)), 0.11, 1e-12);
    near(max_p_at(10, millis(1001)), 0.11, 1e-12);
    near(max_p_at(12, millis(1002)), 0.11, 1e-12);
    near(max_p_at(12, millis(1501)), 0.11, 1e-12);
    near(max_p_at(12, millis(1502)), 0.12, 1e-12);
    // A long silence is one interval.
    near(max_p_at(8, millis(60_000)), 0.108, 1e-12);
    near(max_p_at(8, millis(60_001)), 0.108, 1e-12);
}

/// The packet that finds the average changed is judged by the new `max_p`. The gentle ramp starts
/// at the new one, too; the ramps of ns-2 and ns-3 start at the first one.
#[test]
fn the_gentle_ramp_starts_at_the_present_max_p() {
    let mut aqm = following(0.1);
    for step in 1..=10 {
        see(&mut aqm, 12, millis(501 * step));
    }
    near(read(&aqm, "max_p"), 0.2, 1e-12);
    see(&mut aqm, 15, millis(5011));
    near(read(&aqm, "probability"), 0.2, 1e-12);
    see(&mut aqm, 24, millis(5511));
    near(read(&aqm, "max_p"), 0.21, 1e-12);
    near(read(&aqm, "probability"), 0.21 + 0.79 * 0.6, 1e-12);
}

#[test]
fn thresholds_are_given_together_or_left_to_the_link() {
    let check = |min_th, max_th| {
        AqmConfig::AdaptiveRed(AdaptiveRedParameters { min_th, max_th, ..Default::default() }).check()
    };
    let (five, kilobytes) = (packets(5.0), Level::Bytes(15_000.0));
    assert_eq!(check(Some(five), None), Ok(()));
    assert_eq!(check(Some(kilobytes), None), Ok(()));
    assert_eq!(check(Some(five), Some(packets(15.0))), Ok(()));
    assert_eq!(check(None, Some(five)).expect_err("min_th may be above").parameter, "max_th");
    assert_eq!(check(Some(five), Some(five)).expect_err("no band").parameter, "max_th");
    assert_eq!(check(Some(five), Some(kilobytes)).expect_err("two units").parameter, "max_th");
}
