//! The sending side of a connection. `connection` has the state of every sender, `emit` builds segments, `expected` is
//! the fast path of the usual ACK, `timer` has round trips and the retransmission timer, `state` gives read access. The
//! response to losses is in [`crate::recovery`], the window in [`crate::congestion`].

mod connection;
mod emit;
mod expected;
mod extended;
mod rtt;
mod state;
mod timer;

use alloc::sync::Arc;

use weir_types::{Instant, Rng};

pub(crate) use self::connection::Connection;
pub use self::connection::Counters;
pub(crate) use self::connection::Rest;
use self::connection::{EcnResponse, Timed};
pub(crate) use self::extended::Extended;
pub use self::rtt::RttEstimator;
use crate::{
    AckOptions, Declared, Flags, Header, Segment, TcpParameters,
    congestion::{Congestion, Window},
    recovery::{AnyRecovery, Recovery, each_recovery},
};

/// The sending side of a connection. Call [`Sender::poll_segment`] until it gives `None` after every other
/// call, and [`Sender::on_timeout`] once [`Sender::timeout`] has passed.
#[derive(Clone, Debug)]
pub struct Sender {
    connection: Connection,
    recovery: AnyRecovery,
}

impl Sender {
    /// A connection with segments of `bytes` bytes on the wire and no end of data. It sends nothing before
    /// [`Sender::start`].
    pub fn new(flow: u32, bytes: u32, parameters: Arc<TcpParameters>) -> Self {
        let declared = Declared::at_first(&parameters);
        let congestion = parameters.congestion.build();
        let asks_routers = congestion.asks_routers();
        let flags = Flags::NONE.with(Flags::ALL_CAPABLE, asks_routers);
        Self {
            recovery: AnyRecovery::new(&parameters),
            connection: Connection {
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
            },
        }
    }

    /// A connection in the place of another that has ended. It counts its segments from `first`, one past the
    /// last number of the other, and ignores ACKs of lower numbers.
    #[must_use]
    pub fn counting_from(mut self, first: u32) -> Self {
        let connection = &mut self.connection;
        connection.first = first;
        (connection.una, connection.next, connection.high, connection.end) = (first, first, first, first);
        each_recovery!(mut self.recovery, recovery => recovery.count_from(first));
        self
    }

    /// Gives the congestion control random numbers, if it draws: [`crate::congestion::CongestionConfig::samples`].
    pub fn set_random(&mut self, random: Rng) {
        self.connection.congestion.set_random(random);
    }

    /// There is data to send, without end.
    pub const fn start(&mut self) {
        self.connection.end = u32::MAX;
    }

    /// There are `segments` segments to send, at least one, the last of them with `last_bytes` bytes on the wire.
    pub fn start_with(&mut self, segments: u32, last_bytes: u32) {
        let connection = &mut self.connection;
        connection.end = connection.first + u32::from(connection.parameters.handshake) + segments;
        connection.last_bytes = last_bytes;
    }

    /// No new data; what has been sent is still repaired.
    pub const fn stop(&mut self) {
        self.connection.rest = Rest::No;
        self.connection.end = self.connection.high;
    }

    /// An acknowledgement without options has arrived.
    #[inline]
    pub fn on_ack(&mut self, ack: &Segment, now: Instant) {
        let connection = &mut self.connection;
        match &mut self.recovery {
            AnyRecovery::Fast(recovery) => acknowledge(connection, recovery, ack, &AckOptions::NONE, now),
            AnyRecovery::Sack(_) | AnyRecovery::Extended(_) => self.on_ack_with(ack, &AckOptions::NONE, now),
        }
    }

    /// An acknowledgement with these options ([`crate::Receiver::options_of`]) has arrived. Not inlined, so that
    /// [`Sender::on_ack`] is.
    #[inline(never)]
    pub fn on_ack_with(&mut self, ack: &Segment, options: &AckOptions, now: Instant) {
        match &mut self.recovery {
            AnyRecovery::Sack(recovery) => {
                acknowledge(&mut self.connection, recovery.as_mut(), ack, options, now);
            }
            AnyRecovery::Extended(_) => self.on_ack_extended(ack, options, now),
            AnyRecovery::Fast(_) => self.on_ack(ack, now),
        }
    }

    #[inline(never)]
    fn on_ack_extended(&mut self, ack: &Segment, options: &AckOptions, now: Instant) {
        if let AnyRecovery::Extended(recovery) = &mut self.recovery {
            if self.connection.rest == Rest::Extended && recovery.expects(&self.connection, ack) {
                return recovery.on_expected(&mut self.connection, ack, now);
            }
            acknowledge(&mut self.connection, recovery.as_mut(), ack, options, now);
        }
    }

    /// The next segment that may leave now.
    #[expect(clippy::inline_always, reason = "what is sent goes straight to its place")]
    #[inline(always)]
    pub fn poll_segment(&mut self, now: Instant) -> Option<Segment> {
        let connection = &mut self.connection;
        each_recovery!(mut self.recovery, recovery => poll(connection, recovery, now))
    }

    /// Gives `send` all that may leave now, in rows ([`Segment::append`]); returns how many segments that are. The
    /// same as [`Sender::poll_segment`] until it gives `None`.
    #[expect(clippy::inline_always, reason = "what is sent goes straight to its place")]
    #[inline(always)]
    pub fn send_all(&mut self, now: Instant, mut send: impl FnMut(Segment)) -> u32 {
        if let AnyRecovery::Fast(recovery) = &mut self.recovery {
            let count = recovery.send_all(&mut self.connection, now, send);
            settle(&mut self.connection, recovery);
            return count;
        }
        if let AnyRecovery::Extended(recovery) = &mut self.recovery
            && self.connection.rest == Rest::Extended
        {
            return recovery.send_expected(&mut self.connection, now, send);
        }
        let mut count = 0;
        let mut first = self.poll_segment(now);
        while let Some(row) = &mut first {
            count += 1;
            let next = self.poll_segment(now);
            if !next.is_some_and(|next| row.append(&next)) {
                send(*row);
                first = next;
            }
        }
        count
    }

    /// Gives `send`, with its instant, all that leaves before `until` because a wait of pacing ends, as long as nothing else
    /// is due: the same as [`Sender::on_timeout`] and [`Sender::send_all`] at each end. Returns how many segments that are;
    /// `None` if no wait ends.
    #[inline]
    pub fn send_paced(&mut self, until: Instant, mut send: impl FnMut(Segment, Instant)) -> Option<u32> {
        let connection = &mut self.connection;
        let AnyRecovery::Extended(recovery) = &mut self.recovery else { return None };
        let mut count = None;
        while connection.rest == Rest::Extended && connection.due < until {
            let now = connection.due;
            if !recovery.ends_wait(connection, now) {
                break;
            }
            *count.get_or_insert(0) += recovery.send_expected(connection, now, |row| send(row, now));
        }
        count
    }

    /// The segment that loss recovery sends again now, if there is one.
    #[inline]
    pub fn poll_repair(&mut self, now: Instant) -> Option<Segment> {
        let connection = &mut self.connection;
        each_recovery!(mut self.recovery, recovery => {
            let next = recovery.repair_at(connection, now);
            let segment = next.map(|next| recovery.send(connection, next, now));
            // Pacing may let what is new wait for another instant.
            connection.due = connection.timer.min(recovery.due());
            segment
        })
    }

    /// Returns true if a segment may leave now.
    #[inline]
    pub fn has_room(&self, now: Instant) -> bool {
        each_recovery!(self.recovery, recovery => recovery.has_room_at(&self.connection, now))
    }

    /// The timer that [`Sender::timeout`] announced has expired.
    pub fn on_timeout(&mut self, now: Instant) {
        let connection = &mut self.connection;
        if let AnyRecovery::Extended(recovery) = &mut self.recovery
            && connection.rest == Rest::Extended
            && recovery.ends_wait(connection, now)
        {
            return;
        }
        connection.rest = Rest::No;
        each_recovery!(mut self.recovery, recovery => {
            if connection.timer > now {
                recovery.on_wake(connection, now);
            } else {
                connection.expire(recovery, now);
            }
        });
    }

    /// When [`Sender::on_timeout`] is due; [`Instant::MAX`] while nothing is outstanding.
    #[inline]
    pub fn timeout(&self) -> Instant {
        if self.connection.rest != Rest::No {
            return self.connection.due;
        }
        each_recovery!(self.recovery, recovery => self.connection.timer.min(recovery.due()))
    }
}

/// The next segment that may leave, the same for every loss recovery.
#[expect(clippy::inline_always, reason = "it is all that `poll_segment` does")]
#[inline(always)]
fn poll<R: Recovery>(connection: &mut Connection, recovery: &mut R, now: Instant) -> Option<Segment> {
    if let Some(next) = recovery.next_at(connection, now) {
        return Some(recovery.send(connection, next, now));
    }
    settle(connection, recovery);
    None
}

/// Nothing more may leave: what the next ACK will find.
#[expect(clippy::inline_always, reason = "it is on the way of every packet in a recovery")]
#[inline(always)]
fn settle<R: Recovery>(connection: &mut Connection, recovery: &mut R) {
    connection.window_limited = recovery.is_window_limited(connection);
    let rests = connection.is_usual() && recovery.is_at_rest(connection);
    connection.rest = if rests { R::REST } else { Rest::No };
    connection.due = connection.timer.min(recovery.due());
}

/// Takes in an ACK, in the same steps for every loss recovery.
#[expect(clippy::inline_always, reason = "it is on the way of every packet in a recovery")]
#[inline(always)]
fn acknowledge<R: Recovery>(
    connection: &mut Connection,
    recovery: &mut R,
    ack: &Segment,
    options: &AckOptions,
    now: Instant,
) {
    if ack.number < connection.first {
        return;
    }
    connection.rest = Rest::No;
    let Some(news) = recovery.take_in(connection, ack, options, now) else { return };
    if connection.congestion.observes() {
        observe(connection, recovery, ack, &news, now);
    }
    let echo = recovery.echoes(connection, ack, &news) && connection.congestion.answers_marks();
    if echo && recovery.covers_more(ack.number) {
        recovery.on_mark(connection, &news, now);
    }
    let advances = ack.number > connection.una;
    if advances {
        let connecting = connection.is_connecting();
        let covered = ack.number - connection.una;
        connection.advance(ack, now);
        recovery.on_advance();
        if connecting {
            connection.restart_timer(now);
        } else {
            recovery.on_new_data(connection, ack, covered, echo, &news, now);
        }
    } else if ack.number == connection.una && connection.una < connection.high {
        recovery.on_duplicate(connection, now);
    }
    recovery.after_ack(connection, advances, &news, now);
}

/// Shows an ACK to a congestion control that observes. Not inlined: Reno does not observe.
#[inline(never)]
fn observe<R: Recovery>(
    connection: &mut Connection,
    recovery: &R,
    ack: &Segment,
    news: &R::News,
    now: Instant,
) {
    if ack.number >= connection.una && !connection.is_connecting() {
        let event = recovery.event(connection, ack, news, now);
        connection.observe(event);
    }
}
