//! The rate of a port over time.

use weir_scenario::Port;
use weir_types::Duration;

/// Changes of rates and load that are examined: a schedule may have millions.
pub(crate) const MOST_CHANGES: usize = 1000;

/// The rate of a port over time, in bit/s.
#[derive(Clone, Debug)]
pub(crate) struct Rates {
    /// At the start.
    pub(crate) first: u64,
    /// Instants of changes, and the rate from then on.
    pub(crate) changes: Vec<(Duration, u64)>,
}

impl Rates {
    /// Rates of a port in a run that ends at `end`.
    pub(crate) fn of(port: &Port<'_>, end: Duration) -> Self {
        let changes = port.rate_changes(end).take(MOST_CHANGES);
        Self {
            first: port.rate().bits_per_second(),
            changes: changes.map(|(at, rate)| (at, rate.bits_per_second())).collect(),
        }
    }

    /// The lowest and the highest.
    pub(crate) fn range(&self) -> (u64, u64) {
        range(self.first, self.changes.iter().map(|(_, rate)| *rate))
    }

    /// The lowest.
    pub(crate) fn lowest(&self) -> f64 {
        self.range().0 as f64
    }

    /// The highest.
    pub(crate) fn highest(&self) -> f64 {
        self.range().1 as f64
    }

    /// The lowest and the highest from one instant until before another, or until the end of the run.
    pub(crate) fn between(&self, since: Duration, until: Option<Duration>) -> (u64, u64) {
        let within = |at: Duration| since < at && until.is_none_or(|until| at < until);
        let changes = self.changes.iter().filter(|(at, _)| within(*at));
        range(self.at(since), changes.map(|(_, rate)| *rate))
    }

    /// The rate at an instant.
    pub(crate) fn at(&self, at: Duration) -> u64 {
        let passed = self.changes.partition_point(|(change, _)| *change <= at);
        if passed == 0 { self.first } else { self.changes[passed - 1].1 }
    }
}

fn range(first: u64, others: impl Iterator<Item = u64>) -> (u64, u64) {
    others.fold((first, first), |(low, high), rate| (low.min(rate), high.max(rate)))
}
