use std::{
    cmp::{Ordering, Reverse},
    collections::{BinaryHeap, VecDeque},
};

use weir_types::{Duration, Instant};

use crate::{
    engine::{Event, EventQueue},
    packet::Packet,
};

/// The end of a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum To {
    /// A port.
    Port(u32),
    /// The receiver of each packet.
    Receiver,
    /// The sender of each ACK.
    Sender,
}

/// A packet at the end of a pipe.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) packet: Packet,
    pub(super) to: To,
}

/// Packets in propagation, in the order of their arrival. Flows with the same delay share one pipe.
/// Most packets enter in that order. Behind access links each flow has its own backlog, and some packets
/// overtake others: a heap holds those.
#[derive(Debug)]
pub(crate) struct Pipe {
    waiting: VecDeque<(Instant, Packet)>,
    overtaking: BinaryHeap<Reverse<Overtaking>>,
    /// Number of overtaking packets so far. It orders packets that arrive at the same instant.
    serial: u64,
    /// Propagation delay.
    delay: Duration,
    to: To,
    /// The instant of the valid event; [`Instant::MAX`] if there is none.
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

/// All pipes of a network.
#[derive(Debug, Default)]
pub(crate) struct Pipes(Vec<Pipe>);

impl Pipes {
    /// Adds a pipe and returns its id.
    pub(crate) fn add(&mut self, pipe: Pipe) -> u32 {
        self.0.push(pipe);
        self.0.len() as u32 - 1
    }

    /// Propagation delay of pipe `id`.
    #[inline]
    pub(crate) fn delay(&self, id: u32) -> Duration {
        self.0[id as usize].delay
    }

    /// Adds `packet`, which arrives at the end of pipe `id` at `due`.
    #[inline]
    pub(crate) fn push(&mut self, id: u32, due: Instant, packet: Packet, events: &mut EventQueue) {
        let pipe = &mut self.0[id as usize];
        if pipe.waiting.back().is_some_and(|(last, _)| *last > due) {
            pipe.serial += 1;
            pipe.overtaking.push(Reverse(Overtaking { due, serial: pipe.serial, packet }));
        } else {
            pipe.waiting.push_back((due, packet));
        }
        if due < pipe.scheduled {
            pipe.scheduled = due;
            events.push(due, pipe.event(id));
        }
    }

    /// Removes the packet that arrives at the end of pipe `id` at `now`. `None` if the event is not valid,
    /// because an overtaking packet scheduled another one.
    #[inline]
    pub(crate) fn pop(&mut self, id: u32, now: Instant, events: &mut EventQueue) -> Option<Arrival> {
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
            events.push(pipe.scheduled, pipe.event(id));
        }
        Some(Arrival { packet, to: pipe.to })
    }

    /// The flow of the packet that arrives `ahead` packets after the next one at the end of pipe `id`, if it
    /// is known.
    #[inline]
    pub(crate) fn flow_ahead(&self, id: u32, ahead: usize) -> Option<u32> {
        self.0[id as usize].waiting.get(ahead).map(|(_, packet)| packet.0.flow)
    }

    /// Packets in all pipes.
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
