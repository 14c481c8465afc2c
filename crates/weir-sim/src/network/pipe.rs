use std::collections::VecDeque;

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
/// share one pipe. They enter in that order too, or nearly so: behind access links of
/// different flows a packet may overtake a few others, so the place is looked for from the back.
#[derive(Debug)]
pub(crate) struct Pipe {
    waiting: VecDeque<(Instant, Packet)>,
    /// Propagation time, for packets that enter when they have been sent.
    pub(crate) delay: Duration,
    /// Where it ends.
    pub(crate) to: To,
    /// The instant of the calendar's valid entry; [`Instant::MAX`] if there is none.
    scheduled: Instant,
}

impl Pipe {
    pub(crate) const fn new(delay: Duration, to: To) -> Self {
        Self { waiting: VecDeque::new(), delay, to, scheduled: Instant::MAX }
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
        let late = pipe.waiting.back().is_some_and(|(last, _)| *last > due);
        pipe.waiting.push_back((due, packet));
        if late {
            settle(&mut pipe.waiting);
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
        let (_, packet) = pipe.waiting.pop_front()?;
        match pipe.waiting.front() {
            Some((next, _)) => {
                pipe.scheduled = *next;
                calendar.push(*next, pipe.event(id));
            }
            None => pipe.scheduled = Instant::MAX,
        }
        Some((packet, pipe.to))
    }

    /// Packets on their way.
    pub(crate) fn in_flight(&self) -> u64 {
        self.0.iter().map(|pipe| pipe.waiting.len() as u64).sum()
    }
}

/// Moves the last packet forward to its place, behind those that arrive at the same instant.
#[cold]
fn settle(waiting: &mut VecDeque<(Instant, Packet)>) {
    let mut at = waiting.len() - 1;
    while at > 0 && waiting[at - 1].0 > waiting[at].0 {
        waiting.swap(at - 1, at);
        at -= 1;
    }
}
