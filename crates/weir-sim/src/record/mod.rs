//! Counters and recorded series of a run. `tables` defines the measures derived from them.
//!
//! The run is cut at every instant where a row of a table begins or ends. Counts are kept per
//! *interval* between two cuts, and rows are sums of intervals. Nothing is counted twice, and the row
//! of the whole run costs nothing beside the rows of its periods.

mod completions;
mod flow;
mod flow_records;
mod gauge;
mod histogram;
mod intervals;
mod loss_events;
mod measurements;
mod queue;
mod recorder;
mod series;
mod trend;

pub(crate) use completions::{Completions, SLOWDOWN_OF_ONE, SizeCounts};
pub(crate) use flow::{
    AccessInfo, DatagramCounts, FiniteGroup, FlowArrivals, FlowCounts, FlowInfo, GroupInfo, SharedInfo,
    TransferRecord,
};
pub(crate) use flow_records::FlowRecords;
pub(crate) use gauge::QueueGauge;
pub(crate) use histogram::Histogram;
pub(crate) use intervals::{Intervals, Row};
pub(crate) use loss_events::{FlowsThrough, LossEvents};
pub use measurements::{Measurements, RESULTS_VERSION};
pub(crate) use queue::{CellCounts, QueueCounts, QueueInfo};
pub(crate) use recorder::Recorder;
pub use series::Series;
pub(crate) use trend::{Parts, Trend};
