//! The reordering window of RACK and its timer (RFC 8985, section 6.2, steps 4 and 5), and what is lost at a timeout
//! (section 6.3).

use std::sync::Arc;

use proptest::prelude::*;
use weir_tcp::{
    AckOptions, Flags, Header, Segment, Sender, TcpParameters,
    recovery::{LossDetection, Rack, SackParameters, Scoreboard},
};
use weir_types::{Duration, Ecn, Instant};

use super::rfc6675::tcp;

fn at(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

fn arrive(rack: &mut Rack, board: &mut Scoreboard, number: u32, sent: u64, now: u64) {
    rack.arriving(board, number, number + 1);
    board.sack(number, number + 1);
    rack.arrived(board, at(sent), at(now));
}

/// Ten segments left at 0 to 9 ms over a round trip of 100 ms. If reordering is to be seen, 1 has arrived before 0.
fn path(reordered: bool) -> (Rack, Scoreboard) {
    let (mut rack, mut board) = (Rack::default(), Scoreboard::new(3));
    for number in 0..10 {
        board.sent(number + 1);
        rack.sent(number, at(u64::from(number)), false);
    }
    if reordered {
        arrive(&mut rack, &mut board, 1, 1, 101);
    }
    rack.arriving(&board, 0, 1);
    board.acknowledge(if reordered { 2 } else { 1 });
    rack.arrived(&board, at(0), at(102));
    assert_eq!(rack.has_seen_reordering(), reordered);
    (rack, board)
}

/// The reordering window in milliseconds, outside of recovery and with one segment sacked: two more leave after a
/// second, and the second of them arrives.
fn window(rack: &Rack, board: &Scoreboard, smoothed: u64) -> u64 {
    let (mut rack, mut board) = (rack.clone(), board.clone());
    let first = board.high();
    board.acknowledge(first);
    for number in first..first + 2 {
        board.sent(number + 1);
        rack.sent(number, at(1000), false);
    }
    arrive(&mut rack, &mut board, first + 1, 1000, 1100);
    assert!(!rack.detect(&board, Duration::from_millis(smoothed), false, at(1100)));
    rack.due().since(at(1100)).as_nanos() / 1_000_000
}

/// A quarter of the least round trip more for each round trip with a needless repair, up to the smoothed one.
#[test]
fn a_needless_repair_makes_the_window_longer_once_per_round_trip() {
    let (mut rack, mut board) = path(true);
    assert_eq!(window(&rack, &board, 100), 25);
    rack.adapt(&board, true, false);
    assert_eq!(window(&rack, &board, 100), 50);
    board.acknowledge(9);
    rack.adapt(&board, true, false);
    assert_eq!(window(&rack, &board, 100), 50, "10 had been sent; 9 are acknowledged");
    board.acknowledge(10);
    rack.adapt(&board, true, false);
    assert_eq!(window(&rack, &board, 100), 75);
    assert_eq!(window(&rack, &board, 60), 60, "at most the smoothed round trip");
    for _ in 0..300 {
        rack.adapt(&board, true, false);
    }
    assert_eq!(window(&rack, &board, 10_000), 255 * 25, "nothing new left: each counts; Linux counts to 255");
}

/// Linux counts a needless repair only after reordering.
#[test]
fn without_reordering_a_needless_repair_counts_for_nothing() {
    let (mut rack, board) = path(false);
    rack.adapt(&board, true, false);
    assert_eq!(window(&rack, &board, 100), 25);
}

/// It is a quarter again after 16 recoveries without a needless repair.
#[test]
fn the_longer_window_persists_for_sixteen_recoveries() {
    let (mut rack, mut board) = path(true);
    rack.adapt(&board, true, false);
    for _ in 0..10 {
        rack.adapt(&board, false, true);
    }
    board.acknowledge(10);
    rack.adapt(&board, true, true);
    for recovery in 1..16 {
        rack.adapt(&board, false, true);
        rack.adapt(&board, false, false);
        assert_eq!(window(&rack, &board, 100), 75, "recovery {recovery}");
    }
    rack.adapt(&board, false, true);
    assert_eq!(window(&rack, &board, 100), 25);
}

/// Step 5: one timer for all that is late, at the end of the wait for the last one. An ACK before it finds those
/// that have waited long enough.
#[test]
fn the_timer_waits_for_the_last_that_is_late() {
    let (mut rack, mut board) = path(true);
    arrive(&mut rack, &mut board, 4, 4, 104);
    arrive(&mut rack, &mut board, 5, 5, 105);
    let smoothed = Duration::from_millis(100);
    assert!(!rack.detect(&board, smoothed, false, at(105)));
    assert_eq!(rack.due(), at(3 + 100 + 25), "2 and 3 are late, 6 to 9 are not");
    assert!(!rack.detect(&board, smoothed, false, at(126)));
    assert!(rack.detect(&board, smoothed, false, at(127)));
    assert_eq!(rack.lost().iter().collect::<Vec<_>>(), [(2, 3)]);
    assert_eq!(rack.due(), at(128));
    assert!(rack.detect(&board, smoothed, false, at(128)));
    assert_eq!(rack.lost().iter().collect::<Vec<_>>(), [(2, 4)]);
    assert_eq!(rack.due(), Instant::MAX);
}

/// At a timeout the first segment is lost, and what left a round trip ago. Linux does not wait for the reordering
/// window of 25 ms there; RFC 8985, section 6.3, would keep all but 1.
#[test]
fn a_timeout_takes_what_left_a_round_trip_ago() {
    let (mut rack, mut board) = (Rack::default(), Scoreboard::new(3));
    for number in 0..10 {
        board.sent(number + 1);
        rack.sent(number, at(u64::from(number)), false);
    }
    rack.arriving(&board, 0, 1);
    board.acknowledge(1);
    rack.arrived(&board, at(0), at(100));
    board.expire();
    rack.expire(&board, at(106));
    assert_eq!(rack.lost().iter().collect::<Vec<_>>(), [(1, 7)]);
}

/// A sender over a round trip of 100 ms. It sends all that the window allows at one instant.
struct Path {
    sender: Sender,
    now: Instant,
    /// When what is outstanding left, and the highest number sent.
    left: Instant,
    high: u32,
}

impl Path {
    fn new(tlp: bool) -> Self {
        let sack = SackParameters { detection: LossDetection::Rack, tlp, ..SackParameters::default() };
        let parameters = TcpParameters { timestamps: true, limited_transmit: false, ..tcp(sack) };
        let mut sender = Sender::new(0, 1000, Arc::new(parameters));
        sender.start();
        let mut path = Self { sender, now: at(0), left: at(0), high: 0 };
        assert_eq!(path.send(), [0]);
        path.all(None);
        path
    }

    fn send(&mut self) -> Vec<u32> {
        let sent: Vec<u32> =
            std::iter::from_fn(|| self.sender.poll_segment(self.now)).map(|segment| segment.number).collect();
        if let Some(last) = sent.iter().max() {
            (self.left, self.high) = (self.now, self.high.max(*last));
        }
        sent
    }

    /// A round trip after what is outstanding left, all below `number` is acknowledged, and `sacked`.
    fn ack(&mut self, number: u32, sacked: Option<u32>, dsack: Option<u32>) -> Vec<u32> {
        self.now = self.now.max(self.left + Duration::from_millis(100));
        let mut options = AckOptions { dsack, ..AckOptions::NONE };
        options.blocks[0] = sacked.map_or((0, 0), |sacked| (sacked, sacked + 1));
        let header = Header::new(40, Ecn::NotEct, Flags::ACK).with_options(1);
        let ack = Segment { stamp: self.left, flow: 0, number, header };
        self.sender.on_ack_with(&ack, &options, self.now);
        self.send()
    }

    /// All arrives.
    fn all(&mut self, dsack: Option<u32>) -> Vec<u32> {
        self.ack(self.high + 1, None, dsack)
    }

    /// The first that is outstanding is late. Returns for how many milliseconds the sender waits for it.
    fn late(&mut self) -> u64 {
        let first = self.sender.acked();
        assert!(self.ack(first, Some(first + 1), None).is_empty());
        self.sender.timeout().since(self.now).as_nanos() / 1_000_000
    }

    /// The sender is due.
    fn expire(&mut self) -> Vec<u32> {
        self.now = self.sender.timeout();
        self.sender.on_timeout(self.now);
        self.send()
    }

    /// The reordering window: one segment comes after the next.
    fn window(&mut self) -> u64 {
        let window = self.late();
        self.all(None);
        window
    }

    /// The first is lost and repaired.
    fn recovery(&mut self) {
        let first = self.sender.acked();
        self.late();
        assert_eq!(self.expire().first(), Some(&first));
        self.all(None);
    }
}

/// The second copy of a segment arrives, and the sender waits for two quarters of the round trip. It does so for 16
/// recoveries, one of them after a timeout.
#[test]
fn the_sender_learns_from_needless_repairs() {
    let mut path = Path::new(false);
    assert_eq!(path.window(), 25);
    path.all(Some(1));
    assert_eq!(path.window(), 50);
    let first = path.sender.acked();
    assert_eq!(path.expire(), [first], "nothing has come back");
    assert_eq!(path.sender.counters().timeouts, 1);
    path.all(None);
    path.all(None);
    assert_eq!(path.window(), 50);
    for _ in 0..14 {
        path.recovery();
    }
    assert_eq!(path.sender.counters().fast_retransmits, 14);
    assert_eq!(path.window(), 50, "after 15 recoveries");
    path.recovery();
    assert_eq!(path.window(), 25);
}

/// The timer sent the probe, so that its second copy says nothing about the window.
#[test]
fn the_second_copy_of_a_probe_is_no_needless_repair() {
    for (copy, window) in [(0, 25), (1, 50)] {
        let mut path = Path::new(true);
        assert_eq!(path.window(), 25);
        let (first, last) = (path.sender.acked(), path.high);
        let sent = path.expire();
        assert_eq!(sent, [last + 1], "there is new data");
        assert_eq!(path.sender.counters().timeouts, 0);
        path.all(Some(last + 1 - copy));
        assert_eq!(path.window(), window, "{first}");
    }
}

/// In the recovery after a timeout no reordering has been seen, so one that is late is lost at once.
#[test]
fn after_a_timeout_the_window_is_zero() {
    let mut path = Path::new(false);
    assert_eq!(path.expire(), [1]);
    assert_eq!(path.ack(2, None, None), [2, 3]);
    assert_eq!(path.ack(2, Some(3), None).first(), Some(&2));
    assert_eq!(path.sender.counters().timeouts, 1);
}

/// One transmission of a segment, the latest: when it left, the order in which it did, whether it is lost or here.
#[derive(Clone, Copy)]
struct Latest {
    left: Instant,
    order: usize,
    lost: bool,
    here: bool,
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]
    /// Step 5 over a list of all that was sent: segments arrive in any order, are repaired, and are probed before they
    /// are lost, and the retransmission timer expires. The timer is for the last one that is late.
    #[test]
    fn the_timer_is_that_of_the_whole_list(steps in prop::collection::vec((0_u8..8, 0_u64..4, 0_usize..30), 1..150)) {
        // So many are never sacked: the window is a quarter of the least round trip all the time.
        let (mut rack, mut board) = (Rack::default(), Scoreboard::new(1000));
        let (mut all, mut orders) = (Vec::<Latest>::new(), 0..);
        let (mut best, mut rtt, mut least): (Option<(usize, Instant)>, _, _) = (None, Duration::ZERO, Duration::MAX);
        let least_rtt = Duration::from_millis(60);
        let mut now = at(1000);
        for (what, pause, which) in steps {
            now += Duration::from_millis(pause * 7);
            let order = orders.next().expect("without end");
            let out: Vec<usize> = (0..all.len()).filter(|number| !all[*number].here && !all[*number].lost).collect();
            let sent = Latest { left: now, order, lost: false, here: false };
            if what < 3 || out.is_empty() && rack.lost().is_empty() {
                board.sent(all.len() as u32 + 1);
                rack.sent(all.len() as u32, now, false);
                all.push(sent);
                continue;
            } else if let Some(lost) = rack.lost().lowest().filter(|_| what == 3 || out.is_empty()) {
                rack.sent(lost, now, true);
                all[lost as usize] = sent;
                continue;
            } else if what == 5 && which < 6 {
                rack.expire(&board, now);
                for (number, one) in all.iter_mut().enumerate().filter(|(_, one)| !one.here) {
                    one.lost |= number == 0 || one.left + rtt <= now;
                }
                continue;
            } else if what == 4 && !out.is_empty() {
                let probed = out[which % out.len()];
                rack.sent(probed as u32, now, true);
                all[probed] = sent;
                continue;
            }
            // A round trip takes 60 ms at least.
            let back: Vec<usize> = out.iter().copied().filter(|number| now.since(all[*number].left) >= least_rtt).collect();
            if what > 5 && !back.is_empty() {
                let number = back[which % back.len()];
                let Latest { left, order, .. } = all[number];
                all[number].here = true;
                rack.arriving(&board, number as u32, number as u32 + 1);
                board.sack(number as u32, number as u32 + 1);
                rack.arrived(&board, left, now);
                least = least.min(now.since(left));
                if best.is_none_or(|(_, stamp)| left >= stamp) {
                    best = Some((best.map_or(0, |(best, _)| best).max(order), left));
                    rtt = now.since(left);
                }
            }
            let smoothed = Duration::from_millis(100);
            rack.detect(&board, smoothed, false, now);
            let patience = rtt + (least / 4).min(smoothed);
            let latest = best.map_or(0, |(best, _)| best);
            let mut due = Instant::MAX;
            let late = all.iter_mut().filter(|one| !one.here && !one.lost && one.order < latest);
            for one in late {
                if one.left + patience <= now {
                    one.lost = true;
                } else if due == Instant::MAX || one.left + patience > due {
                    due = one.left + patience;
                }
            }
            prop_assert_eq!(rack.due(), due);
            let lost: Vec<u32> = (0..all.len() as u32).filter(|number| all[*number as usize].lost && !all[*number as usize].here).collect();
            let found: Vec<u32> = rack.lost().iter().flat_map(|(first, last)| first..last).collect();
            prop_assert_eq!(found, lost);
        }
    }
}
