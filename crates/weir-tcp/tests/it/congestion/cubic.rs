//! CUBIC (RFC 9438), by the numbers of its equations.

use weir_tcp::congestion::{CongestionConfig, CubicParameters, SlowStartConfig, SsthreshFrom};
use weir_types::{Duration, Instant, Probability};

use super::{Bench, near};

fn cubic(change: impl FnOnce(&mut CubicParameters)) -> CongestionConfig {
    let mut parameters = CubicParameters { slow_start: SlowStartConfig::Standard, ..Default::default() };
    change(&mut parameters);
    CongestionConfig::Cubic(parameters)
}

/// Without Reno's help, so that the curve stands alone.
fn bare() -> CongestionConfig {
    cubic(|parameters| parameters.reno_friendly = false)
}

/// 100 segments, a loss: 70, and back at 100 after K = 4.217 s.
#[test]
fn after_a_loss_the_window_follows_the_curve() {
    let mut bench = Bench::new(&bare(), 100.0);
    bench.rtt = Duration::from_micros(100);
    bench.loss();
    near(bench.window.cwnd, 70.0, 1e-12);
    near(bench.window.ssthresh, 70.0, 1e-12);
    bench.ack(1, false);
    near(bench.variable("k"), 4.217_163, 1e-6);
    near(bench.variable("w_max"), 100.0, 1e-12);
    let curve = |t: f64| 0.4 * (t - 4.217_163_326_508_746_f64).powi(3) + 100.0;
    near(curve(1.0), 86.680_764, 1e-6);
    near(curve(5.217_163_326_508_746), 100.4, 1e-9);
    // Round trips of 100 us: the window is on the curve but for what it grows in one of them.
    for millis in 1..=5217_u32 {
        bench.now = Instant::ZERO + Duration::from_millis(u64::from(millis));
        for _ in 0..20 {
            bench.ack(10, false);
        }
        if millis % 500 == 0 || millis == 5217 {
            near(bench.window.cwnd, curve(f64::from(millis) / 1e3), 0.05);
        }
    }
}

/// A second loss before the plateau is reached: the plateau is lowered to (1 + beta) / 2.
#[test]
fn fast_convergence_lowers_the_plateau() {
    for (fast_convergence, w_max) in [(true, 59.5), (false, 70.0)] {
        let mut bench =
            Bench::new(&cubic(|parameters| parameters.fast_convergence = fast_convergence), 100.0);
        bench.loss();
        bench.loss();
        near(bench.variable("w_max"), w_max, 1e-12);
        near(bench.window.cwnd, 49.0, 1e-12);
    }
}

/// At a small window and a short round trip Reno would be faster, and CUBIC is as fast as its
/// equation 4 has it: alpha = 9/17 segments a round trip, one from where it was cut.
#[test]
fn where_reno_is_faster_it_follows_reno() {
    let mut bench = Bench::new(&cubic(|_| {}), 20.0);
    bench.rtt = Duration::from_millis(10);
    bench.loss();
    (bench.una, bench.high) = (1, 15);
    near(bench.window.cwnd, 14.0, 1e-12);
    for _ in 0..5 {
        bench.round(0);
    }
    near(bench.window.cwnd, 14.0 + 5.0 * 9.0 / 17.0, 0.1);
    while bench.window.cwnd < 20.5 {
        bench.round(0);
    }
    let before = bench.window.cwnd;
    bench.round(0);
    near(bench.window.cwnd - before, 1.0, 0.05);
}

#[test]
fn the_target_is_never_above_half_as_much_again() {
    let mut bench = Bench::new(&bare(), 100.0);
    bench.loss();
    bench.ack(1, false);
    bench.now += Duration::from_secs(60);
    let before = bench.window.cwnd;
    bench.ack(1, false);
    near(bench.window.cwnd, before + 0.5, 1e-9);
}

#[test]
fn a_mark_cuts_as_a_loss_or_less_under_abe() {
    let mut bench = Bench::new(&cubic(|_| {}), 100.0);
    bench.mark();
    near(bench.window.cwnd, 70.0, 1e-12);
    let mut bench = Bench::new(&cubic(|parameters| parameters.beta_ecn = Probability::new(0.85)), 100.0);
    bench.mark();
    near(bench.window.cwnd, 85.0, 1e-12);
    bench.loss();
    near(bench.window.cwnd, 59.5, 1e-12);
    let mut bench = Bench::new(&cubic(|_| {}), 2.0);
    bench.mark();
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1.4, 2.0), "a mark may go below two");
}

/// After a timeout slow start leads to 70, and there the curve begins with K = 0.
#[test]
fn after_a_timeout_the_curve_begins_where_slow_start_ends() {
    let mut bench = Bench::new(&cubic(|_| {}), 100.0);
    bench.timeout();
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1.0, 70.0));
    (bench.una, bench.high) = (1, 2);
    while bench.window.cwnd < 70.0 {
        bench.ack(1, false);
    }
    let cwnd = bench.window.cwnd;
    bench.ack(1, false);
    near(bench.variable("w_max"), cwnd, 1e-12);
    near(bench.variable("k"), 0.0, 1e-12);
}

#[test]
fn what_is_outstanding_is_cut_or_the_window() {
    for (cuts, cwnd) in [(SsthreshFrom::Flight, 70.0), (SsthreshFrom::Window, 70.63)] {
        let mut bench = Bench::new(&cubic(|parameters| parameters.ssthresh_from = cuts), 100.9);
        bench.loss();
        near(bench.window.cwnd, cwnd, 1e-12);
    }
}
