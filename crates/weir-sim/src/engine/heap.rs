/// An instant in the upper half and the rank of an event in the lower: one comparison orders
/// both.
pub(crate) type Key = u128;

const ARITY: usize = 4;

/// A 4-ary heap of keys in one array.
///
/// Most events bring forth exactly one other. So taking the first key leaves a hole at the
/// root, and the next push fills it from there: one short sift down instead of a pop and a push.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    keys: Vec<Key>,
    /// The root has been taken and not yet been filled.
    hole: bool,
}

impl Heap {
    #[inline]
    pub(crate) fn push(&mut self, key: Key) {
        if self.hole {
            self.hole = false;
            self.sift_down(key);
        } else {
            self.keys.push(key);
            self.sift_up(key);
        }
    }

    /// The least key.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<Key> {
        if self.hole {
            self.fill();
        }
        self.keys.first().copied()
    }

    /// Takes the key that [`Heap::peek`] has just shown.
    #[inline]
    pub(crate) const fn take(&mut self) {
        self.hole = true;
    }

    /// Closes the hole with the last key.
    #[cold]
    fn fill(&mut self) {
        self.hole = false;
        if let Some(last) = self.keys.pop()
            && !self.keys.is_empty()
        {
            self.sift_down(last);
        }
    }

    /// Puts `key` where it belongs, the root being free.
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
                // Selected, not branched on: which of a few pipes is next cannot be guessed.
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
