//! A port, as rules see it.

use weir_scenario::Path;
use weir_types::Duration;

use crate::{aqm::Aqm, load::Load, rates::Rates};

/// One direction of a link that has a queue.
#[derive(Debug)]
pub(crate) struct Port<'a> {
    /// The port in the network.
    pub(crate) of: weir_scenario::Port<'a>,
    /// `LINK`, or `LINK.reverse`.
    pub(crate) name: String,
    /// Path in the scenario file.
    pub(crate) key: String,
    /// AQM at the start.
    pub(crate) aqm: Aqm,
    /// Its rate over time.
    pub(crate) rates: Rates,
    /// A trace says when packets leave.
    pub(crate) follows_trace: bool,
    /// Number of flows whose data pass.
    pub(crate) load: Load,
}

impl<'a> Port<'a> {
    /// The port whose path in the scenario file is `key`, in a run that ends at `end`.
    pub(crate) fn new(of: weir_scenario::Port<'a>, key: String, follows_trace: bool, end: Duration) -> Self {
        Self {
            name: of.at.to_string(),
            aqm: Aqm::of(&format!("{key}.queue"), of.queue()),
            rates: Rates::of(&of, end),
            follows_trace,
            load: Load::of(&of.load, end),
            key,
            of,
        }
    }

    /// Returns true if data of the group pass.
    pub(crate) fn is_passed_by(&self, path: &Path<'_>) -> bool {
        path.data.contains(&self.of.at)
    }

    /// Mean packet size in bytes.
    pub(crate) fn mean_packet(&self) -> f64 {
        f64::from(self.of.mean_packet_size.bytes())
    }

    /// Rate at the start, bit/s.
    pub(crate) fn rate_bps(&self) -> f64 {
        self.of.rate().bits_per_second() as f64
    }

    /// Limit of the buffer in packets of mean size.
    pub(crate) fn buffer_limit(&self) -> f64 {
        self.of.limit.in_packets(self.of.mean_packet_size.bytes())
    }

    /// Returns true if the line loses packets.
    pub(crate) const fn loses_packets(&self) -> bool {
        self.of.loss().is_some()
    }

    /// The rate that it always has, bit/s; `None` if it changes.
    pub(crate) fn steady_bps(&self) -> Option<f64> {
        let (low, high) = self.rates.range();
        (low == high && !self.follows_trace).then_some(low as f64)
    }
}
