//! Lists without an allocation of their own: what is listed lies in a vector, and each item
//! says which one comes after it. A thousand queues share one vector of packets.

use alloc::vec::Vec;
use core::num::NonZeroU32;

use weir_types::Instant;

/// Where something lies in its vector. Kept inverted, so that an optional place is no larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(NonZeroU32);

impl Place {
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

/// Something that can stand in one list at a time.
pub(super) trait Linked {
    /// Who comes after it.
    fn next(&mut self) -> &mut Option<Place>;
}

/// First in, first out, through the items of one vector.
#[derive(Debug, Default)]
pub(super) struct Chain {
    /// The first and the last.
    ends: Option<(Place, Place)>,
}

impl Chain {
    #[inline]
    pub(super) const fn first(&self) -> Option<Place> {
        match self.ends {
            Some((first, _)) => Some(first),
            None => None,
        }
    }

    /// Appends the item at `place`, which stands in no list.
    #[inline]
    pub(super) fn push<T: Linked>(&mut self, items: &mut [T], place: Place) {
        *items[place.index()].next() = None;
        self.ends = match self.ends {
            None => Some((place, place)),
            Some((first, last)) => {
                *items[last.index()].next() = Some(place);
                Some((first, place))
            }
        };
    }

    /// Takes the first item out of the list.
    #[inline]
    pub(super) fn pop<T: Linked>(&mut self, items: &mut [T]) -> Option<Place> {
        let (first, last) = self.ends?;
        self.ends = items[first.index()].next().map(|next| (next, last));
        Some(first)
    }
}

/// A packet that waits, or a place for one.
#[derive(Debug)]
struct Slot<P> {
    packet: Option<P>,
    arrived: Instant,
    next: Option<Place>,
}

impl<P> Linked for Slot<P> {
    #[inline]
    fn next(&mut self) -> &mut Option<Place> {
        &mut self.next
    }
}

/// The waiting packets of many lines in one vector, as long as there ever were packets at once.
#[derive(Debug)]
pub(super) struct Store<P> {
    slots: Vec<Slot<P>>,
    /// The place that was left last; the others follow it.
    free: Option<Place>,
}

impl<P> Store<P> {
    pub(super) const fn new() -> Self {
        Self { slots: Vec::new(), free: None }
    }

    /// Appends a packet that arrived at `now` to `line`.
    #[inline]
    pub(super) fn push(&mut self, line: &mut Chain, packet: P, now: Instant) {
        let place = if let Some(place) = self.free {
            let slot = &mut self.slots[place.index()];
            self.free = slot.next;
            (slot.packet, slot.arrived) = (Some(packet), now);
            place
        } else {
            self.slots.push(Slot { packet: Some(packet), arrived: now, next: None });
            Place::new(self.slots.len() - 1)
        };
        line.push(&mut self.slots, place);
    }

    /// Takes the head of `line`, with the instant it arrived.
    #[inline]
    pub(super) fn pop(&mut self, line: &mut Chain) -> Option<(P, Instant)> {
        let place = line.pop(&mut self.slots)?;
        let slot = &mut self.slots[place.index()];
        slot.next = self.free.replace(place);
        let packet = slot.packet.take().expect("a listed place holds a packet");
        Some((packet, slot.arrived))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_optional_place_is_four_bytes() {
        assert_eq!(size_of::<Option<Place>>(), 4);
        assert_eq!(size_of::<Chain>(), 8);
        assert_eq!([0, 1, 4_000_000_000].map(|index| Place::new(index).index()), [0, 1, 4_000_000_000]);
    }

    #[test]
    fn lines_share_the_room_that_others_leave() {
        let (mut store, mut lines) = (Store::new(), [Chain::default(), Chain::default()]);
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
