//! When each of a fixed number of places acts next.
//!
//! Ports and pipes are few and act all the time: a scan of what is due is cheaper than a heap. Many are divided
//! into blocks, and the first of each block is kept.

/// The key by which places are ordered: an instant, and an order within the instant. The least is the first; of equals,
/// the one at the lower place.
pub(super) type Due = u64;

/// Nothing is due.
pub(super) const NEVER: Due = u64::MAX;

/// Up to so many places need no blocks.
const FEW: usize = 12;

/// The dues of all places.
#[derive(Debug)]
pub(super) struct DueTimes {
    dues: Vec<Due>,
    /// The first of each block of `1 << shift` places; none for few places.
    blocks: Vec<(Due, u32)>,
    shift: u32,
    /// The first of all.
    first: (Due, u32),
}

impl DueTimes {
    /// So many places, where nothing is due.
    pub(super) fn new(places: usize) -> Self {
        // As many blocks as places in each.
        let shift = places.next_power_of_two().ilog2() / 2;
        let blocks = if places > FEW { places.div_ceil(1 << shift) } else { 0 };
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
            self.first = self.first.min((due, place));
            if let Some(block) = self.blocks.get_mut((place >> self.shift) as usize) {
                *block = (*block).min((due, place));
            }
        }
    }

    /// Nothing is due at `place`.
    #[inline]
    pub(super) fn clear(&mut self, place: u32) {
        self.dues[place as usize] = NEVER;
        self.first = if self.blocks.is_empty() { first_of(&self.dues, 0) } else { self.first_without(place) };
    }

    /// The first of many, after a change at `place`.
    #[inline(never)]
    fn first_without(&mut self, place: u32) -> (Due, u32) {
        let block = place >> self.shift;
        let begin = block << self.shift;
        let end = self.dues.len().min((begin as usize) + (1 << self.shift));
        self.blocks[block as usize] = first_of(&self.dues[begin as usize..end], begin);
        self.blocks.iter().copied().min().unwrap_or((NEVER, 0))
    }
}

/// The first of `dues`, the places from `place` on.
#[inline]
fn first_of(dues: &[Due], place: u32) -> (Due, u32) {
    let mut first = (NEVER, 0);
    for (place, due) in (place..).zip(dues) {
        // Select, do not branch: the processor cannot predict which of a few is next.
        let is_less = *due < first.0;
        first = (if is_less { *due } else { first.0 }, if is_less { place } else { first.1 });
    }
    first
}
