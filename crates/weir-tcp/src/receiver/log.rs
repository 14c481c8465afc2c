//! How options of ACKs travel without making every packet larger.
//!
//! A [`crate::Segment`] has 24 bytes. Three SACK blocks would double it, in every queue and pipe, for the sake of
//! the few ACKs that carry any. Measured on a gigabit link, 48 bytes cost 0 to 2 per cent of time and twice the
//! memory. A segment of 32 bytes costs nothing that can be seen, but holds one block only, and a single block is
//! gone with its ACK. So what an ACK carries stands in a log of the receiver, and the ACK bears its place there.
//! It is written when the ACK leaves and read when it arrives: the sender learns what it would learn from a
//! header, whichever ACKs are lost. Of two ACKs that change places the older tells nothing: what is read, and
//! what is older, is forgotten.
//!
//! Which blocks an ACK carries: the first holds what arrived last. The others are the latest first blocks of the
//! ACKs before that it does not cover (RFC 2018, section 4). Four are remembered, as in Linux, and three sent,
//! which is what there is room for beside a timestamp. A segment that arrives a second time comes before them
//! (D-SACK, RFC 2883).

use alloc::collections::VecDeque;

use crate::{AckOptions, BLOCKS, accecn::AccEcnOption, options::Block};

/// Options of ACKs under way, from the receiver to the sender.
#[derive(Clone, Debug, Default)]
pub(super) struct OptionLog {
    /// Blocks that have been told of, the latest first.
    recent: [Block; BLOCKS + 1],
    /// Number of a segment that arrived a second time since the last ACK.
    twice: Option<u32>,
    log: VecDeque<AckOptions>,
    /// Place of the newest entry, from 1 to 65,535 and round again; 0 before there is one.
    newest: u16,
}

impl OptionLog {
    /// A segment arrived and lies now in the block `first..last`.
    pub(super) fn arrived(&mut self, first: u32, last: u32) {
        let mut next = (first, last);
        for place in &mut self.recent {
            let pushed = core::mem::replace(place, next);
            // A block that the new one covers leaves its place to those behind.
            if first <= pushed.0 && pushed.1 <= last || pushed.0 == pushed.1 {
                break;
            }
            next = pushed;
        }
        // More than one may be covered: what joins two blocks covers both.
        let covered = |block: &Block| first <= block.0 && block.1 <= last;
        self.keep(|at, block| at == 0 || !covered(block));
    }

    /// Segment `number` arrived though it had been acknowledged.
    pub(super) const fn arrived_twice(&mut self, number: u32) {
        self.twice = Some(number);
    }

    /// An ACK of all below `una` leaves. Returns the place of its options, 0 if it carries none.
    #[inline]
    pub(super) fn write(&mut self, una: u32) -> u16 {
        if self.recent[0].1 == 0 && self.twice.is_none() { 0 } else { self.write_blocks(una) }
    }

    #[inline(never)]
    fn write_blocks(&mut self, una: u32) -> u16 {
        self.keep(|_, block| block.1 > una);
        let mut options = AckOptions { dsack: self.twice.take(), ..AckOptions::NONE };
        let room = BLOCKS - usize::from(options.dsack.is_some());
        options.blocks[..room].copy_from_slice(&self.recent[..room]);
        if options == AckOptions::NONE { 0 } else { self.push(options) }
    }

    /// The ACK that has just been given `place` bears counters of accurate ECN too, if there is room. Returns its
    /// place.
    pub(super) fn write_beside(&mut self, place: u16, accecn: AccEcnOption) -> u16 {
        let accecn = Some(accecn);
        match self.log.back_mut().filter(|_| place > 0) {
            Some(options) => {
                if options.has_room() {
                    options.accecn = accecn;
                }
                place
            }
            None => self.push(AckOptions { accecn, ..AckOptions::NONE }),
        }
    }

    /// Keeps what an ACK carries. Returns its place.
    fn push(&mut self, options: AckOptions) -> u16 {
        self.newest = self.newest % u16::MAX + 1;
        if self.log.len() >= usize::from(u16::MAX) {
            self.log.pop_front();
        }
        self.log.push_back(options);
        self.newest
    }

    /// Options of the ACK that bears `place`. They, and those of older ACKs, are forgotten.
    pub(super) fn read(&mut self, place: u16) -> AckOptions {
        let mut options = AckOptions::NONE;
        for _ in 0..self.upto(place) {
            options = self.log.pop_front().unwrap_or_default();
        }
        options
    }

    /// Options of the ACK that bears `place`, for an observer on the path: the log keeps the entry.
    pub(super) fn peek(&self, place: u16) -> AckOptions {
        let newest = self.upto(place).checked_sub(1);
        newest.and_then(|at| self.log.get(at)).copied().unwrap_or_default()
    }

    /// How many of the entries kept are not newer than `place`; places are counted modulo 65,535.
    fn upto(&self, place: u16) -> usize {
        let later = if place <= self.newest { self.newest - place } else { u16::MAX - place + self.newest };
        self.log.len().saturating_sub(usize::from(later))
    }

    /// Leaves of the recent blocks those that satisfy a condition.
    fn keep(&mut self, mut wanted: impl FnMut(usize, &Block) -> bool) {
        let mut kept = 0;
        for at in 0..self.recent.len() {
            let block = core::mem::take(&mut self.recent[at]);
            if block.1 > 0 && wanted(at, &block) {
                self.recent[kept] = block;
                kept += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_come_first() {
        let mut log = OptionLog::default();
        assert_eq!(log.write(1), 0, "nothing to tell");
        for block in [(2, 3), (5, 6), (9, 10), (5, 7), (12, 13)] {
            log.arrived(block.0, block.1);
        }
        let place = log.write(1);
        assert_eq!(log.peek(place).blocks, [(12, 13), (5, 7), (9, 10)]);
        assert_eq!(log.read(place).blocks, [(12, 13), (5, 7), (9, 10)]);
        log.arrived(9, 13);
        let place = log.write(3);
        assert_eq!(log.read(place).blocks, [(9, 13), (5, 7), (0, 0)], "2 is acknowledged");
        assert_eq!(log.peek(place).blocks, [(0, 0); BLOCKS], "read once");
        assert_eq!(log.read(place).blocks, [(0, 0); BLOCKS], "read once");
        log.arrived_twice(1);
        let (first, second) = (log.write(3), log.write(13));
        assert_eq!(second, 0, "all is acknowledged");
        assert_eq!(
            log.read(first),
            AckOptions { dsack: Some(1), blocks: [(9, 13), (5, 7), (0, 0)], accecn: None }
        );
    }

    #[test]
    fn places_come_round() {
        let mut log = OptionLog::default();
        for number in (2..400_000_u32).step_by(2) {
            log.arrived(number, number + 1);
            let place = log.write(1);
            assert_ne!(place, 0);
            if number % 7 == 0 {
                assert_eq!(log.read(place).blocks[0], (number, number + 1));
            }
        }
    }
}
