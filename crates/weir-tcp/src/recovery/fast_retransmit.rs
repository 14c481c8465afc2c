//! Fast retransmit and the inflation of the window, which Reno and `NewReno` share (RFC 5681, section
//! 3.2). The third duplicate ACK sends the lowest outstanding segment again. During recovery each duplicate
//! ACK inflates the window by one segment: it says that one has left the network.

use weir_types::Instant;

use super::{NextSegment, RecoveryPoint};
use crate::{
    Segment,
    congestion::{Ack, Repair},
    sender::Connection,
};

/// The state of a recovery that learns of losses from duplicate ACKs.
#[derive(Clone, Debug)]
pub(crate) struct FastRetransmit {
    pub(super) point: RecoveryPoint,
    /// Segments that the window is inflated by; above zero only in recovery.
    pub(super) inflation: u32,
    duplicates: u32,
    /// Segments sent by limited transmit since the first duplicate; they do not count as outstanding when
    /// the window is cut (RFC 5681, section 3.2).
    limited: u32,
    /// New segments that may still be sent for this ACK.
    pub(super) burst: u32,
    /// The lowest outstanding segment is to be sent again at once.
    pub(super) repair: bool,
}

impl Default for FastRetransmit {
    fn default() -> Self {
        Self {
            point: RecoveryPoint::default(),
            inflation: 0,
            duplicates: 0,
            limited: 0,
            burst: u32::MAX,
            repair: false,
        }
    }
}

impl FastRetransmit {
    /// The ACK as the congestion control sees it.
    #[inline]
    pub(super) fn event(&self, connection: &Connection, ack: &Segment, now: Instant) -> Ack {
        let una = connection.una.max(ack.number);
        let flight = (connection.next.max(una) - una).saturating_sub(self.inflation);
        connection.event(ack, ack.number - connection.una, f64::from(flight), now)
    }

    /// Segments in the network.
    #[inline]
    pub(super) fn flight(&self, connection: &Connection) -> f64 {
        f64::from((connection.next - connection.una).saturating_sub(self.inflation))
    }

    /// Ends recovery.
    #[inline]
    pub(super) const fn leave(&mut self) {
        self.point.active = false;
        self.inflation = 0;
    }

    pub(super) fn on_mark(&mut self, connection: &mut Connection, now: Instant) {
        self.leave();
        connection.cut_for_mark(self.flight(connection), now);
        self.point.cut(connection.high);
    }

    #[inline]
    pub(super) const fn on_advance(&mut self) {
        self.duplicates = 0;
        self.limited = 0;
    }

    /// A duplicate ACK. With `once_per_window`, duplicates of what was sent before the last cut start
    /// nothing. In recovery, `burst` new segments may leave. Returns whether recovery begins.
    pub(super) fn on_duplicate(
        &mut self,
        connection: &mut Connection,
        once_per_window: bool,
        burst: u32,
        now: Instant,
    ) -> bool {
        self.duplicates += 1;
        if self.point.active {
            self.burst = burst;
            self.inflation += 1;
            return false;
        }
        if self.duplicates != 3 {
            return false;
        }
        let cut_by_mark = connection.ecn.cut_by_mark;
        if !(once_per_window || cut_by_mark) || self.point.covers_more(connection.una) {
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
        self.point.active = true;
        self.inflation = 3;
        self.repair = true;
        self.burst = burst;
        connection.restart_timer(now);
        true
    }

    /// All that is outstanding is to be sent again.
    pub(super) fn on_timeout(&mut self, connection: &mut Connection) {
        self.duplicates = 0;
        self.limited = 0;
        self.repair = false;
        self.burst = u32::MAX;
        connection.next = connection.una;
    }

    #[inline]
    pub(super) fn next_segment(&self, connection: &Connection) -> Option<NextSegment> {
        if self.repair {
            return self.next_repair(connection);
        }
        self.has_room(connection).then_some(NextSegment::New)
    }

    #[inline]
    pub(super) fn next_repair(&self, connection: &Connection) -> Option<NextSegment> {
        (self.repair && !connection.ecn.held).then_some(NextSegment::Hole(connection.una))
    }

    #[inline]
    pub(super) fn has_room(&self, connection: &Connection) -> bool {
        if connection.next >= connection.end || self.burst == 0 || connection.ecn.held {
            return false;
        }
        // Limited transmit (RFC 3042): the first two duplicates each let one more segment leave.
        let extra = match self.duplicates {
            extra @ 1..=2 if connection.parameters.limited_transmit && !self.point.active => extra,
            _ => 0,
        };
        connection.next - connection.una < self.usable_window(connection, extra)
    }

    /// No loss is repaired or suspected. What was left of the limit of a burst is void: nothing leaves before
    /// it is set again.
    #[inline]
    pub(super) const fn is_at_rest(&mut self) -> bool {
        let rests = !self.point.active && !self.repair && self.duplicates == 0 && self.burst > 0;
        if rests {
            self.limited = 0;
            self.burst = u32::MAX;
        }
        rests
    }

    #[inline]
    pub(super) fn is_window_limited(&self, connection: &Connection) -> bool {
        if self.repair {
            // The timer holds it back, not the window: what was known before holds.
            return connection.window_limited;
        }
        connection.next - connection.una >= connection.window.cwnd as u32
    }

    #[inline]
    pub(super) fn send(&mut self, connection: &mut Connection, next: NextSegment, now: Instant) -> Segment {
        if let NextSegment::Hole(hole) = next {
            self.repair = false;
            connection.next = connection.next.max(connection.una + 1);
            return connection.emit(hole, now);
        }
        let beyond = connection.next - connection.una >= self.usable_window(connection, 0);
        self.limited += u32::from(beyond);
        self.burst -= 1;
        connection.next += 1;
        connection.emit(connection.next - 1, now)
    }

    /// The whole part of the window, inflated in recovery, and `extra` segments, within what the receiver
    /// allows.
    #[inline]
    fn usable_window(&self, connection: &Connection, extra: u32) -> u32 {
        if connection.is_connecting() {
            return 1;
        }
        let window = (connection.window.cwnd as u32).saturating_add(self.inflation + extra);
        window.min(connection.window.bound as u32)
    }
}

/// The calls of [`super::Recovery`] that Reno and `NewReno` answer alike, by their field `fast`.
macro_rules! as_fast_retransmit {
    () => {
        type News = ();

        #[inline]
        fn count_from(&mut self, _: u32) {}

        #[inline]
        fn take_in(&mut self, _: &Connection, _: &Segment, _: &Blocks, _: Instant) -> Option<()> {
            self.fast.burst = u32::MAX;
            Some(())
        }

        #[inline]
        fn event(&self, connection: &Connection, ack: &Segment, (): &(), now: Instant) -> Ack {
            self.fast.event(connection, ack, now)
        }

        #[inline]
        fn covers_more(&self, acked: u32) -> bool {
            self.fast.point.covers_more(acked)
        }

        fn on_mark(&mut self, connection: &mut Connection, (): &(), now: Instant) {
            self.fast.on_mark(connection, now);
        }

        #[inline]
        fn on_advance(&mut self) {
            self.fast.on_advance();
        }

        #[inline]
        fn after_ack(&mut self, _: &mut Connection, _: bool, (): &(), _: Instant) {}

        fn leave(&mut self, high: u32) {
            self.fast.leave();
            self.fast.point.cut(high);
        }

        fn on_timeout(&mut self, connection: &mut Connection, _: Instant) {
            self.fast.on_timeout(connection);
        }

        fn on_wake(&mut self, _: &mut Connection, _: Instant) {}

        #[inline]
        fn due(&self) -> Instant {
            Instant::MAX
        }

        #[inline]
        fn flight(&self, connection: &Connection) -> f64 {
            self.fast.flight(connection)
        }

        #[inline]
        fn next_segment(&self, connection: &Connection) -> Option<NextSegment> {
            self.fast.next_segment(connection)
        }

        #[inline]
        fn next_repair(&self, connection: &Connection) -> Option<NextSegment> {
            self.fast.next_repair(connection)
        }

        #[inline]
        fn has_room(&self, connection: &Connection) -> bool {
            self.fast.has_room(connection)
        }

        #[inline]
        fn is_at_rest(&mut self, connection: &Connection) -> bool {
            connection.congestion.is_plain() && self.fast.is_at_rest()
        }

        #[inline]
        fn answered(&self) -> u32 {
            self.fast.point.answered()
        }

        #[inline]
        fn is_window_limited(&self, connection: &Connection) -> bool {
            self.fast.is_window_limited(connection)
        }

        #[inline]
        fn send(&mut self, connection: &mut Connection, next: NextSegment, now: Instant) -> Segment {
            self.fast.send(connection, next, now)
        }
    };
}
pub(super) use as_fast_retransmit;
