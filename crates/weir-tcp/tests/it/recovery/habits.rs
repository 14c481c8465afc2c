//! Habits of Linux beside RACK and PRR: how it answers marks, when it acknowledges them, when it grows again, and
//! how it asks for a connection.

use std::sync::Arc;

use weir_tcp::{
    Flags, Header, Receiver, Segment, Sender, TcpParameters, congestion::CongestionConfig,
    recovery::SackParameters,
};
use weir_types::{Duration, Ecn, Instant};

use super::rfc6675::{Desk, tcp};

/// A mark at a window of ten: five at once, or one less for every second segment until five are left.
#[test]
fn a_mark_is_answered_over_a_round_trip() {
    let windows = |prr_on_mark| {
        let sack = SackParameters { prr_on_mark, ..SackParameters::default() };
        let mut desk = Desk::new(TcpParameters { ecn: true, ..tcp(sack) });
        let echo = Flags::ACK.with(Flags::ECE, true);
        let mut sent = desk.ack_with(1, &[], Instant::ZERO, echo).len();
        let mut windows = vec![desk.window().0];
        for last in 2..=10 {
            sent += desk.ack_with(last, &[], Instant::ZERO, Flags::ACK).len();
            windows.push(desk.window().0);
        }
        assert_eq!(desk.sender.counters().mark_cuts, 1);
        assert_eq!(desk.window().1.to_bits(), 5.0_f64.to_bits(), "the threshold");
        (windows, sent)
    };
    let (at_once, after) = windows(false);
    assert!(at_once.iter().all(|window| (5.0..7.0).contains(window)), "{at_once:?}");
    assert!(at_once[9] > 5.0, "it grows meanwhile");
    assert!(after >= 5);
    let (walked, sent) = windows(true);
    assert_eq!(walked, [10.0, 9.0, 9.0, 8.0, 8.0, 7.0, 7.0, 6.0, 5.0, 5.0]);
    assert_eq!(sent, 5, "half of what is acknowledged");
}

/// Beyond what was sent before the mark the window is the target, and grows.
#[test]
fn after_the_round_trip_it_grows_again() {
    let sack = SackParameters { prr_on_mark: true, ..SackParameters::default() };
    let mut desk = Desk::new(TcpParameters { ecn: true, ..tcp(sack) });
    desk.ack_with(1, &[], Instant::ZERO, Flags::ACK.with(Flags::ECE, true));
    for last in 2..=10 {
        desk.ack(last, &[]);
    }
    let (before, threshold) = desk.window();
    assert!(before <= threshold, "{before}");
    desk.ack(11, &[]);
    assert!(desk.window().0 > threshold, "{:?}", desk.window());
}

/// A single loss, and the ACK that ends its recovery.
#[test]
fn the_last_ack_of_recovery_may_let_the_window_grow() {
    let window = |grow_on_full_ack| {
        let mut desk = Desk::new(tcp(SackParameters { grow_on_full_ack, ..SackParameters::default() }));
        for last in 2..=10 {
            desk.ack(0, &[(2, last)]);
        }
        assert_eq!(desk.window(), (5.0, 5.0));
        desk.ack(12, &[]);
        desk.window().0
    };
    assert!((window(false) - 5.0).abs() < 1e-12);
    // One, eleven and twelve are news, and each counts a fifth.
    assert!((window(true) - 5.6).abs() < 1e-12, "{}", window(true));
}

/// Which of these segments are acknowledged at once, by number, and with what echo. `c`: marked; `w`: the
/// window was cut; `b`: both; `-`: neither. What leaves before them is told too.
fn prompt(name: &str, immediate_ecn_echo: bool, segments: &str) -> Vec<(u32, bool)> {
    let mut receiver = Receiver::new(
        0,
        &TcpParameters {
            congestion: CongestionConfig::from_name(name).unwrap(),
            delayed_ack: Some(Duration::from_millis(40)),
            immediate_ecn_echo,
            handshake: false,
            ecn: true,
            ..TcpParameters::default()
        },
    );
    let mut acks = Vec::new();
    for (number, kind) in segments.chars().enumerate() {
        let now = Instant::ZERO + Duration::from_millis(1) * number as u64;
        let segment = Segment {
            stamp: now,
            flow: 0,
            number: number as u32,
            header: Header::new(
                1000,
                if "cb".contains(kind) { Ecn::Ce } else { Ecn::Ect0 },
                Flags::NONE.with(Flags::CWR, "wb".contains(kind)),
            ),
        };
        acks.extend(receiver.on_segment(&segment, now));
        if receiver.timeout() <= now {
            acks.extend(receiver.on_timeout());
        }
    }
    acks.iter().map(|ack| (ack.number, ack.flags().has(Flags::ECE))).collect()
}

#[test]
fn news_of_marks_is_not_delayed() {
    let delayed = [(2, false), (4, true), (6, true), (8, false)];
    assert_eq!(prompt("reno", false, "--c---w-"), delayed);
    let at_once = [(2, false), (3, true), (4, true), (6, true), (7, false)];
    assert_eq!(prompt("reno", true, "--c---w-"), at_once, "the mark, the next, and the cut");
}

/// DCTCP: what was delayed leaves first, and what differs from it after it.
#[test]
fn a_change_of_marks_is_told_twice() {
    assert_eq!(prompt("dctcp", false, "-cc--"), [(1, false), (3, true), (5, false)]);
    assert_eq!(prompt("dctcp", true, "-cc--"), [(1, false), (2, true), (3, true), (4, false)]);
}

/// The SYN goes out again after 1, 1, 1, 1, 1, 2 and 4 s, or doubles from the first on.
#[test]
fn syns_may_keep_their_pace() {
    let times = |syn_linear_timeouts| {
        let parameters = TcpParameters { syn_linear_timeouts, ..TcpParameters::default() };
        let mut sender = Sender::new(0, 1000, Arc::new(parameters));
        let mut now = Instant::ZERO;
        sender.start();
        assert!(sender.poll_segment(now).is_some());
        let mut times = Vec::new();
        for _ in 0..7 {
            let due = sender.timeout();
            times.push(due.since(now).as_secs_f64());
            now = due;
            sender.on_timeout(now);
            assert!(sender.poll_segment(now).is_some());
        }
        times
    };
    assert_eq!(times(0), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0]);
    assert_eq!(times(4), [1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 4.0]);
}
