//! What is counted while a run goes on. Definitions of the measures derived from these counts
//! stand in `results`.
//!
//! The run is cut at every instant where some row begins or ends. Counts are kept per
//! *interval* between two cuts; rows are sums of intervals, so that nothing is counted twice
//! and a whole-run row costs nothing beside the rows of its periods.

mod completions;
mod gauge;
mod histogram;
mod intervals;
mod queue;
mod series;
mod synchronisation;

use weir_scenario::Direction;
use weir_tcp::{Receiver, Sender};
use weir_types::{Duration, Instant};

use crate::traffic::ComingCounts;

pub(crate) use completions::{Completions, SLOWDOWN_OF_ONE, SizeCounts};
pub(crate) use gauge::QueueGauge;
pub(crate) use histogram::Histogram;
pub(crate) use intervals::{Intervals, Row};
pub(crate) use queue::{CellCounts, QueueCounts};
pub use series::Series;
pub(crate) use synchronisation::{FlowsOver, LossEvents};

/// What one flow has done in one interval.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlowCounts {
    /// Distinct data segments that reached the receiver.
    pub(crate) delivered: u64,
    /// Their bytes on the wire.
    pub(crate) bytes: u64,
    /// Segments that reached the receiver, the SYN and those that came twice among them.
    pub(crate) arrived: u64,
    /// Those of them that a queue on the way had marked.
    pub(crate) marked: u64,
    /// Segments sent, retransmissions and SYN among them.
    pub(crate) sent: u64,
    /// Segments sent again.
    pub(crate) retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub(crate) timeouts: u64,
    /// Entries into fast recovery.
    pub(crate) fast_retransmits: u64,
    /// Cuts of the window because of marks.
    pub(crate) mark_cuts: u64,
}

impl FlowCounts {
    /// What the two ends of a flow have counted, but for the bytes.
    pub(crate) fn of(sender: &Sender, receiver: &Receiver) -> Self {
        let counters = sender.counters();
        Self {
            delivered: u64::from(receiver.delivered()),
            bytes: 0,
            arrived: u64::from(receiver.arrived()),
            marked: u64::from(receiver.marked()),
            sent: counters.sent,
            retransmitted: counters.retransmitted,
            timeouts: counters.timeouts,
            fast_retransmits: counters.fast_retransmits,
            mark_cuts: counters.mark_cuts,
        }
    }

    /// Adds the counts of another interval or flow.
    pub(crate) fn add(&mut self, other: &Self) {
        self.delivered += other.delivered;
        self.bytes += other.bytes;
        self.arrived += other.arrived;
        self.marked += other.marked;
        self.sent += other.sent;
        self.retransmitted += other.retransmitted;
        self.timeouts += other.timeouts;
        self.fast_retransmits += other.fast_retransmits;
        self.mark_cuts += other.mark_cuts;
    }

    /// What came since `earlier`, both counted from the start.
    #[must_use]
    pub(crate) const fn since(&self, earlier: &Self) -> Self {
        Self {
            delivered: self.delivered - earlier.delivered,
            bytes: self.bytes - earlier.bytes,
            arrived: self.arrived - earlier.arrived,
            marked: self.marked - earlier.marked,
            sent: self.sent - earlier.sent,
            retransmitted: self.retransmitted - earlier.retransmitted,
            timeouts: self.timeouts - earlier.timeouts,
            fast_retransmits: self.fast_retransmits - earlier.fast_retransmits,
            mark_cuts: self.mark_cuts - earlier.mark_cuts,
        }
    }
}

/// One flow, as results name it.
#[derive(Clone, Debug)]
pub(crate) struct FlowInfo {
    /// Group and number: `ftp.0`.
    pub(crate) name: String,
    /// Index of its group.
    pub(crate) group: usize,
    /// Propagation round trip.
    pub(crate) rtt: Duration,
    /// When its lifetime begins, before jitter.
    pub(crate) scheduled: Instant,
    /// When it began.
    pub(crate) start: Instant,
    /// When it ended; [`Instant::MAX`] if with the run.
    pub(crate) stop: Instant,
    /// Bytes of its data segments on the wire.
    pub(crate) bytes: u32,
}

/// One group of flows.
#[derive(Clone, Debug)]
pub(crate) struct GroupInfo {
    /// Its name in the scenario.
    pub(crate) name: String,
    /// The narrowest link on the way of its data, the first of several, in its direction.
    pub(crate) bottleneck: (String, Direction),
    /// Its capacity in bit/s.
    pub(crate) capacity: f64,
    /// The queues on the way of its data, as places among all.
    pub(crate) queues: Vec<usize>,
}

/// One queue: a direction of a link.
#[derive(Clone, Debug)]
pub(crate) struct QueueInfo {
    /// The link's name in the scenario.
    pub(crate) link: String,
    /// `forward` for data, `reverse` for ACKs.
    pub(crate) direction: &'static str,
    /// Capacity in bit/s.
    pub(crate) rate: f64,
    /// The classes that its discipline keeps apart, if it does.
    pub(crate) classes: &'static [&'static str],
}

/// Everything one run measured.
#[derive(Debug)]
pub struct Measurements {
    /// The seed of the run.
    pub seed: u64,
    /// Events handled.
    pub events: u64,
    /// Packets that left the forward ports.
    pub packets: u64,
    /// CPU time of the run's thread, from building the world to clearing it away. A `Batch`
    /// measures it.
    pub cpu: std::time::Duration,
    /// Values over time.
    pub series: Series,
    /// Places that flows which come and go ever needed: as many as were there at once.
    pub slots: usize,
    pub(crate) rows: Vec<Row>,
    pub(crate) queues: Vec<(QueueInfo, Vec<QueueCounts>)>,
    pub(crate) groups: Vec<GroupInfo>,
    pub(crate) flows: Vec<(FlowInfo, Vec<FlowCounts>)>,
    /// Groups whose flows come and go: their place among all, and what they did in each interval.
    pub(crate) coming: Vec<(usize, Vec<ComingCounts>)>,
}
