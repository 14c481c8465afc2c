//! Recovery by RFC 6675, ACK by ACK. Segments are numbered from 1; number 0 is the SYN. Unless a test
//! says otherwise ten segments are out, 1 to 10.

use std::sync::Arc;

use weir_tcp::{
    AckOptions, Flags, Header, Segment, Sender, TcpParameters,
    recovery::{RecoveryConfig, SackParameters},
};
use weir_types::{Duration, Ecn, Instant, Packets};

/// A sender whose ACKs are written by hand, a millisecond apart.
pub(super) struct Desk {
    pub(super) sender: Sender,
    pub(super) now: Instant,
}

pub(super) fn tcp(sack: SackParameters) -> TcpParameters {
    TcpParameters { recovery: RecoveryConfig::Sack(sack), ..TcpParameters::default() }
}

impl Desk {
    /// Connected, and the initial window sent.
    pub(super) fn new(parameters: TcpParameters) -> Self {
        let mut desk = Self { sender: Sender::new(0, 1000, Arc::new(parameters)), now: Instant::ZERO };
        desk.sender.start();
        assert_eq!(desk.sent(), [0]);
        desk.ack(0, &[]);
        desk
    }

    fn plain() -> Self {
        Self::new(tcp(SackParameters::default()))
    }

    /// All up to `last` has arrived, and `blocks`, both ends included; returns what is sent in answer.
    pub(super) fn ack(&mut self, last: u32, blocks: &[(u32, u32)]) -> Vec<u32> {
        self.ack_with(last, blocks, self.now, Flags::ACK)
    }

    pub(super) fn ack_with(
        &mut self,
        last: u32,
        blocks: &[(u32, u32)],
        stamp: Instant,
        flags: Flags,
    ) -> Vec<u32> {
        self.now += Duration::from_millis(1);
        let mut options = AckOptions::NONE;
        for (told, block) in options.blocks.iter_mut().zip(blocks) {
            *told = (block.0, block.1 + 1);
        }
        let ack = Segment {
            stamp,
            flow: 0,
            number: last + 1,
            header: Header::new(40, Ecn::NotEct, flags).with_options(1),
        };
        self.sender.on_ack_with(&ack, &options, self.now);
        self.sent()
    }

    /// The timer runs off.
    pub(super) fn expire(&mut self) -> Vec<u32> {
        self.now = self.sender.timeout();
        self.sender.on_timeout(self.now);
        self.sent()
    }

    pub(super) fn sent(&mut self) -> Vec<u32> {
        std::iter::from_fn(|| self.sender.poll_segment(self.now)).map(|segment| segment.number).collect()
    }

    pub(super) fn window(&self) -> (f64, f64) {
        (self.sender.cwnd(), self.sender.ssthresh())
    }
}

const NOTHING: [u32; 0] = [];

/// Section 5: limited transmit on the first two, repair on the third, then one for each that arrives
/// once half a window has.
#[test]
fn a_single_loss() {
    let mut desk = Desk::plain();
    assert_eq!(desk.ack(0, &[(2, 2)]), [11]);
    assert_eq!(desk.ack(0, &[(2, 3)]), [12]);
    assert_eq!(desk.ack(0, &[(2, 4)]), [1], "three above it have arrived");
    assert_eq!(desk.window(), (5.0, 5.0), "11 and 12 do not count");
    // In the network: 1 again, 5 to 12; four must leave it before one may be sent.
    for last in 5..9 {
        assert_eq!(desk.ack(0, &[(2, last)]), NOTHING, "2 to {last} have arrived");
    }
    assert_eq!(desk.ack(0, &[(2, 9)]), [13], "1, 10 to 12 are out");
    assert_eq!(desk.ack(0, &[(2, 10)]), [14]);
    assert_eq!(desk.ack(0, &[(2, 11)]), [15]);
    assert_eq!(desk.ack(0, &[(2, 12)]), [16]);
    assert_eq!(desk.ack(12, &[]), [17], "13 to 16 are out, and recovery is over");
    assert_eq!(desk.window(), (5.0, 5.0));
    assert_eq!(desk.ack(13, &[]), [18], "congestion avoidance: 5.2");
    assert_eq!(desk.sender.counters().fast_retransmits, 1);
    assert_eq!(desk.sender.counters().retransmitted, 1);
}

/// Rule 1 before rule 2: all that is lost is sent again, in order, before anything new.
#[test]
fn a_burst_is_repaired_in_one_round_trip() {
    let mut desk = Desk::plain();
    assert_eq!(desk.ack(0, &[(5, 5)]), [11]);
    assert_eq!(desk.ack(0, &[(5, 6)]), [12]);
    // Lost: 1 to 4. In the network: 1 again, 8 to 12; the window is 5.
    assert_eq!(desk.ack(0, &[(5, 7)]), [1]);
    assert_eq!(desk.ack(0, &[(5, 8)]), NOTHING);
    assert_eq!(desk.ack(0, &[(5, 9)]), [2]);
    assert_eq!(desk.ack(0, &[(5, 10)]), [3]);
    assert_eq!(desk.ack(0, &[(5, 11)]), [4]);
    assert_eq!(desk.ack(0, &[(5, 12)]), [13], "then new data");
    assert_eq!(desk.ack(1, &[(5, 12)]), [14], "a partial ACK changes the window by nothing");
    assert_eq!(desk.ack(2, &[(5, 12)]), [15]);
    assert_eq!(desk.ack(3, &[(5, 12)]), [16]);
    assert_eq!(desk.ack(12, &[]), [17]);
    assert_eq!(desk.window(), (5.0, 5.0));
    assert_eq!(desk.sender.counters().retransmitted, 4);
}

/// Every other segment is lost. What has fewer than three above it is not lost yet.
#[test]
fn every_other_segment() {
    let mut desk = Desk::plain();
    assert_eq!(desk.ack(0, &[(2, 2)]), [11]);
    assert_eq!(desk.ack(0, &[(4, 4), (2, 2)]), [12]);
    // Lost: 1. In the network: 1 again, 3, 5, 7 to 12.
    assert_eq!(desk.ack(0, &[(6, 6), (4, 4), (2, 2)]), [1]);
    // Lost now: 3. Still out: 1, 5, 7, 9 to 12.
    assert_eq!(desk.ack(0, &[(8, 8), (6, 6), (4, 4)]), NOTHING);
    // And 5. Still out: 1, 7, 9, 11, 12.
    assert_eq!(desk.ack(0, &[(10, 10), (8, 8), (6, 6)]), NOTHING);
    // 11 has arrived; 7 is lost. Still out: 1, 9, 12. Two may be sent.
    assert_eq!(desk.ack(0, &[(10, 11), (8, 8), (6, 6)]), [3, 5]);
    // 9 is lost. Still out: 1, 3, 5.
    assert_eq!(desk.ack(0, &[(10, 12), (8, 8), (6, 6)]), [7, 9]);
    assert_eq!(desk.ack(2, &[(10, 12), (8, 8), (6, 6)]), [13]);
    assert_eq!(desk.sender.counters().timeouts, 0);
}

/// Rule 3: with nothing new to send, holes that are not lost are filled; rule 4: the last one, once.
#[test]
fn without_new_data_holes_and_the_tail_are_filled() {
    let mut desk = Desk::plain();
    desk.sender.stop();
    assert_eq!(desk.ack(0, &[(2, 3)]), NOTHING);
    // In the network: 1 again, 5, 7 to 10.
    assert_eq!(desk.ack(0, &[(6, 6), (4, 4), (2, 3)]), [1]);
    // 5 is lost once 6, 7, 8 are there.
    assert_eq!(desk.ack(0, &[(6, 7), (4, 4), (2, 3)]), NOTHING);
    assert_eq!(desk.ack(0, &[(6, 8), (4, 4), (2, 3)]), [5, 10], "a lost one, and the tail");
    // 1, 5 and 9 are out; when 10 has arrived 9 is a hole, not lost.
    assert_eq!(desk.ack(0, &[(10, 10), (6, 8), (2, 4)]), [9]);
    assert_eq!(desk.ack(4, &[(10, 10), (6, 8)]), NOTHING);
}

#[test]
fn the_rescue_leaves_once() {
    let mut desk = Desk::plain();
    desk.sender.stop();
    // 1 and 10 are lost, and 10 has nothing above it.
    assert_eq!(desk.ack(0, &[(2, 6)]), [1]);
    assert_eq!(desk.ack(0, &[(2, 7)]), [10], "1, 8, 9, 10 are out: 5 may be");
    assert_eq!(desk.ack(0, &[(2, 8)]), NOTHING);
    assert_eq!(desk.ack(0, &[(2, 9)]), NOTHING);
    assert_eq!(desk.ack(9, &[]), NOTHING);
    assert_eq!(desk.ack(10, &[]), NOTHING);
    assert_eq!(desk.window(), (5.0, 5.0));
}

/// The count of segments cannot see that a retransmission is lost: the timer repairs it. Then all that
/// has not arrived is sent again, and nothing that has.
#[test]
fn a_lost_retransmission_waits_for_the_timer() {
    let mut desk = Desk::plain();
    desk.sender.stop();
    assert_eq!(desk.ack(0, &[(3, 5)]), [1]);
    assert_eq!(desk.ack(0, &[(3, 9)]), [2, 10], "and the tail");
    assert_eq!(desk.ack(1, &[(3, 10)]), NOTHING, "2 was lost again");
    assert_eq!(desk.expire(), [2]);
    assert_eq!(desk.window().0.to_bits(), 1.0_f64.to_bits());
    assert_eq!(desk.ack(10, &[]), NOTHING);
    assert_eq!(desk.sender.counters().retransmitted, 4);
}

/// Section 5.1: after a timeout no recovery begins below what was sent before.
#[test]
fn no_recovery_begins_in_the_wake_of_a_timeout() {
    let mut desk = Desk::plain();
    assert_eq!(desk.expire(), [1]);
    assert_eq!(desk.window(), (1.0, 5.0));
    assert_eq!(desk.ack(1, &[(3, 6)]), [2, 7], "slow start: two, of what has not arrived");
    assert_eq!(desk.ack(6, &[]), [8, 9]);
    assert_eq!(desk.window(), (3.0, 5.0));
    assert_eq!(desk.sender.counters().fast_retransmits, 0);
}

/// An ACK that was lost loses nothing that the next does not tell.
#[test]
fn acks_may_be_lost() {
    let mut desk = Desk::plain();
    assert_eq!(desk.ack(0, &[(8, 8), (5, 6), (2, 3)]), [1, 4], "five arrived, four of their ACKs did not");
    assert_eq!(desk.window(), (5.0, 5.0));
}

/// Two segments change places: too little to take one for lost.
#[test]
fn slight_reordering_is_no_loss() {
    let mut desk = Desk::plain();
    assert_eq!(desk.ack(0, &[(2, 2)]), [11]);
    assert_eq!(desk.ack(0, &[(2, 3)]), [12]);
    assert_eq!(desk.ack(3, &[]), [13, 14], "1 was merely late; slow start goes on from 11");
    assert_eq!(desk.window(), (11.0, f64::INFINITY));
    assert_eq!(desk.sender.counters().retransmitted, 0);
}

/// A mark cuts; a loss of the same window is repaired and cuts nothing more (RFC 3168, section 6.1.2).
#[test]
fn a_loss_after_a_mark_in_the_same_window() {
    let mut desk = Desk::new(TcpParameters { ecn: true, ..tcp(SackParameters::default()) });
    let echo = Flags::ACK.with(Flags::ECE, true);
    assert_eq!(desk.ack_with(1, &[], desk.now, echo), NOTHING);
    assert_eq!(desk.window(), (5.0, 5.0), "ten were out");
    assert_eq!(desk.ack_with(1, &[(3, 5)], desk.now, echo), [2]);
    assert_eq!(desk.window(), (5.0, 5.0));
    assert_eq!(desk.sender.counters().mark_cuts, 1);
    assert_eq!(desk.sender.counters().fast_retransmits, 1);
}

/// The receive window bounds new data, not repairs.
#[test]
fn the_receivers_window_bounds_new_data() {
    let mut desk =
        Desk::new(TcpParameters { receive_window: Some(Packets(10.0)), ..tcp(SackParameters::default()) });
    assert_eq!(desk.ack(0, &[(2, 2)]), NOTHING);
    assert_eq!(desk.ack(0, &[(2, 4)]), [1]);
    assert_eq!(desk.ack(0, &[(2, 10)]), [1], "rule 4: the highest that has not arrived, be it 1, once");
    assert_eq!(desk.ack(10, &[]), [11, 12, 13, 14, 15]);
}

/// RFC 9937 in the sender: eight were out when loss was certain, five are to be. So five leave for the
/// eight, from the first on.
#[test]
fn a_window_that_is_walked_down() {
    let sack = SackParameters { prr: true, ..SackParameters::default() };
    let mut desk = Desk::new(TcpParameters { limited_transmit: false, ..tcp(sack) });
    assert_eq!(desk.ack(0, &[(2, 3)]), NOTHING);
    assert_eq!(desk.ack(0, &[(2, 4)]), [1]);
    let sent: Vec<usize> = (5..11).map(|last| desk.ack(0, &[(2, last)]).len()).collect();
    assert_eq!(sent.iter().sum::<usize>(), 4, "and the repair: {sent:?}");
    assert!(sent.iter().all(|sent| *sent <= 1), "{sent:?}");
    desk.ack(10, &[]);
    assert_eq!(desk.window(), (5.0, 5.0));
}
