//! Counts of a port while the relay runs. Tables are made afterwards, by a simulation of the packets that came.

use hdrhistogram::Histogram;
use weir_line::Totals;
use weir_types::Duration;

/// The longest time that is told apart: an hour.
const LONGEST_NS: u64 = 3_600_000_000_000;

/// Times in nanoseconds; quantiles are right to 1%.
#[derive(Debug)]
pub(crate) struct Times(Histogram<u64>);

impl Times {
    pub(crate) fn new() -> Self {
        Self(Histogram::new_with_bounds(1, LONGEST_NS, 2).expect("the bounds are right"))
    }

    #[inline]
    pub(crate) fn record(&mut self, time: Duration) {
        self.0.saturating_record(time.as_nanos().max(1));
    }

    /// The quantile, in nanoseconds; NaN without times.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        if self.0.is_empty() { f64::NAN } else { self.0.value_at_quantile(share) as f64 }
    }

    pub(crate) fn clear(&mut self) {
        self.0.reset();
    }
}

/// Counts of a port.
#[derive(Debug)]
pub(crate) struct Counts {
    /// Since the start.
    pub(crate) totals: Totals,
    /// Sojourn times since they were last looked at.
    pub(crate) recent: Times,
}

impl Counts {
    pub(crate) fn new() -> Self {
        Self { totals: Totals::default(), recent: Times::new() }
    }

    #[inline]
    pub(crate) fn sent(&mut self, bytes: u32, sojourn: Duration) {
        self.totals.departures += 1;
        self.totals.bytes += u64::from(bytes);
        self.totals.waited += sojourn.as_nanos();
        self.recent.record(sojourn);
    }
}
