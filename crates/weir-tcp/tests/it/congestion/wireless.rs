//! `NewReno` for wireless paths: losses are repaired, marks halve.

use std::{collections::VecDeque, sync::Arc};

use weir_tcp::{
    Flags, Receiver, Segment, Sender, TcpParameters,
    congestion::{AfterTimeout, CongestionConfig, Repair, WirelessParameters},
};
use weir_types::{Duration, Ecn, Instant, Packets};

use super::{Bench, near};

fn wireless(timeout: AfterTimeout) -> CongestionConfig {
    CongestionConfig::Wireless(WirelessParameters { timeout, ..WirelessParameters::default() })
}

#[test]
fn a_loss_leaves_the_window_and_a_mark_halves_it() {
    let mut bench = Bench::new(&wireless(AfterTimeout::SlowStart), 20.0);
    assert_eq!(bench.loss(), Repair::Uncut);
    near(bench.window.cwnd, 20.0, 0.0);
    bench.ack(1, true);
    assert!((9.0..=10.0).contains(&bench.window.cwnd), "{:?}", bench.window);
    let halved = bench.window.cwnd;
    for _ in 0..10 {
        bench.ack(1, true);
    }
    near(bench.window.cwnd, halved, 0.0);
}

#[test]
fn a_timeout_halves_in_one_of_two_ways() {
    for (timeout, window) in [(AfterTimeout::SlowStart, (1.0, 10.0)), (AfterTimeout::Half, (10.0, 10.0))] {
        let mut bench = Bench::new(&wireless(timeout), 20.0);
        bench.timeout();
        assert_eq!((bench.window.cwnd, bench.window.ssthresh), window);
    }
}

/// A sender with a threshold of 16 over a path of 100 ms that loses these transmissions, numbered from
/// 0, and marks those: its windows after every ACK.
fn windows(lost: &[u32], marked: &[u32]) -> Vec<f64> {
    let parameters = Arc::new(TcpParameters {
        congestion: wireless(AfterTimeout::SlowStart),
        initial_ssthresh: Some(Packets(16.0)),
        handshake: false,
        ecn: true,
        ..TcpParameters::default()
    });
    let mut sender = Sender::new(0, 1000, Arc::clone(&parameters));
    let mut receiver = Receiver::new(0, &parameters);
    let mut acks: VecDeque<(Instant, Segment)> = VecDeque::new();
    let (mut now, mut transmission, mut windows) = (Instant::ZERO, 0, Vec::new());
    sender.start();
    while now < Instant::ZERO + Duration::from_secs(2) {
        while let Some(mut segment) = sender.poll_segment(now) {
            transmission += 1;
            if lost.contains(&(transmission - 1)) {
                continue;
            }
            if marked.contains(&(transmission - 1)) {
                segment.header = segment.header.with_ecn(Ecn::Ce);
            }
            let due = now + Duration::from_millis(100);
            acks.extend(receiver.on_segment(&segment, now).map(|ack| (due, ack)));
        }
        let (due, ack) = acks.pop_front().expect("there is always one under way");
        now = due;
        sender.on_ack(&ack, now);
        windows.push(sender.cwnd());
    }
    assert_eq!(sender.counters().timeouts, 0);
    assert_eq!(sender.counters().mark_cuts as usize, marked.len());
    assert_eq!(sender.counters().fast_retransmits as usize, lost.len().min(1));
    windows
}

#[test]
fn losses_cost_no_window() {
    let (without, with) = (windows(&[], &[]), windows(&[50, 53], &[]));
    assert!(with.iter().zip(with.iter().skip(1)).filter(|(before, after)| after < before).count() <= 2);
    let (without, with) = (without.last().unwrap(), with.last().unwrap());
    assert!(*with > without - 4.0, "{with} with losses, {without} without");
}

#[test]
fn a_mark_among_losses_still_halves() {
    let marked = windows(&[50, 53], &[60]);
    let peak = marked.iter().copied().fold(0.0, f64::max);
    let after = windows(&[50, 53], &[]);
    assert!(marked.last().unwrap() + 5.0 < *after.last().unwrap(), "{:?}", (marked.last(), after.last()));
    assert!(marked.iter().any(|window| *window < 0.6 * peak));
}

/// On a mixed path losses count as long as the latest ACK tells of a router that knows nothing of ECN.
/// They also count for a round trip after.
#[test]
fn on_a_mixed_path_losses_count_until_all_routers_are_known_to_mark() {
    let mixed = WirelessParameters { mixed_path: true, ..WirelessParameters::default() };
    let mut bench = Bench::new(&CongestionConfig::Wireless(mixed), 20.0);
    assert_eq!(bench.loss(), Repair::Recover, "nobody has said anything yet");
    near(bench.window.ssthresh, 10.0, 0.0);

    let mut bench = Bench::new(&CongestionConfig::Wireless(mixed), 20.0);
    bench.all_capable = true;
    bench.ack(1, false);
    assert_eq!(bench.loss(), Repair::Uncut, "every router understands");

    bench.all_capable = false;
    let sent = bench.high;
    bench.ack(1, false);
    bench.all_capable = true;
    while bench.una < sent {
        bench.ack(1, false);
        assert_eq!(bench.loss(), Repair::Recover, "less than a round trip ago one did not");
        (bench.window.cwnd, bench.window.ssthresh) = (20.0, 20.0);
    }
    bench.ack(1, false);
    assert_eq!(bench.loss(), Repair::Uncut);
}

/// The bit travels: the sender sets it, whoever does not understand clears it, the ACK returns it.
#[test]
fn acks_return_what_became_of_the_question() {
    for asks in [false, true] {
        let congestion = CongestionConfig::Wireless(WirelessParameters {
            mixed_path: asks,
            ..WirelessParameters::default()
        });
        let parameters = Arc::new(TcpParameters { congestion, ..TcpParameters::default() });
        let mut sender = Sender::new(0, 1000, Arc::clone(&parameters));
        let mut receiver = Receiver::new(0, &parameters);
        sender.start();
        let mut segment = sender.poll_segment(Instant::ZERO).expect("the first");
        assert_eq!(segment.flags().has(Flags::ALL_CAPABLE), asks);
        let ack = receiver.on_segment(&segment, Instant::ZERO).expect("at once");
        assert_eq!(ack.flags().has(Flags::ALL_CAPABLE), asks);
        segment.number = 1;
        segment.header = segment.header.with_flags(segment.flags().without(Flags::ALL_CAPABLE));
        let ack = receiver.on_segment(&segment, Instant::ZERO).expect("at once");
        assert!(!ack.flags().has(Flags::ALL_CAPABLE));
    }
}
