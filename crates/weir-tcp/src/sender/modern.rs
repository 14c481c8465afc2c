//! A sender that paces or counts marks, on its fast path.

use weir_types::Instant;

use super::machine::Machine;
use crate::{
    AckOptions, Segment,
    connection::{Connection, Rest},
    recovery::Sack,
    transport::Modern,
};

impl Machine<Sack, Modern> {
    /// An ACK has arrived.
    #[inline(never)]
    pub(super) fn on_ack(
        &mut self,
        connection: &mut Connection,
        ack: &Segment,
        options: &AckOptions,
        now: Instant,
    ) {
        let Self { recovery, transport } = self;
        if connection.rest == Rest::Modern
            && let Some(marks) = transport.expects(connection, recovery, ack, options)
        {
            return transport.on_expected(connection, recovery, ack, marks, now);
        }
        self.acknowledge(connection, ack, options, now);
    }

    /// Gives `send` all that may leave now, in rows; returns how many segments that are.
    #[inline]
    pub(super) fn send_expected(
        &mut self,
        connection: &mut Connection,
        now: Instant,
        send: impl FnMut(Segment),
    ) -> u32 {
        self.transport.send_expected(connection, &mut self.recovery, now, send)
    }

    /// See [`crate::Sender::send_paced`].
    #[inline]
    pub(super) fn send_paced(
        &mut self,
        connection: &mut Connection,
        until: Instant,
        mut send: impl FnMut(Segment, Instant),
    ) -> Option<u32> {
        let mut count = None;
        while connection.rest == Rest::Modern && connection.due < until {
            let now = connection.due;
            if !self.ends_wait(connection, now) {
                break;
            }
            *count.get_or_insert(0) += self.send_expected(connection, now, |row| send(row, now));
        }
        count
    }

    /// The timer expired. Returns true if nothing but a wait of pacing is over.
    #[inline]
    pub(super) fn ends_wait(&mut self, connection: &mut Connection, now: Instant) -> bool {
        self.transport.ends_wait(connection, &self.recovery, now)
    }
}
