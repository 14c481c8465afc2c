use weir_types::Instant;

use super::{
    Event,
    heap::{Heap, Key},
};

/// The pending events, in two heaps. One holds the events that move packets: one per pipe and port.
/// The other holds timers: one per flow, far ahead. The first heap fits into one or two cache lines.
#[derive(Debug)]
pub(crate) struct EventQueue {
    packets: Heap,
    timers: Heap,
    /// The least key among the timers.
    timer: Key,
}

impl Default for EventQueue {
    fn default() -> Self {
        Self { packets: Heap::default(), timers: Heap::default(), timer: Key::MAX }
    }
}

fn key(at: Instant, event: Event) -> Key {
    Key::from(at.as_nanos()) << 64 | Key::from(event.rank())
}

impl EventQueue {
    /// Schedules `event` at `at`.
    #[inline]
    pub(crate) fn push(&mut self, at: Instant, event: Event) {
        let key = key(at, event);
        if event.moves_packets() {
            self.packets.push(key);
        } else {
            self.timers.push(key);
            self.timer = self.timer.min(key);
        }
    }

    /// Whether `event` at `at` would be the first.
    #[inline]
    pub(crate) fn would_be_first(&self, at: Instant, event: Event) -> bool {
        let key = key(at, event);
        key < self.timer && self.packets.is_above(key)
    }

    /// Removes and returns the first event.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(Instant, Event)> {
        let mut key = self.packets.peek().unwrap_or(Key::MAX);
        if key < self.timer {
            self.packets.take();
        } else {
            key = self.timer;
            if key == Key::MAX {
                return None;
            }
            self.timers.take();
            self.timer = self.timers.peek().unwrap_or(Key::MAX);
        }
        Some((Instant::from_nanos((key >> 64) as u64), Event::of_rank(key as u64)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(kind: u64, index: u32) -> Event {
        // Some kinds have no index.
        Event::of_rank(Event::of_rank(kind << 32 | u64::from(index)).rank())
    }

    proptest! {
        /// Compares with a sorted list, for any interleaving of pushes and removals.
        #[test]
        fn events_come_in_order(steps in prop::collection::vec(
            prop::option::of((0_u64..50, 0_u64..12, 0_u32..5)), 1..300,
        )) {
            let mut queue = EventQueue::default();
            let mut model: Vec<(u64, u64)> = Vec::new();
            for step in steps {
                if let Some((at, kind, index)) = step {
                    let event = event(kind, index);
                    let first = model.iter().all(|other| (at, event.rank()) < *other);
                    prop_assert_eq!(queue.would_be_first(Instant::from_nanos(at), event), first);
                    queue.push(Instant::from_nanos(at), event);
                    model.push((at, event.rank()));
                } else {
                    model.sort_unstable_by(|a, b| b.cmp(a));
                    let next = queue.next().map(|(at, event)| (at.as_nanos(), event.rank()));
                    prop_assert_eq!(next, model.pop());
                }
            }
        }
    }
}
