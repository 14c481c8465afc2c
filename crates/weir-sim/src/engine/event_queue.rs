use weir_types::{Duration, Instant};

use super::{
    Event,
    due_times::{Due, DueTimes, NEVER},
    heap::{Heap, Key},
};

/// The pending events. Each port and pipe has one event, which moves packets. The others are in a heap: timers,
/// one per flow, far ahead.
#[derive(Debug)]
pub(crate) struct EventQueue {
    moves: DueTimes,
    /// When the first event that moves packets is due; [`Instant::MAX`] if there is none.
    move_at: Instant,
    timers: Heap,
    /// The first of the timers.
    timer_at: Instant,
    ports: u32,
}

impl Default for EventQueue {
    fn default() -> Self {
        Self {
            moves: DueTimes::new(0),
            move_at: Instant::MAX,
            timers: Heap::default(),
            timer_at: Instant::MAX,
            ports: 0,
        }
    }
}

fn key(at: Instant, event: Event) -> Key {
    Key::from(at.as_nanos()) << 64 | Key::from(event.rank())
}

const fn instant_of(key: Key) -> Instant {
    Instant::from_nanos((key >> 64) as u64)
}

/// The due of an event that moves packets, and the number of its port or pipe. Its lowest bit is set for
/// [`Event::Enter`], which comes last at its instant.
#[inline]
const fn due(at: Instant, event: Event) -> Option<(Due, u32)> {
    let due = at.as_nanos() << 1;
    match event {
        Event::PortDue(index) | Event::ToPort(index) => Some((due, index)),
        Event::Enter(index) => Some((due | 1, index)),
        _ => None,
    }
}

impl EventQueue {
    /// Makes room for events of so many ports and pipes. Before, none of them may be scheduled.
    pub(crate) fn set_size(&mut self, ports: u32, pipes: u32) {
        self.moves = DueTimes::new((ports + pipes) as usize);
        self.ports = ports;
    }

    /// Schedules `event` at `at`. A port or a pipe has one event: the earliest.
    #[inline]
    pub(crate) fn push(&mut self, at: Instant, event: Event) {
        let Some((due, index)) = due(at, event) else { return self.push_timer(at, event) };
        let is_port = matches!(event, Event::PortDue(_));
        self.moves.set(if is_port { index } else { self.ports + index }, due);
        self.move_at = self.move_at.min(at);
    }

    #[inline(never)]
    fn push_timer(&mut self, at: Instant, event: Event) {
        self.timers.push(key(at, event));
        self.timer_at = self.timer_at.min(at);
    }

    /// Returns true if no timer is due up to `at`, and no event that moves packets up to `lookahead` before.
    #[inline]
    pub(crate) fn none_before(&self, at: Instant, lookahead: Duration) -> bool {
        at < self.timer_at.min(self.move_at + lookahead)
    }

    /// Returns true if `event` at `at` would be the first.
    #[inline]
    pub(crate) fn would_be_first(&self, at: Instant, event: Event) -> bool {
        let first = self.move_at.min(self.timer_at);
        at < first || at == first && self.wins_tie(at, event)
    }

    /// Returns true if `event` at `at` comes before another event that is pending at the same instant.
    #[inline(never)]
    fn wins_tie(&self, at: Instant, event: Event) -> bool {
        let least = match self.move_at {
            Instant::MAX => Key::MAX,
            at => key(at, self.first_event()),
        };
        key(at, event) < least.min(self.timers.least())
    }

    /// The first event that moves packets.
    #[inline]
    const fn first_event(&self) -> Event {
        match self.moves.first() {
            (_, place) if place < self.ports => Event::PortDue(place),
            (due, place) if due & 1 == 0 => Event::ToPort(place - self.ports),
            (_, place) => Event::Enter(place - self.ports),
        }
    }

    /// Returns true if another flow stops at `now`, and no other timer is due before.
    pub(crate) fn stops_another(&self, now: Instant) -> bool {
        let least = self.timers.least();
        least != Key::MAX
            && instant_of(least) == now
            && matches!(Event::of_rank(least as u64), Event::Stop(_))
    }

    /// Removes and returns the first event.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(Instant, Event)> {
        let at = self.move_at;
        if at < self.timer_at || at == self.timer_at && self.move_wins_tie() {
            let (event, (_, place)) = (self.first_event(), self.moves.first());
            self.moves.clear(place);
            self.move_at = match self.moves.first() {
                (NEVER, _) => Instant::MAX,
                (due, _) => Instant::from_nanos(due >> 1),
            };
            return Some((at, event));
        }
        self.next_timer()
    }

    #[inline(never)]
    fn move_wins_tie(&self) -> bool {
        self.move_at < Instant::MAX && key(self.move_at, self.first_event()) < self.timers.least()
    }

    #[inline(never)]
    fn next_timer(&mut self) -> Option<(Instant, Event)> {
        let key = self.timers.least();
        if key == Key::MAX {
            return None;
        }
        self.timers.take();
        self.timer_at = instant_of(self.timers.least());
        Some((instant_of(key), Event::of_rank(key as u64)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(kind: u64, index: u32) -> Event {
        // Some kinds have no index. A pipe is of one kind: numbers of `Enter` are others than those of `ToPort`.
        let index = if kind == Event::Enter(0).rank() >> 32 { index + 5 } else { index };
        Event::of_rank(Event::of_rank(kind << 32 | u64::from(index)).rank())
    }

    proptest! {
        /// Compares with a sorted list, for any interleaving of pushes and removals. A port or a pipe keeps the
        /// earlier of two events.
        #[test]
        fn events_come_in_order(steps in prop::collection::vec(
            prop::option::of((0_u64..50, 0_u64..17, 0_u32..5)), 1..300,
        )) {
            let mut queue = EventQueue::default();
            queue.set_size(5, 10);
            let mut model: Vec<(u64, u64)> = Vec::new();
            for step in steps {
                if let Some((at, kind, index)) = step {
                    let event = event(kind, index);
                    let first = model.iter().all(|other| (at, event.rank()) < *other);
                    prop_assert_eq!(queue.would_be_first(Instant::from_nanos(at), event), first);
                    queue.push(Instant::from_nanos(at), event);
                    let same = |other: &&mut (u64, u64)| due(Instant::ZERO, event).is_some() && other.1 == event.rank();
                    match model.iter_mut().find(same) {
                        Some(other) => other.0 = other.0.min(at),
                        None => model.push((at, event.rank())),
                    }
                } else {
                    model.sort_unstable_by(|a, b| b.cmp(a));
                    let next = queue.next().map(|(at, event)| (at.as_nanos(), event.rank()));
                    prop_assert_eq!(next, model.pop());
                }
            }
        }
    }
}
