//! Linked lists in one vector: each item stores the index of the next. A thousand queues share one
//! vector of packets.

use alloc::vec::Vec;
use core::num::NonZeroU32;

use weir_types::Instant;

/// Index into the vector. Stored inverted, so that an `Option` of it is not larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Index(NonZeroU32);

impl Index {
    /// The place with number `index`, below 2^32 - 1.
    #[inline]
    pub(super) const fn new(index: usize) -> Self {
        Self(NonZeroU32::new(!(index as u32)).expect("fewer than 2^32 - 1 places"))
    }

    #[inline]
    pub(super) const fn index(self) -> usize {
        !self.0.get() as usize
    }
}

/// An item of at most one list.
pub(super) trait ListNode {
    /// Next on its list.
    fn next(&mut self) -> &mut Option<Index>;
}

/// First in, first out, through the items of one vector.
#[derive(Debug, Default)]
pub(super) struct List {
    /// The first and the last.
    ends: Option<(Index, Index)>,
}

impl List {
    #[inline]
    pub(super) const fn first(&self) -> Option<Index> {
        match self.ends {
            Some((first, _)) => Some(first),
            None => None,
        }
    }

    /// Appends the item at `place`, which is in no list.
    #[inline]
    pub(super) fn push<T: ListNode>(&mut self, items: &mut [T], place: Index) {
        *items[place.index()].next() = None;
        self.ends = match self.ends {
            None => Some((place, place)),
            Some((first, last)) => {
                *items[last.index()].next() = Some(place);
                Some((first, place))
            }
        };
    }

    /// Takes the item behind `before` out of the list, or the first one without `before`.
    pub(super) fn remove_behind<T: ListNode>(
        &mut self,
        items: &mut [T],
        before: Option<Index>,
    ) -> Option<Index> {
        let Some(before) = before else { return self.pop(items) };
        let place = (*items[before.index()].next())?;
        let next = *items[place.index()].next();
        *items[before.index()].next() = next;
        if next.is_none() {
            self.ends = self.ends.map(|(first, _)| (first, before));
        }
        Some(place)
    }

    /// Takes the first item out of the list.
    #[inline]
    pub(super) fn pop<T: ListNode>(&mut self, items: &mut [T]) -> Option<Index> {
        let (first, last) = self.ends?;
        self.ends = items[first.index()].next().map(|next| (next, last));
        Some(first)
    }
}

/// A slot for a waiting packet.
#[derive(Debug)]
struct Slot<P> {
    packet: Option<P>,
    arrived: Instant,
    next: Option<Index>,
}

impl<P> ListNode for Slot<P> {
    #[inline]
    fn next(&mut self) -> &mut Option<Index> {
        &mut self.next
    }
}

/// Waiting packets of many queues in one vector, which never shrinks.
#[derive(Debug)]
pub(super) struct PacketPool<P> {
    slots: Vec<Slot<P>>,
    /// Head of the list of free slots.
    free: Option<Index>,
}

impl<P> PacketPool<P> {
    pub(super) const fn new() -> Self {
        Self { slots: Vec::new(), free: None }
    }

    /// Appends a packet that arrived at `now` to `line`.
    #[inline]
    pub(super) fn push(&mut self, line: &mut List, packet: P, now: Instant) {
        let place = if let Some(place) = self.free {
            let slot = &mut self.slots[place.index()];
            self.free = slot.next;
            (slot.packet, slot.arrived) = (Some(packet), now);
            place
        } else {
            self.slots.push(Slot { packet: Some(packet), arrived: now, next: None });
            Index::new(self.slots.len() - 1)
        };
        line.push(&mut self.slots, place);
    }

    /// Takes the head of `line`, with the instant it arrived.
    #[inline]
    pub(super) fn pop(&mut self, line: &mut List) -> Option<(P, Instant)> {
        let place = line.pop(&mut self.slots)?;
        Some(self.empty(place))
    }

    /// Takes the packet behind the one at `before` out of `line`, or its head without `before`.
    pub(super) fn remove_behind(&mut self, line: &mut List, before: Option<Index>) -> Option<(P, Instant)> {
        let place = line.remove_behind(&mut self.slots, before)?;
        Some(self.empty(place))
    }

    /// Frees the slot at `place`, which is on no line any more.
    #[inline]
    fn empty(&mut self, place: Index) -> (P, Instant) {
        let slot = &mut self.slots[place.index()];
        slot.next = self.free.replace(place);
        let packet = slot.packet.take().expect("a listed place holds a packet");
        (packet, slot.arrived)
    }

    /// The packets of `line` from its head on, each with the place of the one before.
    pub(super) fn iter(&self, line: &List) -> impl Iterator<Item = (Option<Index>, &P)> {
        let (mut before, mut next) = (None, line.first());
        core::iter::from_fn(move || {
            let place = next?;
            let slot = &self.slots[place.index()];
            next = slot.next;
            let packet = slot.packet.as_ref().expect("a listed place holds a packet");
            Some((before.replace(place), packet))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_optional_place_is_four_bytes() {
        assert_eq!(size_of::<Option<Index>>(), 4);
        assert_eq!(size_of::<List>(), 8);
        assert_eq!([0, 1, 4_000_000_000].map(|index| Index::new(index).index()), [0, 1, 4_000_000_000]);
    }

    #[test]
    fn lines_share_the_room_that_others_leave() {
        let (mut store, mut lines) = (PacketPool::new(), [List::default(), List::default()]);
        for round in 0..10 {
            for n in 0..6 {
                store.push(&mut lines[n % 2], 10 * round + n, Instant::ZERO);
            }
            for line in [0, 1] {
                for n in [0, 2, 4] {
                    let taken = store.pop(&mut lines[line]).map(|(packet, _)| packet);
                    assert_eq!(taken, Some(10 * round + n + line));
                }
                assert!(store.pop(&mut lines[line]).is_none());
            }
        }
        assert_eq!(store.slots.len(), 6);
    }
}
