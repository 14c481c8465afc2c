//! Echoes of receivers: RFC 3168's latch, and marks one by one (RFC 8257, section 3.2).

use weir_tcp::{Flags, Header, Receiver, Segment, TcpParameters, congestion::CongestionConfig};
use weir_types::{Duration, Ecn, Instant};

/// ACKs of a receiver whose sender has the congestion control `name`, for segments with these marks: the segment
/// that each one answers, its number and its echo.
fn echoes(name: &str, delayed_ack: bool, marks: &[bool]) -> Vec<(usize, u32, bool)> {
    let parameters = TcpParameters {
        congestion: CongestionConfig::from_name(name).unwrap(),
        delayed_ack: delayed_ack.then(|| Duration::from_millis(100)),
        handshake: false,
        ecn: true,
        ..TcpParameters::default()
    };
    let mut receiver = Receiver::new(0, &parameters);
    let mut acks = Vec::new();
    for (number, marked) in marks.iter().enumerate() {
        let segment = Segment {
            stamp: Instant::ZERO,
            flow: 0,
            number: number as u32,
            header: Header::new(1000, if *marked { Ecn::Ce } else { Ecn::Ect0 }, Flags::NONE),
        };
        let ack = receiver.on_segment(&segment, Instant::ZERO);
        acks.extend(ack.map(|ack| (number, ack.number, ack.flags().has(Flags::ECE))));
    }
    acks
}

#[test]
fn the_latch_stays_until_the_sender_has_cut() {
    let echoed = echoes("reno", false, &[false, true, false, false]);
    assert_eq!(echoed, [(0, 1, false), (1, 2, true), (2, 3, true), (3, 4, true)]);
}

#[test]
fn exact_echoes_are_of_each_segment() {
    let echoed = echoes("dctcp", false, &[false, true, false, true]);
    assert_eq!(echoed, [(0, 1, false), (1, 2, true), (2, 3, false), (3, 4, true)]);
}

/// An ACK that was delayed leaves as soon as the marks change, with the echo of what it covers.
#[test]
fn a_delayed_ack_speaks_of_one_kind() {
    let marks = [false, false, false, true, true, true, false, false];
    let echoed = echoes("dctcp", true, &marks);
    assert_eq!(echoed, [(1, 2, false), (3, 3, false), (4, 5, true), (6, 6, true), (7, 8, false)]);
    for (_, number, echo) in echoed {
        assert_eq!(marks[number as usize - 1], echo);
    }
}
