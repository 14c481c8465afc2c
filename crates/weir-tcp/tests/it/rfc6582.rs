//! `NewReno` by RFC 6582, with the defaults: its rules one by one, ACK by ACK. Segments are
//! numbered from 1; number 0 is the SYN.

use std::sync::Arc;

use weir_tcp::{
    Flags, Header, Segment, Sender, TcpParameters,
    recovery::{NewRenoParameters, RecoveryConfig, TimerReset},
};
use weir_types::{Duration, Ecn, Instant};

use crate::wire::{Kind, Row, Script, Wire};

/// A sender whose ACKs are written by hand, a millisecond apart.
struct Desk {
    sender: Sender,
    now: Instant,
}

impl Desk {
    /// Connected, and the initial window of ten segments sent.
    fn new(parameters: TcpParameters) -> Self {
        let mut desk = Self { sender: Sender::new(0, 1000, Arc::new(parameters)), now: Instant::ZERO };
        desk.sender.start();
        assert_eq!(desk.sent(), [0]);
        assert_eq!(desk.ack(0), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        desk
    }

    /// Everything up to `last` has arrived; returns what is sent in answer.
    fn ack(&mut self, last: u32) -> Vec<u32> {
        self.ack_with(last, Flags::ACK)
    }

    fn ack_with(&mut self, last: u32, flags: Flags) -> Vec<u32> {
        self.now += Duration::from_millis(1);
        let ack = Segment {
            stamp: self.now,
            flow: 0,
            number: last + 1,
            header: Header::new(40, Ecn::NotEct, flags),
        };
        self.sender.on_ack(&ack, self.now);
        self.sent()
    }

    /// `count` more ACKs up to `last`.
    fn duplicates(&mut self, last: u32, count: usize) -> Vec<u32> {
        (0..count).flat_map(|_| self.ack(last)).collect()
    }

    /// The retransmission timer runs off.
    fn expire(&mut self) -> Vec<u32> {
        self.now = self.sender.timeout();
        self.sender.on_timeout(self.now);
        self.sent()
    }

    fn sent(&mut self) -> Vec<u32> {
        std::iter::from_fn(|| self.sender.poll_segment(self.now)).map(|segment| segment.number).collect()
    }

    /// Window, without the inflation of recovery, and `ssthresh`.
    fn window(&self) -> (f64, f64) {
        (self.sender.cwnd(), self.sender.ssthresh())
    }

    /// Until the timer expires.
    fn left(&self) -> Duration {
        self.sender.timeout().since(self.now)
    }
}

fn without_limited_transmit() -> TcpParameters {
    TcpParameters { limited_transmit: false, ..TcpParameters::default() }
}

/// Ten segments, the first and the third lost: every number is in the text of the RFC.
#[test]
fn two_losses_in_a_window_of_ten() {
    let mut desk = Desk::new(without_limited_transmit());
    assert_eq!(desk.duplicates(0, 3), [1], "the third duplicate ACK repairs");
    assert_eq!(desk.window(), (5.0, 5.0), "and the window is 5 + 3");
    assert_eq!(desk.duplicates(0, 5), [11, 12, 13], "inflated to 13, of which 10 are out");
    assert_eq!(desk.ack(2), [3, 14], "13 - 2 + 1 = 12 may be out: 3 to 14");
    assert_eq!(desk.duplicates(2, 3), [15, 16, 17]);
    assert_eq!(desk.ack(13), [18], "14 to 18 are out");
    assert_eq!(desk.window(), (5.0, 5.0), "min(ssthresh, 4 + 1)");
    assert_eq!(desk.sender.counters().fast_retransmits, 1);
}

/// Section 3.2, step 3, first choice: min(ssthresh, max(flight, 1) + 1).
#[test]
fn a_full_ack_leaves_no_room_for_a_burst() {
    let mut desk = Desk::new(without_limited_transmit());
    assert_eq!(desk.duplicates(0, 3), [1]);
    desk.sender.stop();
    assert_eq!(desk.ack(10), [] as [u32; 0]);
    assert_eq!(desk.window(), (2.0, 5.0), "nothing is out");
}

/// A partial ACK that covers more than the window was inflated by takes the rest from the window.
#[test]
fn a_partial_ack_deflates_by_what_it_covers() {
    let mut desk = Desk::new(without_limited_transmit());
    assert_eq!(desk.duplicates(0, 5), [1], "a window of 5 + 5");
    assert_eq!(desk.ack(7), [8, 11], "10 - 7 + 1 = 4 may be out: 8 to 11");
}

/// RFC 3042; the segments it sends are not counted when the flight is halved (RFC 5681, 3.2).
#[test]
fn limited_transmit_sends_two_that_do_not_count() {
    let mut desk = Desk::new(TcpParameters::default());
    assert_eq!(desk.ack(0), [11]);
    assert_eq!(desk.ack(0), [12]);
    assert_eq!(desk.ack(0), [1]);
    assert_eq!(desk.window(), (5.0, 5.0));
}

/// Section 3.2, step 4, and section 4.1: after a timeout the same data are sent again, and
/// what had arrived comes back as duplicates. They are no sign of a loss.
#[test]
fn echoes_of_what_was_sent_twice_start_no_recovery() {
    let mut desk = Desk::new(without_limited_transmit());
    assert_eq!(desk.expire(), [1]);
    assert_eq!(desk.window(), (1.0, 5.0));
    assert_eq!(desk.ack(2), [3, 4]);
    assert_eq!(desk.duplicates(2, 4), [] as [u32; 0]);
    assert_eq!(desk.sender.counters().fast_retransmits, 0);
    // 10 was the last before the timeout: not yet beyond it.
    assert_eq!(desk.ack(10), [11, 12, 13]);
    assert_eq!(desk.duplicates(10, 3), [] as [u32; 0]);
    assert_eq!(desk.ack(11), [14, 15]);
    assert_eq!(desk.duplicates(11, 3), [12, 16], "beyond it three duplicates count again");
    assert_eq!(desk.sender.counters().fast_retransmits, 1);
}

#[test]
fn a_timeout_ends_recovery() {
    let mut desk = Desk::new(without_limited_transmit());
    assert_eq!(desk.duplicates(0, 3), [1]);
    assert_eq!(desk.expire(), [1]);
    assert_eq!(desk.window(), (1.0, 3.5), "of ten that are out, three have arrived");
    assert_eq!(desk.ack(10), [11, 12], "slow start, not recovery");
    assert_eq!(desk.sender.counters().timeouts, 1);
}

/// A second expiry for the same segment doubles the timeout and leaves ssthresh (RFC 5681, 3.1).
#[test]
fn a_retransmission_that_is_lost_again_halves_nothing() {
    let mut desk = Desk::new(without_limited_transmit());
    assert_eq!(desk.expire(), [1]);
    assert_eq!(desk.left(), Duration::from_secs(2));
    assert_eq!(desk.expire(), [1]);
    assert_eq!(desk.left(), Duration::from_secs(4));
    assert_eq!(desk.window(), (1.0, 5.0));
}

/// Section 3.2, step 3: the first partial ACK restarts the timer, the others do not.
#[test]
fn the_first_partial_ack_restarts_the_timer() {
    let mut desk = Desk::new(without_limited_transmit());
    desk.duplicates(0, 3);
    desk.now += Duration::from_millis(300);
    desk.ack(2);
    assert_eq!(desk.left(), Duration::from_secs(1));
    desk.now += Duration::from_millis(300);
    desk.ack(4);
    assert_eq!(desk.left(), Duration::from_millis(699));
}

/// Section 4: with many losses in a window the impatient sender ends in a timeout, the slow
/// but steady one repairs one a round trip.
#[test]
fn impatient_or_slow_but_steady() {
    let run = |timer_reset| {
        let recovery =
            RecoveryConfig::NewReno(NewRenoParameters { timer_reset, ..NewRenoParameters::default() });
        let script = Script {
            lost: (23..35).map(|number| (number, 1)).collect(),
            rate_bits_per_second: 800_000_000,
            one_way_delay_ns: 50_000_000,
            segment_bytes: 1000,
            end_ns: 3_000_000_000,
            ..Script::default()
        };
        Wire::new(script, TcpParameters { recovery, ..TcpParameters::default() }).run()
    };
    let timeouts = |rows: &[Row]| rows.iter().filter(|row| row.kind == Kind::Timeout).count();
    assert_eq!(timeouts(&run(TimerReset::FirstPartialAck)), 1);

    let steady = run(TimerReset::EveryPartialAck);
    assert_eq!(timeouts(&steady), 0);
    let repairs: Vec<&Row> = steady.iter().filter(|row| row.copy == Some(2)).collect();
    let numbers: Vec<u32> = repairs.iter().filter_map(|row| row.number).collect();
    assert_eq!(numbers, (23..35).collect::<Vec<_>>(), "each once, in order");
    for pair in repairs.windows(2) {
        let apart = pair[1].time_ns - pair[0].time_ns;
        assert!((100_000_000..101_000_000).contains(&apart), "one a round trip, not after {apart} ns");
    }
}

/// The ACK that ends recovery may echo a mark. It ends it all the same: nothing is lost.
#[test]
fn a_full_ack_that_echoes_a_mark_ends_recovery() {
    let mut desk = Desk::new(TcpParameters { ecn: true, ..without_limited_transmit() });
    assert_eq!(desk.duplicates(0, 3), [1]);
    assert_eq!(desk.duplicates(0, 7), [11, 12, 13, 14, 15]);
    let answer = desk.ack_with(13, Flags::ACK.with(Flags::ECE, true));
    assert!(!answer.contains(&14), "14 is on its way and was sent again: {answer:?}");
    assert_eq!(desk.window(), (2.5, 2.5), "5, halved once more");
    assert_eq!(desk.sender.counters().mark_cuts, 1);
}

/// A sample ends the back-off, whatever its ACK echoes (RFC 6298, 5.7).
#[test]
fn a_sample_with_an_echo_ends_the_back_off() {
    let mut desk = Desk::new(TcpParameters { ecn: true, ..without_limited_transmit() });
    assert_eq!(desk.expire(), [1]);
    assert_eq!(desk.ack(10), [11, 12]);
    assert_eq!(desk.left(), Duration::from_secs(2), "no sample yet: 1 was sent twice");
    assert_eq!(desk.ack_with(11, Flags::ACK.with(Flags::ECE, true)), [] as [u32; 0]);
    assert_eq!(desk.left(), Duration::from_secs(1));
}
