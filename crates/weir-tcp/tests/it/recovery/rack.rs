//! Loss told by time (RFC 8985).

use proptest::prelude::*;
use weir_tcp::{
    Flags, TcpParameters,
    recovery::{LossDetection, Rack, SackParameters, Scoreboard},
};
use weir_types::{Duration, Instant};

use super::rfc6675::{Desk, tcp};

const NOTHING: [u32; 0] = [];

fn at(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

/// Segments left at 0, 1, 2, ... ms over a round trip of 100 ms.
fn path(count: u32) -> (Rack, Scoreboard) {
    let (mut rack, mut board) = (Rack::default(), Scoreboard::new(3));
    for number in 0..count {
        board.sent(number + 1);
        rack.sent(number, at(u64::from(number)), false);
    }
    (rack, board)
}

/// `number`, which left at `sent`, has arrived and its ACK is back at `now`.
fn sacked(rack: &mut Rack, board: &mut Scoreboard, number: u32, sent: Instant, now: Instant) -> bool {
    rack.arriving(board, number, number + 1);
    board.sack(number, number + 1);
    rack.arrived(board, sent, now);
    rack.detect(board, Duration::from_millis(100), false, now)
}

/// Section 6.2: a quarter of the least round trip is allowed for reordering while fewer than three are
/// sacked; the timer says when it is over.
#[test]
fn one_that_is_late_by_less_than_a_quarter_is_not_lost() {
    let (mut rack, mut board) = path(10);
    assert!(!sacked(&mut rack, &mut board, 1, at(1), at(101)));
    assert_eq!(rack.due(), at(125), "0 left at 0 ms; 100 ms and 25 ms more");
    assert!(!sacked(&mut rack, &mut board, 2, at(2), at(102)));
    assert!(!rack.detect(&board, Duration::from_millis(100), false, at(124)));
    assert!(rack.detect(&board, Duration::from_millis(100), false, at(125)));
    assert_eq!(rack.lost().lowest(), Some(0));
    assert_eq!(rack.pipe(&board), 7);
}

/// Three sacked and no reordering seen: no patience.
#[test]
fn three_above_it_need_no_time() {
    let (mut rack, mut board) = path(10);
    for number in 1..3 {
        assert!(!sacked(&mut rack, &mut board, number, at(number.into()), at(100 + u64::from(number))));
    }
    assert!(sacked(&mut rack, &mut board, 3, at(3), at(103)));
    assert_eq!(rack.lost().count(), 1);
}

/// Once reordering has been seen, three are no proof.
#[test]
fn reordering_is_remembered() {
    let (mut rack, mut board) = path(10);
    sacked(&mut rack, &mut board, 1, at(1), at(101));
    assert!(!rack.has_seen_reordering());
    sacked(&mut rack, &mut board, 0, at(0), at(102));
    assert!(rack.has_seen_reordering());
    for number in 3..9 {
        assert!(!sacked(&mut rack, &mut board, number, at(number.into()), at(100 + u64::from(number))));
    }
    assert_eq!(rack.due(), at(2 + 100 + 25));
}

/// A copy that arrives below others is no reordering, and one that is lost is found by what left
/// after it.
#[test]
fn a_lost_retransmission_is_found() {
    let (mut rack, mut board) = path(10);
    for number in 1..9 {
        sacked(&mut rack, &mut board, number, at(number.into()), at(100 + u64::from(number)));
    }
    assert_eq!(rack.lost().count(), 1);
    rack.sent(0, at(103), true);
    assert!(rack.lost().is_empty());
    board.sent(11);
    rack.sent(10, at(109), false);
    assert!(sacked(&mut rack, &mut board, 10, at(109), at(209)), "10 left after the copy of 0, and is here");
    assert_eq!(rack.lost().iter().collect::<Vec<_>>(), [(0, 1), (9, 10)]);
    assert!(!rack.has_seen_reordering());
    rack.sent(0, at(209), true);
    sacked(&mut rack, &mut board, 0, at(209), at(309));
    assert!(!rack.has_seen_reordering());
}

/// Segments that left at one instant left in the order of their numbers.
#[test]
fn one_instant_has_an_order() {
    let (mut rack, mut board) = (Rack::default(), Scoreboard::new(3));
    for number in 0..10 {
        board.sent(number + 1);
        rack.sent(number, at(0), false);
    }
    for number in [2, 3, 4] {
        sacked(&mut rack, &mut board, number, at(0), at(100));
    }
    assert_eq!(rack.lost().iter().collect::<Vec<_>>(), [(0, 2)], "5 to 9 left later");
}

/// Two repairs that left together: the first, which fills a hole, says nothing about the second, though
/// what lies above it has arrived.
#[test]
fn of_two_repairs_the_first_says_nothing_about_the_second() {
    let (mut rack, mut board) = path(20);
    for number in (2..20).filter(|number| *number != 10) {
        sacked(&mut rack, &mut board, number, at(number.into()), at(100 + u64::from(number)));
    }
    assert_eq!(rack.lost().iter().collect::<Vec<_>>(), [(0, 2), (10, 11)]);
    rack.sent(10, at(120), true);
    rack.sent(0, at(120), true);
    rack.sent(1, at(120), true);
    assert!(!sacked(&mut rack, &mut board, 10, at(120), at(220)));
    assert!(rack.lost().is_empty());
    assert!(sacked(&mut rack, &mut board, 1, at(120), at(221)), "0 left before 1");
    assert_eq!(rack.lost().iter().collect::<Vec<_>>(), [(0, 1)]);
}

/// Section 6.2 over a list of all that was ever sent.
#[derive(Default)]
struct Naive {
    /// For each number: when it left last, the order in which that was, and whether it is lost.
    latest: Vec<(Instant, usize, bool)>,
    arrived: Vec<bool>,
    sent: usize,
    /// The order of the latest that has arrived, its stamp and its round trip.
    best: Option<(usize, Instant, Duration)>,
}

impl Naive {
    fn detect(&mut self, patience: Duration, now: Instant) {
        let Some((best, ..)) = self.best else { return };
        for ((left, order, lost), arrived) in self.latest.iter_mut().zip(&self.arrived) {
            *lost |= !arrived && *order < best && *left + patience <= now;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]
    /// Sends, repairs and arrivals in any order, several at one instant: the same are lost as in the list.
    #[test]
    fn it_is_the_naive_one(steps in prop::collection::vec((0_u8..6, 0_u64..3, 0_usize..30), 1..120)) {
        let (mut rack, mut board, mut naive) = (Rack::default(), Scoreboard::new(3), Naive::default());
        let mut now = at(1000);
        for (what, pause, which) in steps {
            now += Duration::from_millis(pause * 10);
            let holes: Vec<usize> = (0..naive.arrived.len()).filter(|number| !naive.arrived[*number]).collect();
            if what < 2 || holes.is_empty() {
                let number = naive.arrived.len();
                board.sent(number as u32 + 1);
                rack.sent(number as u32, now, false);
                naive.latest.push((now, naive.sent, false));
                naive.arrived.push(false);
                naive.sent += 1;
            } else if let Some(lost) = rack.lost().lowest().filter(|_| what == 2) {
                rack.sent(lost, now, true);
                naive.latest[lost as usize] = (now, naive.sent, false);
                naive.sent += 1;
            } else {
                // The latest transmission of it arrives, if it may.
                let number = holes[which % holes.len()];
                let (left, order, lost) = naive.latest[number];
                if lost {
                    continue;
                }
                naive.arrived[number] = true;
                rack.arriving(&board, number as u32, number as u32 + 1);
                board.sack(number as u32, number as u32 + 1);
                rack.arrived(&board, left, now);
                if naive.best.is_none_or(|(_, stamp, _)| left >= stamp) {
                    let before = naive.best.map_or(0, |(best, ..)| best);
                    naive.best = Some((before.max(order), left, now.since(left)));
                }
                let smoothed = Duration::from_millis(100);
                rack.detect(&board, smoothed, true, now);
                // Recovery has no patience until reordering is seen; then the module's own figure holds.
                if rack.has_seen_reordering() {
                    break;
                }
                naive.detect(naive.best.map_or(Duration::ZERO, |(.., rtt)| rtt), now);
            }
            let lost = naive.latest.iter().zip(&naive.arrived).filter(|((.., lost), arrived)| *lost && !**arrived);
            prop_assert_eq!(rack.lost().count() as usize, lost.count());
            let out = naive.latest.iter().zip(&naive.arrived).filter(|((.., lost), arrived)| !*lost && !**arrived);
            prop_assert_eq!(rack.pipe(&board) as usize, out.count());
        }
    }
}

fn by_time() -> SackParameters {
    SackParameters { detection: LossDetection::Rack, ..SackParameters::default() }
}

/// The sender with loss told by time: repairs at the third, and again when a repair is lost.
#[test]
fn the_sender_repairs_its_repairs() {
    let mut desk = Desk::new(TcpParameters { timestamps: true, ..tcp(by_time()) });
    desk.sender.stop();
    let first = desk.now;
    desk.now = first + Duration::from_millis(100);
    assert_eq!(desk.ack_with(0, &[(2, 2)], first, Flags::ACK), NOTHING);
    assert_eq!(desk.ack_with(0, &[(2, 4)], first, Flags::ACK), [1]);
    let second = desk.now;
    assert_eq!(desk.ack_with(0, &[(2, 9)], first, Flags::ACK), NOTHING);
    desk.now = second + Duration::from_millis(100);
    // 10 was still on its way; it left before the repair and says nothing about it.
    assert_eq!(desk.ack_with(0, &[(2, 10)], first, Flags::ACK), NOTHING);
    assert_eq!(desk.sender.counters().timeouts, 0);
    assert_eq!(desk.expire(), [1], "nothing left after it: the timer");
}

/// Section 7: after two round trips without an ACK the last segment leaves again, or a new one if there is
/// any. An ACK beyond it that tells of no second copy cuts the window.
#[test]
fn the_tail_is_probed() {
    let sack = SackParameters { tlp: true, ..by_time() };
    let mut desk = Desk::new(TcpParameters { timestamps: true, ..tcp(sack) });
    desk.sender.stop();
    let first = desk.now;
    desk.now = first + Duration::from_millis(49);
    assert_eq!(desk.ack_with(8, &[], first, Flags::ACK), NOTHING);
    let before = desk.sender.timeout();
    assert!(before.since(desk.now) < Duration::from_millis(200), "two round trips, not the timer");
    assert_eq!(desk.expire(), [10]);
    assert_eq!(desk.sender.counters().timeouts, 0);
    let probed = desk.now;
    desk.now = probed + Duration::from_millis(50);
    // 9 was lost, and 10 as well: the copy of 10 says so of 9.
    let sent = desk.ack_with(8, &[(10, 10)], probed, Flags::ACK);
    let late = desk.sender.timeout();
    let sent = if sent.is_empty() {
        desk.now = late;
        desk.sender.on_timeout(late);
        desk.sent()
    } else {
        sent
    };
    assert_eq!(sent, [9]);
    assert_eq!(desk.sender.counters().timeouts, 0);
    assert_eq!(desk.sender.counters().fast_retransmits, 1);
}
