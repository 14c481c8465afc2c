//! When each of a fixed number of places acts next.
//!
//! Ports and pipes are few and act all the time: a scan of what is due is cheaper than a heap. Many are divided
//! into blocks, and the first of each block is kept.

/// What a place waits for: an instant, and what orders those of one instant. The least is the first; of equals,
/// the one at the lower place.
pub(super) type Due = u64;

/// Nothing is due.
pub(super) const NEVER: Due = u64::MAX;

/// The dues of all places.
#[derive(Debug)]
pub(super) struct DueTimes {
    dues: Vec<Due>,
    /// The first of each block of `1 << shift` places.
    blocks: Vec<(Due, u32)>,
    shift: u32,
    /// The first of all.
    first: (Due, u32),
}

impl DueTimes {
    /// So many places, where nothing is due.
    pub(super) fn new(places: usize) -> Self {
        // As many blocks as places in each, where there are more than a few.
        let shift = (places.next_power_of_two().ilog2() / 2).max(3);
        let blocks = places.div_ceil(1 << shift);
        Self { dues: vec![NEVER; places], blocks: vec![(NEVER, 0); blocks], shift, first: (NEVER, 0) }
    }

    /// The first of all, and its place; [`NEVER`] if nothing is due.
    #[inline]
    pub(super) const fn first(&self) -> (Due, u32) {
        self.first
    }

    /// `place` acts at `due`, unless it acts earlier.
    #[inline]
    pub(super) fn set(&mut self, place: u32, due: Due) {
        let known = &mut self.dues[place as usize];
        if due < *known {
            *known = due;
            let block = &mut self.blocks[(place >> self.shift) as usize];
            *block = (*block).min((due, place));
            self.first = self.first.min((due, place));
        }
    }

    /// Nothing is due at `place`.
    #[inline]
    pub(super) fn clear(&mut self, place: u32) {
        self.dues[place as usize] = NEVER;
        let block = place >> self.shift;
        let begin = (block << self.shift) as usize;
        let end = self.dues.len().min(begin + (1 << self.shift));
        let mut first = (NEVER, 0);
        for (place, due) in (begin as u32..).zip(&self.dues[begin..end]) {
            // Select, do not branch: the processor cannot predict which of a few is next.
            let is_less = *due < first.0;
            first = (if is_less { *due } else { first.0 }, if is_less { place } else { first.1 });
        }
        self.blocks[block as usize] = first;
        self.first = if self.blocks.len() == 1 { first } else { self.first_block() };
    }

    #[inline(never)]
    fn first_block(&self) -> (Due, u32) {
        self.blocks.iter().copied().min().unwrap_or((NEVER, 0))
    }
}
