//! Reno's law: a signal rate p allows a window of sqrt(3 / (2 p)) segments.

use std::{collections::VecDeque, sync::Arc};

use weir_tcp::{Receiver, Segment, Sender, TcpParameters};
use weir_types::{Duration, Ecn, Instant, Streams};

const ROUND_TRIP: Duration = Duration::from_millis(100);

/// Segments delivered per round trip over a path that has room for everything. The path signals
/// each segment independently with probability `p`, by a mark or by losing it.
fn mean_window(p: f64, marks: bool) -> f64 {
    let parameters = Arc::new(TcpParameters { ecn: marks, ..TcpParameters::default() });
    let mut sender = Sender::new(0, 1000, Arc::clone(&parameters));
    let mut receiver = Receiver::new(0, &parameters);
    let mut rng = Streams::new(1).at("path");
    // ACKs on their way: the receiver sits beside the sender, the way is all on one side.
    let mut acks: VecDeque<(Instant, Segment)> = VecDeque::new();
    let (begin, end) = (Instant::ZERO + ROUND_TRIP * 500, Instant::ZERO + ROUND_TRIP * 20_500);
    let (mut now, mut before) = (Instant::ZERO, 0);
    sender.start();
    while now < end {
        while let Some(mut segment) = sender.poll_segment(now) {
            let signalled = rng.chance(p);
            if signalled && marks && segment.ecn().is_markable() {
                segment.header = segment.header.with_ecn(Ecn::Ce);
            } else if signalled && !marks {
                continue;
            }
            acks.extend(receiver.on_segment(&segment, now).map(|ack| (now + ROUND_TRIP, ack)));
        }
        let arrival = acks.front().map_or(Instant::MAX, |(due, _)| *due);
        now = arrival.min(sender.timeout());
        if sender.timeout() <= arrival {
            sender.on_timeout(now);
        } else if let Some((_, ack)) = acks.pop_front() {
            sender.on_ack(&ack, now);
        }
        if now < begin {
            before = receiver.delivered();
        }
    }
    f64::from(receiver.delivered() - before) / 20_000.0
}

#[test]
fn the_window_is_the_root_of_three_over_two_p() {
    for p in [0.0005_f64, 0.002, 0.008] {
        let theory = (1.5 / p).sqrt();
        let (marked, lost) = (mean_window(p, true), mean_window(p, false));
        // The law leaves out timeouts, and that several signals of one window count once: with
        // losses it is an upper bound, and closer the rarer they are.
        assert!((marked / theory - 1.0).abs() < 0.12, "marks, p = {p}: {marked}, not {theory}");
        assert!(lost > 0.75 * theory && lost < 1.1 * theory, "losses, p = {p}: {lost}, not {theory}");
    }
}

#[test]
fn a_quarter_of_the_signals_allows_twice_the_window() {
    let ratio = mean_window(0.001, true) / mean_window(0.004, true);
    assert!((ratio - 2.0).abs() < 0.15, "ratio {ratio}");
}
