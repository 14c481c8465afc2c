//! Propagation towards a port.

use weir_types::Instant;

use super::{
    blocks::{Blocks, Queue},
    order::Turn,
    overtaking::Overtaking,
};
use crate::{
    engine::{Event, EventQueue},
    packet::Packet,
};

/// Packets on their way to a port, after the same delay from the same place. They arrive in the order of
/// their turns; several of the same turn as they were sent.
///
/// Most packets enter in that order. Behind access links each flow has its own backlog, and one flow may be
/// ahead of another: those that overtake wait in a calendar.
#[derive(Debug)]
pub(crate) struct Pipe {
    waiting: Queue,
    /// When the last of them arrives.
    last: Instant,
    overtaking: Overtaking,
    port: u32,
    /// Without delay from an endpoint to a port: the packets follow all others of their instant.
    immediate: bool,
    /// The instant of its event; [`Instant::MAX`] if there is none.
    scheduled: Instant,
}

impl Pipe {
    #[inline]
    const fn event(&self, id: u32) -> Event {
        if self.immediate { Event::Enter(id) } else { Event::ToPort(id) }
    }

    /// Takes the row at the place of what is to come, if it arrives before the last of the `packets` that wait.
    #[inline(never)]
    fn overtakes(&mut self, packets: &mut Blocks<(Turn, Packet)>) -> bool {
        let (turn, row) = *packets.tail_mut(&self.waiting);
        let overtakes = packets.back(&self.waiting).is_some_and(|(last, _)| *last > turn);
        if overtakes {
            self.overtaking.push(turn, row);
        }
        overtakes
    }

    #[inline(never)]
    fn schedule(&mut self, id: u32, due: Instant, events: &mut EventQueue) {
        if due < self.scheduled {
            self.scheduled = due;
            events.push(due, self.event(id));
        }
    }
}

/// All pipes of a network.
#[derive(Debug, Default)]
pub(crate) struct Pipes {
    pipes: Vec<Pipe>,
    packets: Blocks<(Turn, Packet)>,
}

impl Pipes {
    /// Adds a pipe to `port`, of `rate` bit/s, with or without delay, and returns its id.
    pub(crate) fn add(&mut self, port: u32, immediate: bool, rate: f64) -> u32 {
        self.pipes.push(Pipe {
            waiting: self.packets.queue(),
            last: Instant::ZERO,
            overtaking: Overtaking::new(rate),
            port,
            immediate,
            scheduled: Instant::MAX,
        });
        self.pipes.len() as u32 - 1
    }

    /// Adds `packet`, or a row of them, which arrives at the end of pipe `id` in its `turn`.
    #[expect(clippy::inline_always, reason = "a packet goes straight to its place")]
    #[inline(always)]
    pub(crate) fn push(&mut self, id: u32, turn: Turn, packet: Packet, events: &mut EventQueue) {
        let pipe = &mut self.pipes[id as usize];
        *self.packets.tail_mut(&pipe.waiting) = (turn, packet);
        if turn.due <= pipe.last && pipe.overtakes(&mut self.packets) {
            return pipe.schedule(id, turn.due, events);
        }
        pipe.last = turn.due;
        if turn.due < pipe.scheduled {
            pipe.schedule(id, turn.due, events);
        }
        self.packets.append(&mut pipe.waiting);
    }

    /// The number of pipes.
    pub(crate) const fn len(&self) -> u32 {
        self.pipes.len() as u32
    }

    /// The port at the end of pipe `id`.
    #[inline]
    pub(crate) fn port(&self, id: u32) -> u32 {
        self.pipes[id as usize].port
    }

    /// Removes the packet that arrives at the end of pipe `id` now. [`Pipes::next`] is to follow: until then no
    /// event is scheduled for what enters the pipe.
    #[expect(clippy::inline_always, reason = "a packet goes straight to its place")]
    #[inline(always)]
    pub(crate) fn pop(&mut self, id: u32) -> Packet {
        let pipe = &mut self.pipes[id as usize];
        let (_, packet) = self.packets.head_mut(&pipe.waiting);
        if !packet.0.is_single() || pipe.overtaking.first().due < Instant::MAX {
            return self.pop_other(id);
        }
        let packet = *packet;
        self.packets.remove_front(&mut pipe.waiting);
        packet
    }

    /// [`Pipes::pop`] where packets overtake, or the first is a row or an ACK with options.
    #[inline(never)]
    fn pop_other(&mut self, id: u32) -> Packet {
        let pipe = &mut self.pipes[id as usize];
        let overtaking = pipe.overtaking.first();
        if overtaking.due < Instant::MAX
            && self.packets.front(&pipe.waiting).is_none_or(|(turn, _)| overtaking < *turn)
        {
            return pipe.overtaking.pop();
        }
        let (_, Packet(row)) = self.packets.head_mut(&pipe.waiting);
        if let Some(first) = row.split_first() {
            return Packet(first);
        }
        let packet = Packet(*row);
        self.packets.remove_front(&mut pipe.waiting);
        packet
    }

    /// The instant and the event of the next packet of pipe `id`, if there is one. The event is to be scheduled,
    /// or handled at once.
    #[inline]
    pub(crate) fn next(&mut self, id: u32) -> Option<(Instant, Event)> {
        let pipe = &mut self.pipes[id as usize];
        let waiting = self.packets.front(&pipe.waiting).map_or(Instant::MAX, |(turn, _)| turn.due);
        let next = waiting.min(pipe.overtaking.first().due);
        pipe.scheduled = next;
        (next < Instant::MAX).then(|| (next, pipe.event(id)))
    }

    /// When the next packet arrives at the end of pipe `id`; [`Instant::MAX`] if there is none.
    #[inline]
    pub(crate) fn scheduled(&self, id: u32) -> Instant {
        self.pipes[id as usize].scheduled
    }

    /// Packets in all pipes.
    pub(crate) fn in_flight(&self) -> u64 {
        let waiting = self.pipes.iter().flat_map(|pipe| self.packets.iter(&pipe.waiting));
        let overtaking: u64 = self.pipes.iter().map(|pipe| pipe.overtaking.len()).sum();
        waiting.map(|(_, Packet(row))| row.segments()).sum::<u64>() + overtaking
    }
}
