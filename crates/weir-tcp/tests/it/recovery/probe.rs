//! When the tail is probed (RFC 8985, section 7.2).

use std::sync::Arc;

use weir_tcp::{
    Flags, Header, Segment, Sender, TcpParameters, TcpPreset,
    recovery::{LossDetection, SackParameters},
};
use weir_types::{Duration, Ecn, Instant};

use super::rfc6675::tcp;

fn at(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

fn probing() -> SackParameters {
    SackParameters { detection: LossDetection::Rack, tlp: true, ..SackParameters::default() }
}

fn leaving(sender: &mut Sender, now: Instant) -> Vec<u32> {
    std::iter::from_fn(|| sender.poll_segment(now)).map(|segment| segment.number).collect()
}

fn acknowledge(sender: &mut Sender, number: u32, stamp: Instant, now: Instant) -> Vec<u32> {
    let header = Header::new(40, Ecn::NotEct, Flags::ACK);
    sender.on_ack(&Segment { stamp, flow: 0, number, header }, now);
    leaving(sender, now)
}

/// A transfer of so many segments, connected after `millis`: they leave then, and nothing comes back.
fn transfer(segments: u32, millis: u64, parameters: TcpParameters) -> Sender {
    let mut sender = Sender::new(0, 1000, Arc::new(parameters));
    sender.start_with(segments, 1000);
    assert_eq!(leaving(&mut sender, Instant::ZERO), [0]);
    let data: Vec<u32> = (1..=segments).collect();
    assert_eq!(acknowledge(&mut sender, 1, Instant::ZERO, at(millis)), data);
    sender
}

/// The time at which the sender is due next, in milliseconds, and all that leaves then.
fn next(sender: &mut Sender) -> (u64, Vec<u32>) {
    let now = sender.timeout();
    sender.on_timeout(now);
    (now.since(Instant::ZERO).as_nanos() / 1_000_000, leaving(sender, now))
}

/// A transfer of one segment, which is lost. With the values of Linux, the RTO is the round trip and 200 ms, since
/// four times its variation are less. PTO is two round trips and 200 ms, so the probe leaves at the RTO.
/// The timer then starts anew and has not been backed off.
#[test]
fn a_single_segment_is_probed_when_the_timer_would_expire() {
    for (round_trip, rto) in [(1, 201), (20, 220), (50, 250)] {
        let mut sender = transfer(1, round_trip, TcpPreset::Linux.parameters());
        let window = sender.cwnd();
        assert_eq!(next(&mut sender), (round_trip + rto, vec![1]));
        assert_eq!(sender.counters().timeouts, 0, "a probe");
        assert_eq!(sender.cwnd().to_bits(), window.to_bits());
        assert_eq!(next(&mut sender), (round_trip + 2 * rto, vec![1]), "the probe is lost, too");
        assert_eq!(sender.counters().timeouts, 1);
        assert_eq!(
            next(&mut sender),
            (round_trip + 4 * rto, vec![1]),
            "no second probe, but a second timeout"
        );
        assert_eq!(sender.counters().timeouts, 2);
    }
}

/// Two segments wait for no delayed ACK. The RTO is the round trip and at least 200 ms, at first three round trips.
#[test]
fn several_segments_are_probed_after_two_round_trips() {
    for (round_trip, probe) in [(20, 40), (60, 120), (150, 300)] {
        let mut sender = transfer(2, round_trip, TcpPreset::Linux.parameters());
        assert_eq!(next(&mut sender), (round_trip + probe, vec![2]));
        assert_eq!(sender.counters().timeouts, 0);
    }
}

/// The RFC's timeouts are not below 1 s and at first three round trips. Two round trips, and 200 ms for the ACK of a
/// single segment, are less.
#[test]
fn the_timeouts_of_the_rfc_leave_the_probe_its_time() {
    for (round_trip, probe) in [(20, 240), (450, 1100)] {
        let mut sender = transfer(1, round_trip, TcpParameters { timestamps: true, ..tcp(probing()) });
        assert_eq!(next(&mut sender), (round_trip + probe, vec![1]));
        assert_eq!(sender.counters().timeouts, 0);
    }
}

/// No round trip is known, as the SYN was sent twice and has no timestamp: 1 s, where the RTO is 3 s.
#[test]
fn before_a_round_trip_is_known_it_is_a_second() {
    let mut sender = Sender::new(0, 1000, Arc::new(tcp(probing())));
    sender.start_with(1, 1000);
    assert_eq!(leaving(&mut sender, Instant::ZERO), [0]);
    assert_eq!(next(&mut sender), (1000, vec![0]), "the SYN again");
    assert_eq!(acknowledge(&mut sender, 1, at(1000), at(1100)), [1]);
    assert_eq!(next(&mut sender), (2100, vec![1]));
    assert_eq!(sender.counters().timeouts, 1, "that of the SYN");
    assert_eq!(next(&mut sender), (5100, vec![1]), "3 s after the probe");
    assert_eq!(sender.counters().timeouts, 2);
}

/// The probe of a single segment repairs its loss: neither a timeout nor a recovery is counted.
#[test]
fn a_probe_that_arrives_ends_the_transfer() {
    let mut sender = transfer(1, 20, TcpPreset::Linux.parameters());
    assert_eq!(next(&mut sender), (240, vec![1]));
    assert!(acknowledge(&mut sender, 2, at(240), at(260)).is_empty());
    assert_eq!(sender.timeout(), Instant::MAX);
    let counters = sender.counters();
    assert_eq!((counters.timeouts, counters.fast_retransmits, counters.retransmitted), (0, 0, 1));
}
