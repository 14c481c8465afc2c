//! Memory for waiting packets: slots of one size, in blocks, allocated as queues grow and reused.

/// Slots in a block.
const BLOCK: usize = 256;
/// Slots that a relay may have: half a million packets.
const MOST: usize = 1 << 19;

/// Slots that hold the bytes of packets.
#[derive(Debug)]
pub(crate) struct Slots {
    /// Bytes of a slot.
    size: usize,
    blocks: Vec<Box<[u8]>>,
    free: Vec<u32>,
}

impl Slots {
    /// For packets of at most `largest` bytes.
    pub(crate) fn new(largest: usize) -> Self {
        Self { size: largest.next_multiple_of(64), blocks: Vec::new(), free: Vec::new() }
    }

    /// Keeps `bytes`; `None` if they are too many, or no slot is left.
    #[inline]
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Option<u32> {
        if bytes.len() > self.size || (self.free.is_empty() && !self.grow()) {
            return None;
        }
        let slot = self.free.pop()?;
        self.get_mut(slot, bytes.len()).copy_from_slice(bytes);
        Some(slot)
    }

    /// The first `length` bytes of a slot.
    #[inline]
    pub(crate) fn get_mut(&mut self, slot: u32, length: usize) -> &mut [u8] {
        let (block, at) = (slot as usize / BLOCK, slot as usize % BLOCK * self.size);
        &mut self.blocks[block][at..at + length]
    }

    /// Gives a slot back.
    #[inline]
    pub(crate) fn free(&mut self, slot: u32) {
        self.free.push(slot);
    }

    /// Adds a block of slots. Returns false if there are as many as there may be.
    #[cold]
    fn grow(&mut self) -> bool {
        let slots = self.blocks.len() * BLOCK;
        if slots >= MOST {
            return false;
        }
        self.blocks.push(vec![0; BLOCK * self.size].into_boxed_slice());
        self.free.reserve(slots + BLOCK);
        self.free.extend((slots..slots + BLOCK).rev().map(|slot| slot as u32));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_stays_as_it_was_until_its_slot_is_free() {
        let mut slots = Slots::new(100);
        let kept: Vec<_> = (0..1000_u32).map(|n| slots.put(&n.to_be_bytes()).unwrap()).collect();
        for (n, slot) in (0_u32..).zip(&kept) {
            assert_eq!(slots.get_mut(*slot, 4), n.to_be_bytes());
        }
        slots.free(kept[7]);
        assert_eq!(slots.put(&[1; 128]), Some(kept[7]));
        assert_eq!(slots.put(&[1; 129]), None);
    }
}
