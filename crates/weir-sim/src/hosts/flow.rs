//! The two ends of a flow, with their timers.

use std::sync::Arc;

use weir_tcp::{Receiver, Segment, Sender, TcpParameters};
use weir_types::{Duration, Instant, Rng};

use super::{Access, Leg, Pipes, Way, order::Origin};
use crate::{engine::EventQueue, packet::Packet};

/// Delays new packets of a sender by a random time.
#[derive(Debug)]
pub(crate) struct SendJitter {
    width: Duration,
    rng: Rng,
    /// When the wait that [`crate::engine::Event::SendLater`] ends is over; [`Instant::MAX`] without one.
    pub(super) until: Instant,
}

impl SendJitter {
    /// Delays between zero and `width`, drawn from `rng`.
    pub(crate) const fn new(width: Duration, rng: Rng) -> Self {
        Self { width, rng, until: Instant::MAX }
    }

    /// Begins a wait at `now`, unless one is under way. Returns its end if it is new.
    pub(super) fn begin(&mut self, now: Instant) -> Option<Instant> {
        if self.until < Instant::MAX {
            return None;
        }
        self.until = now + self.width.mul_f64(self.rng.uniform());
        Some(self.until)
    }
}

/// The two ends of a flow. Nothing but its own packets and timers changes them.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    /// The instant of the valid timer event; [`Instant::MAX`] if there is none. It may be earlier than
    /// the sender's timeout, which every ACK moves: the event is then renewed. Before the flow begins: its start.
    pub(super) timer_at: Instant,
    /// The instant of the valid event for a delayed ACK; [`Instant::MAX`] if there is none.
    pub(super) ack_timer_at: Instant,
    /// The sender stops at this instant, or its variables are sampled: before that it must not go beyond.
    pub(super) sender_until: Instant,
    /// Packets that are held before the receiver, and before the sender.
    held: [u32; 2],
    /// Data segments of the flow; [`u32::MAX`] if it has no end.
    segments: u32,
    /// The port behind which the fast path of [`super::Hosts::depart`] is open, the last one: [`u32::MAX`] while
    /// packets are held, and where there is jitter or more than delay.
    pub(super) fast_from: u32,
    pub(super) jitter: Option<Box<SendJitter>>,
    pub(super) way: Arc<Way>,
    /// Its access links, if it has any.
    pub(super) access: Option<Box<Access>>,
}

// There may be a million.
const _: () = assert!(size_of::<Flow>() <= 352);

impl Flow {
    /// A flow without end, whose sender stops at `stop`.
    pub(crate) fn endless(
        id: u32,
        bytes: u32,
        tcp: &Arc<TcpParameters>,
        jitter: Option<Box<SendJitter>>,
        stop: Instant,
        way: &Arc<Way>,
    ) -> Self {
        Self {
            sender: Sender::new(id, bytes, Arc::clone(tcp)).labelled(way.label),
            receiver: Receiver::new(id, tcp),
            timer_at: Instant::MAX,
            ack_timer_at: Instant::MAX,
            sender_until: stop,
            held: [0; 2],
            segments: u32::MAX,
            fast_from: u32::MAX,
            jitter,
            way: Arc::clone(way),
            access: None,
        }
        .behind(None)
    }

    /// Puts the flow behind access links, if there are any.
    pub(crate) fn behind(mut self, access: Option<Access>) -> Self {
        self.access = access.map(Box::new);
        self.open_fast_path();
        self
    }

    /// A transfer of `segments` segments, the last with `last_bytes` bytes, counted from `first`.
    pub(crate) fn transfer(mut self, first: u32, segments: u32, last_bytes: u32) -> Self {
        self.sender = self.sender.counting_from(first);
        self.sender.start_with(segments, last_bytes);
        self.receiver = self.receiver.counting_from(first);
        self.segments = segments;
        self
    }

    /// Takes the place of `former`, a flow of the same id that has ended. Timer events stay valid: they may be
    /// earlier than the timeouts. Late packets of the former flow have lower numbers and are ignored.
    pub(super) fn replaces(self, former: &Self) -> Self {
        let Self { timer_at, ack_timer_at, held, .. } = *former;
        let mut flow = Self { timer_at, ack_timer_at, held, ..self };
        flow.open_fast_path();
        flow
    }

    /// Its packets go along `way` from now on.
    pub(super) fn take_way(&mut self, way: &Arc<Way>) {
        self.way = Arc::clone(way);
        self.open_fast_path();
    }

    /// Opens or closes the fast path.
    fn open_fast_path(&mut self) {
        let is_short =
            self.held == [0; 2] && self.jitter.is_none() && self.access.is_none() && self.way.is_short();
        self.fast_from = if is_short { self.way.last } else { u32::MAX };
    }

    /// Returns true if packets are held: ACKs before the sender, or data before the receiver.
    #[inline]
    pub(super) const fn holds(&self, acks: bool) -> bool {
        self.held[acks as usize] > 0
    }

    /// One more packet is held, or one less.
    pub(super) fn hold(&mut self, acks: bool, more: bool) {
        let held = &mut self.held[usize::from(acks)];
        *held = if more { *held + 1 } else { *held - 1 };
        self.open_fast_path();
    }

    /// Data, perhaps a row, leaves the sender at `now`.
    #[expect(clippy::inline_always, reason = "a packet goes straight to its place")]
    #[inline(always)]
    pub(super) fn send_data(
        way: &Way,
        access: &mut Option<Box<Access>>,
        mut row: Segment,
        now: Instant,
        origin: Origin,
        (pipes, events): (&mut Pipes, &mut EventQueue),
    ) {
        let mut sent = now;
        if let Some(access) = access {
            while let Some(first) = row.split_first() {
                way.enter(first, now, access.send_data(first.bytes(), now), origin, pipes, events);
            }
            sent = access.send_data(row.bytes(), now);
        }
        way.enter(row, now, sent, origin, pipes, events);
    }

    /// An ACK leaves the receiver at `now`. Returns when it comes to the sender, if no port is between.
    #[expect(clippy::inline_always, reason = "a packet goes straight to its place")]
    #[inline(always)]
    pub(super) fn send_ack(
        &mut self,
        ack: Segment,
        now: Instant,
        origin: Origin,
        (pipes, events): (&mut Pipes, &mut EventQueue),
    ) -> Option<Instant> {
        let Leg { delay, pipe } = self.way.back;
        let sent = match &mut self.access {
            Some(access) => access.send_ack(ack.bytes(), now),
            None => now,
        };
        let due = sent + delay;
        let Some(pipe) = pipe else { return Some(due) };
        pipes.push(pipe, origin.turn(now, due), Packet(ack.with_label(self.way.label_of_acks)), events);
        None
    }

    /// Returns true if the sender has been given data.
    pub(crate) const fn has_begun(&self) -> bool {
        self.sender.end() > self.sender.first()
    }

    /// Returns true if all data has arrived.
    #[inline]
    pub(crate) const fn is_complete(&self) -> bool {
        self.receiver.delivered() == self.segments
    }

    /// Returns true if the next data segment to arrive may be the last.
    #[inline]
    pub(super) const fn is_nearly_complete(&self) -> bool {
        self.receiver.delivered() >= self.segments - 1
    }

    /// Index of its group.
    #[inline]
    pub(crate) fn group(&self) -> usize {
        self.way.group as usize
    }

    /// When the sender acts next without an ACK.
    #[inline]
    pub(super) fn sender_due(&self) -> Instant {
        let timeout = self.sender.timeout();
        self.jitter.as_ref().map_or(timeout, |jitter| timeout.min(jitter.until))
    }
}
