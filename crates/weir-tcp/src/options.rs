//! Options of an ACK: what it tells besides its number and its flags.

use crate::accecn::AccEcnOption;

/// Segments that have arrived: first number included, last excluded; an empty range if there are none.
pub type Block = (u32, u32);

/// Blocks that an ACK has room for beside a timestamp (RFC 2018, section 3).
pub const BLOCKS: usize = 3;

/// Options of one ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckOptions {
    /// SACK blocks, the latest first (RFC 2018); empty ranges where there are fewer.
    pub blocks: [Block; BLOCKS],
    /// Number of a segment that arrived though it had been acknowledged (D-SACK, RFC 2883). It takes the room of a
    /// block.
    pub dsack: Option<u32>,
    /// Counters of accurate ECN. They take the room of a block.
    pub accecn: Option<AccEcnOption>,
}

impl AckOptions {
    /// No options.
    pub const NONE: Self = Self { blocks: [(0, 0); BLOCKS], dsack: None, accecn: None };

    /// The SACK blocks that there are.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        self.blocks.into_iter().filter(|block| block.0 != block.1)
    }

    /// Returns true if they tell of nothing that arrived out of order, or twice.
    #[inline]
    pub(crate) const fn report_order(&self) -> bool {
        let (first, last) = self.blocks[0];
        first == last && self.dsack.is_none()
    }

    /// Returns true if one more block has room.
    pub(crate) const fn has_room(&self) -> bool {
        let last = self.blocks[BLOCKS - 1 - self.dsack.is_some() as usize];
        last.0 == last.1
    }
}
