//! LEDBAT and LEDBAT++: their rules step by step, and where they come to rest.

use weir_tcp::congestion::{CongestionConfig, LedbatParameters, LedbatPlusPlusParameters, Repair};
use weir_types::{Duration, Instant};

use super::{Bench, near};

const BASE: Duration = Duration::from_millis(40);

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// In congestion avoidance at `cwnd`, with the base delay known.
fn bench(config: &CongestionConfig, cwnd: f64) -> Bench {
    let mut bench = Bench::new(config, cwnd);
    bench.rtt = BASE;
    bench.ack(0, false);
    bench
}

fn ledbat(cwnd: f64) -> Bench {
    bench(&CongestionConfig::Ledbat(LedbatParameters::default()), cwnd)
}

/// LEDBAT++ past its first slow start, which the first ACK ends since the threshold is reached.
fn plus_plus(cwnd: f64) -> Bench {
    bench(&CongestionConfig::LedbatPlusPlus(LedbatPlusPlusParameters::default()), cwnd)
}

/// Four ACKs that acknowledge nothing fill the filter of the current delay.
fn queue(bench: &mut Bench, queueing: Duration) {
    bench.rtt = BASE + queueing;
    (0..4).for_each(|_| bench.ack(0, false));
}

/// RFC 6817, section 2.4.2: `off_target` is 1 - queueing / 100 ms, which is 1, 1/2, 0, -1/2 and -2 here. An ACK of two
/// segments at a window of 20 changes it by 2 / 20 of that.
#[test]
fn the_window_moves_by_the_distance_from_the_target() {
    for (queueing, off_target) in [(0, 1.0), (50, 0.5), (100, 0.0), (150, -0.5), (300, -2.0)] {
        let mut bench = ledbat(20.0);
        queue(&mut bench, ms(queueing));
        bench.ack(2, false);
        near(bench.window.cwnd, 20.0 + off_target * 0.1, 1e-9);
        near(bench.variable("queuing_delay"), queueing as f64 / 1000.0, 1e-9);
    }
}

/// The least of the last four delays counts: one late ACK does not.
#[test]
fn a_single_late_ack_is_filtered_out() {
    let mut bench = ledbat(20.0);
    queue(&mut bench, ms(50));
    bench.rtt = BASE + ms(500);
    (0..3).for_each(|_| bench.ack(0, false));
    near(bench.variable("queuing_delay"), 0.050, 1e-9);
    bench.ack(0, false);
    near(bench.variable("queuing_delay"), 0.500, 1e-9);
}

/// No delay counts that is older than a round trip: at a small window it takes longer than that to fill the filter.
#[test]
fn delays_of_an_earlier_round_trip_do_not_count() {
    let mut bench = ledbat(20.0);
    queue(&mut bench, ms(50));
    bench.now += ms(139);
    bench.rtt = BASE + ms(100);
    bench.ack(0, false);
    near(bench.variable("queuing_delay"), 0.050, 1e-9);
    bench.now += ms(2);
    bench.ack(0, false);
    near(bench.variable("queuing_delay"), 0.100, 1e-9);
}

/// A minimum for each of ten minutes: a longer path is believed when the last minute of the shorter one is ten
/// minutes ago, a shorter one at once.
#[test]
fn the_base_delay_looks_back_ten_minutes() {
    let mut bench = ledbat(20.0);
    bench.rtt = ms(70);
    for minute in 1..=9 {
        bench.now = Instant::ZERO + Duration::from_secs(60 * minute);
        bench.ack(0, false);
        near(bench.variable("base_delay"), 0.040, 1e-9);
    }
    bench.now = Instant::ZERO + Duration::from_secs(600);
    bench.ack(0, false);
    near(bench.variable("base_delay"), 0.070, 1e-9);
    bench.rtt = ms(65);
    bench.ack(0, false);
    near(bench.variable("base_delay"), 0.065, 1e-9);
}

/// `ALLOWED_INCREASE`: no more than one segment above what was in flight, here 5.
#[test]
fn an_unused_window_is_taken_back() {
    let mut bench = ledbat(20.0);
    bench.high = bench.una + 5;
    bench.ack(1, false);
    near(bench.window.cwnd, 6.0, 1e-9);
}

/// Half, at least two segments; a loss at less leaves the window. A timeout leaves one, and the next ACK two.
#[test]
fn a_loss_halves_and_a_timeout_leaves_one() {
    for (before, after) in [(20.0, 10.0), (3.0, 2.0), (1.0, 1.0)] {
        let mut bench = ledbat(before);
        assert_eq!(bench.loss(), Repair::Recover);
        near(bench.window.cwnd, after, 1e-9);
    }
    let mut bench = ledbat(20.0);
    bench.mark();
    near(bench.window.cwnd, 10.0, 1e-9);
    bench.timeout();
    near(bench.window.cwnd, 1.0, 1e-9);
    bench.ack(1, false);
    near(bench.window.cwnd, 2.0, 1e-9);
}

/// Slow start by choice: doubles until the queue is as long as the target.
#[test]
fn slow_start_ends_at_the_target() {
    let parameters = LedbatParameters { slow_start: true, ..LedbatParameters::default() };
    let mut bench = bench(&CongestionConfig::Ledbat(parameters), 10.0);
    bench.window.ssthresh = f64::INFINITY;
    bench.round(0);
    near(bench.window.cwnd, 20.0, 1e-9);
    queue(&mut bench, ms(100));
    bench.ack(1, false);
    near(bench.window.cwnd, 20.0, 1e-9);
    queue(&mut bench, ms(0));
    bench.ack(1, false);
    near(bench.window.cwnd, 20.05, 1e-9);
}

/// The gain by the base delay: 1 / ceil(120 ms / base), at least 1/16. At 50 ms it is 1/3.
#[test]
fn the_gain_grows_with_the_base_delay() {
    for (base, divisor) in [(1, 16.0), (8, 15.0), (20, 6.0), (50, 3.0), (120, 1.0), (200, 1.0)] {
        let mut bench = Bench::new(&CongestionConfig::from_name("ledbat-plus-plus").unwrap(), 10.0);
        bench.rtt = ms(base);
        bench.ack(1, false);
        near(bench.window.cwnd, 10.0 + 0.1 / divisor, 1e-9);
    }
}

/// Up to 60 ms the whole gain of 1/3; above it `1/3 - 20 (delay / 60 ms - 1)` per round, at most half of the window.
#[test]
fn the_decrease_is_in_proportion_to_the_window() {
    for (queueing, change) in
        [(0, 1.0 / 3.0), (60, 1.0 / 3.0), (66, 1.0 / 3.0 - 2.0), (75, 1.0 / 3.0 - 5.0), (300, -10.0)]
    {
        let mut bench = plus_plus(20.0);
        queue(&mut bench, ms(queueing));
        bench.ack(1, false);
        near(bench.window.cwnd, 20.0 + change / 20.0, 1e-9);
    }
}

/// Slow start at a gain of 1/3: a round multiplies the window by 4/3. It ends above 45 ms, not at 45 ms.
#[test]
fn the_first_slow_start_ends_at_three_quarters_of_the_target() {
    let mut bench = plus_plus(9.0);
    bench.window.ssthresh = f64::INFINITY;
    bench.round(0);
    near(bench.window.cwnd, 12.0, 1e-9);
    queue(&mut bench, ms(45));
    bench.ack(1, false);
    near(bench.window.cwnd, 12.0 + 1.0 / 3.0, 1e-9);
    queue(&mut bench, ms(46));
    bench.ack(1, false);
    assert!(bench.window.ssthresh < 13.0, "{:?}", bench.window);
}

/// Two round trips after slow start: two segments for two round trips, then 4/3 per round up to the window before.
/// The next slowdown waits for nine times as long as this one took.
#[test]
fn slowdowns_take_a_tenth_of_the_time() {
    let mut bench = plus_plus(30.0);
    bench.ack(1, false);
    let (mut least, mut changes, mut slow) = (f64::INFINITY, Vec::new(), 0.0);
    for rounds in 1_i32.. {
        bench.high = bench.una + bench.window.cwnd as u32;
        bench.round(0);
        least = least.min(bench.window.cwnd);
        if (bench.variable("slowdown") - slow).abs() > 0.5 {
            slow = 1.0 - slow;
            changes.push(rounds);
        }
        if changes.len() == 3 {
            break;
        }
    }
    near(least, 2.0, 1e-9);
    let (waited, slowed, until_next) = (changes[0], changes[1] - changes[0], changes[2] - changes[1]);
    assert!((2..=3).contains(&waited), "{changes:?}");
    // ln(30 / 2) / ln(4 / 3) is 9.4 rounds of slow start, after two of two segments; whole segments take longer.
    assert!((11..=16).contains(&slowed), "{changes:?}");
    assert!((until_next - 9 * slowed).abs() <= 9, "{changes:?}");
}

/// A loss in a slowdown is one of the window before it: half of that is what slow start returns to.
#[test]
fn a_loss_in_a_slowdown_halves_what_it_returns_to() {
    let mut bench = plus_plus(30.0);
    bench.ack(1, false);
    while bench.variable("slowdown") == 0.0 {
        bench.round(0);
    }
    let (cwnd, ssthresh) = (bench.window.cwnd, bench.window.ssthresh);
    assert_eq!(bench.loss(), Repair::Uncut);
    near(bench.window.cwnd, cwnd, 1e-9);
    near(bench.window.ssthresh, ssthresh / 2.0, 1e-9);
}

/// Bad parameters name themselves.
#[test]
fn parameters_are_checked() {
    let ledbat = LedbatParameters::default();
    let bad = [
        (LedbatParameters { target: Duration::ZERO, ..ledbat }, "target"),
        (LedbatParameters { target: Duration::from_millis(101), ..ledbat }, "target"),
        (LedbatParameters { gain: 0.0, ..ledbat }, "gain"),
        (LedbatParameters { gain: 1.01, ..ledbat }, "gain"),
        (LedbatParameters { base_history: 11, ..ledbat }, "base_history"),
        (LedbatParameters { current_filter: 0, ..ledbat }, "current_filter"),
        (LedbatParameters { min_cwnd: weir_types::Packets(1.0), ..ledbat }, "min_cwnd"),
    ];
    for (parameters, name) in bad {
        let error = CongestionConfig::Ledbat(parameters).check().unwrap_err();
        assert_eq!(error.parameter, name);
    }
}
