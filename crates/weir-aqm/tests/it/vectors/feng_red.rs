//! Self-configuring RED: `max_p` is scaled by crossings.

use weir_aqm::{
    Aqm, Verdict,
    aqm::{AqmConfig, FengRed, FengRedParameters},
};
use weir_types::{Ecn, Instant};

use crate::support::{link, near, packet, packets, probability, read, stream, waiting};

/// An AQM whose average is the queue itself, before its first arrival.
fn following(parameters: &FengRedParameters) -> FengRed {
    let parameters = FengRedParameters { w_q: probability(1.0), ..parameters.clone() };
    parameters.build(link(), stream("feng-red"))
}

fn see(aqm: &mut FengRed, queue: u32) -> Verdict {
    aqm.on_enqueue(packet(Ecn::NotEct), waiting(queue), Instant::ZERO)
}

/// `max_p` after each of these averages. The first arrival finds the line idle and the average
/// at zero: below.
fn after(parameters: &FengRedParameters, averages: &[u32]) -> Vec<f64> {
    let mut aqm = following(parameters);
    see(&mut aqm, 0);
    let mut after = |&queue: &u32| {
        see(&mut aqm, queue);
        read(&aqm, "max_p")
    };
    averages.iter().map(&mut after).collect()
}

#[track_caller]
fn all_near(values: &[f64], expected: &[f64]) {
    assert_eq!(values.len(), expected.len());
    for (value, expected) in values.iter().zip(expected) {
        near(*value, *expected, 1e-12);
    }
}

#[test]
fn max_p_changes_once_for_every_crossing() {
    let third = 0.1 / 3.0;
    let expected = [third, third, 2.0 * third, 2.0 * third, 2.0 * third, 4.0 * third];
    all_near(&after(&FengRedParameters::default(), &[3, 7, 16, 17, 10, 16]), &expected);
    // From above straight to below, and back: crossings, too.
    let expected = [2.0 * third, 2.0 / 3.0 * third, 4.0 / 3.0 * third];
    all_near(&after(&FengRedParameters::default(), &[16, 3, 16]), &expected);
}

/// From above to a threshold and above again is no crossing; from between it is one.
#[test]
fn an_average_equal_to_a_threshold_changes_nothing() {
    let third = 0.1 / 3.0;
    let expected = [2.0 * third, 2.0 * third, 2.0 * third, 2.0 * third, 2.0 * third];
    all_near(&after(&FengRedParameters::default(), &[16, 15, 16, 5, 16]), &expected);
    let expected = [third, third, 2.0 * third];
    all_near(&after(&FengRedParameters::default(), &[5, 15, 16]), &expected);
}

#[test]
fn the_first_arrival_at_an_empty_queue_is_a_crossing() {
    let mut aqm = following(&FengRedParameters::default());
    near(read(&aqm, "max_p"), 0.1, 0.0);
    see(&mut aqm, 0);
    near(read(&aqm, "max_p"), 0.1 / 3.0, 1e-15);
}

#[test]
fn bounds_hold() {
    let swings: Vec<_> = [2, 10].into_iter().cycle().take(40).collect();
    let low = after(&FengRedParameters::default(), &swings);
    near(*low.last().expect("40"), 1e-4, 0.0);
    let swings: Vec<_> = [16, 10].into_iter().cycle().take(40).collect();
    let high = after(&FengRedParameters::default(), &swings);
    near(*high.last().expect("40"), 1.0, 0.0);
    let crossed = FengRedParameters { top: probability(0.0), ..Default::default() };
    assert_eq!(AqmConfig::FengRed(crossed).check().expect_err("no range").parameter, "top");
    let shrinks = FengRedParameters { beta: 0.5, ..Default::default() };
    assert_eq!(AqmConfig::FengRed(shrinks).check().expect_err("no growth").parameter, "beta");
}

/// Adaptation sees the new average, and the verdict the new `max_p`; the gentle ramp starts
/// there.
#[test]
fn adaptation_comes_before_the_verdict() {
    let mut aqm = following(&FengRedParameters { gentle: true, ..Default::default() });
    see(&mut aqm, 0);
    see(&mut aqm, 20);
    let max_p = 0.2 / 3.0;
    near(read(&aqm, "probability"), max_p + (1.0 - max_p) / 3.0, 1e-12);
}

/// Under load that RED's initial `max_p` is too small for, the average rises above the band, and
/// `max_p` grows until it is enough: a load that answers to the probability ends inside.
#[test]
fn max_p_finds_a_load_that_answers() {
    let parameters =
        FengRedParameters { min_th: Some(packets(5.0)), w_q: probability(0.02), ..Default::default() };
    let mut aqm = parameters.build(link(), stream("feng-red"));
    // A queue as N flows would make it: the square root of the probability pushes it down.
    let (mut queue, mut inside) = (0.0, 0);
    for arrival in 0..200_000 {
        see(&mut aqm, queue as u32);
        let p = read(&aqm, "probability").max(1e-4);
        let rests_at = (8.0 / p.sqrt() - 10.0).clamp(0.0, 100.0);
        queue += (rests_at - queue) / 1000.0;
        let average = read(&aqm, "average");
        inside += u32::from(arrival >= 100_000 && (5.0..15.0).contains(&average));
    }
    assert!(inside > 60_000, "{inside} of 100000 inside the band");
    assert!(read(&aqm, "max_p") > 0.1, "what the load needs");
}
