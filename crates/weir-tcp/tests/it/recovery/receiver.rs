//! When the receiver acknowledges (RFC 5681, section 4.2), and how Linux begins.

use weir_tcp::{Flags, Header, Receiver, Segment, TcpParameters};
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
