//! Transport: what a sender does besides loss recovery. [`Plain`] sends what the window allows as soon as it does.
//! [`Modern`] paces, samples the delivery rate and reads accurate ECN feedback.

mod modern;

use weir_types::Instant;

pub(crate) use self::modern::Modern;
use crate::{
    AckOptions, Flags, Segment,
    congestion::Signal,
    connection::{Connection, Rest},
    recovery::{NextSegment, Recovery},
};

/// The transport of a sender with the loss recovery `R`. The compiler makes its own copy of the way of an ACK and of
/// a segment for each. So plain senders have nothing of the others.
pub(crate) trait Transport<R: Recovery> {
    /// Facts about an ACK, and about the sender before it.
    type Before;

    /// Fast path of its sender.
    const REST: Rest;

    /// An ACK has arrived. The first call for it.
    fn before_ack(
        &mut self,
        connection: &Connection,
        recovery: &R,
        ack: &Segment,
        options: &AckOptions,
    ) -> Self::Before;

    /// Returns true if an ACK that recovery has taken in tells of marks that the congestion control is to answer, if
    /// it does at all.
    fn reads_marks(
        &mut self,
        connection: &Connection,
        ack: &Segment,
        before: &mut Self::Before,
        report: &mut R::Report,
    ) -> bool;

    /// The last call for an ACK, which may have advanced the cumulative ACK; it ends with [`Recovery::after_ack`].
    fn after_ack(
        &mut self,
        connection: &mut Connection,
        recovery: &mut R,
        before: &Self::Before,
        advances: bool,
        report: &R::Report,
        now: Instant,
    );

    /// The retransmission timer has expired. Calls [`Recovery::on_timeout`], and cuts the window for the `signal`: there
    /// is none if the SYN was lost.
    fn on_timeout(
        &mut self,
        connection: &mut Connection,
        recovery: &mut R,
        signal: Option<Signal>,
        now: Instant,
    );

    /// The instant of [`Transport::due`] or of [`Recovery::due`] has passed.
    fn on_wake(&mut self, connection: &mut Connection, recovery: &mut R, now: Instant);

    /// When the transport must be called without an ACK; [`Instant::MAX`] if not at all.
    #[inline]
    fn due(&self) -> Instant {
        Instant::MAX
    }

    /// The window allows `next` to leave: returns it if it leaves now, and `None` if it waits.
    #[inline]
    fn release(&mut self, next: Option<NextSegment>, now: Instant) -> Option<NextSegment> {
        let _ = now;
        next
    }

    /// New segments do not leave with what has just left.
    #[inline]
    fn end_burst(&mut self) {}

    /// Returns true if a segment may leave now, as far as the window allows.
    #[inline]
    fn is_free(&self, now: Instant) -> bool {
        let _ = now;
        true
    }

    /// `segment` leaves; recovery has chosen and noted it.
    fn on_sent(
        &mut self,
        connection: &mut Connection,
        recovery: &R,
        segment: &mut Segment,
        departure: Departure,
        now: Instant,
    );

    /// Returns true if the window limits the sender, where nothing may leave, perhaps since the window is `full`.
    #[inline]
    fn is_limited(&mut self, connection: &Connection, recovery: &R, full: bool) -> bool {
        let _ = (connection, recovery);
        full
    }

    /// Returns true if the next ACK of new data has no more to say than its number, if recovery is at rest.
    #[inline]
    fn may_rest(&self, connection: &Connection) -> bool {
        connection.congestion.answers_marks() && !connection.ecn.asks_routers
    }
}

/// State of a sender just before a segment leaves.
#[derive(Clone, Copy)]
pub(crate) struct Departure {
    /// It is connecting: the segment is its SYN.
    pub(crate) syn: bool,
    /// Nothing is outstanding.
    pub(crate) idle: bool,
}

/// A transport that adds nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plain;

impl<R: Recovery> Transport<R> for Plain {
    type Before = ();

    const REST: Rest = Rest::Usual;

    #[inline]
    fn before_ack(&mut self, _: &Connection, _: &R, _: &Segment, _: &AckOptions) {}

    #[inline]
    fn reads_marks(
        &mut self,
        connection: &Connection,
        ack: &Segment,
        (): &mut (),
        _: &mut R::Report,
    ) -> bool {
        connection.parameters.ecn && ack.flags().has(Flags::ECE)
    }

    #[inline]
    fn after_ack(
        &mut self,
        connection: &mut Connection,
        recovery: &mut R,
        (): &(),
        advances: bool,
        report: &R::Report,
        now: Instant,
    ) {
        recovery.after_ack(connection, advances, report, now);
    }

    #[inline]
    fn on_timeout(
        &mut self,
        connection: &mut Connection,
        recovery: &mut R,
        signal: Option<Signal>,
        now: Instant,
    ) {
        if let Some(signal) = signal {
            connection.cut_for_timeout(signal);
        }
        recovery.on_timeout(connection, now);
    }

    #[inline]
    fn on_wake(&mut self, connection: &mut Connection, recovery: &mut R, now: Instant) {
        recovery.on_wake(connection, now);
    }

    #[inline]
    fn on_sent(&mut self, _: &mut Connection, _: &R, _: &mut Segment, _: Departure, _: Instant) {}
}
