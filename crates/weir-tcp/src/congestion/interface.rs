//! The interface between a sender and its congestion control.

use weir_types::{Duration, Instant, Rng};

use super::Facts;
use crate::accecn::EcnMode;

/// Limits of the segments in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The congestion window in segments; the sender uses the whole part.
    pub cwnd: f64,
    /// Below it the window grows exponentially, in segments.
    pub ssthresh: f64,
    /// Greatest number of segments in flight: what the receiver allows, or what a control with a window
    /// of its own sets. Infinite if there is no limit.
    pub bound: f64,
}

/// An ACK, as a congestion control sees it. Numbers are those after it was taken in. Passed by value,
/// so that a control that reads little of it costs as little.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack {
    /// When it arrived.
    pub now: Instant,
    /// From sending the segment that caused it until now.
    pub rtt: Duration,
    /// The smoothed round trip; that of this ACK before there is one.
    pub smoothed: Duration,
    /// Segments that it acknowledges for the first time; none if it is a duplicate.
    pub acked: u32,
    /// For how many segments the window may grow: `acked`, or one per ACK, as
    /// [`crate::TcpParameters::abc`] has it.
    pub counted: f64,
    /// It carries an echo of a mark; [`super::Feedback`] says of which segments.
    pub echo: bool,
    /// Segments that it is the first to report as marked, if feedback is accurate ([`crate::accecn`]).
    pub marked: u32,
    /// All routers on the path of the segment that caused it understand ECN. Valid only if the control
    /// asks for it ([`Congestion::asks_routers`]).
    pub all_capable: bool,
    /// Lowest number not yet acknowledged.
    pub una: u32,
    /// Number to be sent next.
    pub next: u32,
    /// One past the highest number sent: a round is over when `una` exceeds what this was at its start.
    pub high: u32,
    /// Segments in the network.
    pub flight: f64,
    /// The window is what limits the sender.
    pub limited: bool,
}

/// A signal of congestion: a loss, a mark, a timeout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// When it was noticed.
    pub now: Instant,
    /// Segments that were in the network.
    pub flight: f64,
}

/// How the sender repairs a loss that a control was told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// As its loss recovery has it.
    Recover,
    /// As its loss recovery has it, but the window was not cut.
    Uncut,
    /// It sends again everything from the lost segment on, as after a timeout.
    StartOver,
}

/// Facts that a sender that paces or counts marks has learnt from an ACK, once loss recovery has dealt with it.
/// Segments count as delivered whether their number is acknowledged or a SACK block reports them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivery {
    /// When the ACK arrived.
    pub now: Instant,
    /// From sending the segment that caused it until now.
    pub rtt: Duration,
    /// The smoothed round trip; that of this ACK before there is one.
    pub smoothed: Duration,
    /// Segments that it is the first to report: none of the ACK of the SYN.
    pub newly: u32,
    /// Segments among `newly` that arrived marked, if feedback is accurate ([`crate::accecn`]).
    pub marked: u32,
    /// The segments of all ACKs so far.
    pub delivered: u64,
    /// Segments that this ACK shows to be lost: not what a timer found before it.
    pub lost: u32,
    /// Segments found lost so far, by ACKs and timers.
    pub lost_so_far: u64,
    /// Lowest number not yet acknowledged.
    pub una: u32,
    /// One past the highest number sent.
    pub high: u32,
    /// Segments in the network.
    pub flight: u32,
    /// Segments that were in the network before the ACK.
    pub flight_before: u32,
    /// The window is what limits the sender.
    pub limited: bool,
    /// The window was full at some moment of the present window of data: slow start has no other rule here.
    pub full: bool,
    /// State of loss recovery.
    pub state: RecoveryState,
    /// The least round trip so far, that of the handshake included.
    pub min_rtt: Duration,
    /// When the next segment may leave: now, or later if the sender paces.
    pub next_release: Instant,
    /// Bytes of a segment on the wire.
    pub bytes: u32,
    /// Bytes of data in it.
    pub payload: u32,
    /// A sample of the delivery rate, if the control asks for them and a segment has arrived.
    pub sample: Option<RateSample>,
}

/// A sample of the delivery rate (draft-cheng-iccrg-delivery-rate-estimation). It is of the segment `P` that was sent
/// last among those that have just arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// `delivered` segments arrived in this time; `None` if it is too short to tell a rate.
    pub interval: Option<Duration>,
    /// Segments delivered since `P` left.
    pub delivered: u64,
    /// Segments delivered before.
    pub prior_delivered: u64,
    /// There was no data to fill the window with when `P` left.
    pub app_limited: bool,
    /// The round trip of `P`; `None` if it was sent more than once.
    pub rtt: Option<Duration>,
    /// Segments in the network when `P` left, itself included.
    pub flight: u32,
    /// Segments found lost since `P` left.
    pub lost: u64,
    /// Answer of the ACK to a repeated tail.
    pub tail: Option<TailAnswer>,
}

/// Answer to a tail loss probe that has repeated a segment (RFC 8985, section 7.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TailAnswer {
    /// All that was outstanding when it left has arrived: the tail as it was first sent, or the probe. Later ACKs tell.
    Open,
    /// It has repaired a loss.
    Repaired {
        /// There was no data to fill the window with when the lost segment left.
        app_limited: bool,
    },
}

impl RateSample {
    /// Segments per second.
    #[inline]
    pub fn rate(&self) -> Option<f64> {
        // Signed: the processor converts them in one step.
        self.interval.map(|interval| {
            self.delivered.cast_signed() as f64 / interval.as_nanos().cast_signed() as f64 * 1e9
        })
    }
}

/// A segment that was found lost, as it was last sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// Segments in the network when it left, itself included.
    pub flight: u32,
    /// Segments found lost since it left, itself included.
    pub lost: u64,
    /// Segments delivered so far.
    pub delivered: u64,
    /// There was no data to fill the window with when it left.
    pub app_limited: bool,
    /// When it was found lost.
    pub now: Instant,
}

/// Counts of a sender that samples the delivery rate, at an event that no ACK causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// When the event was.
    pub now: Instant,
    /// The segments of all ACKs so far.
    pub delivered: u64,
    /// When the last of them arrived; if nothing was outstanding since, when the next segment left.
    pub delivered_at: Instant,
    /// Segments found lost so far.
    pub lost_so_far: u64,
    /// Bytes of data in a segment.
    pub payload: u32,
}

/// State of loss recovery, as the sender's other parts see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecoveryState {
    /// Nothing.
    #[default]
    Open,
    /// It repairs losses.
    Recovery,
    /// It sends again what was outstanding when the timer expired.
    Loss,
}

/// Values that a congestion control sets besides the window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// The rate at which segments should leave, in segments per second. `None` if the control has none of its own:
    /// a sender that paces then derives one from the window ([`crate::PacingParameters`]).
    pub rate: Option<f64>,
    /// The size of new segments on the wire, if the control sets it. A transfer with an end does not ask.
    pub bytes: Option<u32>,
    /// At the last ACK it kept the window so small that samples of the delivery rate tell too little: those of what
    /// leaves before all that was in flight then has arrived.
    pub limits_itself: bool,
}

/// A congestion control. The sender tells it of ACKs, losses, marks and timeouts, and of
/// the end of loss recovery. It answers with a window, which the calls change, and with a rate.
pub trait Congestion {
    /// Facts about the control.
    const FACTS: Facts = Facts::PLAIN;

    /// [`Congestion::observe`] does something.
    const OBSERVES: bool = true;

    /// Values that it sets besides the window.
    #[inline]
    fn pace(&self) -> Pace {
        Pace::default()
    }

    /// Both ends have agreed upon the feedback of marks, if the sender asked for accurate feedback.
    #[inline]
    fn on_ecn(&mut self, mode: EcnMode) {
        let _ = mode;
    }

    /// Random numbers of its own, for a control that draws. Called before anything is sent.
    #[inline]
    fn set_random(&mut self, random: Rng) {
        let _ = random;
    }

    /// A segment was found lost, for a control that samples the delivery rate.
    #[inline]
    fn on_segment_lost(&mut self, lost: &Transmission) {
        let _ = lost;
    }

    /// The retransmission timer has expired, and all that was outstanding is lost, for a control that samples the
    /// delivery rate. [`Congestion::on_timeout`] comes before, unless nothing has arrived since the timer expired last.
    #[inline]
    fn on_expiry(&mut self, counts: &Counts) {
        let _ = counts;
    }

    /// A segment is about to leave while none is in the network and the application limits samples, for a control
    /// that samples the delivery rate.
    #[inline]
    fn on_restart(&mut self, counts: &Counts, window: &mut Window) {
        let _ = (counts, window);
    }

    /// An ACK arrived at a sender that paces or counts marks, and loss recovery has dealt with it. The last call for an
    /// ACK.
    #[inline]
    fn on_delivery(&mut self, delivery: &Delivery, window: &mut Window) {
        let _ = (delivery, window);
    }

    /// An ACK arrived, of any kind but that of the SYN. Called before all else that the ACK causes.
    /// Returns whether it cut the window for a mark, as controls do that have no
    /// [`Congestion::on_mark`].
    #[inline]
    fn observe(&mut self, ack: Ack, window: &mut Window) -> bool {
        let _ = (ack, window);
        false
    }

    /// The window may grow: an ACK of new data arrived, outside of loss recovery and without an echo
    /// to answer, while the window is what limits the sender.
    fn on_ack(&mut self, ack: Ack, window: &mut Window);

    /// Segments were found lost by duplicate ACKs, for the first time in this window of data.
    fn on_loss(&mut self, signal: Signal, window: &mut Window) -> Repair;

    /// The receiver echoed a mark, for the first time in this window of data.
    fn on_mark(&mut self, signal: Signal, window: &mut Window);

    /// The retransmission timer expired.
    fn on_timeout(&mut self, signal: Signal, window: &mut Window);

    /// Loss recovery has ended and has set the window after its own rule.
    #[inline]
    fn on_recovered(&mut self, now: Instant, window: &mut Window) {
        let _ = (now, window);
    }

    /// Returns true if echoes of marks are answered by [`Congestion::on_mark`] once per window of data. If not,
    /// only [`Congestion::observe`] learns of them.
    #[inline]
    fn answers_marks(&self) -> bool {
        true
    }

    /// Returns true if the control wants to know if all routers of its path understand ECN.
    #[inline]
    fn asks_routers(&self) -> bool {
        false
    }

    /// Returns true if [`Congestion::grow_plainly`] is all that an ACK of new data causes.
    #[inline]
    fn is_plain(&self) -> bool {
        false
    }

    /// Does what [`Congestion::on_ack`] would do for `counted` segments and returns true, if the control needs to know
    /// no more of an ACK; else does nothing.
    #[inline]
    fn grow_plainly(&mut self, counted: f64, window: &mut Window) -> bool {
        let _ = (counted, window);
        false
    }

    /// Returns true if the control reads the times, the count and the limit of an ACK, no more: then the sender calls
    /// [`Congestion::observe_and_grow`] with an ACK of which nothing else is valid.
    #[inline]
    fn reads_little(&self, window: &Window) -> bool {
        let _ = window;
        false
    }

    /// [`Congestion::observe`] and, if the window `grows`, [`Congestion::on_ack`].
    #[inline]
    fn observe_and_grow(&mut self, ack: Ack, grows: bool, window: &mut Window) {
        self.observe(ack, window);
        if grows {
            self.on_ack(ack, window);
        }
    }

    /// Shows the inner variables under their published names.
    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let _ = record;
    }
}
