//! The sending side of a connection. `machine` is the way of ACKs, segments and timeouts, `expected` the fast path of
//! the usual ACK, `state` gives read access. The state that every sender has is in [`crate::connection`], the
//! response to losses in [`crate::recovery`], the window in [`crate::congestion`]. What a sender that paces or counts
//! marks adds is in [`crate::transport`].

mod expected;
mod machine;
mod modern;
mod state;

use alloc::sync::Arc;

use weir_types::{Instant, Rng};

use self::machine::{AnyMachine, each_machine};
use crate::{
    AckOptions, Label, Segment, TcpParameters,
    connection::{Connection, Rest},
};

/// The sending side of a connection. Call [`Sender::poll_segment`] until it gives `None` after every other
/// call, and [`Sender::on_timeout`] once [`Sender::timeout`] has passed.
#[derive(Clone, Debug)]
pub struct Sender {
    connection: Connection,
    machine: AnyMachine,
}

impl Sender {
    /// A connection with segments of `bytes` bytes on the wire and no end of data. It sends nothing before
    /// [`Sender::start`].
    pub fn new(flow: u32, bytes: u32, parameters: Arc<TcpParameters>) -> Self {
        let machine = AnyMachine::new(&parameters, 0);
        Self { connection: Connection::new(flow, bytes, parameters), machine }
    }

    /// A connection in the place of another that has ended. It counts its segments from `first`, one past the
    /// last number of the other, and ignores ACKs of lower numbers.
    #[must_use]
    pub fn counting_from(mut self, first: u32) -> Self {
        self.connection.count_from(first);
        self.machine = AnyMachine::new(&self.connection.parameters, first);
        self
    }

    /// Its segments have this label.
    #[must_use]
    pub const fn labelled(mut self, label: Label) -> Self {
        self.connection.header = self.connection.header.with_label(label);
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
        let Self { connection, machine } = self;
        match machine {
            AnyMachine::NewReno(machine) => machine.acknowledge(connection, ack, &AckOptions::NONE, now),
            _ => self.on_ack_with(ack, &AckOptions::NONE, now),
        }
    }

    /// An acknowledgement with these options ([`crate::Receiver::options_of`]) has arrived. Not inlined, so that
    /// [`Sender::on_ack`] is.
    #[inline(never)]
    pub fn on_ack_with(&mut self, ack: &Segment, options: &AckOptions, now: Instant) {
        let Self { connection, machine } = self;
        match machine {
            AnyMachine::Reno(machine) => machine.acknowledge(connection, ack, options, now),
            AnyMachine::NewReno(_) => self.on_ack(ack, now),
            AnyMachine::Sack(machine) => machine.acknowledge(connection, ack, options, now),
            AnyMachine::Modern(machine) => machine.on_ack(connection, ack, options, now),
        }
    }

    /// The next segment that may leave now.
    #[expect(clippy::inline_always, reason = "what is sent goes straight to its place")]
    #[inline(always)]
    pub fn poll_segment(&mut self, now: Instant) -> Option<Segment> {
        let connection = &mut self.connection;
        each_machine!(&mut self.machine, machine => machine.poll(connection, now))
    }

    /// Gives `send` all that may leave now, in rows ([`Segment::append`]); returns how many segments that are. The
    /// same as [`Sender::poll_segment`] until it gives `None`.
    #[expect(clippy::inline_always, reason = "what is sent goes straight to its place")]
    #[inline(always)]
    pub fn send_all(&mut self, now: Instant, mut send: impl FnMut(Segment)) -> u32 {
        let Self { connection, machine } = self;
        match machine {
            AnyMachine::NewReno(machine) => return machine.send_all(connection, now, send),
            AnyMachine::Reno(machine) => return machine.send_all(connection, now, send),
            AnyMachine::Modern(machine) if connection.rest == Rest::Modern => {
                return machine.send_expected(connection, now, send);
            }
            AnyMachine::Sack(_) | AnyMachine::Modern(_) => {}
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

    /// Gives `send`, with its instant, all that leaves before `until` because a wait of pacing ends, as long as
    /// nothing else is due: the same as [`Sender::on_timeout`] and [`Sender::send_all`] at each end. Returns how many
    /// segments that are; `None` if no wait ends.
    #[inline]
    pub fn send_paced(&mut self, until: Instant, send: impl FnMut(Segment, Instant)) -> Option<u32> {
        match &mut self.machine {
            AnyMachine::Modern(machine) => machine.send_paced(&mut self.connection, until, send),
            _ => None,
        }
    }

    /// The segment that loss recovery sends again now, if there is one.
    #[inline]
    pub fn poll_repair(&mut self, now: Instant) -> Option<Segment> {
        let connection = &mut self.connection;
        each_machine!(&mut self.machine, machine => machine.poll_repair(connection, now))
    }

    /// Returns true if a segment may leave now. Without SACK, a repair needs no room.
    #[inline]
    pub fn has_room(&self, now: Instant) -> bool {
        each_machine!(&self.machine, machine => machine.has_room(&self.connection, now))
    }

    /// The timer that [`Sender::timeout`] announced has expired.
    pub fn on_timeout(&mut self, now: Instant) {
        let connection = &mut self.connection;
        if let AnyMachine::Modern(machine) = &mut self.machine
            && connection.rest == Rest::Modern
            && machine.ends_wait(connection, now)
        {
            return;
        }
        connection.rest = Rest::No;
        each_machine!(&mut self.machine, machine => machine.on_timeout(connection, now));
    }

    /// When [`Sender::on_timeout`] is due; [`Instant::MAX`] while nothing is outstanding.
    #[inline]
    pub fn timeout(&self) -> Instant {
        if self.connection.rest != Rest::No {
            return self.connection.due;
        }
        each_machine!(&self.machine, machine => machine.due(&self.connection))
    }
}
