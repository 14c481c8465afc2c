use weir_types::Instant;

use super::Event;

type Entry = (Instant, Event);

/// The pending events: a 4-ary heap in one array.
///
/// Most events bring forth exactly one other. So taking the first leaves a hole at the root,
/// and the next push fills it from there: one short sift down instead of a pop and a push.
#[derive(Debug)]
pub(crate) struct Calendar {
    heap: Vec<Entry>,
    /// The root has been taken and not yet been filled.
    hole: bool,
}

const ARITY: usize = 4;

impl Calendar {
    pub(crate) fn with_capacity(events: usize) -> Self {
        Self { heap: Vec::with_capacity(events), hole: false }
    }

    /// Notes that `event` happens at `at`.
    #[inline]
    pub(crate) fn push(&mut self, at: Instant, event: Event) {
        if self.hole {
            self.hole = false;
            self.sift_down((at, event));
        } else {
            self.heap.push((at, event));
            self.sift_up(self.heap.len() - 1);
        }
    }

    /// Takes the first event.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Entry> {
        if self.hole {
            self.hole = false;
            let last = self.heap.pop()?;
            if !self.heap.is_empty() {
                self.sift_down(last);
            }
        }
        let first = *self.heap.first()?;
        self.hole = true;
        Some(first)
    }

    /// Puts `entry` where it belongs, the root being free.
    #[inline]
    fn sift_down(&mut self, entry: Entry) {
        let heap = &mut self.heap[..];
        let mut at = 0;
        loop {
            let first = at * ARITY + 1;
            let Some(children) = heap.get(first..heap.len().min(first + ARITY)) else { break };
            let mut least = 0;
            for index in 1..children.len() {
                if children[index] < children[least] {
                    least = index;
                }
            }
            match children.get(least) {
                Some(child) if *child < entry => {
                    heap[at] = *child;
                    at = first + least;
                }
                _ => break,
            }
        }
        heap[at] = entry;
    }

    fn sift_up(&mut self, mut at: usize) {
        let entry = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / ARITY;
            if self.heap[parent] <= entry {
                break;
            }
            self.heap[at] = self.heap[parent];
            at = parent;
        }
        self.heap[at] = entry;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a sorted list: whatever the interleaving, the first comes first.
        #[test]
        fn events_come_in_order(steps in prop::collection::vec(prop::option::of((0_u64..50, 0_u32..5)), 1..300)) {
            let mut calendar = Calendar::with_capacity(0);
            let mut model: Vec<Entry> = Vec::new();
            for step in steps {
                if let Some((at, index)) = step {
                    let entry = (Instant::from_nanos(at), Event::Timer(index));
                    calendar.push(entry.0, entry.1);
                    model.push(entry);
                } else {
                    model.sort_unstable_by(|a, b| b.cmp(a));
                    prop_assert_eq!(calendar.next(), model.pop());
                }
            }
        }
    }
}
