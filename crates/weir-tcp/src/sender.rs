use alloc::sync::Arc;

use weir_types::{Ecn, Instant};

use crate::{
    Flags, Growth, Segment, TcpParameters,
    congestion::{AnyCongestion, Congestion, Window},
    recovery::{Exit, NewReno, NewRenoParameters, RecoveryConfig, RttEstimator, TimerReset},
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
    window: Window,
    congestion: AnyCongestion,
    recovery: NewReno,
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
            window: Window {
                cwnd: parameters.initial_window.0,
                ssthresh: parameters.initial_ssthresh.map_or(f64::INFINITY, |packets| packets.0),
            },
            congestion: parameters.congestion.build(),
            recovery: NewReno::default(),
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
            counters: Counters::default(),
            parameters,
        }
    }

    /// Data is there to send, without end.
    pub const fn start(&mut self) {
        self.end = u32::MAX;
    }

    /// No new data; what has been sent is still repaired.
    pub const fn stop(&mut self) {
        self.end = self.high;
    }

    /// An acknowledgement has arrived.
    #[inline]
    pub fn on_ack(&mut self, ack: &Segment, now: Instant) {
        let echo = self.parameters.ecn && ack.flags.has(Flags::ECE);
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

    /// The timer that [`Sender::timeout`] announced has expired.
    pub fn on_timeout(&mut self, now: Instant) {
        if self.held {
            self.held = false;
            return self.restart_timer(now);
        }
        self.counters.timeouts += 1;
        self.rtt.back_off();
        if self.is_connecting() {
            // The SYN was lost: begin with one segment, the threshold untouched.
            self.window.cwnd = 1.0;
        } else {
            let again = self.expired_at.replace(self.una) == Some(self.una);
            if again {
                self.window.cwnd = 1.0;
            } else {
                let flight = self.flight();
                self.congestion.on_timeout(&mut self.window, flight);
            }
            self.reduced = true;
            self.cut_by_mark = false;
            self.recovery.leave();
            self.recovery.cut(self.high);
        }
        self.duplicates = 0;
        self.limited = 0;
        self.repair = false;
        self.timed = None;
        self.burst = u32::MAX;
        self.next = self.una;
        self.restart_timer(now);
    }

    /// The next segment that may leave now.
    #[inline]
    pub fn poll_segment(&mut self, now: Instant) -> Option<Segment> {
        if self.repair {
            return self.poll_repair(now);
        }
        if !self.has_room() {
            self.window_limited = self.next - self.una >= self.window.cwnd as u32;
            return None;
        }
        self.limited += u32::from(self.next - self.una >= self.usable_window(0));
        self.burst -= 1;
        self.next += 1;
        Some(self.emit(self.next - 1, now))
    }

    /// The segment that loss recovery sends again at once, if there is one.
    #[inline]
    pub fn poll_repair(&mut self, now: Instant) -> Option<Segment> {
        if !self.repair || self.held {
            return None;
        }
        self.repair = false;
        self.next = self.next.max(self.una + 1);
        Some(self.emit(self.una, now))
    }

    /// Whether the window lets the next segment go.
    #[inline]
    pub fn has_room(&self) -> bool {
        if self.next >= self.end || self.burst == 0 || self.held {
            return false;
        }
        // Limited transmit (RFC 3042): the first two duplicates each let one more go.
        let extra = match self.duplicates {
            extra @ 1..=2 if self.parameters.limited_transmit && !self.recovery.is_active() => extra,
            _ => 0,
        };
        self.next - self.una < self.usable_window(extra)
    }

    /// When [`Sender::on_timeout`] is due; [`Instant::MAX`] while nothing is outstanding.
    #[inline]
    pub const fn timeout(&self) -> Instant {
        self.timer
    }

    /// The congestion window in segments, without the inflation of fast recovery.
    pub const fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    /// Where slow start ends, in segments.
    pub const fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    /// The number of segments acknowledged in order.
    pub const fn acked(&self) -> u32 {
        self.una
    }

    /// What it has done so far.
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    fn on_new_data(&mut self, ack: &Segment, echo: bool, now: Instant) {
        let connecting = self.is_connecting();
        let covered = ack.number - self.una;
        self.una = ack.number;
        self.next = self.next.max(self.una);
        self.duplicates = 0;
        self.limited = 0;
        self.expired_at = None;
        self.time_round_trip(ack, now);
        if connecting {
            if self.counters.timeouts > 0 {
                self.rtt.after_lost_syn();
            } else {
                self.window.cwnd = self.parameters.initial_window.0;
            }
            return self.restart_timer(now);
        }
        let NewRenoParameters { timer_reset, exit, burst } = *self.newreno();
        if !self.recovery.is_active() {
            if !echo && (self.window_limited || self.parameters.growth == Growth::Always) {
                self.congestion.on_ack(&mut self.window);
            }
            return self.restart_timer(now);
        }
        if self.recovery.is_full(self.una) {
            self.recovery.leave();
            match exit {
                Exit::Flight => {
                    self.window.cwnd = self.window.ssthresh.min(self.flight().max(1.0) + 1.0);
                }
                Exit::Window if echo => {}
                Exit::Window => self.congestion.on_ack(&mut self.window),
            }
            return self.restart_timer(now);
        }
        let first = self.recovery.deflate(covered, &mut self.window.cwnd);
        self.repair = true;
        self.burst = burst.unwrap_or(u32::MAX);
        if first || timer_reset == TimerReset::EveryPartialAck {
            self.restart_timer(now);
        }
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
        if self.recovery.covers_more(self.una) {
            let flight = self.flight() - f64::from(self.limited);
            self.use_window();
            self.congestion.on_loss(&mut self.window, flight);
            self.recovery.cut(self.high);
            self.reduced = true;
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
        self.congestion.on_mark(&mut self.window, flight);
        self.recovery.cut(self.high);
        self.counters.mark_cuts += 1;
        self.cut_by_mark = true;
        self.reduced = true;
    }

    /// Takes a sample, which ends the back-off, unless a mark at a window of one has just called
    /// for it.
    fn time_round_trip(&mut self, ack: &Segment, now: Instant) {
        let sent = if self.parameters.timestamps {
            Some(ack.stamp)
        } else {
            self.timed.take_if(|(number, _)| *number < ack.number).map(|(_, sent)| sent)
        };
        if let Some(sent) = sent {
            self.rtt.sample(now.since(sent), &self.parameters);
            if !self.held {
                self.rtt.recover();
            }
        }
    }

    fn emit(&mut self, number: u32, now: Instant) -> Segment {
        let again = number < self.high;
        let syn = number == 0 && self.parameters.handshake;
        self.high = self.high.max(number + 1);
        self.counters.sent += 1;
        self.counters.retransmitted += u64::from(again);
        if again {
            self.timed.take_if(|(timed, _)| *timed == number);
        } else if self.timed.is_none() {
            self.timed = Some((number, now));
        }
        if self.timer == Instant::MAX {
            self.restart_timer(now);
        }
        let capable = self.parameters.ecn && !syn && (!again || self.parameters.ecn_on_retransmissions);
        let tells = capable && self.reduced;
        self.reduced &= !tells;
        Segment {
            stamp: now,
            flow: self.flow,
            number,
            bytes: if syn { self.parameters.ack_size.bytes() } else { self.bytes },
            ecn: if capable { Ecn::Ect0 } else { Ecn::NotEct },
            flags: Flags::NONE
                .with(Flags::SYN, syn)
                .with(Flags::RETRANSMISSION, again)
                .with(Flags::CWR, tells),
        }
    }

    /// Starts the timer anew, or stops it if nothing is outstanding (RFC 6298, 5.1 to 5.3).
    #[inline]
    fn restart_timer(&mut self, now: Instant) {
        if self.held {
            return;
        }
        self.timer =
            if self.una < self.high { now + self.rtt.timeout(&self.parameters) } else { Instant::MAX };
    }

    /// The whole part of the window, inflated in recovery, and `extra` segments, within what the
    /// receiver allows.
    #[inline]
    fn usable_window(&self, extra: u32) -> u32 {
        if self.is_connecting() {
            return 1;
        }
        let window = (self.window.cwnd as u32).saturating_add(self.recovery.inflation() + extra);
        self.parameters.receive_window.map_or(window, |allowed| window.min(allowed.0 as u32))
    }

    /// Takes off the window what the receiver has never allowed to be used: only what was in
    /// use can be cut.
    fn use_window(&mut self) {
        if let Some(allowed) = self.parameters.receive_window {
            self.window.cwnd = self.window.cwnd.min(allowed.0);
        }
    }

    /// What is in the network, in segments: sent since the last timeout and not acknowledged,
    /// less what duplicate ACKs say has arrived. RFC 5681 counts the latter too; in a long
    /// recovery that is many times the window, and a timeout then would set a threshold far
    /// beyond what the path has just refused.
    fn flight(&self) -> f64 {
        f64::from((self.next - self.una).saturating_sub(self.recovery.inflation()))
    }

    /// The SYN has not been acknowledged.
    #[inline]
    fn is_connecting(&self) -> bool {
        self.una == 0 && self.parameters.handshake
    }

    fn newreno(&self) -> &NewRenoParameters {
        let RecoveryConfig::NewReno(parameters) = &self.parameters.recovery;
        parameters
    }
}
