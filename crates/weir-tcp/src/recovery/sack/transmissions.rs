//! The list of transmissions that RACK looks at: it grows at its end and is taken from its head, so it is kept
//! in a ring.

use alloc::{boxed::Box, vec::Vec};
use core::{fmt, ops::Range};

use weir_types::Instant;

/// A number and when it was sent.
type Transmission = (u32, Instant);

/// Transmissions in the order of sending.
#[derive(Clone, Default)]
pub(super) struct Transmissions {
    /// Its length is a power of two, or zero.
    ring: Box<[Transmission]>,
    /// How many were taken from the head, and how many were listed with those that still are: their places are
    /// the remainders.
    taken: usize,
    end: usize,
}

impl Transmissions {
    /// How many are in the list.
    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.end - self.taken
    }

    /// How many were taken from its head.
    #[inline]
    pub(super) const fn taken(&self) -> usize {
        self.taken
    }

    /// The one at `at` from the head.
    #[inline]
    pub(super) fn get(&self, at: usize) -> Option<Transmission> {
        (at < self.len()).then(|| self.ring[self.place(at)])
    }

    #[inline]
    const fn place(&self, at: usize) -> usize {
        self.taken.wrapping_add(at) & self.ring.len().wrapping_sub(1)
    }

    /// From the head to the end.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = Transmission> + ExactSizeIterator + '_ {
        (0..self.len()).map(|at| self.ring[self.place(at)])
    }

    /// Where the last one of segment `number` is, from the head.
    pub(super) fn last_of(&self, number: u32) -> Option<usize> {
        self.iter().rposition(|one| one.0 == number)
    }

    /// More at the end, sent at one instant.
    #[inline]
    pub(super) fn push(&mut self, numbers: Range<u32>, at: Instant) {
        let needed = self.len() + numbers.len();
        if needed > self.ring.len() {
            self.grow(needed);
        }
        let mask = self.ring.len().wrapping_sub(1);
        for number in numbers {
            self.ring[self.end & mask] = (number, at);
            self.end += 1;
        }
    }

    /// Puts the list into a ring for `needed`, each at its place.
    #[cold]
    fn grow(&mut self, needed: usize) {
        let mut ring = Vec::new();
        ring.resize(needed.next_power_of_two().max(8), (0, Instant::ZERO));
        for (at, one) in self.iter().enumerate() {
            let place = (self.taken + at) & (ring.len() - 1);
            ring[place] = one;
        }
        self.ring = ring.into_boxed_slice();
    }

    /// Takes `count` from the head; there are as many.
    #[inline]
    pub(super) const fn take(&mut self, count: usize) {
        self.taken += count;
    }

    /// Removes the one at `at` from the head; it does not count as taken.
    pub(super) fn remove(&mut self, at: usize) {
        let mut here = 0;
        self.retain(|_| {
            here += 1;
            here - 1 != at
        });
    }

    /// Keeps those that satisfy a condition; the others do not count as taken.
    pub(super) fn retain(&mut self, mut keeps: impl FnMut(Transmission) -> bool) {
        let mut kept = 0;
        for at in 0..self.len() {
            let one = self.ring[self.place(at)];
            if keeps(one) {
                let place = self.place(kept);
                self.ring[place] = one;
                kept += 1;
            }
        }
        self.end = self.taken + kept;
    }

    /// How many at the head left before `stamp`. `near` is a guess: it is right, or a little too low, where
    /// segments arrive in the order of sending.
    pub(super) fn before(&self, stamp: Instant, near: usize) -> usize {
        let earlier = |at: usize| self.ring[self.place(at)].1 < stamp;
        let mut low = near.min(self.len());
        if low == 0 || earlier(low - 1) {
            while low < self.len() && earlier(low) {
                low += 1;
            }
            return low;
        }
        let mut high = low - 1;
        low = 0;
        while low < high {
            let middle = low + (high - low) / 2;
            if earlier(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

impl fmt::Debug for Transmissions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} taken, ", self.taken)?;
        formatter.debug_list().entries(self.iter()).finish()
    }
}
