//! Scalable TCP: Kelly's fixed point, and a recovery time that no window changes.

use weir_tcp::congestion::{CongestionConfig, ScalableParameters};

use super::{Bench, near};

fn at(cwnd: f64) -> Bench {
    Bench::new(&CongestionConfig::Scalable(ScalableParameters::default()), cwnd)
}

/// Section 3: a hundredth of a segment for each that is acknowledged, an eighth off for a loss or a mark.
#[test]
fn a_window_grows_and_falls_by_fixed_shares() {
    let mut bench = at(100.0);
    bench.ack(3, false);
    near(bench.window.cwnd, 100.03, 1e-12);
    bench.loss();
    near(bench.window.cwnd, 100.03 * 0.875, 1e-12);
    bench.mark();
    near(bench.window.cwnd, 100.03 * 0.875 * 0.875, 1e-12);
    near(bench.window.ssthresh, bench.window.cwnd, 1e-12);
}

/// One loss in n segments: growth a n balances the cut b w, so the peak is a n / b.
#[test]
fn the_peak_is_the_growth_over_the_cut() {
    for n in [1000_u32, 10_000] {
        let mut bench = at(50.0);
        for _ in 0..200 {
            (0..n).for_each(|_| bench.ack(1, false));
            bench.loss();
        }
        (0..n).for_each(|_| bench.ack(1, false));
        near(bench.window.cwnd, 0.01 * f64::from(n) / 0.125, 1e-6);
    }
}

/// ln(1 / 0.875) / ln(1.01) = 13.4 round trips, at any window.
#[test]
fn a_recovery_takes_as_long_at_any_window() {
    for cwnd in [100.0, 1000.0, 10_000.0] {
        let mut bench = at(cwnd);
        bench.loss();
        bench.high = bench.una + bench.window.cwnd as u32;
        let mut rounds = 0;
        while bench.window.cwnd < cwnd {
            bench.round(0);
            rounds += 1;
        }
        assert_eq!(rounds, 14, "{cwnd}");
    }
}

/// Up to 16 segments it is Reno.
#[test]
fn a_small_window_is_renos() {
    let (mut bench, mut reno) = (at(12.0), Bench::new(&CongestionConfig::from_name("reno").unwrap(), 12.0));
    for bench in [&mut bench, &mut reno] {
        bench.round(0);
        bench.loss();
        bench.round(0);
    }
    assert_eq!(bench.window, reno.window);
    bench.timeout();
    near(bench.window.cwnd, 1.0, 1e-12);
}
