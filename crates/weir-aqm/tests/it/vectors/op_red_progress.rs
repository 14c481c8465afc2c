//! OP-RED: what it reports of its targets: achieved, still sought, or out of reach.

use weir_aqm::aqm::{OpRedParameters, Progress};
use weir_types::Duration;

use super::op_red::Driven;
use crate::support::{near, probability, read};

#[test]
fn within_a_tenth_of_both_targets_everything_is_held() {
    let mut driven = Driven::at_high_load();
    // e^0.1 = 1.105
    driven.window(22.0, 22, 1.0);
    assert_eq!(driven.aqm.progress(), Progress::Achieved);
    near(read(&driven.aqm, "achieved"), 1.0, 0.0);
    near(driven.max_th(), 30.0, 0.0);
    near(driven.max_p(), 0.1, 0.0);
    driven.aqm.set_targets(Duration::from_millis(20), probability(0.02)).expect("targets");
    driven.window(22.2, 22, 1.0);
    assert_eq!(driven.aqm.progress(), Progress::Seeking);
}

/// Less delay than the least `max_th` and the largest `max_p` give.
#[test]
fn at_the_bounds_the_targets_are_unachievable() {
    let mut driven = Driven::at_high_load();
    driven.aqm.set_targets(Duration::from_millis(5), probability(0.02)).expect("targets");
    // 0.05 B (1 + 1) at a time: the slack of the loss counts, too.
    for max_th in [25.0, 20.0, 15.0, 10.0] {
        driven.window(30.0, 0, 1.0);
        near(driven.max_th(), max_th, 1e-9);
    }
    let mut max_p = driven.max_p();
    while max_p < 0.5 {
        driven.window(30.0, 0, 1.0);
        max_p = (max_p * 0.3_f64.exp()).min(0.5);
        near(driven.max_p(), max_p, 1e-9);
        near(driven.max_th(), 10.0, 0.0);
    }
    for _ in 0..9 {
        driven.window(30.0, 0, 1.0);
        assert_eq!(driven.aqm.progress(), Progress::Seeking);
    }
    driven.window(30.0, 0, 1.0);
    assert_eq!(driven.aqm.progress(), Progress::Unachievable);
    near(read(&driven.aqm, "unachievable"), 1.0, 0.0);
    driven.window(30.0, 0, 1.0);
    near(driven.max_p(), 0.5, 1e-9);

    // Within reach again, it moves at once: max_p goes home first, then max_th.
    driven.aqm.set_targets(Duration::from_millis(60), probability(0.02)).expect("targets");
    assert_eq!(driven.aqm.progress(), Progress::Seeking);
    while driven.max_p() > 0.3 + 1e-9 {
        near(driven.max_th(), 10.0, 0.0);
        driven.window(30.0, 40, 1.0);
    }
    near(driven.max_p(), 0.3, 1e-9);
    driven.window(30.0, 40, 1.0);
    assert!(driven.max_th() > 10.0);
}

/// At low load `max_p` comes to its bound, and `max_th` takes its place. On the way back `max_p`
/// waits until `max_th` is home.
#[test]
fn the_other_parameter_takes_the_place_of_one_at_its_bound() {
    let mut driven = Driven::new(&OpRedParameters::default());
    while driven.max_p() < 0.5 - 1e-9 {
        near(driven.max_th(), 30.0, 0.0);
        driven.window(400.0, 0, 0.9);
    }
    driven.window(400.0, 0, 0.9);
    driven.window(400.0, 0, 0.9);
    near(driven.max_th(), 30.0 - 2.0 * 5.0, 1e-9);
    // Now delay is to be given for loss.
    driven.aqm.set_targets(Duration::from_secs(1), probability(0.02)).expect("targets");
    while driven.max_th() < 30.0 {
        driven.window(400.0, 40, 0.9);
        near(driven.max_p(), 0.5, 1e-9);
    }
    near(driven.max_th(), 30.0, 0.0);
}

/// A target that moves from one side of the curve to the other: reports follow.
#[test]
fn reports_follow_what_is_measured() {
    let mut driven = Driven::at_high_load();
    for _ in 0..10 {
        driven.window(60.0, 60, 1.0);
    }
    assert_eq!(driven.aqm.progress(), Progress::Unachievable);
    // A way to go takes back one window each: noise does not, ten windows do.
    driven.aqm.set_targets(Duration::from_millis(60), probability(0.06)).expect("targets");
    assert_eq!(driven.aqm.progress(), Progress::Seeking);
    driven.window(60.0, 60, 1.0);
    assert_eq!(driven.aqm.progress(), Progress::Achieved);
}

/// Both errors too large and equal: the nearest point of the curve.
#[test]
fn balanced_errors_are_unachievable_too() {
    let mut driven = Driven::at_high_load();
    for _ in 0..9 {
        driven.window(60.0, 60, 1.0);
        assert_eq!(driven.aqm.progress(), Progress::Seeking);
        near(driven.max_th(), 30.0, 1e-9);
    }
    driven.window(60.0, 60, 1.0);
    assert_eq!(driven.aqm.progress(), Progress::Unachievable);
}
