//! The sending side: what ACKs, losses and marks do to it. What leaves is in `emit`, what the clock
//! does in `timer`, what can be read of it in `state`.

mod emit;
mod selective;
mod state;
mod timer;

use alloc::{boxed::Box, sync::Arc};

use weir_types::Instant;

use crate::{
    Flags, Growth, Segment, TcpParameters,
    congestion::{Ack, AnyCongestion, Congestion, Repair, Signal, Window},
    recovery::{
        BLOCKS, Exit, NewReno, NewRenoParameters, RecoveryConfig, RenoRecoveryParameters, RttEstimator, Sack,
        TimerReset,
    },
};

/// What a sender has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Segments sent, the SYN and retransmissions among them.
    pub sent: u64,
    /// Segments sent again.
    pub retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Entries into fast recovery.
    pub fast_retransmits: u64,
    /// Cuts of the window because of marks.
    pub mark_cuts: u64,
}

/// The sending side of a connection. Call [`Sender::poll_segment`] until it gives `None`
/// after every other call, and [`Sender::on_timeout`] once [`Sender::timeout`] has passed.
#[derive(Clone, Debug)]
pub struct Sender {
    /// Lowest number not yet acknowledged.
    una: u32,
    /// Number to send next; below `high` after a timeout, when all is sent again.
    next: u32,
    /// One past the highest number sent.
    high: u32,
    /// One past the last number there is to send.
    end: u32,
    /// The number of its first segment.
    first: u32,
    window: Window,
    congestion: AnyCongestion,
    recovery: NewReno,
    /// What selective acknowledgements need besides; `None` without them.
    sack: Option<Box<Sack>>,
    /// When the retransmission timer expires; [`Instant::MAX`] while it is off.
    timer: Instant,
    rtt: RttEstimator,
    /// The segment whose round trip is being timed, and when it was sent (Karn: never one
    /// that was sent twice).
    timed: Option<(u32, Instant)>,
    duplicates: u32,
    /// When the sender last stopped, the window stopped it: not its data, not its own jitter.
    window_limited: bool,
    /// Segments sent by limited transmit since the first duplicate; they do not count as
    /// outstanding when the window is cut (RFC 5681, section 3.2).
    limited: u32,
    /// New segments that may still be sent in answer to this ACK.
    burst: u32,
    /// The lowest outstanding segment is to be sent again at once.
    repair: bool,
    /// Tell the receiver that the window was cut.
    reduced: bool,
    /// The last cut answered a mark.
    cut_by_mark: bool,
    /// A mark met a window of one: nothing may leave before the timer expires.
    held: bool,
    /// Where the timer last expired: a second expiry there leaves ssthresh alone.
    expired_at: Option<u32>,
    flow: u32,
    bytes: u32,
    /// Bytes on the wire of the last segment there is to send.
    last_bytes: u32,
    counters: Counters,
    parameters: Arc<TcpParameters>,
}

impl Sender {
    /// A connection with segments of `bytes` bytes on the wire and no end of data. Silent
    /// until [`Sender::start`].
    pub fn new(flow: u32, bytes: u32, parameters: Arc<TcpParameters>) -> Self {
        Self {
            una: 0,
            next: 0,
            high: 0,
            end: 0,
            first: 0,
            window: Window {
                cwnd: parameters.initial_window.0,
                ssthresh: parameters.initial_ssthresh.map_or(f64::INFINITY, |packets| packets.0),
                bound: parameters.receive_window.map_or(f64::INFINITY, |packets| packets.0),
            },
            congestion: parameters.congestion.build(),
            recovery: NewReno::default(),
            sack: match &parameters.recovery {
                RecoveryConfig::Sack(sack) => Some(Box::new(Sack::new(sack))),
                RecoveryConfig::NewReno(_) | RecoveryConfig::Reno(_) => None,
            },
            timer: Instant::MAX,
            rtt: RttEstimator::new(parameters.initial_rto),
            timed: None,
            duplicates: 0,
            window_limited: false,
            limited: 0,
            burst: u32::MAX,
            repair: false,
            reduced: false,
            cut_by_mark: false,
            held: false,
            expired_at: None,
            flow,
            bytes,
            last_bytes: bytes,
            counters: Counters::default(),
            parameters,
        }
    }

    /// A connection in the place of another that has ended: it counts its segments from `first`,
    /// one past the last number of the other. What is still on its way from then lies below and is
    /// ignored.
    #[must_use]
    pub fn counting_from(mut self, first: u32) -> Self {
        self.first = first;
        (self.una, self.next, self.high, self.end) = (first, first, first, first);
        if let Some(sack) = &mut self.sack {
            sack.board.count_from(first);
        }
        self
    }

    /// Data is there to send, without end.
    pub const fn start(&mut self) {
        self.end = u32::MAX;
    }

    /// So many segments are there to send, at least one, the last of them with `last_bytes` bytes on the
    /// wire.
    pub fn start_with(&mut self, segments: u32, last_bytes: u32) {
        self.end = self.first + u32::from(self.parameters.handshake) + segments;
        self.last_bytes = last_bytes;
    }

    /// No new data; what has been sent is still repaired.
    pub const fn stop(&mut self) {
        self.end = self.high;
    }

    /// An acknowledgement has arrived. One that bears blocks goes to [`Sender::on_sack`].
    #[inline]
    pub fn on_ack(&mut self, ack: &Segment, now: Instant) {
        if self.sack.is_some() {
            return self.on_sack(ack, &[(0, 0); BLOCKS], now);
        }
        if ack.number < self.first {
            return;
        }
        if self.congestion.observes() {
            self.observe(ack, now);
        }
        let echo = self.parameters.ecn && ack.flags.has(Flags::ECE) && self.congestion.answers_marks();
        if echo && self.recovery.covers_more(ack.number) {
            self.cut_for_mark(now);
        }
        self.burst = u32::MAX;
        if ack.number > self.una {
            self.on_new_data(ack, echo, now);
        } else if ack.number == self.una && self.una < self.high {
            self.on_duplicate(now);
        }
    }

    #[inline]
    fn on_new_data(&mut self, ack: &Segment, echo: bool, now: Instant) {
        let connecting = self.is_connecting();
        let covered = ack.number - self.una;
        self.advance(ack, now);
        if connecting {
            return self.restart_timer(now);
        }
        if !self.recovery.is_active() {
            if !echo && (self.window_limited || self.parameters.growth == Growth::Always) {
                self.grow(ack, covered, now);
            }
            return self.restart_timer(now);
        }
        let NewRenoParameters { timer_reset, exit, burst } = self.newreno();
        let classic = self.classic().is_some();
        if classic || self.recovery.is_full(self.una) {
            self.recovery.leave();
            match exit {
                // The window is what the cut left (RFC 5681, section 3.2, step 6).
                _ if classic => {}
                Exit::Flight => {
                    self.window.cwnd = self.window.ssthresh.min(self.flight().max(1.0) + 1.0);
                }
                Exit::Window if echo => {}
                Exit::Window => self.grow(ack, covered, now),
            }
            self.congestion.on_recovered(now, &mut self.window);
            return self.restart_timer(now);
        }
        let first = self.recovery.deflate(covered, &mut self.window.cwnd);
        self.repair = true;
        self.burst = burst.unwrap_or(u32::MAX);
        if first || timer_reset == TimerReset::EveryPartialAck {
            self.restart_timer(now);
        }
    }

    /// An ACK that is the first to cover `acked` segments, as the congestion control sees it.
    fn event(&self, ack: &Segment, acked: u32, now: Instant) -> Ack {
        let una = self.una.max(ack.number);
        let next = self.next.max(una);
        let rtt = now.since(ack.stamp);
        Ack {
            now,
            rtt,
            smoothed: self.rtt.smoothed().unwrap_or(rtt),
            acked,
            counted: self.parameters.counts.of(acked),
            echo: self.parameters.ecn && ack.flags.has(Flags::ECE),
            all_capable: ack.flags.has(Flags::ALL_CAPABLE),
            una,
            next,
            high: self.high,
            flight: f64::from((next - una).saturating_sub(self.recovery.inflation())),
            limited: self.window_limited,
        }
    }

    /// Shows an ACK to the congestion control. Out of line, as what follows upon it: Reno does not look.
    #[inline(never)]
    fn observe(&mut self, ack: &Segment, now: Instant) {
        if ack.number >= self.una && !self.is_connecting() {
            let event = self.event(ack, ack.number - self.una, now);
            let cut = self.congestion.observe(event, &mut self.window);
            self.counters.mark_cuts += u64::from(cut);
            self.reduced |= cut;
        }
    }

    /// All below the number of `ack` has arrived, for the first time.
    #[inline]
    fn advance(&mut self, ack: &Segment, now: Instant) {
        let connecting = self.is_connecting();
        self.una = ack.number;
        self.next = self.next.max(self.una);
        self.duplicates = 0;
        self.limited = 0;
        self.expired_at = None;
        self.time_round_trip(ack, now);
        if connecting && self.counters.timeouts > 0 {
            self.rtt.after_lost_syn();
        } else if connecting {
            self.window.cwnd = self.parameters.initial_window.0;
        }
    }

    /// The window may grow.
    #[inline]
    fn grow(&mut self, ack: &Segment, acked: u32, now: Instant) {
        if !self.congestion.grow_plainly(self.parameters.counts.of(acked), &mut self.window) {
            self.grow_otherwise(ack, acked, now);
        }
    }

    #[inline(never)]
    fn grow_otherwise(&mut self, ack: &Segment, acked: u32, now: Instant) {
        let event = self.event(ack, acked, now);
        self.congestion.on_ack(event, &mut self.window);
    }

    fn on_duplicate(&mut self, now: Instant) {
        self.duplicates += 1;
        if self.recovery.is_active() {
            self.burst = self.newreno().burst.unwrap_or(u32::MAX);
            return self.recovery.inflate();
        }
        if self.duplicates != 3 {
            return;
        }
        let once = self.cut_by_mark || self.classic().is_none_or(|reno| reno.once_per_window);
        if !once || self.recovery.covers_more(self.una) {
            let flight = self.flight() - f64::from(self.limited);
            self.use_window();
            let repair = self.congestion.on_loss(Signal { now, flight }, &mut self.window);
            self.recovery.cut(self.high);
            self.reduced |= repair != Repair::Uncut;
            if repair == Repair::StartOver {
                return self.start_over(now);
            }
        } else if !self.cut_by_mark {
            // These may be echoes of segments that were sent twice (RFC 6582, section 4.1).
            return;
        }
        // After a mark in the same window the loss is repaired without another cut.
        self.cut_by_mark = false;
        self.counters.fast_retransmits += 1;
        self.recovery.enter();
        self.repair = true;
        self.timed = None;
        self.burst = self.newreno().burst.unwrap_or(u32::MAX);
        self.restart_timer(now);
    }

    /// Sends again all that is outstanding, without fast recovery.
    fn start_over(&mut self, now: Instant) {
        self.cut_by_mark = false;
        self.counters.fast_retransmits += 1;
        self.timed = None;
        self.next = self.una;
        self.restart_timer(now);
    }

    /// Answers an echoed mark, at most once per window of data (RFC 3168, section 6.1.2).
    fn cut_for_mark(&mut self, now: Instant) {
        if self.window.cwnd <= 1.0 {
            self.held = true;
            self.rtt.back_off();
            self.timer = now + self.rtt.timeout(&self.parameters);
        }
        // The ACK covers all that was outstanding at the last cut, so it also ends the recovery
        // that may have begun there.
        self.recovery.leave();
        self.use_window();
        let flight = self.flight().min(self.window.cwnd);
        let before = self.window.cwnd;
        self.congestion.on_mark(Signal { now, flight }, &mut self.window);
        let floor = self.parameters.mark_floor.0.min(before);
        self.window.cwnd = self.window.cwnd.max(floor);
        self.recovery.cut(self.high);
        self.counters.mark_cuts += 1;
        self.cut_by_mark = true;
        self.reduced = true;
    }

    /// Takes off the window what was never allowed to be used: only what was in
    /// use can be cut.
    fn use_window(&mut self) {
        self.window.cwnd = self.window.cwnd.min(self.window.bound);
    }

    /// What is in the network, in segments: sent since the last timeout and not acknowledged,
    /// less what duplicate ACKs say has arrived. RFC 5681 counts the latter too; in a long
    /// recovery that is many times the window, and a timeout then would set a threshold far
    /// beyond what the path has just refused.
    pub fn flight(&self) -> f64 {
        let arrived = match &self.sack {
            None => self.recovery.inflation(),
            Some(sack) => sack.board.sacked().count(),
        };
        f64::from((self.next - self.una).saturating_sub(arrived))
    }

    /// The SYN has not been acknowledged.
    #[inline]
    fn is_connecting(&self) -> bool {
        self.una == self.first && self.parameters.handshake
    }

    fn newreno(&self) -> NewRenoParameters {
        match self.parameters.recovery {
            RecoveryConfig::NewReno(parameters) => parameters,
            RecoveryConfig::Reno(_) | RecoveryConfig::Sack(_) => NewRenoParameters::default(),
        }
    }

    /// Reno's fast recovery, if that is chosen.
    fn classic(&self) -> Option<RenoRecoveryParameters> {
        match self.parameters.recovery {
            RecoveryConfig::Reno(parameters) => Some(parameters),
            RecoveryConfig::NewReno(_) | RecoveryConfig::Sack(_) => None,
        }
    }
}
