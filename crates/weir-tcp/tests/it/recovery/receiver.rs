//! When the receiver acknowledges (RFC 5681, section 4.2), and how Linux begins.

use weir_tcp::{
    Flags, Header, Receiver, Segment, TcpParameters,
    recovery::{RecoveryConfig, SackParameters},
};
use weir_types::{Duration, Ecn, Instant};

/// Segments a millisecond apart; for each whether it is acknowledged at once.
fn answers(receiver: &mut Receiver, numbers: impl IntoIterator<Item = u32>) -> Vec<bool> {
    let mut now = Instant::ZERO;
    let mut answer = |number| {
        now += Duration::from_millis(1);
        let segment =
            Segment { stamp: now, flow: 0, number, header: Header::new(1000, Ecn::NotEct, Flags::NONE) };
        receiver.on_segment(&segment, now).is_some()
    };
    numbers.into_iter().map(&mut answer).collect()
}

fn receiver(quickack_segments: u32) -> Receiver {
    let delayed_ack = Some(Duration::from_millis(40));
    Receiver::new(0, &TcpParameters { delayed_ack, quickack_segments, ..TcpParameters::default() })
}

#[test]
fn every_second_segment_and_every_one_out_of_order() {
    let mut receiver = receiver(0);
    assert_eq!(answers(&mut receiver, [0, 1, 2]), [false, true, false]);
    assert_eq!(receiver.timeout(), Instant::ZERO + Duration::from_millis(43));
    assert_eq!(receiver.on_timeout().map(|ack| ack.number), Some(3));
    assert_eq!(receiver.timeout(), Instant::MAX);
    assert_eq!(answers(&mut receiver, [4, 5, 3]), [true, true, true], "a gap, and its end");
    assert_eq!(answers(&mut receiver, [6, 7]), [false, true]);
}

/// Quick ACKs: the window opens without delay at the start.
#[test]
fn the_first_acks_are_quick() {
    let mut receiver = receiver(16);
    assert!(answers(&mut receiver, 0..16).into_iter().all(|at_once| at_once));
    assert_eq!(answers(&mut receiver, 16..20), [false, true, false, true]);
}

/// ACKs of segments out of order are held back after three for a hole, as Linux does: one leaves each millisecond, when
/// 44 segments wait for it, or when the hole is filled.
#[test]
fn acks_of_segments_out_of_order_are_held_back() {
    let parameters = TcpParameters {
        recovery: RecoveryConfig::Sack(SackParameters::default()),
        sack_compression: Some(Duration::from_millis(1)),
        ..TcpParameters::default()
    };
    let mut receiver = Receiver::new(0, &parameters);
    let at = |micros: u64| Instant::ZERO + Duration::from_micros(micros);
    let data = |number: u32, micros: u64| Segment {
        stamp: at(micros),
        flow: 0,
        number,
        header: Header::new(1000, Ecn::NotEct, Flags::NONE),
    };
    let arrives = |receiver: &mut Receiver, number, micros| {
        receiver.on_segment(&data(number, micros), at(micros)).map(|ack| receiver.options_of(&ack).blocks[0])
    };
    // 0 arrives, 1 is lost. Three leave at once; the fourth, fifth and sixth wait.
    arrives(&mut receiver, 0, 0);
    for (number, micros) in [(2, 100), (3, 200), (4, 300)] {
        assert_eq!(arrives(&mut receiver, number, micros), Some((2, number + 1)));
    }
    for (number, micros) in [(5, 400), (6, 500), (7, 600)] {
        assert_eq!(arrives(&mut receiver, number, micros), None);
    }
    assert_eq!(receiver.timeout(), at(1400), "a millisecond after the first of them");
    let ack = receiver.on_timeout().expect("one is due");
    assert_eq!((ack.number, ack.stamp), (1, at(600)), "it tells of the latest");
    assert_eq!(receiver.options_of(&ack).blocks[0], (2, 8));
    assert_eq!(receiver.timeout(), Instant::MAX);
    // 44 wait for an ACK, not 45.
    for number in 8..52 {
        assert_eq!(arrives(&mut receiver, number, 1500), None, "{number}");
    }
    assert_eq!(arrives(&mut receiver, 52, 1500), Some((2, 53)));
    assert_eq!(receiver.timeout(), Instant::MAX);
    // The end of a hole is told at once, and so are the next three.
    assert_eq!(arrives(&mut receiver, 54, 1600), None);
    let ack = receiver.on_segment(&data(1, 1700), at(1700)).expect("53 is missing now");
    assert_eq!((ack.number, ack.stamp, receiver.timeout()), (53, at(1700), Instant::MAX));
    receiver.options_of(&ack);
    for (number, at_once) in [(55, true), (56, true), (57, true), (58, false)] {
        assert_eq!(arrives(&mut receiver, number, 1800).is_some(), at_once, "{number}");
    }
}
