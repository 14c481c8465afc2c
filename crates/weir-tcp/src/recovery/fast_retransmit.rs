//! Fast retransmit and fast recovery by duplicate ACKs (RFC 5681, section 3.2). The third duplicate ACK sends the
//! lowest outstanding segment again. During recovery each duplicate ACK inflates the window by one segment: it says
//! that one has left the network. [`super::Reno`] and [`super::NewReno`] say how recovery ends.

use core::fmt::Debug;

use weir_types::Instant;

use super::{NextSegment, Recovery, RecoveryPoint};
use crate::{
    AckOptions, Segment,
    congestion::{Ack, Repair},
    connection::Connection,
};

/// The part in which Reno and `NewReno` differ.
pub(crate) trait FastRecovery: Clone + Debug + Default {
    /// Losses of one window cut it once.
    fn cuts_once_per_window(connection: &Connection) -> bool;

    /// Segments that may leave for an ACK in recovery at most.
    fn max_burst(connection: &Connection) -> u32;

    /// An ACK of new data arrives in recovery: the first of this recovery, or another.
    fn on_new_data(
        fast: &mut FastRetransmit<Self>,
        connection: &mut Connection,
        ack: &Segment,
        covered: u32,
        echo: bool,
        now: Instant,
    );
}

/// State of a recovery that learns of losses from duplicate ACKs and ends as `R` has it.
#[derive(Clone, Debug)]
pub(crate) struct FastRetransmit<R> {
    pub(super) point: RecoveryPoint,
    /// Segments that the window is inflated by: above zero in recovery, else zero.
    pub(super) inflation: u32,
    /// New segments that may still be sent for this ACK.
    pub(super) burst: u32,
    /// As many as are counted: more than three are alike.
    duplicates: u16,
    /// Segments sent by limited transmit since the first duplicate; they do not count as outstanding when
    /// the window is cut (RFC 5681, section 3.2).
    limited: u16,
    /// The lowest outstanding segment is to be sent again at once.
    pub(super) repair: bool,
    /// State of the present recovery.
    pub(super) fast_recovery: R,
}

// There may be a million flows.
const _: () = assert!(size_of::<FastRetransmit<bool>>() == 20);

impl<R: Default> Default for FastRetransmit<R> {
    fn default() -> Self {
        Self {
            point: RecoveryPoint::default(),
            inflation: 0,
            burst: u32::MAX,
            duplicates: 0,
            limited: 0,
            repair: false,
            fast_recovery: R::default(),
        }
    }
}

impl<R: FastRecovery> FastRetransmit<R> {
    /// Recovery is under way.
    #[inline]
    const fn is_active(&self) -> bool {
        self.inflation > 0
    }

    /// Ends recovery.
    #[inline]
    pub(super) const fn end(&mut self) {
        self.inflation = 0;
    }

    /// The third duplicate ACK. Returns true if recovery begins.
    fn on_third_duplicate(&mut self, connection: &mut Connection, now: Instant) -> bool {
        let cut_by_mark = connection.ecn.cut_by_mark;
        let cuts = !(R::cuts_once_per_window(connection) || cut_by_mark);
        if cuts || self.point.covers_more(connection.una) {
            let flight = self.flight(connection) - f64::from(self.limited);
            let repair = connection.cut_for_loss(flight, now);
            self.point.cut(connection.high);
            if repair == Repair::StartOver {
                connection.begin_repair();
                connection.next = connection.una;
                connection.restart_timer(now);
                return false;
            }
        } else if !cut_by_mark {
            // These may be ACKs of segments that were sent twice (RFC 6582, section 4.1).
            return false;
        }
        // After a mark in the same window the loss is repaired without another cut.
        connection.begin_repair();
        self.inflation = 3;
        self.repair = true;
        self.fast_recovery = R::default();
        connection.restart_timer(now);
        true
    }

    /// The whole part of the window, inflated in recovery, and `extra` segments, within what the receiver
    /// allows.
    #[inline]
    fn usable_window(&self, connection: &Connection, extra: u16) -> u32 {
        if connection.is_connecting() {
            return 1;
        }
        let window = (connection.window.cwnd as u32).saturating_add(self.inflation + u32::from(extra));
        let bound = connection.window.bound;
        if bound < f64::from(window) { bound as u32 } else { window }
    }

    /// Limited transmit (RFC 3042): the first two duplicates each let one more segment leave.
    #[inline]
    fn extra(&self, connection: &Connection) -> u16 {
        match self.duplicates {
            extra @ 1..=2 if connection.parameters.limited_transmit && !self.is_active() => extra,
            _ => 0,
        }
    }

    /// Returns true if the window lets new data leave.
    #[inline]
    pub(crate) fn has_room(&self, connection: &Connection) -> bool {
        if connection.next >= connection.end || self.burst == 0 || connection.ecn.held {
            return false;
        }
        connection.next - connection.una < self.usable_window(connection, self.extra(connection))
    }

    /// The next segment to leave that is not new data below `limit`: a hole, what is sent again after a timeout, and
    /// the first of all.
    #[inline]
    fn next_special(&self, connection: &Connection, limit: u32) -> Option<NextSegment> {
        if self.repair {
            return Some(NextSegment::Hole(connection.una));
        }
        let Connection { next, high, first, .. } = *connection;
        (next < limit && (next < high || next == first)).then_some(NextSegment::New)
    }

    /// Gives `send` all that may leave now; returns how many segments that are. The same as [`Recovery::send`] for
    /// as long as [`Recovery::next_segment`] chooses, but that the window is asked once for new data.
    #[expect(clippy::inline_always, reason = "what is sent goes straight to its place")]
    #[inline(always)]
    pub(crate) fn send_all(
        &mut self,
        connection: &mut Connection,
        now: Instant,
        mut send: impl FnMut(Segment),
    ) -> u32 {
        if connection.ecn.held {
            return 0;
        }
        if self.repair {
            connection.next = connection.next.max(connection.una + 1);
        }
        let window = self.usable_window(connection, self.extra(connection));
        let limit = connection.una.saturating_add(window).min(connection.end);
        let limit = limit.min(connection.next.saturating_add(self.burst));
        let mut count = 0;
        while let Some(next) = self.next_special(connection, limit) {
            send(self.send(connection, next, now));
            count += 1;
        }
        let first = connection.next;
        if first < limit {
            let usable = connection.una.saturating_add(self.usable_window(connection, 0));
            let beyond = limit.saturating_sub(first.max(usable));
            self.limited = self.limited.saturating_add(beyond as u16);
            self.burst -= limit - first;
            count += connection.emit_row(limit, now, send) - first;
            if connection.timer == Instant::MAX {
                connection.restart_timer(now);
            }
        }
        count
    }
}

impl<R: FastRecovery> Recovery for FastRetransmit<R> {
    type Report = ();

    #[inline]
    fn take_in(&mut self, _: &Connection, _: &Segment, _: &AckOptions, _: Instant) -> Option<()> {
        self.burst = u32::MAX;
        Some(())
    }

    #[inline]
    fn event(&self, connection: &Connection, ack: &Segment, (): &(), now: Instant) -> Ack {
        let una = connection.una.max(ack.number);
        let flight = (connection.next.max(una) - una).saturating_sub(self.inflation);
        connection.event(ack, ack.number - connection.una, f64::from(flight), now)
    }

    #[inline]
    fn covers_more(&self, acked: u32) -> bool {
        self.point.covers_more(acked)
    }

    fn on_mark(&mut self, connection: &mut Connection, (): &(), now: Instant) {
        self.end();
        connection.cut_for_mark(self.flight(connection), now);
        self.point.cut(connection.high);
    }

    #[inline]
    fn on_new_data(
        &mut self,
        connection: &mut Connection,
        ack: &Segment,
        covered: u32,
        echo: bool,
        (): &(),
        now: Instant,
    ) {
        self.duplicates = 0;
        self.limited = 0;
        if self.is_active() {
            return R::on_new_data(self, connection, ack, covered, echo, now);
        }
        if !echo && connection.may_grow() {
            connection.grow(ack, covered, now);
        }
        connection.restart_timer(now);
    }

    fn on_duplicate(&mut self, connection: &mut Connection, now: Instant) {
        self.duplicates = self.duplicates.saturating_add(1);
        if self.is_active() {
            self.inflation += 1;
        } else if self.duplicates != 3 || !self.on_third_duplicate(connection, now) {
            return;
        }
        self.burst = R::max_burst(connection);
    }

    #[inline]
    fn after_ack(&mut self, _: &mut Connection, _: bool, (): &(), _: Instant) {}

    fn on_timeout(&mut self, connection: &mut Connection, _: Instant) {
        self.end();
        self.point.expire(connection);
        self.duplicates = 0;
        self.limited = 0;
        self.repair = false;
        self.burst = u32::MAX;
        connection.next = connection.una;
    }

    fn on_wake(&mut self, _: &mut Connection, _: Instant) {}

    #[inline]
    fn due(&self) -> Instant {
        Instant::MAX
    }

    #[inline]
    fn flight(&self, connection: &Connection) -> f64 {
        f64::from((connection.next - connection.una).saturating_sub(self.inflation))
    }

    #[inline]
    fn next_segment(&self, connection: &Connection) -> Option<NextSegment> {
        if self.repair {
            return (!connection.ecn.held).then_some(NextSegment::Hole(connection.una));
        }
        self.has_room(connection).then_some(NextSegment::New)
    }

    /// Returns true if nothing is being repaired. The rest of the limit of a burst is then void: nothing leaves
    /// before it is set again.
    #[inline]
    fn is_at_rest(&mut self, connection: &Connection) -> bool {
        let rests = connection.congestion.is_plain()
            && !self.is_active()
            && !self.repair
            && self.duplicates == 0
            && self.burst > 0;
        if rests {
            self.limited = 0;
            self.burst = u32::MAX;
        }
        rests
    }

    #[inline]
    fn is_window_limited(&self, connection: &Connection) -> bool {
        if self.repair {
            // The timer holds it back, not the window: what was known before holds.
            return connection.window_limited;
        }
        connection.next - connection.una >= connection.window.cwnd as u32
    }

    #[inline]
    fn send(&mut self, connection: &mut Connection, next: NextSegment, now: Instant) -> Segment {
        if let NextSegment::Hole(hole) = next {
            self.repair = false;
            connection.next = connection.next.max(connection.una + 1);
            return connection.emit(hole, now);
        }
        let beyond = connection.next - connection.una >= self.usable_window(connection, 0);
        self.limited = self.limited.saturating_add(u16::from(beyond));
        self.burst -= 1;
        connection.next += 1;
        connection.emit(connection.next - 1, now)
    }
}
