//! Propagation towards a port.

use std::{cmp::Reverse, collections::BinaryHeap};

use weir_types::Instant;

use super::{order::Turn, ring::Ring};
use crate::{
    engine::{Event, EventQueue},
    packet::Packet,
};

/// Packets on their way to a port, after the same delay from the same place. They arrive in the order of
/// their turns; several of the same turn as they were sent.
///
/// Most packets enter in that order. Behind access links each flow has its own backlog, and one flow may be
/// ahead of another: a heap holds the packets that overtake.
#[derive(Debug)]
pub(crate) struct Pipe {
    waiting: Ring<(Turn, Packet)>,
    /// When the last of them arrives.
    last: Instant,
    overtaking: BinaryHeap<Reverse<Overtaking>>,
    /// Number of overtaking packets so far.
    serial: u64,
    port: u32,
    /// Without delay from an endpoint to a port: the packets follow all others of their instant.
    immediate: bool,
    /// The instant of its event; [`Instant::MAX`] if there is none.
    scheduled: Instant,
}

impl Pipe {
    /// A pipe to `port`.
    pub(crate) fn new(port: u32, immediate: bool) -> Self {
        Self {
            waiting: Ring::default(),
            last: Instant::ZERO,
            overtaking: BinaryHeap::new(),
            serial: 0,
            port,
            immediate,
            scheduled: Instant::MAX,
        }
    }

    #[inline]
    const fn event(&self, id: u32) -> Event {
        if self.immediate { Event::Enter(id) } else { Event::ToPort(id) }
    }

    /// The last packet to enter arrives with the one before or overtakes it.
    #[inline(never)]
    fn order_last(&mut self, due: Instant) {
        if self.waiting.len() > 1
            && let ((before, _), &(turn, packet)) = self.waiting.last_two()
            && *before > turn
        {
            self.waiting.remove_back();
            self.serial += 1;
            self.overtaking.push(Reverse(Overtaking { turn, serial: self.serial, packet }));
        } else {
            self.last = due;
        }
    }

    #[inline(never)]
    fn schedule(&mut self, id: u32, due: Instant, events: &mut EventQueue) {
        self.scheduled = due;
        events.push(due, self.event(id));
    }

    /// Brings the first of the overtaking packets to the front, if it is before all that wait.
    #[inline(never)]
    fn bring_forward(&mut self) {
        let waiting = self.waiting.front().map(|(turn, _)| *turn);
        let overtaking = self.overtaking.peek().map(|Reverse(other)| other.turn);
        if waiting.is_none_or(|turn| overtaking.is_some_and(|other| other < turn))
            && let Some(Reverse(first)) = self.overtaking.pop()
        {
            self.waiting.push_front((first.turn, first.packet));
        }
    }
}

/// All pipes of a network.
#[derive(Debug, Default)]
pub(crate) struct Pipes(Vec<Pipe>);

impl Pipes {
    /// Adds a pipe and returns its id.
    pub(crate) fn add(&mut self, pipe: Pipe) -> u32 {
        self.0.push(pipe);
        self.0.len() as u32 - 1
    }

    /// Adds `packet`, which arrives at the end of pipe `id` in its `turn`.
    #[expect(clippy::inline_always, reason = "a packet goes straight to its place")]
    #[inline(always)]
    pub(crate) fn push(&mut self, id: u32, turn: Turn, packet: Packet, events: &mut EventQueue) {
        let pipe = &mut self.0[id as usize];
        pipe.waiting.push((turn, packet));
        if turn.due > pipe.last {
            pipe.last = turn.due;
        } else {
            pipe.order_last(turn.due);
        }
        if turn.due < pipe.scheduled {
            pipe.schedule(id, turn.due, events);
        }
    }

    /// The number of pipes.
    pub(crate) const fn len(&self) -> u32 {
        self.0.len() as u32
    }

    /// The port at the end of pipe `id`.
    #[inline]
    pub(crate) fn port(&self, id: u32) -> u32 {
        self.0[id as usize].port
    }

    /// Removes the packet that arrives at the end of pipe `id` now. [`Pipes::next`] is to follow: until then no
    /// event is scheduled for what enters the pipe.
    #[inline]
    pub(crate) fn pop(&mut self, id: u32) -> Packet {
        let pipe = &mut self.0[id as usize];
        if !pipe.overtaking.is_empty() {
            pipe.bring_forward();
        }
        let (_, packet) = pipe.waiting.take_front();
        packet
    }

    /// The instant and the event of the next packet of pipe `id`, if there is one. The event is to be scheduled,
    /// or handled at once.
    #[inline]
    pub(crate) fn next(&mut self, id: u32) -> Option<(Instant, Event)> {
        let pipe = &mut self.0[id as usize];
        let mut next = pipe.waiting.front().map_or(Instant::MAX, |(turn, _)| turn.due);
        if let Some(Reverse(other)) = pipe.overtaking.peek() {
            next = next.min(other.turn.due);
        }
        pipe.scheduled = next;
        (next < Instant::MAX).then(|| (next, pipe.event(id)))
    }

    /// When the next packet arrives at the end of pipe `id`; [`Instant::MAX`] if there is none.
    #[inline]
    pub(crate) fn scheduled(&self, id: u32) -> Instant {
        self.0[id as usize].scheduled
    }

    /// Packets in all pipes.
    pub(crate) fn in_flight(&self) -> u64 {
        self.0.iter().map(|pipe| (pipe.waiting.len() + pipe.overtaking.len()) as u64).sum()
    }
}

/// A packet that arrives before another that entered earlier.
#[derive(Debug)]
struct Overtaking {
    turn: Turn,
    serial: u64,
    packet: Packet,
}

impl Ord for Overtaking {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.turn, self.serial).cmp(&(other.turn, other.serial))
    }
}

impl PartialOrd for Overtaking {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Overtaking {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Overtaking {}
