/// A first-in-first-out queue of copies, in one array whose length is a power of two. Every packet passes through
/// pipes: a place is a mask here, not a comparison, and nothing is wrapped in an `Option` as in a `VecDeque`.
#[derive(Debug)]
pub(super) struct Ring<T> {
    slots: Vec<T>,
    /// Where the first is, and one past the last. Both only grow; their lowest bits are places.
    head: usize,
    tail: usize,
}

/// Slots at first.
const FEWEST: usize = 4;

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), head: 0, tail: 0 }
    }
}

impl<T: Copy + Default> Ring<T> {
    /// How many there are.
    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.tail.wrapping_sub(self.head)
    }

    /// Appends `value`.
    #[inline]
    pub(super) fn push(&mut self, value: T) {
        if self.len() == self.slots.len() {
            self.grow();
        }
        let at = self.place(self.tail);
        self.slots[at] = value;
        self.tail = self.tail.wrapping_add(1);
    }

    /// The first.
    #[inline]
    pub(super) fn front(&self) -> Option<&T> {
        if self.head == self.tail { None } else { Some(&self.slots[self.place(self.head)]) }
    }

    /// The last two, of at least two.
    pub(super) fn last_two(&self) -> (&T, &T) {
        let at = |back| &self.slots[self.place(self.tail.wrapping_sub(back))];
        (at(2), at(1))
    }

    /// Removes the last.
    pub(super) const fn remove_back(&mut self) {
        self.tail = self.tail.wrapping_sub(1);
    }

    /// Removes the first, of at least one.
    #[inline]
    pub(super) fn take_front(&mut self) -> T {
        let value = self.slots[self.place(self.head)];
        self.head = self.head.wrapping_add(1);
        value
    }

    /// Puts `value` before all others.
    pub(super) fn push_front(&mut self, value: T) {
        if self.len() == self.slots.len() {
            self.grow();
        }
        self.head = self.head.wrapping_sub(1);
        let at = self.place(self.head);
        self.slots[at] = value;
    }

    #[inline]
    const fn place(&self, number: usize) -> usize {
        number & (self.slots.len() - 1)
    }

    /// Doubles the slots.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let len = self.len();
        if len > 0 {
            let first = self.place(self.head);
            self.slots.rotate_left(first);
        }
        self.slots.resize_with((2 * len).max(FEWEST), T::default);
        (self.head, self.tail) = (0, len);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The same as a `VecDeque`, whatever comes and goes.
        #[test]
        fn it_is_a_queue(steps in prop::collection::vec(prop::option::of(any::<u8>()), 0..300)) {
            let (mut ring, mut model) = (Ring::default(), VecDeque::new());
            for step in steps {
                match step {
                    Some(value) if value < 10 => {
                        ring.push_front(value);
                        model.push_front(value);
                    }
                    Some(value) => {
                        ring.push(value);
                        model.push_back(value);
                    }
                    None => {
                        if let Some(first) = model.pop_front() {
                            prop_assert_eq!(ring.take_front(), first);
                        }
                    }
                }
                prop_assert_eq!((ring.front(), ring.len()), (model.front(), model.len()));
                if let [.., one, two] = *model.make_contiguous() {
                    prop_assert_eq!(ring.last_two(), (&one, &two));
                }
            }
        }
    }
}
