//! Times of transfers that have ended, by size.

use weir_types::Duration;

use super::Histogram;

/// Transfers by size class. The upper bounds of the classes are 100 B, 300 B, 1 kB, 3 kB and so on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Completions(Vec<SizeCounts>);

/// Transfers of similar size.
#[derive(Clone, Debug, Default)]
pub(crate) struct SizeCounts {
    pub(crate) count: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
    /// Sum of their times in nanoseconds.
    pub(crate) nanos: u128,
    pub(crate) times: Histogram,
    /// Sum of slowdowns.
    pub(crate) slowdown: f64,
    /// Slowdowns as times, where 1 is a millisecond: bins are as narrow as those of times.
    pub(crate) slowdowns: Histogram,
    /// Transfers in progress when the interval ended.
    pub(crate) unfinished: u64,
}

/// A slowdown of 1 in the histogram.
pub(crate) const SLOWDOWN_OF_ONE: Duration = Duration::from_millis(1);

/// The last class, of transfers beyond a petabyte.
const LARGEST: usize = 27;

/// The upper bound of a class, in bytes.
pub(crate) const fn bound(class: usize) -> u64 {
    let decade = 10_u64.pow(2 + class as u32 / 2);
    if class.is_multiple_of(2) { decade } else { 3 * decade }
}

/// The class of a size: the first whose bound it does not exceed.
fn class_of(bytes: u64) -> usize {
    (0..LARGEST).find(|class| bytes <= bound(*class)).unwrap_or(LARGEST)
}

impl Completions {
    /// Records a transfer of `bytes` that took `time`; the least possible time is `ideal`.
    pub(crate) fn record(&mut self, bytes: u64, time: Duration, ideal: Duration) {
        let counts = self.at(class_of(bytes));
        let slowdown = time.as_nanos() as f64 / ideal.as_nanos().max(1) as f64;
        counts.count += 1;
        counts.bytes += bytes;
        counts.nanos += u128::from(time.as_nanos());
        counts.times.record(time);
        counts.slowdown += slowdown;
        counts.slowdowns.record(SLOWDOWN_OF_ONE.mul_f64(slowdown.min(1e9)));
    }

    /// Records a transfer of `bytes` that is in progress.
    pub(crate) fn leave_unfinished(&mut self, bytes: u64) {
        self.at(class_of(bytes)).unfinished += 1;
    }

    /// The non-empty classes, with their upper bounds in bytes.
    pub(crate) fn classes(&self) -> impl Iterator<Item = (u64, &SizeCounts)> {
        let filled = self.0.iter().enumerate().filter(|(_, counts)| counts.count + counts.unfinished > 0);
        filled.map(|(class, counts)| (bound(class), counts))
    }

    /// Adds a later interval. Its unfinished transfers replace those of the earlier one, which have ended or are
    /// among them.
    pub(crate) fn add(&mut self, later: &Self) {
        for counts in &mut self.0 {
            counts.unfinished = 0;
        }
        self.join(later);
    }

    /// Adds the counts of another group in the same interval.
    pub(crate) fn join(&mut self, other: &Self) {
        for (class, counts) in other.0.iter().enumerate() {
            self.at(class).add(counts);
        }
    }

    /// The counts of all sizes.
    pub(crate) fn total(&self) -> SizeCounts {
        let mut total = SizeCounts::default();
        for counts in &self.0 {
            total.add(counts);
        }
        total
    }

    /// Frees unused memory at the end of the interval.
    pub(crate) fn close(&mut self) {
        for counts in &mut self.0 {
            counts.times.close();
            counts.slowdowns.close();
        }
    }

    fn at(&mut self, class: usize) -> &mut SizeCounts {
        if self.0.len() <= class {
            self.0.resize_with(class + 1, SizeCounts::default);
        }
        &mut self.0[class]
    }
}

impl SizeCounts {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.bytes += other.bytes;
        self.nanos += other.nanos;
        self.times.add(&other.times);
        self.slowdown += other.slowdown;
        self.slowdowns.add(&other.slowdowns);
        self.unfinished += other.unfinished;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_lies_in_its_class() {
        let bounds: Vec<_> = (0..6).map(bound).collect();
        assert_eq!(bounds, [100, 300, 1000, 3000, 10_000, 30_000]);
        for (bytes, upper) in
            [(1, 100), (100, 100), (101, 300), (1000, 1000), (999_999_999_999, 1_000_000_000_000)]
        {
            assert_eq!(bound(class_of(bytes)), upper);
        }
    }

    /// A transfer that is in progress in two intervals counts once.
    #[test]
    fn what_is_unfinished_is_counted_at_the_end_alone() {
        let (mut first, mut second) = (Completions::default(), Completions::default());
        first.leave_unfinished(5000);
        first.leave_unfinished(5000);
        second.record(5000, Duration::from_millis(30), Duration::from_millis(10));
        second.leave_unfinished(5000);
        first.add(&second);
        let total = first.total();
        assert_eq!((total.count, total.unfinished), (1, 1));
        assert!((total.slowdown - 3.0).abs() < 1e-12);
    }
}
