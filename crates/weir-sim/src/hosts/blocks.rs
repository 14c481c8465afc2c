/// First-in-first-out queues of copies, in blocks that all queues share: a block that one has emptied serves the
/// next. With an array of its own, each would keep the room of its fullest moment to the end of the run.
#[derive(Debug)]
pub(super) struct Blocks<T> {
    slots: Vec<T>,
    /// The block after each block: in its queue, or among the free ones.
    next: Vec<u32>,
    /// The first free block; [`NONE`] without one.
    free: u32,
}

/// A queue: the slots of the first value and of the value to come. The latter is always in a block of the queue.
#[derive(Debug)]
pub(super) struct Queue {
    head: u32,
    tail: u32,
    /// The block before that of `tail`, if there is one.
    before: u32,
}

/// Slots of a block.
const BLOCK: u32 = 32;

/// No block.
const NONE: u32 = u32::MAX;

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), next: Vec::new(), free: NONE }
    }
}

impl<T: Copy + Default> Blocks<T> {
    /// A queue without values.
    pub(super) fn queue(&mut self) -> Queue {
        let head = self.take_block() * BLOCK;
        Queue { head, tail: head, before: NONE }
    }

    /// The place of the value to come.
    #[inline]
    pub(super) fn tail_mut(&mut self, queue: &Queue) -> &mut T {
        &mut self.slots[queue.tail as usize]
    }

    /// Appends the value that stands there.
    #[inline]
    pub(super) fn append(&mut self, queue: &mut Queue) {
        queue.tail += 1;
        if queue.tail.is_multiple_of(BLOCK) {
            self.extend(queue);
        }
    }

    /// The first.
    #[inline]
    pub(super) fn front(&self, queue: &Queue) -> Option<&T> {
        if queue.head == queue.tail { None } else { Some(&self.slots[queue.head as usize]) }
    }

    /// The place of the first, of no meaning if there is none.
    #[inline]
    pub(super) fn head_mut(&mut self, queue: &Queue) -> &mut T {
        &mut self.slots[queue.head as usize]
    }

    /// The last.
    pub(super) fn back(&self, queue: &Queue) -> Option<&T> {
        let is_first = queue.tail.is_multiple_of(BLOCK);
        let beyond = if is_first { queue.before.wrapping_add(1).wrapping_mul(BLOCK) } else { queue.tail };
        if queue.head == queue.tail { None } else { Some(&self.slots[beyond as usize - 1]) }
    }

    /// Removes the first, of at least one.
    #[inline]
    pub(super) fn remove_front(&mut self, queue: &mut Queue) {
        queue.head += 1;
        if queue.head.is_multiple_of(BLOCK) {
            self.shorten(queue);
        }
    }

    /// All values, from the first on.
    pub(super) fn iter(&self, queue: &Queue) -> impl Iterator<Item = &T> {
        let (mut at, tail) = (queue.head, queue.tail);
        std::iter::from_fn(move || {
            let here = (at != tail).then_some(at)?;
            at += 1;
            if at.is_multiple_of(BLOCK) {
                at = self.next[(here / BLOCK) as usize] * BLOCK;
            }
            Some(&self.slots[here as usize])
        })
    }

    /// The last block of `queue` is full: another follows.
    #[cold]
    fn extend(&mut self, queue: &mut Queue) {
        queue.before = queue.tail / BLOCK - 1;
        let block = self.take_block();
        self.next[queue.before as usize] = block;
        queue.tail = block * BLOCK;
    }

    /// The first block of `queue` is empty: it is free.
    #[cold]
    fn shorten(&mut self, queue: &mut Queue) {
        let block = queue.head / BLOCK - 1;
        queue.head = self.next[block as usize] * BLOCK;
        self.next[block as usize] = self.free;
        self.free = block;
    }

    /// A free block.
    fn take_block(&mut self) -> u32 {
        if self.free == NONE {
            self.free = self.next.len() as u32;
            self.next.push(NONE);
            self.slots.resize_with(self.next.len() * BLOCK as usize, T::default);
        }
        let block = self.free;
        self.free = self.next[block as usize];
        block
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Queues in blocks act as several `VecDeque`s, for any sequence of values, in no more blocks than they need.
        #[test]
        fn they_are_queues(steps in prop::collection::vec((0_usize..3, 0_usize..90, any::<bool>()), 0..60)) {
            let mut blocks = Blocks::default();
            let mut queues = [(); 3].map(|()| (blocks.queue(), VecDeque::new()));
            let (mut value, mut most) = (0, 0);
            for (which, count, comes) in steps {
                let (queue, model) = &mut queues[which];
                for _ in 0..count {
                    if comes {
                        value += 1;
                        *blocks.tail_mut(queue) = value;
                        blocks.append(queue);
                        model.push_back(value);
                    } else if let Some(first) = model.pop_front() {
                        prop_assert_eq!(*blocks.head_mut(queue), first);
                        blocks.remove_front(queue);
                    }
                    prop_assert_eq!((blocks.front(queue), blocks.back(queue)), (model.front(), model.back()));
                    prop_assert!(blocks.iter(queue).eq(&*model), "{queue:?}");
                }
                most = most.max(queues.iter().map(|(_, model)| model.len()).sum());
            }
            prop_assert!(blocks.next.len() <= most / BLOCK as usize + 6, "{} blocks", blocks.next.len());
        }
    }
}
