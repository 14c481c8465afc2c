use std::{
    cmp::{Ordering, Reverse},
    collections::{BinaryHeap, VecDeque},
};

use weir_types::{Duration, Instant};

use crate::{
    Packet,
    engine::{Calendar, Event},
};

/// Where a pipe ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum To {
    /// At a port.
    Port(u32),
    /// At the receiver of each packet.
    Receiver,
    /// At the sender of each ACK.
    Sender,
}

/// Packets that propagate, in the order in which they arrive. All flows with the same delay
/// share one pipe. Most enter in that order too. Behind access links, where each flow has a
/// backlog of its own, some overtake others: those are kept beside.
#[derive(Debug)]
pub(crate) struct Pipe {
    waiting: VecDeque<(Instant, Packet)>,
    overtaking: BinaryHeap<Reverse<Overtaking>>,
    /// Packets that have overtaken so far: of those that arrive at one instant the first to
    /// enter is the first to arrive.
    serial: u64,
    /// Propagation time, for packets that enter when they have been sent.
    pub(crate) delay: Duration,
    /// Where it ends.
    pub(crate) to: To,
    /// The instant of the calendar's valid entry; [`Instant::MAX`] if there is none.
    scheduled: Instant,
}

impl Pipe {
    pub(crate) fn new(delay: Duration, to: To) -> Self {
        Self {
            waiting: VecDeque::new(),
            overtaking: BinaryHeap::new(),
            serial: 0,
            delay,
            to,
            scheduled: Instant::MAX,
        }
    }

    const fn event(&self, id: u32) -> Event {
        match self.to {
            To::Port(_) => Event::ToPort(id),
            To::Receiver => Event::ToReceiver(id),
            To::Sender => Event::ToSender(id),
        }
    }
}

/// All pipes of a world.
#[derive(Debug, Default)]
pub(crate) struct Pipes(pub(crate) Vec<Pipe>);

impl Pipes {
    /// `packet` will arrive at the end of pipe `id` at `due`.
    #[inline]
    pub(crate) fn push(&mut self, id: u32, due: Instant, packet: Packet, calendar: &mut Calendar) {
        let pipe = &mut self.0[id as usize];
        if pipe.waiting.back().is_some_and(|(last, _)| *last > due) {
            pipe.serial += 1;
            pipe.overtaking.push(Reverse(Overtaking { due, serial: pipe.serial, packet }));
        } else {
            pipe.waiting.push_back((due, packet));
        }
        if due < pipe.scheduled {
            pipe.scheduled = due;
            calendar.push(due, pipe.event(id));
        }
    }

    /// The packet that arrives at the end of pipe `id` at `now`, and where that is. `None` if
    /// the calendar's entry was overtaken by another.
    #[inline]
    pub(crate) fn pop(&mut self, id: u32, now: Instant, calendar: &mut Calendar) -> Option<(Packet, To)> {
        let pipe = &mut self.0[id as usize];
        if pipe.scheduled != now {
            return None;
        }
        let overtakes = match (pipe.waiting.front(), pipe.overtaking.peek()) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some((due, _)), Some(Reverse(other))) => other.due < *due,
        };
        let packet = if overtakes { pipe.overtaking.pop()?.0.packet } else { pipe.waiting.pop_front()?.1 };
        let next = pipe.waiting.front().map_or(Instant::MAX, |(due, _)| *due);
        pipe.scheduled = pipe.overtaking.peek().map_or(next, |Reverse(other)| next.min(other.due));
        if pipe.scheduled < Instant::MAX {
            calendar.push(pipe.scheduled, pipe.event(id));
        }
        Some((packet, pipe.to))
    }

    /// The flow of the packet that will arrive next but `ahead` at the end of pipe `id`, if it can be told.
    #[inline]
    pub(crate) fn flow_to_come(&self, id: u32, ahead: usize) -> Option<u32> {
        self.0[id as usize].waiting.get(ahead).map(|(_, packet)| packet.0.flow)
    }

    /// Packets on their way.
    pub(crate) fn in_flight(&self) -> u64 {
        self.0.iter().map(|pipe| (pipe.waiting.len() + pipe.overtaking.len()) as u64).sum()
    }
}

/// A packet that arrives before another that entered earlier.
#[derive(Debug)]
struct Overtaking {
    due: Instant,
    serial: u64,
    packet: Packet,
}

impl Ord for Overtaking {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.due, self.serial).cmp(&(other.due, other.serial))
    }
}

impl PartialOrd for Overtaking {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Overtaking {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Overtaking {}
