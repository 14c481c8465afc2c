//! State of every sender, whatever its loss recovery: sequence numbers, the window with its congestion control, the
//! retransmission timer, and the response to marks. `emit` builds segments, `timer` has round trips and the
//! retransmission timer.

mod emit;
mod rtt;
mod timer;

use alloc::sync::Arc;

use weir_types::{Ecn, Instant};

pub use self::rtt::RttEstimator;
use crate::{
    Declared, Flags, Header, Segment, TcpParameters,
    congestion::{Ack, AnyCongestion, Repair, Signal, Window},
};

/// Counts of a sender's retransmissions, timeouts and cuts so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Segments sent again.
    pub retransmitted: u32,
    /// Expiries of the retransmission timer.
    pub timeouts: u32,
    /// Entries into fast recovery.
    pub fast_retransmits: u32,
    /// Cuts of the window because of marks.
    pub mark_cuts: u32,
}

/// ECN, and the response to echoed marks (RFC 3168, section 6.1.2).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EcnResponse {
    /// Its data may be marked.
    pub(crate) capable: bool,
    /// ECN codepoint of data that was sent before.
    pub(crate) again: Ecn,
    /// Its data asks whether all routers understand ECN.
    pub(crate) asks_routers: bool,
    /// The receiver is to be told that the window was cut (CWR).
    pub(crate) tell_cwr: bool,
    /// The last cut answered a mark.
    pub(crate) cut_by_mark: bool,
    /// A mark met a window of one segment: nothing may leave before the timer expires.
    pub(crate) held: bool,
}

/// The segment whose round trip is being timed, and when it was sent. Never one that was sent twice (Karn).
#[derive(Clone, Copy, Debug)]
#[repr(C, packed(4))]
pub(crate) struct Timed {
    /// [`u32::MAX`] if there is none.
    number: u32,
    sent: Instant,
}

impl EcnResponse {
    /// ECN state of a sender whose packets declare these codepoints.
    pub(crate) fn new(declared: Declared, asks_routers: bool) -> Self {
        let Declared { data, retransmission: again, .. } = declared;
        Self { capable: data != Ecn::NotEct, again, asks_routers, ..Self::default() }
    }
}

impl Timed {
    pub(crate) const NONE: Self = Self { number: u32::MAX, sent: Instant::MAX };

    /// Times segment `number`, sent at `now`, unless another is being timed.
    #[inline]
    pub(crate) const fn begin(&mut self, number: u32, now: Instant) {
        if self.number == u32::MAX {
            *self = Self { number, sent: now };
        }
    }

    /// Segment `number` was sent again.
    pub(crate) const fn forget(&mut self, number: u32) {
        if self.number == number {
            *self = Self::NONE;
        }
    }

    /// Returns true if an ACK of all below `number` ends the round trip.
    #[inline]
    pub(crate) const fn ends_below(&self, number: u32) -> bool {
        self.number < number
    }

    /// An ACK of all below `number` arrived: when the segment was sent, if the ACK ends its round trip.
    pub(crate) fn take_below(&mut self, number: u32) -> Option<Instant> {
        let Self { sent, .. } = *self;
        self.ends_below(number).then(|| {
            *self = Self::NONE;
            sent
        })
    }
}

/// Events that may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Anything.
    No,
    /// Hardly anything but the ACK of new data.
    Usual,
    /// Hardly anything but the ACK of new data or the end of a wait of pacing.
    Modern,
}

/// The part of a sender that its loss recovery works on.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    /// Lowest number not yet acknowledged (SND.UNA).
    pub(crate) una: u32,
    /// Number to send next (SND.NXT); below `high` after a timeout, when all is sent again.
    pub(crate) next: u32,
    /// One past the highest number sent.
    pub(crate) high: u32,
    /// One past the last number there is to send.
    pub(crate) end: u32,
    /// The number of its first segment.
    pub(crate) first: u32,
    pub(crate) window: Window,
    pub(crate) congestion: AnyCongestion,
    /// When the retransmission timer expires; [`Instant::MAX`] while it is off.
    pub(crate) timer: Instant,
    pub(crate) rtt: RttEstimator,
    pub(crate) timed: Timed,
    /// When the sender last stopped, the window stopped it: not its data, not its own jitter.
    pub(crate) window_limited: bool,
    /// Fast path that the next ACK of new data may take, if any: see [`crate::Sender::expects`].
    pub(crate) rest: Rest,
    /// When [`crate::Sender::on_timeout`] is due, if there is such a path.
    pub(crate) due: Instant,
    pub(crate) ecn: EcnResponse,
    /// Where the timer last expired: a second expiry there leaves ssthresh as it is. [`u32::MAX`] if all sent
    /// before has been acknowledged since.
    pub(crate) expired_at: u32,
    pub(crate) flow: u32,
    /// Header of new data.
    pub(crate) header: Header,
    /// Bytes on the wire of the last segment there is to send.
    pub(crate) last_bytes: u32,
    pub(crate) counters: Counters,
    pub(crate) parameters: Arc<TcpParameters>,
}

impl Connection {
    /// A connection with segments of `bytes` bytes on the wire, and nothing to send.
    pub(crate) fn new(flow: u32, bytes: u32, parameters: Arc<TcpParameters>) -> Self {
        let declared = Declared::at_first(&parameters);
        let congestion = parameters.congestion.build();
        let asks_routers = congestion.asks_routers();
        let flags = Flags::NONE.with(Flags::ALL_CAPABLE, asks_routers);
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
            congestion,
            timer: Instant::MAX,
            due: Instant::MAX,
            rtt: RttEstimator::default(),
            timed: Timed::NONE,
            window_limited: false,
            rest: Rest::No,
            ecn: EcnResponse::new(declared, asks_routers),
            expired_at: u32::MAX,
            flow,
            header: Header::new(bytes, declared.data, flags),
            last_bytes: bytes,
            counters: Counters::default(),
            parameters,
        }
    }

    /// Segments count from `first`.
    pub(crate) const fn count_from(&mut self, first: u32) {
        self.first = first;
        (self.una, self.next, self.high, self.end) = (first, first, first, first);
    }

    /// An ACK that is the first to cover `acked` segments, as the congestion control sees it; `flight`
    /// segments are in the network.
    #[inline]
    pub(crate) fn event(&self, ack: &Segment, acked: u32, flight: f64, now: Instant) -> Ack {
        Ack {
            echo: self.parameters.ecn && ack.flags().has(Flags::ECE),
            all_capable: ack.flags().has(Flags::ALL_CAPABLE),
            ..self.plain_event(ack.number, acked, flight, ack.stamp, now)
        }
    }

    /// ACK of all below `number`, caused by a segment sent at `stamp`, whose flags say nothing, as the congestion
    /// control sees it.
    #[expect(clippy::inline_always, reason = "only what is read of it is calculated")]
    #[inline(always)]
    fn plain_event(&self, number: u32, acked: u32, flight: f64, stamp: Instant, now: Instant) -> Ack {
        let una = self.una.max(number);
        let rtt = now.since(stamp);
        Ack {
            now,
            rtt,
            smoothed: self.rtt.smoothed().unwrap_or(rtt),
            acked,
            counted: self.parameters.abc.of(acked),
            echo: false,
            marked: 0,
            all_capable: false,
            una,
            next: self.next.max(una),
            high: self.high,
            flight,
            limited: self.window_limited,
        }
    }

    /// Tells the congestion control of an ACK on the fast path. With an `echo`, which is answered already, the
    /// window does not grow.
    #[expect(clippy::inline_always, reason = "it is on the fast path of every ACK")]
    #[inline(always)]
    pub(crate) fn inform(&mut self, number: u32, echo: bool, stamp: Instant, now: Instant) {
        let acked = number - self.una;
        let grows = self.may_grow() && !echo;
        if self.congestion.is_plain() {
            if grows {
                self.grow_plainly(acked);
            }
            return;
        }
        if self.congestion.reads_little(&self.window) {
            // Most of this event is never calculated.
            let event = self.plain_event(number, acked, 0.0, stamp, now);
            return self.congestion.observe_and_grow(event, grows, &mut self.window);
        }
        self.inform_on_slow_path(number, echo, stamp, now);
    }

    #[inline(never)]
    fn inform_on_slow_path(&mut self, number: u32, echo: bool, stamp: Instant, now: Instant) {
        let flight = f64::from(self.high - number);
        let event = Ack { echo, ..self.plain_event(number, number - self.una, flight, stamp, now) };
        self.observe(event);
        if self.may_grow() && !echo {
            self.congestion.on_ack(event, &mut self.window);
        }
    }

    /// Tells the congestion control, which does not answer marks but counts them, of an ACK on the fast path that
    /// reports `marked` segments.
    #[inline(never)]
    pub(crate) fn inform_of_marks(&mut self, number: u32, marked: u32, stamp: Instant, now: Instant) {
        let flight = f64::from(self.high - number);
        let plain = self.plain_event(number, number - self.una, flight, stamp, now);
        let event = Ack { echo: true, marked, ..plain };
        self.observe(event);
        if self.may_grow() {
            self.congestion.on_ack(event, &mut self.window);
        }
    }

    /// Shows an ACK to the congestion control, which may cut the window.
    pub(crate) fn observe(&mut self, event: Ack) {
        let cut = self.congestion.observe(event, &mut self.window);
        self.counters.mark_cuts += u32::from(cut);
        self.ecn.tell_cwr |= cut;
    }

    /// All below the number of `ack` has arrived, for the first time.
    #[inline]
    pub(crate) fn advance(&mut self, ack: &Segment, now: Instant) {
        let connecting = self.is_connecting();
        self.una = ack.number;
        self.next = self.next.max(self.una);
        self.expired_at = u32::MAX;
        self.time_round_trip(ack.number, ack.stamp, now);
        if connecting && self.counters.timeouts > 0 {
            self.rtt.after_lost_syn();
        } else if connecting {
            self.window.cwnd = self.parameters.initial_window.0;
        }
    }

    /// The window may grow if it limits the sender (RFC 7661).
    #[inline]
    pub(crate) fn may_grow(&self) -> bool {
        self.window_limited || !self.parameters.cwnd_validation
    }

    /// The window grows, outside of loss recovery, for an ACK of `acked` segments.
    #[inline]
    pub(crate) fn grow(&mut self, ack: &Segment, acked: u32, now: Instant) {
        if !self.grow_plainly(acked) {
            self.grow_on_slow_path(ack, acked, now);
        }
    }

    /// Lets the window grow if the congestion control needs to know no more of an ACK; else does nothing and
    /// returns false.
    #[expect(clippy::inline_always, reason = "it is on the fast path of every ACK")]
    #[inline(always)]
    pub(crate) fn grow_plainly(&mut self, acked: u32) -> bool {
        self.congestion.grow_plainly(self.parameters.abc.of(acked), &mut self.window)
    }

    #[inline(never)]
    fn grow_on_slow_path(&mut self, ack: &Segment, acked: u32, now: Instant) {
        let event = self.event(ack, acked, f64::from(self.next.max(self.una) - self.una), now);
        self.congestion.on_ack(event, &mut self.window);
    }

    /// Cuts the window for a loss with `flight` segments in the network.
    pub(crate) fn cut_for_loss(&mut self, flight: f64, now: Instant) -> Repair {
        self.use_window();
        let repair = self.congestion.on_loss(Signal { now, flight }, &mut self.window);
        self.ecn.tell_cwr |= repair != Repair::Uncut;
        repair
    }

    /// Loss recovery begins, or all is sent again: a retransmission is under way, so no round trip is timed.
    pub(crate) fn begin_repair(&mut self) {
        self.ecn.cut_by_mark = false;
        self.counters.fast_retransmits += 1;
        self.timed = Timed::NONE;
    }

    /// Cuts the window for an echoed mark with `flight` segments in the network. With a window of one, the
    /// sender stops until its timer expires.
    pub(crate) fn cut_for_mark(&mut self, flight: f64, now: Instant) {
        if self.window.cwnd <= 1.0 {
            self.ecn.held = true;
            self.rtt.back_off();
            self.timer = now + self.rtt.timeout(&self.parameters);
        }
        self.use_window();
        let before = self.window.cwnd;
        let flight = flight.min(before);
        self.congestion.on_mark(Signal { now, flight }, &mut self.window);
        let floor = self.parameters.ecn_min_cwnd.0.min(before);
        self.window.cwnd = self.window.cwnd.max(floor);
        self.counters.mark_cuts += 1;
        self.ecn.cut_by_mark = true;
        self.ecn.tell_cwr = true;
    }

    /// Cuts the window for an expiry of the retransmission timer.
    pub(crate) fn cut_for_timeout(&mut self, signal: Signal) {
        let again = core::mem::replace(&mut self.expired_at, self.una) == self.una;
        if again {
            self.window.cwnd = 1.0;
        } else {
            self.congestion.on_timeout(signal, &mut self.window);
        }
        self.ecn.tell_cwr = true;
        self.ecn.cut_by_mark = false;
    }

    /// Only what was in use can be cut: takes off the window what its bound did not allow.
    fn use_window(&mut self) {
        self.window.cwnd = self.window.cwnd.min(self.window.bound);
    }

    /// Bytes of data in a segment: without headers, which are as long as those of an ACK.
    pub(crate) fn payload(&self) -> u32 {
        self.header.bytes().saturating_sub(self.parameters.ack_size.bytes()).max(1)
    }

    /// The SYN has not been acknowledged.
    #[inline]
    pub(crate) fn is_connecting(&self) -> bool {
        self.una == self.first && self.parameters.handshake
    }

    /// Returns true if an ACK of new data without an echo only lets the window grow and data leave. Loss recovery is
    /// asked separately.
    #[inline]
    pub(crate) const fn may_take_fast_path(&self) -> bool {
        self.una > self.first && self.next == self.high && !self.ecn.held && self.expired_at == u32::MAX
    }
}
