//! Segments that have arrived out of order: those beyond the lowest number that is missing.

use alloc::{boxed::Box, vec::Vec};

/// Disjoint ranges, first included, last excluded, in order. Boxed, since most receivers of many flows have none.
#[derive(Clone, Debug, Default)]
#[expect(clippy::box_collection, reason = "a pointer is a third of a vector")]
pub(super) struct Beyond(Option<Box<Vec<(u32, u32)>>>);

impl Beyond {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.as_deref().is_none_or(Vec::is_empty)
    }

    /// Where the ranges stand, to be prefetched.
    #[inline]
    pub(super) fn place(&self) -> Option<&Vec<(u32, u32)>> {
        self.0.as_deref()
    }

    /// Returns true if segment `number` is among them.
    pub(super) fn has(&self, number: u32) -> bool {
        let ranges = self.0.as_deref().map_or(&[][..], Vec::as_slice);
        ranges.get(ranges.partition_point(|range| range.1 <= number)).is_some_and(|range| range.0 <= number)
    }

    /// The range of `number`, which has been inserted and is still missing a lower one.
    pub(super) fn around(&self, number: u32) -> (u32, u32) {
        let ranges = self.0.as_deref().map_or(&[][..], Vec::as_slice);
        ranges[ranges.partition_point(|range| range.1 <= number)]
    }

    /// Segment `number` arrives, out of order. Moves `expected` past it if it is the lowest that was missing;
    /// returns whether it is here for the first time.
    #[inline]
    pub(super) fn insert(&mut self, number: u32, expected: &mut u32) -> bool {
        if number < *expected {
            return false;
        }
        // Three fill what a heap gives at least.
        let ranges = self.0.get_or_insert_with(|| Box::new(Vec::with_capacity(3)));
        // The first range that ends at `number` or later.
        let at = ranges.partition_point(|range| range.1 < number);
        match ranges.get(at).copied() {
            Some((first, last)) if first <= number && number < last => return false,
            Some((first, last)) if last == number => {
                let joins = ranges.get(at + 1).is_some_and(|range| range.0 == number + 1);
                let last = if joins { ranges.remove(at + 1).1 } else { number + 1 };
                ranges[at] = (first, last);
            }
            Some((first, last)) if first == number + 1 => ranges[at] = (number, last),
            _ => ranges.insert(at, (number, number + 1)),
        }
        if ranges[0].0 == *expected {
            *expected = ranges.remove(0).1;
        }
        true
    }
}
