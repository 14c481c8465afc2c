//! A set of segment numbers, kept as ranges: the arithmetic of every scoreboard.
//!
//! New information comes nearly always at one of two ends: a new range at the upper one, a cumulative ACK at the
//! lower. Both cost the same however long the set is; what comes in the middle is found by bisection.

use alloc::vec::Vec;
use core::fmt;

/// Disjoint ranges that do not touch, in order; the first number included, the last excluded.
#[derive(Clone, Default)]
pub struct Ranges {
    /// The first `gone` are taken out. They stay until they are half of all, so that taking one out moves no other.
    all: Vec<(u32, u32)>,
    gone: usize,
    count: u32,
}

impl Ranges {
    /// How many numbers it holds.
    #[inline]
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// Returns true if it holds none.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The lowest number it holds.
    #[inline]
    pub fn lowest(&self) -> Option<u32> {
        self.kept().first().map(|range| range.0)
    }

    /// One past the highest number it holds; 0 if there is none.
    #[inline]
    pub fn end(&self) -> u32 {
        self.kept().last().map_or(0, |range| range.1)
    }

    /// The ranges, from the lowest.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u32, u32)> + '_ {
        self.kept().iter().copied()
    }

    #[inline]
    fn kept(&self) -> &[(u32, u32)] {
        &self.all[self.gone..]
    }

    /// Adds `first..last`; returns how many of them are new.
    pub fn insert(&mut self, first: u32, last: u32) -> u32 {
        if first >= last {
            return 0;
        }
        // The first range that ends at `first` or later, and the first that begins beyond `last`.
        let from = self.gone + self.ending_from(first);
        let (mut joined, mut held, mut to) = ((first, last), 0, from);
        while let Some(range) = self.all.get(to).filter(|range| range.0 <= last) {
            joined = (joined.0.min(range.0), joined.1.max(range.1));
            held += range.1 - range.0;
            to += 1;
        }
        if from == to {
            self.all.insert(from, joined);
        } else {
            self.all[from] = joined;
            if from + 1 < to {
                self.all.drain(from + 1..to);
            }
        }
        let new = joined.1 - joined.0 - held;
        self.count += new;
        new
    }

    /// Takes out `first..last`; returns how many of them it held.
    pub fn remove(&mut self, first: u32, last: u32) -> u32 {
        if first >= last {
            return 0;
        }
        let mut removed = 0;
        let mut at = self.gone + self.ending_from(first.saturating_add(1));
        while let Some(&(begin, end)) = self.all.get(at).filter(|range| range.0 < last) {
            removed += end.min(last) - begin.max(first);
            match (begin < first, last < end) {
                (true, true) => {
                    self.all[at].1 = first;
                    self.all.insert(at + 1, (last, end));
                    break;
                }
                (true, false) => {
                    self.all[at].1 = first;
                    at += 1;
                }
                (false, true) => {
                    self.all[at].0 = last;
                    break;
                }
                (false, false) => {
                    self.all.remove(at);
                }
            }
        }
        self.count -= removed;
        removed
    }

    /// Takes out all below `number`; returns how many there were.
    #[inline]
    pub fn remove_below(&mut self, number: u32) -> u32 {
        let mut removed = 0;
        while let Some(range) = self.all.get_mut(self.gone).filter(|range| range.0 < number) {
            removed += range.1.min(number) - range.0;
            if range.1 > number {
                range.0 = number;
                break;
            }
            self.gone += 1;
        }
        if self.gone > 0 && self.gone * 2 >= self.all.len() {
            self.all.drain(..core::mem::take(&mut self.gone));
        }
        self.count -= removed;
        removed
    }

    /// Returns true if it holds `number`.
    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        self.gap_from(number) != number
    }

    /// The lowest number, `number` or above, that it does not hold.
    #[inline]
    pub fn gap_from(&self, number: u32) -> u32 {
        let at = self.ending_from(number.saturating_add(1));
        self.kept().get(at).map_or(number, |range| if range.0 <= number { range.1 } else { number })
    }

    /// The highest number below `number` that it does not hold.
    pub fn gap_below(&self, number: u32) -> Option<u32> {
        let at = self.ending_from(number);
        let gap = self.kept().get(at).map_or(number, |range| if range.0 < number { range.0 } else { number });
        gap.checked_sub(1)
    }

    /// The place of the first range that ends at `number` or later: nearly always one of the last two.
    #[inline]
    fn ending_from(&self, number: u32) -> usize {
        let kept = self.kept();
        match kept {
            [.., last] if last.1 < number => kept.len(),
            [.., last, _] if last.1 < number => kept.len() - 1,
            _ => kept.partition_point(|range| range.1 < number),
        }
    }

    /// The number that has `rank` - 1 above it; `None` if it holds fewer than `rank`.
    #[inline]
    pub fn from_above(&self, rank: u32) -> Option<u32> {
        let mut left = rank;
        for (first, last) in self.kept().iter().rev() {
            if last - first >= left {
                return Some(last - left);
            }
            left -= last - first;
        }
        None
    }

    /// How many it holds from `number` on, looked up from above.
    #[inline]
    pub fn count_from(&self, number: u32) -> u32 {
        let above = self.kept().iter().rev().take_while(|range| range.1 > number);
        above.map(|range| range.1 - range.0.max(number)).sum()
    }
}

impl PartialEq for Ranges {
    fn eq(&self, other: &Self) -> bool {
        self.kept() == other.kept()
    }
}

impl Eq for Ranges {}

impl fmt::Debug for Ranges {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.kept()).finish()
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a set of numbers.
        #[test]
        fn it_is_a_set(steps in prop::collection::vec((0_u8..4, 0_u32..60, 0_u32..9), 0..80)) {
            let (mut ranges, mut model) = (Ranges::default(), BTreeSet::new());
            for (what, first, length) in steps {
                let last = first + length;
                match what {
                    0 | 1 => {
                        let new = (first..last).filter(|number| model.insert(*number)).count();
                        prop_assert_eq!(ranges.insert(first, last) as usize, new);
                    }
                    2 => {
                        let gone = (first..last).filter(|number| model.remove(number)).count();
                        prop_assert_eq!(ranges.remove(first, last) as usize, gone);
                    }
                    _ => {
                        let kept = model.split_off(&(first / 2));
                        prop_assert_eq!(ranges.remove_below(first / 2) as usize, model.len());
                        model = kept;
                    }
                }
                prop_assert_eq!(ranges.count() as usize, model.len());
                prop_assert_eq!(ranges.end(), model.last().map_or(0, |last| last + 1));
                prop_assert!(ranges.iter().zip(ranges.iter().skip(1)).all(|(one, next)| one.1 < next.0));
                prop_assert_eq!(ranges.contains(first), model.contains(&first));
                prop_assert_eq!(Some(ranges.gap_from(first)), (first..100).find(|number| !model.contains(number)));
                prop_assert_eq!(ranges.gap_below(first), (0..first).rev().find(|number| !model.contains(number)));
                prop_assert_eq!(ranges.count_from(first) as usize, model.range(first..).count());
                let third = model.iter().rev().nth(2).copied();
                prop_assert_eq!(ranges.from_above(3), third);
            }
        }
    }
}
