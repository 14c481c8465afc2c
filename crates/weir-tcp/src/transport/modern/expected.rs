//! The fast path of the usual ACK, and of the usual end of a wait: see [`crate::Sender::expects`].
//!
//! As long as no loss is suspected or repaired, nothing leaves but new data, in the order of
//! numbers. An ACK of the first of it has no more to say than that it has arrived.

use weir_types::Instant;

use super::{Arrival, Modern};
use crate::{
    AckOptions, Flags, Segment,
    accecn::EcnFeedback,
    congestion::Window,
    connection::Connection,
    recovery::{Recovery, Sack},
};

/// Marks that an ACK on the fast path reports.
#[derive(Clone, Copy)]
pub(crate) enum Marks {
    /// It bears an echo of marks that are answered, or none.
    Echo(bool),
    /// Feedback is accurate: so many segments are marked, and the feedback after it.
    Counted(u32, EcnFeedback),
}

/// Limits of what may leave.
#[derive(Clone, Copy)]
struct Allowed {
    cwnd: f64,
    /// One past the last number that may leave.
    end: u32,
}

impl Allowed {
    /// By the windows and the data of a connection.
    #[inline]
    fn by(connection: &Connection) -> Self {
        let Window { cwnd, bound, .. } = connection.window;
        let allowed = (if bound < cwnd { bound } else { cwnd }) as u32;
        Self { cwnd, end: connection.una.saturating_add(allowed).min(connection.end) }
    }
}

impl Modern {
    /// Reads the marks that an ACK reports if it takes the fast path, while no loss is suspected or repaired; else
    /// `None`.
    #[inline]
    pub(crate) fn expects(
        &self,
        connection: &Connection,
        recovery: &Sack,
        ack: &Segment,
        options: &AckOptions,
    ) -> Option<Marks> {
        let in_order = (connection.una + 1..=connection.high).contains(&ack.number)
            && options.report_order()
            && recovery.covers_cause(ack.number, ack.stamp);
        if !in_order {
            return None;
        }
        if self.ecn.is_accurate() {
            let newly = ack.number - connection.una;
            let (marked, feedback) = self.ecn.marked(connection, ack, options.accecn, newly);
            let asks = marked > 0 && connection.congestion.answers_marks();
            return (!asks).then_some(Marks::Counted(marked, feedback));
        }
        let echo = ack.flags().has(Flags::ECE) && connection.ecn.capable;
        let asks = echo && self.sampler.is_none() && recovery.covers_more(ack.number);
        (!asks).then_some(Marks::Echo(echo))
    }

    /// Takes in an ACK that is expected; what it allows to leave is up to [`Modern::send_expected`].
    #[inline]
    pub(crate) fn on_expected(
        &mut self,
        connection: &mut Connection,
        recovery: &mut Sack,
        ack: &Segment,
        marks: Marks,
        now: Instant,
    ) {
        let Segment { number, stamp, .. } = *ack;
        let (newly, flight) = (number - connection.una, connection.high - connection.una);
        recovery.advance(number, stamp, now);
        let (echo, marked) = match marks {
            Marks::Echo(echo) => (echo, 0),
            Marks::Counted(marked, feedback) => {
                self.ecn.takes(feedback);
                (false, marked)
            }
        };
        match &mut self.sampler {
            // Its control learns of nothing but deliveries.
            Some(sampler) => sampler.advance_in_order(number),
            None if marked == 0 => connection.inform(number, echo, stamp, now),
            None => connection.inform_of_marks(number, marked, stamp, now),
        }
        connection.una = number;
        connection.time_round_trip(number, stamp, now);
        connection.restart_timer(now);
        recovery.arm_probe_afresh(connection, now);
        self.delivered += u64::from(newly);
        let rtt = now.since(stamp);
        let arrival = Arrival { rtt, smoothed: rtt, newly, marked, lost: 0, flight, of_syn: false };
        self.deliver(connection, recovery, &arrival, now);
        connection.due = connection.timer.min(recovery.due()).min(self.pacer.due());
    }

    /// Gives `send` all that may leave, in rows; returns how many segments that are.
    #[inline]
    pub(crate) fn send_expected(
        &mut self,
        connection: &mut Connection,
        recovery: &mut Sack,
        now: Instant,
        mut send: impl FnMut(Segment),
    ) -> u32 {
        let (first, una) = (connection.next, connection.una);
        let mut allowed = Allowed::by(connection);
        while connection.next < allowed.end && self.pacer.is_free(now) {
            let mut row = self.emit(connection, &mut allowed, now);
            while connection.next < allowed.end && self.pacer.is_free(now) {
                let next = self.emit(connection, &mut allowed, now);
                if !row.append(&next) {
                    send(core::mem::replace(&mut row, next));
                }
            }
            send(row);
        }
        let (next, waits) = (connection.next, connection.next < allowed.end);
        self.pacer.wait(waits);
        if next > first {
            self.usage.sent = true;
            recovery.sent_row(first..next, now);
            recovery.arm_probe_afresh(connection, now);
        }
        let full = f64::from(next - una) + 1.0 > allowed.cwnd;
        connection.window_limited = self.limits(connection, recovery, full, next - una);
        connection.due = connection.timer.min(recovery.due()).min(self.pacer.due());
        next - first
    }

    /// A new segment leaves. If it is the first after an idle time, the congestion control may change what is `allowed`.
    #[expect(clippy::inline_always, reason = "what is sent goes straight to its place")]
    #[inline(always)]
    fn emit(&mut self, connection: &mut Connection, allowed: &mut Allowed, now: Instant) -> Segment {
        let number = connection.next;
        connection.next += 1;
        let mut segment = connection.emit(number, now);
        self.ecn.declare(connection, &mut segment, false);
        if self.sampler.is_some() {
            let flight = number - connection.una;
            if flight == 0 && self.restart(connection, now) {
                *allowed = Allowed::by(connection);
            }
            self.note_sent(number, flight + 1, flight == 0, now);
        }
        self.pacer.sent(now, false);
        segment
    }

    /// The timer expired. Returns true if nothing but a wait of pacing is over.
    #[inline]
    pub(crate) fn ends_wait(&mut self, connection: &mut Connection, recovery: &Sack, now: Instant) -> bool {
        let ends = connection.timer.min(recovery.due()) > now;
        if ends {
            self.pacer.wake();
            connection.due = connection.timer.min(recovery.due()).min(self.pacer.due());
        }
        ends
    }
}
