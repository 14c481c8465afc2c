//! The interface between a sender and its loss recovery.

use core::num::NonZeroU32;

use weir_types::Instant;

use super::sack::NextSegment;
use crate::{
    AckOptions, Flags, Segment,
    congestion::Ack,
    sender::{Connection, Rest},
};

/// A loss recovery, as the sender sees it. The calls for one ACK come in this order: `take_in`, `event`,
/// `on_mark`, `on_advance` and `on_new_data` or `on_duplicate`, `after_ack`.
pub(crate) trait Recovery {
    /// Facts that an ACK reports besides its number.
    type News;

    /// Fast path of its sender.
    const REST: Rest = Rest::Usual;

    /// Segments count from `first`.
    fn count_from(&mut self, first: u32);

    /// Takes in what an ACK reports. `None` if the ACK is to be ignored.
    fn take_in(
        &mut self,
        connection: &Connection,
        ack: &Segment,
        options: &AckOptions,
        now: Instant,
    ) -> Option<Self::News>;

    /// The ACK as the congestion control sees it.
    fn event(&self, connection: &Connection, ack: &Segment, news: &Self::News, now: Instant) -> Ack;

    /// Returns true if an ACK tells of marks that the congestion control is to answer, if it does at all.
    #[inline]
    fn echoes(&self, connection: &Connection, ack: &Segment, news: &Self::News) -> bool {
        let _ = news;
        connection.parameters.ecn && ack.flags().has(Flags::ECE)
    }

    /// Returns true if an ACK up to `acked` covers more than was outstanding at the last cut: only then may a mark
    /// cut the window again.
    fn covers_more(&self, acked: u32) -> bool;

    /// The receiver echoed a mark, for the first time in this window of data. The ACK covers all that was
    /// outstanding at the last cut, so it also ends a recovery that began there.
    fn on_mark(&mut self, connection: &mut Connection, news: &Self::News, now: Instant);

    /// The cumulative ACK advances.
    fn on_advance(&mut self);

    /// An ACK of `covered` new segments after the handshake; with `echo` the window must not grow.
    fn on_new_data(
        &mut self,
        connection: &mut Connection,
        ack: &Segment,
        covered: u32,
        echo: bool,
        news: &Self::News,
        now: Instant,
    );

    /// A duplicate ACK while something is outstanding.
    fn on_duplicate(&mut self, connection: &mut Connection, now: Instant);

    /// The last call for an ACK, which may have advanced the cumulative ACK.
    fn after_ack(&mut self, connection: &mut Connection, advances: bool, news: &Self::News, now: Instant);

    /// Ends recovery after a timeout; `high` is one past the highest number sent.
    fn leave(&mut self, high: u32);

    /// The retransmission timer expired: what is outstanding is to be sent again.
    fn on_timeout(&mut self, connection: &mut Connection, now: Instant);

    /// The instant of [`Recovery::due`] has passed, before the retransmission timer expires.
    fn on_wake(&mut self, connection: &mut Connection, now: Instant);

    /// When the recovery must be called without an ACK; [`Instant::MAX`] if not at all.
    fn due(&self) -> Instant;

    /// Segments in the network, for a cut of the window.
    fn flight(&self, connection: &Connection) -> f64;

    /// The segment that may leave now.
    fn next_segment(&self, connection: &Connection) -> Option<NextSegment>;

    /// The segment that may leave now, if it is a retransmission.
    fn next_repair(&self, connection: &Connection) -> Option<NextSegment>;

    /// The segment that may leave at `now`: [`Recovery::next_segment`], unless its sender paces.
    #[inline]
    fn next_at(&mut self, connection: &Connection, now: Instant) -> Option<NextSegment> {
        let _ = now;
        self.next_segment(connection)
    }

    /// The segment that may leave at `now`, if it is a retransmission.
    #[inline]
    fn repair_at(&mut self, connection: &Connection, now: Instant) -> Option<NextSegment> {
        let _ = now;
        self.next_repair(connection)
    }

    /// Returns true if the window lets a segment leave.
    fn has_room(&self, connection: &Connection) -> bool;

    /// Returns true if a segment may leave at `now`: as [`Recovery::has_room`], unless its sender paces.
    #[inline]
    fn has_room_at(&self, connection: &Connection, now: Instant) -> bool {
        let _ = now;
        self.has_room(connection)
    }

    /// Returns true if the next ACK of new data may take the fast path (see `sender::expected`): no loss is
    /// suspected or repaired. Called when nothing may leave.
    fn is_at_rest(&mut self, connection: &Connection) -> bool;

    /// Returns true if the window is what stopped the sender, when nothing may leave.
    fn is_window_limited(&mut self, connection: &Connection) -> bool;

    /// Sends what [`Recovery::next_segment`] chose.
    fn send(&mut self, connection: &mut Connection, next: NextSegment, now: Instant) -> Segment;
}

/// How far recovery has come, the same for all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RecoveryPoint {
    /// One past the highest segment sent when the window was last cut; `None` before that, so that the
    /// loss of the very first segment is repaired.
    pub(super) recover: Option<NonZeroU32>,
    /// Recovery is under way.
    pub(super) active: bool,
}

impl RecoveryPoint {
    /// Returns true if an ACK up to `acked` covers more than was outstanding at the last cut.
    #[inline]
    pub(super) fn covers_more(self, acked: u32) -> bool {
        self.recover.is_none_or(|recover| acked > recover.get())
    }

    /// Returns true if an ACK up to `acked` ends recovery.
    #[inline]
    pub(super) fn is_full(self, acked: u32) -> bool {
        self.recover.is_none_or(|recover| acked >= recover.get())
    }

    /// The window was cut, `high` being one past the highest segment sent.
    pub(super) const fn cut(&mut self, high: u32) {
        self.recover = NonZeroU32::new(high);
    }
}
