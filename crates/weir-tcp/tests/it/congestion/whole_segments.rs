//! Windows of whole segments, as Linux has them: when they grow, what a cut leaves, and what becomes of what
//! was acknowledged towards the next segment.

use weir_tcp::congestion::{
    CongestionConfig, CubicParameters, DctcpParameters, FriendlyGrowth, RenoParameters, SlowStartConfig,
    SsthreshFrom, TargetRtt, WindowEnd,
};
use weir_types::{Duration, Instant, Probability};

use super::{Bench, near};

fn reno() -> RenoParameters {
    RenoParameters { ssthresh_from: SsthreshFrom::Window, integer_cwnd: true, ..RenoParameters::default() }
}

fn cubic(change: impl FnOnce(&mut CubicParameters)) -> CongestionConfig {
    let mut parameters = CubicParameters {
        slow_start: SlowStartConfig::Standard,
        friendly_growth: FriendlyGrowth::Alpha,
        target_rtt: TargetRtt::Min,
        integer_cwnd: true,
        ..CubicParameters::default()
    };
    change(&mut parameters);
    CongestionConfig::Cubic(parameters)
}

#[test]
fn reno_grows_when_a_window_has_been_acknowledged() {
    let mut bench = Bench::new(&CongestionConfig::Reno(reno()), 4.0);
    let windows: Vec<f64> = (0..9)
        .map(|_| {
            bench.ack(1, false);
            bench.window.cwnd
        })
        .collect();
    assert_eq!(windows, [4.0, 4.0, 4.0, 5.0, 5.0, 5.0, 5.0, 5.0, 6.0]);
}

/// Seven are halved to three; what had been acknowledged towards the eighth is forgotten.
#[test]
fn a_cut_is_rounded_down_and_begins_anew() {
    let mut bench = Bench::new(&CongestionConfig::Reno(reno()), 7.0);
    bench.ack(6, false);
    bench.loss();
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (3.0, 3.0));
    bench.ack(2, false);
    near(bench.window.cwnd, 3.0, 0.0);
    bench.ack(1, false);
    near(bench.window.cwnd, 4.0, 0.0);
    bench.window = weir_tcp::congestion::Window { cwnd: 3.0, ssthresh: 3.0, ..bench.window };
    bench.loss();
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (2.0, 2.0), "never below two");
}

/// An ACK that slow start needs in part only: the rest counts for congestion avoidance.
#[test]
fn slow_start_ends_at_its_threshold() {
    let mut bench = Bench::new(&CongestionConfig::Reno(reno()), 4.0);
    bench.window.cwnd = 3.0;
    bench.ack(3, false);
    near(bench.window.cwnd, 4.0, 0.0);
    bench.ack(2, false);
    near(bench.window.cwnd, 5.0, 0.0);
}

/// 9/17 of a segment a round trip, before and beyond the window of the last cut.
#[test]
fn cubic_may_stay_slower_than_reno() {
    let grown = |friendly_growth| {
        let mut bench = Bench::new(&cubic(|it| (it.friendly_growth, it.c) = (friendly_growth, 1e-6)), 20.0);
        bench.loss();
        (bench.una, bench.high) = (1, 15);
        near(bench.window.cwnd, 14.0, 0.0);
        for _ in 0..60 {
            bench.round(0);
            near(bench.window.cwnd.fract(), 0.0, 0.0);
        }
        bench.window.cwnd
    };
    near(grown(FriendlyGrowth::Alpha), 14.0 + 60.0 * 9.0 / 17.0, 3.0);
    assert!(grown(FriendlyGrowth::OneFromPrior) > 50.0, "{}", grown(FriendlyGrowth::OneFromPrior));
}

/// Whole segments on the curve of the RFC, a round trip ahead of it.
#[test]
fn cubic_climbs_its_curve_in_steps() {
    let mut bench = Bench::new(&cubic(|it| it.reno_friendly = false), 100.0);
    bench.rtt = Duration::from_millis(10);
    bench.loss();
    (bench.una, bench.high) = (1, 71);
    bench.ack(1, false);
    let curve = |t: f64| 0.4 * (t - 4.217_163).powi(3) + 100.0;
    let begun = bench.now;
    while bench.now.since(begun) < Duration::from_secs(7) {
        bench.round(0);
        near(bench.window.cwnd, curve(bench.now.since(begun).as_secs_f64()), 2.0);
    }
    assert!(bench.window.cwnd > 105.0);
}

#[test]
fn the_least_round_trip_looks_less_far_ahead() {
    let target_of = |ahead| {
        let mut bench = Bench::new(
            &cubic(|it| (it.target_rtt, it.integer_cwnd, it.reno_friendly) = (ahead, false, false)),
            100.0,
        );
        bench.rtt = Duration::from_millis(20);
        bench.ack(0, false);
        bench.loss();
        bench.rtt = Duration::from_secs(1);
        bench.ack(1, false);
        bench.window.cwnd
    };
    assert!(target_of(TargetRtt::Smoothed) > target_of(TargetRtt::Min));
}

/// At alpha 1/2 a quarter is cut: none of three segments, two of ten.
#[test]
fn dctcp_cuts_whole_segments() {
    for (cwnd, left) in [(3.0, 3.0), (10.0, 8.0)] {
        let parameters = DctcpParameters {
            initial_alpha: Probability::new(0.5).unwrap(),
            integer_cwnd: true,
            reno: reno(),
            ..DctcpParameters::default()
        };
        let mut bench = Bench::new(&CongestionConfig::Dctcp(parameters), cwnd);
        bench.ack(cwnd as u32 - 1, false);
        bench.mark();
        near(bench.window.cwnd, left, 0.0);
        bench.ack(left as u32 - 1, false);
        near(bench.window.cwnd, left, 0.0);
    }
}

/// Windows of two, acknowledged one by one: what was out at an ACK is acknowledged by the next, and more than
/// that by the one after it.
#[test]
fn a_round_ends_with_what_was_sent_or_beyond_it() {
    let renewed = |window_end| {
        let parameters = DctcpParameters { window_end, ..DctcpParameters::default() };
        let mut bench = Bench::new(&CongestionConfig::Dctcp(parameters), 2.0);
        let mut alphas = vec![bench.variable("alpha")];
        for _ in 0..8 {
            (bench.window.cwnd, bench.now) = (2.0, bench.now + Duration::from_millis(100));
            bench.ack(1, false);
            alphas.push(bench.variable("alpha"));
        }
        assert!(bench.now > Instant::ZERO);
        alphas.windows(2).filter(|pair| pair[1] < pair[0]).count()
    };
    assert_eq!((renewed(WindowEnd::Reached), renewed(WindowEnd::Passed)), (8, 4));
}
