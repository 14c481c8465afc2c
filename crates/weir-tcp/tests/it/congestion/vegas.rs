//! Vegas: rounds by hand.

use weir_tcp::congestion::CongestionConfig;
use weir_types::Duration;

use super::{Bench, near};

fn vegas(cwnd: f64) -> Bench {
    Bench::new(&CongestionConfig::from_name("vegas").unwrap(), cwnd)
}

/// A window of ten, 100 ms without queue and 125 ms with: two packets are its own in the queue.
#[test]
fn ten_segments_and_a_quarter_of_the_round_trip() {
    let mut bench = vegas(10.0);
    bench.round(0);
    bench.rtt = Duration::from_millis(125);
    for _ in 0..3 {
        bench.window.cwnd = 10.0;
        bench.round(0);
    }
    near(bench.variable("diff"), 2.0, 0.25);
    near(bench.variable("base"), 0.1, 1e-12);
}

/// Below alpha one more, above beta one less, between them nothing.
#[test]
fn the_window_moves_by_one_a_round() {
    for (rtt, change) in [(100, 1.0), (125, 0.0), (160, -1.0)] {
        let mut bench = vegas(10.0);
        bench.round(0);
        bench.rtt = Duration::from_millis(rtt);
        // The round in which samples are mixed, and the one that answers to it.
        bench.round(0);
        bench.round(0);
        bench.round(0);
        let before = bench.window.cwnd;
        bench.round(0);
        near(bench.window.cwnd - before, change, 0.11);
    }
}

/// Doubling every other round; an eighth less when more than gamma waits.
#[test]
fn slow_start_doubles_every_other_round() {
    let mut bench = vegas(4.0);
    bench.window.ssthresh = f64::INFINITY;
    let mut windows = Vec::new();
    for _ in 0..6 {
        bench.round(0);
        windows.push(bench.window.cwnd);
    }
    let ratios: Vec<f64> = windows.windows(2).map(|pair| pair[1] / pair[0]).collect();
    assert!(ratios.iter().all(|ratio| *ratio < 1.2 || *ratio > 1.8), "{windows:?}");
    assert!(windows[5] >= 16.0 && windows[5] < 64.0, "{windows:?}");
    bench.rtt = Duration::from_millis(150);
    bench.round(0);
    bench.round(0);
    bench.round(0);
    assert!(bench.window.ssthresh < 64.0, "slow start is over: {:?}", bench.window);
}

#[test]
fn a_loss_takes_a_quarter() {
    let mut bench = vegas(20.0);
    bench.loss();
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (15.0, 15.0));
    let mut bench = vegas(2.0);
    bench.loss();
    near(bench.window.cwnd, 2.0, 0.0);
}
