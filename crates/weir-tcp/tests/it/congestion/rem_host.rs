//! The host of REM's first paper, by the numbers of its equations.

use weir_tcp::{
    TcpParameters,
    congestion::{CongestionConfig, RemHostParameters, Utility},
};
use weir_types::Duration;

use super::{Bench, near};

/// 21 packets of 5625 in a second: the paper's round trip.
fn parameters() -> RemHostParameters {
    RemHostParameters {
        weight: 5625.0,
        samples: 10,
        base_rtt: Some(Duration::from_secs_f64(21.0 / 5625.0)),
        ..RemHostParameters::default()
    }
}

/// One estimate of ten ACKs, `marked` of them with an echo.
fn estimate(bench: &mut Bench, marked: u32) {
    for number in 0..10 {
        bench.ack(1, number < marked);
    }
}

#[test]
fn the_price_and_the_window_follow_the_marks() {
    let mut bench = Bench::new(&CongestionConfig::RemHost(parameters()), 21.0);
    let expected =
        [(5, 0.25, 0.287_682, 19551.83), (9, 0.575, 0.855_666, 6572.83), (8, 0.6875, 1.163_151, 4835.00)];
    for (marked, fraction, price, rate) in expected {
        estimate(&mut bench, marked);
        near(bench.variable("m"), fraction, 1e-12);
        near(bench.variable("price"), price, 1e-6);
        // As -ln(1 - 0.25) is rounded above, the rate has no more than six digits.
        near(bench.window.bound * 5625.0 / 21.0, rate, rate * 1e-5);
    }
    near(bench.window.bound, 18.05, 0.005);
}

#[test]
fn losses_cut_the_congestion_window_and_marks_do_not() {
    let mut bench = Bench::new(&CongestionConfig::RemHost(parameters()), 21.0);
    let before = bench.window.cwnd;
    estimate(&mut bench, 10);
    assert!(bench.window.cwnd > before);
    bench.loss();
    near(bench.window.cwnd, 1.0, 0.0);
}

/// A price of zero bounds nothing, a price without end leaves one packet.
#[test]
fn the_window_stays_between_one_and_what_is_allowed() {
    let mut bench = Bench::new(&CongestionConfig::RemHost(parameters()), 21.0);
    bench.window.bound = 21.0;
    estimate(&mut bench, 0);
    near(bench.window.bound, 21.0, 0.0);
    for _ in 0..100 {
        estimate(&mut bench, 10);
    }
    assert!(bench.window.bound >= 1.0 && bench.window.bound.is_finite(), "{:?}", bench.window);
    assert!(bench.variable("price") < 21.0);
}

#[test]
fn the_rate_is_where_the_utility_is_worth_the_price() {
    // One estimate of nine in ten at full weight: p = ln 10.
    let rates = [
        (Utility::LogOnePlus, 5625.0 / std::f64::consts::LN_10 - 1.0),
        (Utility::Log, 5625.0 / std::f64::consts::LN_10),
        (Utility::Fair(2.0), (5625.0 / std::f64::consts::LN_10).sqrt()),
    ];
    for (utility, rate) in rates {
        let parameters =
            RemHostParameters { utility, gain: 1.0, base_rtt: Some(Duration::from_secs(1)), ..parameters() };
        let mut bench = Bench::new(&CongestionConfig::RemHost(parameters), 21.0);
        estimate(&mut bench, 9);
        near(bench.window.bound, rate, 1e-6);
    }
}

/// One estimate at this round trip, with five marks of ten: the window in seconds of the rate.
fn tau_after(bench: &mut Bench, rtts_ms: [u64; 2]) -> f64 {
    for number in 0..10 {
        bench.rtt = Duration::from_millis(rtts_ms[number as usize % 2]);
        bench.ack(1, number < 5);
    }
    bench.window.bound / (5625.0 / bench.variable("price") - 1.0)
}

/// Means of 10 ms, 30 ms and 30 ms, with weights of a half and of one.
#[test]
fn the_round_trip_is_followed_with_a_weight() {
    let begun = Some(Duration::from_millis(4));
    for (rtt_gain, base_rtt, expected) in [
        (0.5, begun, [7.0, 18.5, 24.25]),
        (0.5, None, [10.0, 20.0, 25.0]),
        (1.0, begun, [10.0, 30.0, 30.0]),
        (0.0, begun, [4.0, 4.0, 4.0]),
        (0.0, None, [8.0, 8.0, 8.0]),
    ] {
        let parameters = RemHostParameters { rtt_gain, base_rtt, ..parameters() };
        let mut bench = Bench::new(&CongestionConfig::RemHost(parameters), 1e6);
        for (rtts_ms, expected) in [[8, 12], [20, 40], [28, 32]].into_iter().zip(expected) {
            near(tau_after(&mut bench, rtts_ms) * 1e3, expected, 1e-9);
        }
    }
}

/// Equation 4 by hand: nine marks of ten are a price of ln 10, worth 5625 / ln 10 - 1 packets per second,
/// 2441.9. That rate times 10.84 ms is 26.47 packets; the paper's 21 / 5625 s leave 9.12.
#[test]
fn a_queue_in_the_round_trip_opens_the_window() {
    for (rtt_gain, expected) in [(1.0, 26.47), (0.0, 9.12)] {
        let parameters = RemHostParameters { rtt_gain, gain: 1.0, ..parameters() };
        let mut bench = Bench::new(&CongestionConfig::RemHost(parameters), 21.0);
        bench.rtt = Duration::from_micros(10_840);
        estimate(&mut bench, 9);
        near(bench.window.bound, expected, 0.005);
    }
}

#[test]
fn a_weight_lies_between_zero_and_one() {
    for rtt_gain in [-0.1, 1.1, f64::NAN] {
        let parameters = RemHostParameters { rtt_gain, ..parameters() };
        let invalid = CongestionConfig::RemHost(parameters).check().expect_err("it is no weight");
        assert_eq!(invalid.parameter, "rtt_gain");
    }
}

#[test]
fn it_is_refused_where_no_mark_can_come() {
    let silent =
        TcpParameters { congestion: CongestionConfig::RemHost(parameters()), ..TcpParameters::default() };
    let invalid = silent.check().expect_err("it would never learn a price");
    assert_eq!((&*invalid.parameter, &*invalid.hint), ("ecn", "write ecn = true"));
    assert_eq!(TcpParameters { ecn: true, ..silent }.check(), Ok(()));
}
