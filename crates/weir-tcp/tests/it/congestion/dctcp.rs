//! DCTCP (RFC 8257), by hand.

use weir_tcp::{
    accecn::EcnMode,
    congestion::{Ack, CongestionConfig, DctcpParameters},
};
use weir_types::Probability;

use super::{Bench, near};

fn dctcp() -> CongestionConfig {
    CongestionConfig::Dctcp(DctcpParameters::default())
}

/// alpha from 1 by windows of 20 segments: none marked, half of them, half of them.
#[test]
fn alpha_by_the_published_numbers() {
    let mut bench = Bench::new(&dctcp(), 20.0);
    let mut alphas = Vec::new();
    for marked in [0, 10, 10] {
        if marked > 0 {
            bench.ack(marked, true);
        }
        // What ends the window of data finds the next one sent.
        bench.high = bench.una + (20 - marked) + 19;
        bench.window.cwnd = 1.0;
        bench.ack(20 - marked, false);
        alphas.push(bench.variable("alpha"));
    }
    for (alpha, expected) in alphas.into_iter().zip([0.9375, 0.910_156_25, 0.884_521_484]) {
        near(alpha, expected, 1e-9);
    }
}

/// 20 segments at alpha = 0.9375: 20 (1 - 0.46875) = 10.625.
#[test]
fn a_mark_cuts_by_half_of_alpha() {
    let alpha = Probability::new(0.9375).unwrap();
    let parameters = DctcpParameters { initial_alpha: alpha, ..DctcpParameters::default() };
    let mut bench = Bench::new(&CongestionConfig::Dctcp(parameters), 20.0);
    bench.mark();
    near(bench.window.cwnd, 10.625, 1e-12);
    near(bench.window.ssthresh, 10.625, 1e-12);
}

#[test]
fn a_loss_is_answered_as_by_reno() {
    let mut bench = Bench::new(&dctcp(), 20.0);
    bench.loss();
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (10.0, 10.0));
    bench.timeout();
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1.0, 5.0));
}

/// Where marks are counted, Linux has alpha in 1024ths: 1024 - 64 + 20, 980 - 61, 919 - 57,
/// 862 - 53 + 14. From 16 on it loses 1 at a time, and what is below goes at once.
#[test]
fn counted_marks_make_alpha_whole_1024ths() {
    let parameters = DctcpParameters { integer_cwnd: true, ..DctcpParameters::default() };
    let mut bench = Bench::new(&CongestionConfig::Dctcp(parameters), 30.0);
    bench.control.on_ecn(EcnMode::Accurate);
    let mut window = |marked: u32| {
        let una = bench.high + 1;
        let ack = Ack {
            now: bench.now,
            rtt: bench.rtt,
            smoothed: bench.rtt,
            acked: una - bench.una,
            counted: 0.0,
            echo: marked > 0,
            marked,
            all_capable: false,
            una,
            next: una + 30,
            high: una + 29,
            flight: 30.0,
            limited: true,
        };
        (bench.una, bench.high) = (una, una + 29);
        bench.control.observe(ack, &mut bench.window);
        bench.variable("alpha") * 1024.0
    };
    // 31 segments in the first window, 30 in the others.
    for (marked, expected) in [(10, 980.0), (0, 919.0), (0, 862.0), (7, 823.0)] {
        near(window(marked), expected, 1e-9);
    }
    let mut last = 823.0;
    while last >= 16.0 {
        let next = window(0);
        assert!((next - (last - (last / 16.0_f64).floor())).abs() < 1e-9, "{last}, {next}");
        last = next;
    }
    near(last, 15.0, 1e-9);
    near(window(0), 0.0, 1e-9);
}
