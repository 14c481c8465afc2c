//! Response of SACK recovery to ACKs, marks and timeouts (RFC 6675, section 5), and the segments that leave while
//! `pipe` is below the window. The receive window bounds new data only.

use weir_types::{Duration, Instant};

use super::{Probe, Sack, ToldOfTail};
use crate::{
    AckOptions, Segment,
    congestion::{Ack, Repair},
    connection::Connection,
    recovery::{NextSegment, Recovery},
};

/// Time that may be added to the timeout of a probe for a delayed ACK (RFC 8985, section 7.2).
const DELAYED_ACK: Duration = Duration::from_millis(200);

/// The timeout of a probe before a round trip is known (RFC 8985, section 7.2).
const UNMEASURED: Duration = Duration::from_secs(1);

/// Facts that an ACK reports to SACK recovery.
pub(crate) struct Report {
    /// Segments that were outstanding before it.
    outstanding: u32,
    /// Segments whose arrival it is the first to report.
    delivered: u32,
    /// A segment arrived a second time (RFC 2883).
    twice: bool,
    /// The ACK as the congestion control sees it.
    event: Ack,
}

impl Report {
    /// Segments whose arrival it is the first to report.
    pub(crate) const fn delivered(&self) -> u32 {
        self.delivered
    }

    /// The ACK as the congestion control sees it.
    pub(crate) const fn event(&self) -> Ack {
        self.event
    }

    /// The ACK reports so many marked segments; its flag ECE is a part of their count.
    pub(crate) const fn count_marks(&mut self, marked: u32) {
        self.event.marked = marked;
        self.event.echo = marked > 0;
    }
}

impl Recovery for Sack {
    type Report = Report;

    #[inline]
    fn take_in(
        &mut self,
        connection: &Connection,
        ack: &Segment,
        options: &AckOptions,
        now: Instant,
    ) -> Option<Report> {
        if ack.number > connection.high {
            return None;
        }
        let outstanding = self.board.high() - self.board.una() - self.board.sacked().count();
        let delivered = self.read(ack.number, options, ack.stamp, now);
        let acked = ack.number.saturating_sub(connection.una);
        let event = connection.event(ack, acked, f64::from(self.pipe()), now);
        Some(Report { outstanding, delivered, twice: options.dsack.is_some(), event })
    }

    #[inline]
    fn event(&self, _: &Connection, _: &Segment, report: &Report, _: Instant) -> Ack {
        report.event
    }

    #[inline]
    fn covers_more(&self, acked: u32) -> bool {
        self.point.covers_more(acked)
    }

    fn on_mark(&mut self, connection: &mut Connection, report: &Report, now: Instant) {
        self.end_reduction(connection);
        let before = connection.window.cwnd;
        self.active = false;
        connection.cut_for_mark(self.flight(connection), now);
        self.point.cut(connection.high);
        if self.parameters.prr_on_mark {
            self.begin_reduction(connection, before, report.outstanding);
        }
    }

    #[inline]
    fn on_new_data(
        &mut self,
        connection: &mut Connection,
        _: &Segment,
        _: u32,
        echo: bool,
        report: &Report,
        now: Instant,
    ) {
        self.limited = 0;
        let ends = self.active && self.point.is_full(connection.una);
        if ends {
            self.active = false;
            self.end_reduction(connection);
            connection.congestion.on_recovered(now, &mut connection.window);
        }
        if !self.active && (!ends || self.parameters.grow_on_full_ack) {
            if self.point.covers_more(connection.una) {
                self.end_reduction(connection);
            }
            if connection.may_grow() && !echo && !self.reducing {
                let counted = if ends { f64::from(report.delivered) } else { report.event.counted };
                connection.congestion.on_ack(Ack { counted, ..report.event }, &mut connection.window);
            }
        }
        connection.restart_timer(now);
    }

    #[inline]
    fn on_duplicate(&mut self, _: &mut Connection, _: Instant) {}

    #[inline]
    fn after_ack(&mut self, connection: &mut Connection, advances: bool, report: &Report, now: Instant) {
        self.answer_probe(connection, advances, report, now);
        self.answer_loss(connection, report.outstanding, now, advances, report.delivered);
        self.arm_probe(connection, now, advances);
    }

    fn on_timeout(&mut self, connection: &mut Connection, now: Instant) {
        self.active = false;
        self.point.expire(connection);
        self.limited = 0;
        self.expire(now);
    }

    fn on_wake(&mut self, connection: &mut Connection, now: Instant) {
        if self.probe_at <= now {
            self.probe_at = Instant::MAX;
            self.forced = true;
            let repeats = !has_new(connection);
            self.probe = Some(Probe { end: connection.high + u32::from(!repeats), repeats });
            connection.restart_timer(now);
        }
        let outstanding = connection.high - connection.una - self.board.sacked().count();
        self.answer_loss(connection, outstanding, now, false, 0);
    }

    #[inline]
    fn due(&self) -> Instant {
        self.rack.as_ref().map_or(Instant::MAX, |rack| rack.due().min(self.probe_at))
    }

    #[inline]
    fn flight(&self, connection: &Connection) -> f64 {
        f64::from((connection.next - connection.una).saturating_sub(self.board.sacked().count()))
    }

    fn next_segment(&self, connection: &Connection) -> Option<NextSegment> {
        if connection.ecn.held {
            return None;
        }
        let active = self.active;
        if self.forced
            && !active
            && let Some(probe) = self.probe
        {
            let tail = || self.board.sacked().gap_below(connection.high).map(NextSegment::Rescue);
            return if probe.repeats { tail() } else { has_new(connection).then_some(NextSegment::New) };
        }
        if !self.forced
            && (self.is_window_limited(connection) || connection.is_connecting() && self.pipe() >= 1)
        {
            return None;
        }
        if let Some(hole) = self.rack.as_ref().and_then(|rack| rack.lost().lowest()) {
            return Some(NextSegment::Hole(hole));
        }
        // Without limited transmit what is sacked makes no room before recovery begins.
        let new = has_new(connection)
            && (active
                || connection.parameters.limited_transmit
                || has_room(connection.high - connection.una, connection.window.cwnd)
                || connection.una < self.board.expired());
        if self.rack.is_some() {
            return new.then_some(NextSegment::New);
        }
        // Rules 3 and 4 hold in recovery only.
        self.board.next_segment(new).filter(|next| match next {
            NextSegment::New => true,
            NextSegment::Hole(hole) => active || self.board.is_lost(*hole),
            NextSegment::Rescue(_) => active,
        })
    }

    #[inline]
    fn is_at_rest(&mut self, _: &Connection) -> bool {
        self.repairs_nothing()
    }

    #[inline]
    fn is_window_limited(&self, connection: &Connection) -> bool {
        !has_room(self.pipe(), connection.window.cwnd)
    }

    fn send(&mut self, connection: &mut Connection, next: NextSegment, now: Instant) -> Segment {
        let room = has_room(connection.high - connection.una, connection.window.cwnd);
        let number = match next {
            NextSegment::Hole(hole) | NextSegment::Rescue(hole) => hole,
            NextSegment::New => {
                connection.next += 1;
                self.limited += u32::from(!room && !self.active);
                connection.next - 1
            }
        };
        let recovery_point = connection.high;
        let segment = connection.emit(number, now);
        if self.rack.is_none() {
            self.board.repeat(next, recovery_point);
        }
        self.sent(number, next != NextSegment::New, now);
        self.forced = false;
        if next == NextSegment::New {
            self.arm_probe(connection, now, true);
        }
        segment
    }
}

/// There is new data, and the receiver, or a control with a window of its own, allows one more segment.
fn has_new(connection: &Connection) -> bool {
    connection.next < connection.end && has_room(connection.high - connection.una, connection.window.bound)
}

/// Returns true if one more segment than `out` fits into the whole part of a window.
#[inline]
fn has_room(out: u32, window: f64) -> bool {
    f64::from(out) + 1.0 <= window
}

impl Sack {
    /// Begins recovery if something was found lost, and reduces the window while a reduction lasts.
    fn answer_loss(
        &mut self,
        connection: &mut Connection,
        outstanding: u32,
        now: Instant,
        advances: bool,
        delivered: u32,
    ) {
        let smoothed = connection.rtt.smoothed().unwrap_or(Duration::MAX);
        let active = self.active;
        let found = self.finds_loss(active, smoothed, now);
        if found && !active && !connection.ecn.held {
            self.begin_recovery(connection, outstanding, now);
        }
        if self.reducing {
            let safe = advances && !(found && self.rack.is_some());
            let (pipe, ssthresh) = (self.pipe(), connection.window.ssthresh);
            let window = self.prr.window(delivered, pipe, ssthresh, safe, self.parameters.prr_bound);
            connection.window.cwnd = window.max(1.0);
        }
    }

    fn begin_recovery(&mut self, connection: &mut Connection, outstanding: u32, now: Instant) {
        if self.point.is_full(connection.una) {
            let before = connection.window.cwnd;
            let flight = f64::from(connection.high - connection.una - self.limited);
            let repair = connection.cut_for_loss(flight, now);
            self.point.cut(connection.high);
            if repair == Repair::StartOver {
                connection.begin_repair();
                self.expire(now);
                return connection.restart_timer(now);
            }
            if repair == Repair::Recover && self.parameters.prr {
                self.begin_reduction(connection, before, outstanding);
            }
        } else if !connection.ecn.cut_by_mark {
            // After a timeout what is lost is sent again without recovery.
            return;
        }
        connection.begin_repair();
        self.active = true;
        self.board.enter();
        self.forced = !self.goes_on || self.rack.as_ref().is_none_or(|rack| !rack.lost().is_empty());
        self.probe_at = Instant::MAX;
        connection.restart_timer(now);
    }

    /// The congestion control has set the window to the target. PRR takes it there from what it was `before`.
    fn begin_reduction(&mut self, connection: &mut Connection, before: f64, outstanding: u32) {
        self.reducing = true;
        self.prr.enter(outstanding);
        connection.window.ssthresh = connection.window.cwnd;
        connection.window.cwnd = before;
    }

    /// The reduction is over: the window is its target.
    fn end_reduction(&mut self, connection: &mut Connection) {
        if self.reducing {
            self.reducing = false;
            connection.window.cwnd = connection.window.ssthresh;
        }
    }

    /// Takes what an ACK says of the tail loss probe (RFC 8985, section 7.4.2). A repeated tail that was not a
    /// second copy has repaired a loss, which cuts the window.
    fn answer_probe(&mut self, connection: &mut Connection, advances: bool, report: &Report, now: Instant) {
        let Some(probe) = self.probe.filter(|probe| connection.una >= probe.end) else { return };
        let Report { twice, delivered, .. } = *report;
        let repaired = probe.repeats && !twice && connection.una > probe.end;
        if repaired || !probe.repeats || twice || !advances && delivered == 0 {
            self.probe = None;
        } else {
            self.told_of_tail = Some(ToldOfTail::Arrived);
        }
        if repaired && !self.active && self.point.is_full(connection.una) {
            self.told_of_tail = Some(ToldOfTail::Lost);
            connection.cut_for_loss(self.flight(connection), now);
            self.point.cut(connection.high);
        }
    }

    /// Sets the timer of the tail loss probe (RFC 8985, section 7.2), `afresh` if something new has left or
    /// has been acknowledged.
    fn arm_probe(&mut self, connection: &Connection, now: Instant, afresh: bool) {
        if !self.parameters.tlp {
            return;
        }
        let idle = self.active || connection.is_connecting() || connection.una == connection.high;
        let expired = connection.una < self.board.expired();
        if idle || !self.board.sacked().is_empty() || self.probe.is_some() || expired {
            self.probe_at = Instant::MAX;
        } else if afresh {
            self.arm_probe_afresh(connection, now);
        }
    }

    /// Sets the timer of the tail loss probe if nothing but the lack of data speaks against a probe.
    #[inline]
    pub(crate) fn arm_probe_afresh(&mut self, connection: &Connection, now: Instant) {
        if !self.parameters.tlp {
            return;
        }
        let outstanding = connection.high - connection.una;
        let delayed = if outstanding == 1 { DELAYED_ACK } else { Duration::ZERO };
        let timeout = connection.rtt.smoothed().map_or(UNMEASURED, |smoothed| smoothed * 2 + delayed);
        // A probe takes the place of the timeout that would come before it; the timer then starts anew.
        let at = (now + timeout).min(connection.timer);
        self.probe_at = if outstanding > 0 { at } else { Instant::MAX };
    }
}
