//! The interface between a sender and its loss recovery.

use core::num::NonZeroU32;

use weir_types::Instant;

use crate::{AckOptions, Segment, congestion::Ack, connection::Connection};

/// The result of `NextSeg` (RFC 6675, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextSegment {
    /// Rules 1 and 3: the lowest hole that has not been retransmitted.
    Hole(u32),
    /// Rule 2: data that has not been sent.
    New,
    /// Rule 4: the highest hole, once per recovery, so that a loss at the tail is detected.
    Rescue(u32),
}

impl NextSegment {
    /// Returns true if it has not been sent before.
    pub(crate) fn is_new(self) -> bool {
        self == Self::New
    }
}

/// A loss recovery, as the sender sees it. The calls for one ACK come in this order: `take_in`, `event`,
/// `on_mark`, `on_new_data` or `on_duplicate`, `after_ack`.
pub(crate) trait Recovery {
    /// Facts that an ACK reports besides its number.
    type Report;

    /// Takes in what an ACK reports. `None` if the ACK is to be ignored.
    fn take_in(
        &mut self,
        connection: &Connection,
        ack: &Segment,
        options: &AckOptions,
        now: Instant,
    ) -> Option<Self::Report>;

    /// The ACK as the congestion control sees it.
    fn event(&self, connection: &Connection, ack: &Segment, report: &Self::Report, now: Instant) -> Ack;

    /// Returns true if an ACK up to `acked` covers more than was outstanding at the last cut: only then may a mark
    /// cut the window again.
    fn covers_more(&self, acked: u32) -> bool;

    /// The receiver echoed a mark, for the first time in this window of data. The ACK covers all that was
    /// outstanding at the last cut, so it also ends a recovery that began there.
    fn on_mark(&mut self, connection: &mut Connection, report: &Self::Report, now: Instant);

    /// An ACK of `covered` new segments after the handshake; with `echo` the window must not grow.
    fn on_new_data(
        &mut self,
        connection: &mut Connection,
        ack: &Segment,
        covered: u32,
        echo: bool,
        report: &Self::Report,
        now: Instant,
    );

    /// A duplicate ACK after the handshake, while something is outstanding.
    fn on_duplicate(&mut self, connection: &mut Connection, now: Instant);

    /// The last call for an ACK, which may have advanced the cumulative ACK.
    fn after_ack(&mut self, connection: &mut Connection, advances: bool, report: &Self::Report, now: Instant);

    /// The retransmission timer expired: recovery is over, and what is outstanding is to be sent again.
    fn on_timeout(&mut self, connection: &mut Connection, now: Instant);

    /// The instant of [`Recovery::due`] has passed. If the retransmission timer expires then, too, it comes after this.
    fn on_wake(&mut self, connection: &mut Connection, now: Instant);

    /// When the recovery must be called without an ACK; [`Instant::MAX`] if not at all.
    fn due(&self) -> Instant;

    /// Segments in the network, for a cut of the window.
    fn flight(&self, connection: &Connection) -> f64;

    /// The segment that may leave now.
    fn next_segment(&self, connection: &Connection) -> Option<NextSegment>;

    /// Returns true if no loss is suspected or repaired: the next ACK of new data may take the fast path (see
    /// [`crate::Sender::expects`]). Called when nothing may leave.
    fn is_at_rest(&mut self, connection: &Connection) -> bool;

    /// Returns true if the window is what stopped the sender, when nothing may leave.
    fn is_window_limited(&self, connection: &Connection) -> bool;

    /// Sends what [`Recovery::next_segment`] chose.
    fn send(&mut self, connection: &mut Connection, next: NextSegment, now: Instant) -> Segment;
}

/// One past the highest segment sent when the window was last cut. It is `None` before that, so that the loss of
/// the very first segment is repaired.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RecoveryPoint(Option<NonZeroU32>);

impl RecoveryPoint {
    /// Returns true if an ACK up to `acked` covers more than was outstanding at the last cut.
    #[inline]
    pub(super) fn covers_more(self, acked: u32) -> bool {
        self.0.is_none_or(|recover| acked > recover.get())
    }

    /// Returns true if an ACK up to `acked` ends recovery.
    #[inline]
    pub(super) fn is_full(self, acked: u32) -> bool {
        self.0.is_none_or(|recover| acked >= recover.get())
    }

    /// The window was cut, `high` being one past the highest segment sent.
    pub(super) const fn cut(&mut self, high: u32) {
        self.0 = NonZeroU32::new(high);
    }

    /// The retransmission timer expired. A lost SYN cuts nothing.
    pub(super) fn expire(&mut self, connection: &Connection) {
        if !connection.is_connecting() {
            self.cut(connection.high);
        }
    }
}
