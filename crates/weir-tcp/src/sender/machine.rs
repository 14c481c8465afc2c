//! A loss recovery and a transport at work on a connection: the way of ACKs, segments and timeouts. The compiler makes
//! one copy for each pair.

use alloc::boxed::Box;

use weir_types::Instant;

use crate::{
    AckOptions, Segment, TcpParameters,
    congestion::Signal,
    connection::{Connection, Rest},
    parameters::RecoveryConfig,
    recovery::{FastRecovery, FastRetransmit, NewReno, NextSegment, Recovery, Reno, Sack},
    transport::{Departure, Modern, Plain, Transport},
};

/// A loss recovery with a transport.
#[derive(Clone, Debug)]
pub(super) struct Machine<R, T> {
    pub(super) recovery: R,
    pub(super) transport: T,
}

/// Any pair. Those with SACK are boxed, so that the others stay small.
#[derive(Clone, Debug)]
pub(super) enum AnyMachine {
    Reno(Machine<FastRetransmit<Reno>, Plain>),
    NewReno(Machine<FastRetransmit<NewReno>, Plain>),
    Sack(Box<Machine<Sack, Plain>>),
    Modern(Box<Machine<Sack, Modern>>),
}

/// Dispatches a call to the pair at hand, so that nothing is dispatched within.
macro_rules! each_machine {
    ($any:expr, $one:ident => $call:expr) => {
        match $any {
            AnyMachine::Reno($one) => $call,
            AnyMachine::NewReno($one) => $call,
            AnyMachine::Sack($one) => $call,
            AnyMachine::Modern($one) => $call,
        }
    };
}
pub(super) use each_machine;

impl AnyMachine {
    /// The pair of a connection that has just begun, whose segments count from `first`. Call
    /// [`TcpParameters::check`] first.
    pub(super) fn new(parameters: &TcpParameters, first: u32) -> Self {
        let (samples, plain) = (parameters.congestion.samples(), Plain);
        match &parameters.recovery {
            RecoveryConfig::Reno(_) => {
                Self::Reno(Machine { recovery: FastRetransmit::default(), transport: plain })
            }
            RecoveryConfig::NewReno(_) => {
                Self::NewReno(Machine { recovery: FastRetransmit::default(), transport: plain })
            }
            RecoveryConfig::Sack(sack) => {
                let recovery = Sack::counting_from(first, sack, samples);
                if parameters.is_modern() {
                    Self::Modern(Box::new(Machine { recovery, transport: Modern::new(parameters, first) }))
                } else {
                    Self::Sack(Box::new(Machine { recovery, transport: plain }))
                }
            }
        }
    }
}

impl<R: Recovery, T: Transport<R>> Machine<R, T> {
    /// Takes in an ACK.
    #[expect(clippy::inline_always, reason = "it is on the way of every packet in a recovery")]
    #[inline(always)]
    pub(super) fn acknowledge(
        &mut self,
        connection: &mut Connection,
        ack: &Segment,
        options: &AckOptions,
        now: Instant,
    ) {
        if ack.number < connection.first {
            return;
        }
        connection.rest = Rest::No;
        let Self { recovery, transport } = self;
        let mut before = transport.before_ack(connection, recovery, ack, options);
        let Some(mut report) = recovery.take_in(connection, ack, options, now) else { return };
        let echo = transport.reads_marks(connection, ack, &mut before, &mut report);
        if connection.congestion.observes() {
            observe(connection, recovery, ack, &report, now);
        }
        let echo = echo && connection.congestion.answers_marks();
        if echo && recovery.covers_more(ack.number) {
            recovery.on_mark(connection, &report, now);
        }
        let connecting = connection.is_connecting();
        let advances = ack.number > connection.una;
        if advances {
            let covered = ack.number - connection.una;
            connection.advance(ack, now);
            if connecting {
                connection.restart_timer(now);
            } else {
                recovery.on_new_data(connection, ack, covered, echo, &report, now);
            }
        } else if ack.number == connection.una && connection.una < connection.high && !connecting {
            recovery.on_duplicate(connection, now);
        }
        transport.after_ack(connection, recovery, &before, advances, &report, now);
    }

    /// The next segment that may leave.
    #[expect(clippy::inline_always, reason = "it is all that `poll_segment` does")]
    #[inline(always)]
    pub(super) fn poll(&mut self, connection: &mut Connection, now: Instant) -> Option<Segment> {
        let next = self.recovery.next_segment(connection);
        if let Some(next) = self.transport.release(next, now) {
            return Some(self.send(connection, next, now));
        }
        self.settle(connection);
        None
    }

    /// The segment that loss recovery sends again now, if there is one.
    pub(super) fn poll_repair(&mut self, connection: &mut Connection, now: Instant) -> Option<Segment> {
        let next = self.recovery.next_segment(connection);
        if next.is_some_and(NextSegment::is_new) {
            self.transport.end_burst();
        }
        let next = self.transport.release(next, now).filter(|next| !next.is_new());
        let segment = next.map(|next| self.send(connection, next, now));
        // Pacing may let what is new wait for another instant.
        connection.due = self.due(connection);
        segment
    }

    /// Sends what recovery chose.
    #[expect(clippy::inline_always, reason = "what is sent goes straight to its place")]
    #[inline(always)]
    fn send(&mut self, connection: &mut Connection, next: NextSegment, now: Instant) -> Segment {
        let departure =
            Departure { syn: connection.is_connecting(), idle: connection.una == connection.high };
        let mut segment = self.recovery.send(connection, next, now);
        self.transport.on_sent(connection, &self.recovery, &mut segment, departure, now);
        segment
    }

    /// Nothing more may leave: notes what the next ACK will find.
    #[expect(clippy::inline_always, reason = "it is on the way of every packet in a recovery")]
    #[inline(always)]
    pub(super) fn settle(&mut self, connection: &mut Connection) {
        let Self { recovery, transport } = self;
        let full = recovery.is_window_limited(connection);
        connection.window_limited = transport.is_limited(connection, recovery, full);
        let rests = connection.may_take_fast_path()
            && recovery.is_at_rest(connection)
            && transport.may_rest(connection);
        connection.rest = if rests { T::REST } else { Rest::No };
        connection.due = self.due(connection);
    }

    /// When the connection is due.
    #[inline]
    pub(super) fn due(&self, connection: &Connection) -> Instant {
        connection.timer.min(self.recovery.due()).min(self.transport.due())
    }

    /// The instant of [`Machine::due`] has come.
    pub(super) fn on_timeout(&mut self, connection: &mut Connection, now: Instant) {
        // A probe, and a loss that is certain by now, come before the timeout of the same instant.
        if connection.timer > now || self.recovery.due() <= now {
            self.transport.on_wake(connection, &mut self.recovery, now);
        } else {
            self.expire(connection, now);
        }
    }

    /// The retransmission timer has expired (RFC 6298, section 5).
    fn expire(&mut self, connection: &mut Connection, now: Instant) {
        if connection.ecn.held {
            connection.ecn.held = false;
            return connection.restart_timer(now);
        }
        let connecting = connection.is_connecting();
        connection.back_off();
        let signal = if connecting {
            // The SYN was lost: begin with one segment, the threshold untouched.
            connection.window.cwnd = 1.0;
            None
        } else {
            Some(Signal { now, flight: self.recovery.flight(connection) })
        };
        self.transport.on_timeout(connection, &mut self.recovery, signal, now);
        connection.restart_timer(now);
    }
}

impl<R: FastRecovery> Machine<FastRetransmit<R>, Plain> {
    /// Gives `send` all that may leave now, in rows; returns how many segments that are.
    #[expect(clippy::inline_always, reason = "what is sent goes straight to its place")]
    #[inline(always)]
    pub(super) fn send_all(
        &mut self,
        connection: &mut Connection,
        now: Instant,
        send: impl FnMut(Segment),
    ) -> u32 {
        let count = self.recovery.send_all(connection, now, send);
        self.settle(connection);
        count
    }

    /// Returns true if new data may leave now.
    pub(super) fn has_room(&self, connection: &Connection, _: Instant) -> bool {
        self.recovery.has_room(connection)
    }
}

impl<T: Transport<Sack>> Machine<Sack, T> {
    /// Returns true if a segment may leave now.
    pub(super) fn has_room(&self, connection: &Connection, now: Instant) -> bool {
        self.transport.is_free(now) && self.recovery.next_segment(connection).is_some()
    }
}

/// Shows an ACK to a congestion control that observes. Not inlined: Reno does not observe.
#[inline(never)]
fn observe<R: Recovery>(
    connection: &mut Connection,
    recovery: &R,
    ack: &Segment,
    report: &R::Report,
    now: Instant,
) {
    if ack.number >= connection.una && !connection.is_connecting() {
        let event = recovery.event(connection, ack, report, now);
        connection.observe(event);
    }
}

// There may be a million flows.
const _: () = assert!(size_of::<AnyMachine>() == 24);
