use weir_types::Duration;

/// Times in bins of equal relative width: 128 bins per octave, so that the error of a quantile is below
/// 0.8%. Recording is a shift and an increment. General histogram crates cost several times as much.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histogram {
    /// Counts of every bin up to the longest time, until the histogram is closed.
    counts: Vec<u64>,
    /// The non-empty bins with their counts, once it is closed.
    closed: Box<[(usize, u64)]>,
}

/// Times are counted in units of 2^6 = 64 ns.
const UNIT: u32 = 6;
/// 2^7 bins per octave.
const PRECISION: u32 = 7;
/// The bits of the first octave.
const FIRST_OCTAVE: u64 = (1 << (PRECISION + 1)) - 1;

impl Histogram {
    #[inline]
    pub(crate) fn record(&mut self, time: Duration) {
        let bin = bin(time);
        match self.counts.get_mut(bin) {
            Some(count) => *count += 1,
            None => self.grow(bin),
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (bin, count) in other.filled() {
            if self.counts.len() <= bin {
                self.counts.resize(bin + 1, 0);
            }
            self.counts[bin] += count;
        }
    }

    /// Frees the memory of empty bins: nothing more is recorded.
    pub(crate) fn close(&mut self) {
        self.closed = self.filled().collect();
        self.counts = Vec::new();
    }

    /// Removes all times and keeps the allocation.
    pub(crate) fn clear(&mut self) {
        self.counts.clear();
        self.closed = Box::default();
    }

    /// The non-empty bins: upper end and count.
    pub(crate) fn bins(&self) -> impl Iterator<Item = (Duration, u64)> {
        self.filled().map(|(bin, count)| (end(bin), count))
    }

    /// The non-empty bins. Most are empty.
    fn filled(&self) -> impl Iterator<Item = (usize, u64)> {
        let eights = self.counts.chunks(8).enumerate();
        let eights = eights.filter(|(_, eight)| eight.iter().fold(0, |any, count| any | count) > 0);
        let open = eights.flat_map(|(at, eight)| {
            let filled = eight.iter().enumerate().filter(|(_, count)| **count > 0);
            filled.map(move |(bin, count)| (8 * at + bin, *count))
        });
        self.closed.iter().copied().chain(open)
    }

    /// Allocates bins for all times below 10 s, so that recording does not allocate in steady state.
    #[cold]
    fn grow(&mut self, at: usize) {
        let usual = bin(Duration::from_secs(10));
        self.counts.resize(usual.max(at) + 1, 0);
        self.counts[at] += 1;
    }
}

#[inline]
fn bin(time: Duration) -> usize {
    let units = time.as_nanos() >> UNIT;
    // Below the first octave bins are one unit wide.
    let octave = u64::BITS - (PRECISION + 1) - (units | FIRST_OCTAVE).leading_zeros();
    ((u64::from(octave) << PRECISION) + (units >> octave)) as usize
}

/// The longest time in a bin.
const fn end(bin: usize) -> Duration {
    let octave = (bin as u64 >> PRECISION).saturating_sub(1);
    let units = bin as u64 - (octave << PRECISION);
    // Zero is the most frequent time, and exact.
    if bin == 0 { Duration::ZERO } else { Duration::from_nanos((((units + 1) << octave) << UNIT) - 1) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bins_are_narrow_and_ordered(nanos in 64_u64..10_000_000_000) {
            let bin = bin(Duration::from_nanos(nanos));
            let (upper, lower) = (end(bin).as_nanos(), end(bin - 1).as_nanos());
            prop_assert!(lower < nanos && nanos <= upper);
            prop_assert!(nanos < 8192 || (upper - lower) as f64 <= nanos as f64 / 127.0);
        }
    }
}
