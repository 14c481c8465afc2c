//! Where slow start ends without a loss: `HyStart++` (RFC 9406), and what Linux has.

use weir_tcp::congestion::{
    CongestionConfig, HystartParameters, HystartPlusParameters, RenoParameters, SlowStartConfig,
};
use weir_types::Duration;

use super::{Bench, near};

fn reno(slow_start: SlowStartConfig) -> Bench {
    let parameters = RenoParameters { slow_start, ..RenoParameters::default() };
    let mut bench = Bench::new(&CongestionConfig::Reno(parameters), 10.0);
    bench.window.ssthresh = f64::INFINITY;
    bench
}

fn hystart_plus() -> Bench {
    reno(SlowStartConfig::HystartPlus(HystartPlusParameters::default()))
}

/// The window at the end of every round, with these round trips in milliseconds.
fn windows(bench: &mut Bench, rtts: &[u64]) -> Vec<u32> {
    let round = |rtt: &u64| {
        bench.rtt = Duration::from_millis(*rtt);
        bench.round(0);
        bench.window.cwnd as u32
    };
    rtts.iter().map(round).collect()
}

/// 100 ms, then 113 ms: eta = 12.5 ms, and after eight samples the window grows by a quarter. Five
/// rounds later, the one of the entry among them, slow start is over.
#[test]
fn round_trips_that_grow_slow_it_down_and_end_it() {
    let mut bench = hystart_plus();
    // Rounds of the congestion control are a segment longer than those of the bench.
    assert_eq!(windows(&mut bench, &[100, 100]), [20, 40]);
    let grown = windows(&mut bench, &[113]);
    assert!((50..60).contains(&grown[0]), "a quarter of 40 after eight or nine: {grown:?}");
    let slow = windows(&mut bench, &[113, 113, 113, 113]);
    for pair in slow.windows(2) {
        assert!(pair[1] * 4 <= pair[0] * 5 + 4, "a quarter a round: {slow:?}");
    }
    assert!(bench.window.ssthresh.is_infinite());
    let before = windows(&mut bench, &[113])[0];
    assert!(bench.window.ssthresh.is_finite(), "five rounds are over");
    let after = windows(&mut bench, &[113])[0];
    assert!(after <= before + 1, "congestion avoidance: {before}, {after}");
}

/// Growth below eta is none.
#[test]
fn an_eighth_is_allowed() {
    let mut bench = hystart_plus();
    assert_eq!(windows(&mut bench, &[100, 100, 112, 112]), [20, 40, 80, 160]);
}

/// Round trips fall back below those at the entry: it was not the queue, and the window doubles again.
#[test]
fn a_passing_delay_is_forgiven() {
    let mut bench = hystart_plus();
    let slow = windows(&mut bench, &[100, 120, 100])[2];
    let after = windows(&mut bench, &[100])[0];
    assert!(after > slow * 9 / 5, "{slow}, then {after}");
}

#[test]
fn hystart_ends_slow_start_at_once_when_delay_grows() {
    let delay = HystartParameters { train: false, ..HystartParameters::default() };
    let mut bench = reno(SlowStartConfig::Hystart(delay));
    assert_eq!(windows(&mut bench, &[100, 100]), [20, 40]);
    let ended = windows(&mut bench, &[113])[0];
    assert!((48..=50).contains(&ended), "after eight samples: {ended}");
    assert!(bench.window.ssthresh.is_finite());
}

/// 40 ACKs that come in 100 ms, the train of a round: half the round trip after its start.
#[test]
fn hystart_ends_slow_start_when_a_train_fills_half_the_round_trip() {
    let train = HystartParameters { delay: false, spacing: Duration::from_millis(3), ..Default::default() };
    let mut bench = reno(SlowStartConfig::Hystart(train));
    assert_eq!(windows(&mut bench, &[100, 100]), [20, 40]);
    let ended = windows(&mut bench, &[100])[0];
    assert!((58..=64).contains(&ended), "half of 40 more: {ended}");
    let mut bench = reno(SlowStartConfig::Hystart(HystartParameters { delay: false, ..Default::default() }));
    assert_eq!(windows(&mut bench, &[100, 100, 100]), [20, 40, 80], "2.5 ms apart are no train");
}

/// The threshold is no longer unknown (RFC 9406, section 4.3): after a loss slow start is the plain one.
#[test]
fn a_cut_ends_it_for_good() {
    let mut bench = hystart_plus();
    windows(&mut bench, &[100, 100]);
    bench.loss();
    near(bench.window.ssthresh, 20.0, 0.0);
    bench.window.ssthresh = f64::INFINITY;
    (bench.una, bench.high) = (1, 21);
    assert_eq!(windows(&mut bench, &[100, 150, 200]), [40, 80, 160]);
}
