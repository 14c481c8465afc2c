//! Reno's fast recovery (RFC 5681, section 3.2): the first ACK of new data ends it.

use weir_tcp::{
    TcpParameters,
    recovery::{RecoveryConfig, RenoRecoveryParameters},
};

use super::rfc6675::Desk;

const NOTHING: [u32; 0] = [];

fn desk(reno: RenoRecoveryParameters) -> Desk {
    Desk::new(TcpParameters {
        recovery: RecoveryConfig::Reno(reno),
        limited_transmit: false,
        ..TcpParameters::default()
    })
}

fn duplicates(desk: &mut Desk, last: u32, count: usize) -> Vec<u32> {
    (0..count).flat_map(|_| desk.ack(last, &[])).collect()
}

#[test]
fn the_first_new_ack_ends_it() {
    let mut desk = desk(RenoRecoveryParameters::default());
    assert_eq!(duplicates(&mut desk, 0, 3), [1]);
    assert_eq!(duplicates(&mut desk, 0, 6), [11, 12, 13, 14], "5 + 9, of which ten are out");
    assert_eq!(desk.ack(10, &[]), [15], "deflated to 5");
    assert_eq!(desk.window(), (5.0, 5.0));
}

/// Two losses: the window is halved twice, which is what `NewReno` mended.
#[test]
fn two_losses_halve_twice() {
    let mut twice = desk(RenoRecoveryParameters::default());
    assert_eq!(duplicates(&mut twice, 0, 8), [1, 11, 12, 13]);
    assert_eq!(twice.ack(2, &[]), NOTHING, "out: 3 to 13");
    assert_eq!(duplicates(&mut twice, 2, 3), [3]);
    assert_eq!(twice.window(), (5.5, 5.5), "half of eleven");
    assert_eq!(twice.sender.counters().fast_retransmits, 2);

    let mut once = desk(RenoRecoveryParameters { once_per_window: true, ..Default::default() });
    duplicates(&mut once, 0, 8);
    once.ack(2, &[]);
    assert_eq!(duplicates(&mut once, 2, 3), NOTHING, "3 waits for the timer");
    assert_eq!(once.expire(), [3]);
}
