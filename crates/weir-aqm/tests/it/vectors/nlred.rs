//! NLRED: RED with a parabola.

use serde_json::json;
use weir_aqm::{
    Aqm, Reason, Verdict,
    aqm::{AqmConfig, Nlred, NlredParameters, RedParameters},
};
use weir_types::{Ecn, Instant};

use crate::support::{link, near, packet, packets, probability, read, stream, waiting};

/// NLRED whose average is the queue itself, past its first arrival.
fn following(parameters: &NlredParameters) -> Nlred {
    let parameters = NlredParameters { w_q: probability(1.0), ..parameters.clone() };
    let mut nlred = parameters.build(link(), stream("nlred"));
    assert_eq!(see(&mut nlred, 0), Verdict::Pass);
    nlred
}

fn see(aqm: &mut impl Aqm, queue: u32) -> Verdict {
    aqm.on_enqueue(packet(Ecn::NotEct), waiting(queue), Instant::ZERO)
}

/// `p_b` at an average of `queue` with thresholds three times 5 and 15, so that two thirds of
/// the way are a whole number.
fn at(nl_factor: f64, queue: u32) -> f64 {
    let (min_th, max_th) = (Some(packets(15.0)), Some(packets(45.0)));
    let parameters = NlredParameters { min_th, max_th, nl_factor, gentle: true, ..Default::default() };
    let mut nlred = following(&parameters);
    see(&mut nlred, queue);
    read(&nlred, "probability")
}

fn red_at(queue: u32) -> f64 {
    let (min_th, max_th, w_q) = (Some(packets(15.0)), Some(packets(45.0)), probability(1.0));
    let mut red = RedParameters { min_th, max_th, w_q, gentle: true, ..Default::default() }
        .build(link(), stream("nlred"));
    see(&mut red, 0);
    see(&mut red, queue);
    read(&red, "probability")
}

#[test]
fn the_profile_is_a_parabola_between_the_thresholds() {
    for (average, red, nlred, factor_one) in [
        (7.0, 0.02, 0.006, 0.004),
        (10.0, 0.05, 0.0375, 0.025),
        (35.0 / 3.0, 0.066_666_666_667, 0.066_666_666_667, 0.044_444_444_444),
        (13.0, 0.08, 0.096, 0.064),
        (15.0, 0.1, 0.15, 0.1),
    ] {
        let queue = (3.0_f64 * average).round() as u32;
        near(red_at(queue), red, 1e-12);
        near(at(1.5, queue), nlred, 1e-12);
        near(at(1.0, queue), factor_one, 1e-12);
    }
}

/// 1.5 is the factor with which the mean probability over the range is RED's.
#[test]
fn the_areas_under_both_profiles_are_equal() {
    let wide = |aqm: &str| {
        let table = json!({ aqm: { "min_th": "0 packets", "max_th": "1000 packets", "w_q": 1.0 } });
        let config: AqmConfig = serde_json::from_value(table).expect("an AQM");
        let mut aqm = config.build(link(), stream("nlred"));
        see(&mut aqm, 0);
        let mut sum = 0.0;
        for queue in 0..1000 {
            see(&mut aqm, queue);
            sum += read(&aqm, "probability");
        }
        sum / 1000.0
    };
    near(wide("red"), 0.05, 1e-4);
    near(wide("nlred"), 0.05, 1e-4);
}

/// The ramp starts where the parabola ends, not at `max_p` as in ns-3.
#[test]
fn the_gentle_ramp_continues_from_the_end_of_the_parabola() {
    for (queue, p_b) in [(44, 0.15 * (29.0_f64 / 30.0).powi(2)), (45, 0.15), (60, 0.433_333_333), (90, 1.0)] {
        near(at(1.5, queue), p_b, 1e-9);
    }
    let steps: Vec<_> = (15..=90).map(|queue| at(1.5, queue)).collect();
    assert!(steps.is_sorted(), "a longer queue never means fewer signals");

    let mut nlred = following(&NlredParameters::default());
    assert_eq!(see(&mut nlred, 15), Verdict::Drop(Reason::Forced), "not gentle");
}

#[test]
fn a_parabola_that_ends_above_one_is_refused() {
    let ends_at = |max_p, nl_factor| {
        let max_p = probability(max_p);
        AqmConfig::Nlred(NlredParameters { max_p, nl_factor, ..Default::default() }).check()
    };
    assert_eq!(ends_at(0.5, 2.0), Ok(()));
    assert_eq!(ends_at(0.5, 2.1).expect_err("above one").parameter, "max_p");
    assert_eq!(ends_at(0.5, f64::NAN).expect_err("no number").parameter, "nl_factor");
}

/// ns-2's RED signals only while more than one packet waits, whatever the average says.
#[test]
fn with_min_qlen_a_short_queue_passes_under_a_long_average() {
    let after_a_burst = |min_qlen| {
        let parameters = NlredParameters { min_qlen, w_q: probability(0.5), ..Default::default() };
        let mut nlred = parameters.build(link(), stream("nlred"));
        for _ in 0..10 {
            see(&mut nlred, 60);
        }
        see(&mut nlred, 1)
    };
    assert_eq!(after_a_burst(packets(0.0)), Verdict::Drop(Reason::Forced));
    assert_eq!(after_a_burst(packets(1.0)), Verdict::Pass);
}

#[test]
fn with_ns2_old_the_first_packet_of_a_stretch_is_never_signalled() {
    let signalled = |ns2_old| {
        let mut nlred = following(&NlredParameters { ns2_old, ..Default::default() });
        // Below min_th and between the thresholds in turn: every second packet is the first of a stretch.
        (0..1000)
            .filter(|_| see(&mut nlred, 0) == Verdict::Pass && see(&mut nlred, 14) != Verdict::Pass)
            .count()
    };
    assert!(signalled(false) > 50);
    assert_eq!(signalled(true), 0);
}
