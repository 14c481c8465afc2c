/// The instant in the upper half, the rank of the event in the lower half: one comparison orders
/// by both.
pub(crate) type Key = u128;

const ARITY: usize = 4;

/// A 4-ary heap of keys in one array.
///
/// Most events schedule exactly one other event. Therefore [`Heap::take`] only marks the root as
/// removed, and the next push replaces it (replace-top): one sift down instead of a pop and a push.
#[derive(Debug)]
pub(crate) struct Heap {
    keys: Vec<Key>,
    /// The root was taken; the next push or take replaces it.
    root_taken: bool,
    /// See [`Heap::least`].
    least: Key,
}

impl Default for Heap {
    fn default() -> Self {
        Self { keys: Vec::new(), root_taken: false, least: Key::MAX }
    }
}

impl Heap {
    #[inline]
    pub(crate) fn push(&mut self, key: Key) {
        if self.root_taken {
            self.root_taken = false;
            self.sift_down(key);
        } else {
            self.keys.push(key);
            self.sift_up(key);
        }
        self.least = self.keys[0];
    }

    /// The least key; [`Key::MAX`] if there is none.
    #[inline]
    pub(crate) const fn least(&self) -> Key {
        self.least
    }

    /// Removes the least key.
    #[inline]
    pub(crate) fn take(&mut self) {
        if self.root_taken {
            self.remove_root();
        }
        self.root_taken = true;
        let children = &self.keys[self.keys.len().min(1)..self.keys.len().min(1 + ARITY)];
        // Select, do not branch: the processor cannot predict which of a few pipes is next.
        self.least = children.iter().fold(Key::MAX, |least, key| if *key < least { *key } else { least });
    }

    /// Replaces the taken root by the last key.
    #[cold]
    fn remove_root(&mut self) {
        self.root_taken = false;
        if let Some(last) = self.keys.pop()
            && !self.keys.is_empty()
        {
            self.sift_down(last);
        }
    }

    /// Inserts `key` at the root, whose own key was taken.
    #[inline]
    fn sift_down(&mut self, key: Key) {
        let keys = &mut self.keys[..];
        let mut at = 0;
        loop {
            let first = at * ARITY + 1;
            let mut child = at;
            let mut least = key;
            #[expect(clippy::needless_range_loop, reason = "an iterator makes it branch")]
            for index in first..keys.len().min(first + ARITY) {
                // Select, do not branch, as above.
                let smaller = keys[index] < least;
                child = if smaller { index } else { child };
                least = if smaller { keys[index] } else { least };
            }
            keys[at] = least;
            if child == at {
                return;
            }
            at = child;
        }
    }

    fn sift_up(&mut self, key: Key) {
        let mut at = self.keys.len() - 1;
        while at > 0 {
            let parent = (at - 1) / ARITY;
            if self.keys[parent] <= key {
                break;
            }
            self.keys[at] = self.keys[parent];
            at = parent;
        }
        self.keys[at] = key;
    }
}
