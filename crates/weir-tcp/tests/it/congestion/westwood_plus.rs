//! Westwood+: samples of the bandwidth by hand, and the window that a loss leaves.

use weir_tcp::congestion::{CongestionConfig, Repair, WestwoodPlusParameters};
use weir_types::{Duration, Instant};

use super::{Bench, near};

fn with(parameters: WestwoodPlusParameters) -> Bench {
    Bench::new(&CongestionConfig::WestwoodPlus(parameters), 30.0)
}

fn bench() -> Bench {
    with(WestwoodPlusParameters::default())
}

/// So many ACKs of `acked` segments each, `gap` ms apart.
fn acks(bench: &mut Bench, count: u32, acked: u32, gap: u64) {
    for _ in 0..count {
        bench.now += Duration::from_millis(gap);
        bench.ack(acked, false);
    }
}

/// From 10 to 120 ms eleven segments arrive, the one at 120 ms not among them: 100 a second. The path holds 10 in its
/// round trip of 100 ms, and the window becomes that, not half of 30.
#[test]
fn a_loss_leaves_what_the_path_has_carried() {
    let mut bench = bench();
    acks(&mut bench, 12, 1, 10);
    assert_eq!(bench.now, Instant::from_nanos(120_000_000));
    near(bench.variable("bandwidth"), 100.0, 1e-9);
    near(bench.variable("min_rtt"), 0.1, 0.0);
    let grown = bench.window.cwnd;
    assert!(grown > 30.0, "{grown}");
    assert_eq!(bench.loss(), Repair::Recover);
    near(bench.window.ssthresh, 10.0, 1e-9);
    near(bench.window.cwnd, 10.0, 1e-9);
}

/// A sample ends with the first ACK after a round trip: 110 ms here, since 100 is no more than 100.
#[test]
fn a_sample_lasts_longer_than_a_round_trip() {
    let mut bench = bench();
    acks(&mut bench, 11, 1, 10);
    near(bench.variable("bandwidth"), 0.0, 0.0);
    acks(&mut bench, 1, 1, 10);
    near(bench.variable("bandwidth"), 100.0, 1e-9);
}

/// 21 segments in the next 105 ms are 200 a second: 7/8 of 100 and 1/8 of 200. Filtered twice, 7/8 of 100 and 1/8 of
/// that.
#[test]
fn an_eighth_of_a_sample_enters_the_estimate() {
    for (filter_twice, expected) in [(false, 112.5), (true, 101.5625)] {
        let mut bench = with(WestwoodPlusParameters { filter_twice, ..Default::default() });
        acks(&mut bench, 12, 1, 10);
        acks(&mut bench, 21, 1, 5);
        near(bench.variable("bandwidth"), expected, 1e-9);
    }
}

/// Four duplicates and the ACK of five that ends the hole are five segments: as many as five ACKs of one.
#[test]
fn duplicates_count_once() {
    let mut bench = bench();
    acks(&mut bench, 1, 1, 10);
    acks(&mut bench, 4, 0, 10);
    acks(&mut bench, 1, 5, 10);
    acks(&mut bench, 6, 1, 10);
    near(bench.variable("bandwidth"), 100.0, 1e-9);
}

/// Six duplicates and an ACK of three: the ACK is one more, and three of its duplicates wait for the next.
#[test]
fn an_ack_of_less_than_its_duplicates_counts_one() {
    let mut bench = bench();
    acks(&mut bench, 1, 1, 10);
    acks(&mut bench, 6, 0, 10);
    acks(&mut bench, 1, 3, 10);
    // Four of which three are counted: one.
    acks(&mut bench, 1, 4, 10);
    acks(&mut bench, 3, 1, 10);
    near(bench.variable("bandwidth"), 100.0, 1e-9);
}

/// A round trip of 10 ms is shorter than the least that a sample covers, 50 ms. ACKs come every 5 ms, and the first
/// begins the sample: the twelfth ends it, or the fourth if nothing is the least.
#[test]
fn a_short_round_trip_waits_for_a_longer_sample() {
    for (min_sample, number) in [(50, 12), (0, 4)] {
        let min_sample = Duration::from_millis(min_sample);
        let mut bench = with(WestwoodPlusParameters { min_sample, ..Default::default() });
        bench.rtt = Duration::from_millis(10);
        let sampled = (1..20).find(|_| {
            acks(&mut bench, 1, 1, 5);
            bench.variable("bandwidth") > 0.0
        });
        assert_eq!(sampled, Some(number), "{min_sample:?}");
    }
}

/// A mark cuts as a loss does; a timeout leaves one segment, and slow start up to the same threshold.
#[test]
fn marks_and_timeouts_have_the_same_threshold() {
    let (mut marked, mut late) = (bench(), bench());
    for bench in [&mut marked, &mut late] {
        acks(bench, 12, 1, 10);
    }
    marked.mark();
    late.timeout();
    near(marked.window.cwnd, 10.0, 1e-9);
    near(late.window.cwnd, 1.0, 0.0);
    near(late.window.ssthresh, 10.0, 1e-9);
}

/// A window below what the path carries stays: a loss there is no sign of a full queue.
#[test]
fn a_loss_never_raises_the_window() {
    let mut bench = Bench::new(&CongestionConfig::from_name("westwood-plus").unwrap(), 4.0);
    acks(&mut bench, 23, 1, 5);
    near(bench.variable("bandwidth"), 200.0, 1e-9);
    bench.window.cwnd = 6.0;
    bench.loss();
    near(bench.window.cwnd, 6.0, 0.0);
    near(bench.window.ssthresh, 20.0, 1e-9);
}

/// Before a sample nothing is known of the path: two segments, as in Linux.
#[test]
fn a_loss_before_a_sample_leaves_two_segments() {
    let mut bench = bench();
    bench.loss();
    near(bench.window.cwnd, 2.0, 0.0);
}

/// It grows as Reno.
#[test]
fn an_ack_grows_the_window_as_renos() {
    let (mut bench, mut reno) = (bench(), Bench::new(&CongestionConfig::from_name("reno").unwrap(), 30.0));
    for bench in [&mut bench, &mut reno] {
        bench.round(0);
    }
    assert_eq!(bench.window, reno.window);
}
