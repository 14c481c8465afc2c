//! Packets that wait for the clock before they reach their endpoint.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

use weir_tcp::{Flags, Segment};
use weir_types::Instant;

use super::order::Origin;
use crate::engine::{Event, EventQueue};

/// A packet that arrives at its endpoint at `due`, as `origin` says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) due: Instant,
    pub(super) origin: Origin,
    pub(super) segment: Segment,
}

impl Arrival {
    /// By instant, data before ACKs, then by origin.
    const fn key(&self) -> (Instant, bool, u64, u32) {
        (self.due, self.segment.flags().has(Flags::ACK), self.origin.number, self.segment.flow)
    }
}

/// The packets that wait, of all flows. Packets that would arrive after the end of the run are only counted.
#[derive(Debug)]
pub(super) struct Held {
    arrivals: BinaryHeap<Reverse<Arrival>>,
    /// Its allocation is used again.
    spare: BinaryHeap<Reverse<Arrival>>,
    /// The instant of the valid event; [`Instant::MAX`] if there is none.
    scheduled: Instant,
    end: Instant,
    after_end: u64,
}

impl Default for Held {
    fn default() -> Self {
        Self::until(Instant::MAX)
    }
}

impl Held {
    /// No packets yet, in a run up to `end`.
    pub(super) fn until(end: Instant) -> Self {
        Self {
            arrivals: BinaryHeap::new(),
            spare: BinaryHeap::new(),
            scheduled: Instant::MAX,
            end,
            after_end: 0,
        }
    }

    /// The number of packets.
    pub(super) fn len(&self) -> u64 {
        self.arrivals.len() as u64 + self.after_end
    }

    pub(super) fn push(&mut self, arrival: Arrival, events: &mut EventQueue) {
        if arrival.due > self.end {
            self.after_end += 1;
            return;
        }
        self.arrivals.push(Reverse(arrival));
        self.schedule(arrival.due, events);
    }

    /// Handles [`Event::Arrive`]: the packet that arrives at `now`. `None` if the event is not valid.
    pub(super) fn pop(&mut self, now: Instant, events: &mut EventQueue) -> Option<Arrival> {
        if self.scheduled != now {
            return None;
        }
        self.scheduled = Instant::MAX;
        let first = if self.arrivals.peek()?.0.due == now { self.arrivals.pop() } else { None };
        if let Some(Reverse(next)) = self.arrivals.peek() {
            let due = next.due;
            self.schedule(due, events);
        }
        first.map(|Reverse(arrival)| arrival)
    }

    /// Removes all packets. They are to be given back with [`Held::reuse`].
    pub(super) fn take(&mut self) -> BinaryHeap<Reverse<Arrival>> {
        let empty = std::mem::take(&mut self.spare);
        std::mem::replace(&mut self.arrivals, empty)
    }

    /// Uses an allocation again.
    pub(super) fn reuse(&mut self, empty: BinaryHeap<Reverse<Arrival>>) {
        self.spare = empty;
    }

    fn schedule(&mut self, due: Instant, events: &mut EventQueue) {
        if due < self.scheduled {
            self.scheduled = due;
            events.push(due, Event::Arrive);
        }
    }
}

impl Ord for Arrival {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Arrival {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Arrival {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Arrival {}
