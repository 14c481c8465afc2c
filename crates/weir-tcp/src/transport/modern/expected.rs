//! The fast path of the usual ACK, and of the usual end of a wait: see [`crate::Sender::expects`].
//!
//! As long as no loss is suspected or repaired, nothing leaves but new data, in the order of
//! numbers. An ACK of the first of it has no more to say than that it has arrived.

use weir_types::Instant;

use super::{Arrival, Modern};
use crate::{
    Flags, Segment,
    congestion::Window,
    connection::Connection,
    recovery::{Recovery, Sack},
};

impl Modern {
    /// Returns true if an ACK takes the fast path, while no loss is suspected or repaired.
    #[inline]
    pub(crate) fn expects(&self, connection: &Connection, recovery: &Sack, ack: &Segment) -> bool {
        let asks = ack.flags().has(Flags::ECE) && connection.ecn.capable && self.sampler.is_none();
        ack.options() == 0
            && (connection.una + 1..=connection.high).contains(&ack.number)
            && (!asks || !recovery.covers_more(ack.number))
            && recovery.covers_cause(ack.number, ack.stamp)
    }

    /// Takes in an ACK that is expected; what it allows to leave is up to [`Modern::send_expected`].
    #[inline]
    pub(crate) fn on_expected(
        &mut self,
        connection: &mut Connection,
        recovery: &mut Sack,
        ack: &Segment,
        now: Instant,
    ) {
        let Segment { number, stamp, .. } = *ack;
        let echo = ack.flags().has(Flags::ECE) && connection.ecn.capable;
        let (newly, flight) = (number - connection.una, connection.high - connection.una);
        recovery.advance(number, stamp, now);
        match &mut self.sampler {
            // Its control learns of nothing but deliveries.
            Some(sampler) => sampler.advance_in_order(number),
            None => connection.inform(number, echo, stamp, now),
        }
        connection.una = number;
        connection.time_round_trip(number, stamp, now);
        connection.restart_timer(now);
        recovery.arm_probe_afresh(connection, now);
        self.delivered += u64::from(newly);
        let rtt = now.since(stamp);
        let arrival = Arrival { rtt, smoothed: rtt, newly, marked: 0, lost: 0, flight, of_syn: false };
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
        let Window { cwnd, bound, .. } = connection.window;
        let allowed = (if bound < cwnd { bound } else { cwnd }) as u32;
        let end = una.saturating_add(allowed).min(connection.end);
        while connection.next < end && self.pacer.is_free(now) {
            let mut row = self.emit(connection, now);
            while connection.next < end && self.pacer.is_free(now) {
                let next = self.emit(connection, now);
                if !row.append(&next) {
                    send(core::mem::replace(&mut row, next));
                }
            }
            send(row);
        }
        let (next, waits) = (connection.next, connection.next < end);
        self.pacer.wait(waits);
        if next > first {
            self.usage.sent = true;
            recovery.sent_row(first..next, now);
            recovery.arm_probe_afresh(connection, now);
        }
        let full = f64::from(next - una) + 1.0 > cwnd;
        connection.window_limited = self.limits(connection, recovery, full, next - una);
        connection.due = connection.timer.min(recovery.due()).min(self.pacer.due());
        next - first
    }

    /// A new segment leaves.
    #[expect(clippy::inline_always, reason = "what is sent goes straight to its place")]
    #[inline(always)]
    fn emit(&mut self, connection: &mut Connection, now: Instant) -> Segment {
        let number = connection.next;
        connection.next += 1;
        let segment = connection.emit(number, now);
        if let Some(sampler) = &mut self.sampler {
            let flight = number - connection.una;
            sampler.sent(number, flight + 1, flight == 0, self.delivered, now);
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
