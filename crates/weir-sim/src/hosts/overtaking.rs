//! Packets in a pipe that overtake others, in the order of their turns: a calendar queue.
//!
//! R. Brown: *Calendar Queues*, Communications of the ACM 31 (10), 1988. A *day* is the time of a few packets at the
//! rate of the port behind the pipe, so that a day has few packets: a list in order. A paced sender is worked out far
//! ahead of others, so that almost each of its packets overtakes: a heap of them all would be deep.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::order::Turn;
use crate::packet::Packet;

/// Days of a calendar, a bit each in [`Calendar::filled`], and a bit for each 64 of them in [`Calendar::filled_64`].
const DAYS: u64 = 4096;
/// Packets that a port sends in a day, at least.
const PACKETS: u64 = 4;
/// Bits of a packet of full size.
const PACKET_BITS: u64 = 12_000;
/// As many packets do without a calendar.
const FEW: usize = 32;
/// No packet.
const NONE: u32 = u32::MAX;

/// The packets, or rows of them.
#[derive(Debug)]
pub(super) struct Overtaking {
    /// A few, or those too far from the others: each with its serial number, which decides among those of the same
    /// turn.
    far: BinaryHeap<Reverse<(Turn, u64, Packet)>>,
    serial: u64,
    near: Option<Box<Calendar>>,
    /// Rate of the port behind the pipe, in bit/s.
    rate: f64,
    /// The turn of the first of all; [`Turn::NEVER`] without one.
    first: Turn,
}

impl Overtaking {
    /// No packets, on the way to a port of `rate` bit/s.
    pub(super) const fn new(rate: f64) -> Self {
        Self { far: BinaryHeap::new(), serial: 0, near: None, rate, first: Turn::NEVER }
    }

    /// The turn of the first; [`Turn::NEVER`] without one.
    #[inline]
    pub(super) const fn first(&self) -> Turn {
        self.first
    }

    /// A packet, or a row, arrives in its `turn`, after all of the same turn.
    pub(super) fn push(&mut self, turn: Turn, packet: Packet) {
        self.first = self.first.min(turn);
        if self.near.is_none() && self.far.len() >= FEW {
            self.near = Some(Box::new(Calendar::new(self.rate)));
        }
        // One that is too far for the calendar came before all of the same turn that are not.
        let is_near = self.near.as_mut().is_some_and(|calendar| calendar.push(turn, packet));
        if !is_near {
            self.serial += 1;
            self.far.push(Reverse((turn, self.serial, packet)));
        }
    }

    /// Removes the first packet, of at least one: of a row its first.
    pub(super) fn pop(&mut self) -> Packet {
        if let Some(calendar) = &mut self.near
            && self.far.peek().is_none_or(|Reverse((turn, ..))| *turn > self.first)
        {
            let packet = calendar.pop();
            self.find_first();
            return packet;
        }
        let Some(Reverse((turn, serial, Packet(mut row)))) = self.far.pop() else {
            unreachable!("there is one")
        };
        let packet = if let Some(first) = row.split_first() {
            self.far.push(Reverse((turn, serial, Packet(row))));
            first
        } else {
            row
        };
        self.find_first();
        Packet(packet)
    }

    #[inline]
    fn find_first(&mut self) {
        let near = self.near.as_ref().map_or(Turn::NEVER, |calendar| calendar.first());
        self.first = self.far.peek().map_or(near, |Reverse((turn, ..))| near.min(*turn));
    }

    /// How many there are, each of a row for itself.
    pub(super) fn len(&self) -> u64 {
        let far: u64 = self.far.iter().map(|Reverse((.., packet))| packet.0.segments()).sum();
        far + self.near.as_ref().map_or(0, |calendar| calendar.len())
    }
}

/// Packets within [`DAYS`] days.
#[derive(Debug)]
struct Calendar {
    /// A day has `1 << shift` nanoseconds.
    shift: u32,
    slots: Vec<Slot>,
    free: u32,
    /// The first and the last packet of each day.
    days: Vec<(u32, u32)>,
    filled: [u64; (DAYS / 64) as usize],
    filled_64: u64,
    /// The days of the first and of the last packet.
    from: u64,
    to: u64,
}

/// A packet that waits, and the slot of the next one of its day.
#[derive(Clone, Copy, Debug)]
struct Slot {
    turn: Turn,
    packet: Packet,
    next: u32,
}

impl Calendar {
    fn new(rate: f64) -> Self {
        let nanos = (PACKETS * PACKET_BITS) as f64 * 1e9 / rate.max(1.0);
        Self {
            shift: (nanos.min(1e12) as u64).max(1).ilog2() + 1,
            slots: Vec::new(),
            free: NONE,
            days: vec![(NONE, NONE); DAYS as usize],
            filled: [0; (DAYS / 64) as usize],
            filled_64: 0,
            from: 0,
            to: 0,
        }
    }

    /// The turn of the first packet.
    #[inline]
    fn first(&self) -> Turn {
        if self.filled_64 == 0 {
            return Turn::NEVER;
        }
        self.slots[self.days[(self.from % DAYS) as usize].0 as usize].turn
    }

    /// Takes in a packet, if it is not too far from the others.
    #[inline]
    fn push(&mut self, turn: Turn, packet: Packet) -> bool {
        let day = turn.due.as_nanos() >> self.shift;
        if self.filled_64 == 0 {
            (self.from, self.to) = (day, day);
        }
        let (from, to) = (self.from.min(day), self.to.max(day));
        let is_near = to - from < DAYS;
        if is_near {
            (self.from, self.to) = (from, to);
            self.insert((day % DAYS) as usize, Slot { turn, packet, next: NONE });
        }
        is_near
    }

    /// Puts a packet into its place of a day.
    #[inline]
    fn insert(&mut self, day: usize, slot: Slot) {
        let turn = slot.turn;
        let at = self.place(slot);
        let (first, last) = self.days[day];
        if first == NONE {
            self.days[day] = (at, at);
            self.filled[day / 64] |= 1 << (day % 64);
            self.filled_64 |= 1 << (day / 64);
        } else if self.slots[last as usize].turn <= turn {
            self.slots[last as usize].next = at;
            self.days[day].1 = at;
        } else if turn < self.slots[first as usize].turn {
            self.slots[at as usize].next = first;
            self.days[day].0 = at;
        } else {
            let mut before = first;
            let next = loop {
                let next = self.slots[before as usize].next;
                if turn < self.slots[next as usize].turn {
                    break next;
                }
                before = next;
            };
            self.slots[at as usize].next = next;
            self.slots[before as usize].next = at;
        }
    }

    /// A slot for a packet.
    #[inline]
    fn place(&mut self, slot: Slot) -> u32 {
        if self.free == NONE {
            self.slots.push(slot);
            return self.slots.len() as u32 - 1;
        }
        let at = self.free;
        self.free = self.slots[at as usize].next;
        self.slots[at as usize] = slot;
        at
    }

    /// Removes the first packet, of at least one: of a row its first.
    #[inline]
    fn pop(&mut self) -> Packet {
        let day = (self.from % DAYS) as usize;
        let at = self.days[day].0;
        let slot = &mut self.slots[at as usize];
        let Packet(row) = &mut slot.packet;
        if let Some(first) = row.split_first() {
            return Packet(first);
        }
        let Slot { packet, next, .. } = *slot;
        slot.next = self.free;
        self.free = at;
        self.days[day].0 = next;
        if next == NONE {
            self.end_day(day);
        }
        packet
    }

    /// The first day has no more packets: another one is the first.
    #[inline]
    fn end_day(&mut self, day: usize) {
        let word = day / 64;
        self.filled[word] &= !(1 << (day % 64));
        // The later days of its word, then the next word with any, around the end of the calendar.
        let later = self.filled[word] & (u64::MAX << (day % 64));
        let next = if later > 0 {
            word * 64 + later.trailing_zeros() as usize
        } else {
            if self.filled[word] == 0 {
                self.filled_64 &= !(1 << word);
            }
            if self.filled_64 == 0 {
                return;
            }
            let ahead = self.filled_64.rotate_right(word as u32 + 1).trailing_zeros() as usize;
            let word = (word + 1 + ahead) % 64;
            word * 64 + self.filled[word].trailing_zeros() as usize
        };
        self.from += (next as u64).wrapping_sub(day as u64) % DAYS;
    }

    /// How many packets there are, each of a row for itself.
    fn len(&self) -> u64 {
        let slots = self.days.iter().flat_map(|&(first, _)| {
            let next = |at: &u32| self.slots.get(*at as usize).map(|slot| slot.next);
            std::iter::successors(Some(first), next).map_while(|at| self.slots.get(at as usize))
        });
        slots.map(|slot| slot.packet.0.segments()).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use weir_tcp::Segment;
    use weir_types::Instant;

    use super::{
        super::order::{Cause, Origin},
        *,
    };

    proptest! {
        /// Packets leave as from a sorted list, for any sequence, near or far. Packets of one turn stay in the order in
        /// which they came, and rows stay together.
        #[test]
        fn they_leave_in_the_order_of_their_turns(
            rate in prop_oneof![Just(1e4), Just(1e7), Just(1e10)],
            steps in prop::collection::vec((prop::bool::weighted(0.6), 0_u64..40, 0_u32..6, 0_u32..4), 1..400),
        ) {
            let mut calendar = Overtaking::new(rate);
            let mut model: Vec<(Turn, u32, u32)> = Vec::new();
            let (mut now, mut serial) = (0, 0);
            for (comes, after, scale, rows) in steps {
                if comes {
                    let due = Instant::from_nanos(now + after * 10_u64.pow(scale * 2));
                    let turn = Origin::new(Cause::Packet, 0).turn(Instant::ZERO, due);
                    serial += 1;
                    let segment = |number| Segment { flow: serial, number, ..Segment::default() };
                    let mut row = segment(0);
                    for number in 1..=rows {
                        prop_assert!(row.append(&segment(number)));
                    }
                    calendar.push(turn, Packet(row));
                    model.extend((0..=rows).map(|number| (turn, serial, number)));
                    model.sort_unstable();
                } else if !model.is_empty() {
                    let (turn, flow, number) = model.remove(0);
                    prop_assert_eq!(calendar.first(), turn);
                    let Packet(segment) = calendar.pop();
                    prop_assert_eq!((segment.flow, segment.number), (flow, number));
                    now = turn.due.as_nanos();
                }
                prop_assert_eq!(calendar.first() == Turn::NEVER, model.is_empty());
                prop_assert_eq!(calendar.len(), model.len() as u64);
            }
        }
    }
}
