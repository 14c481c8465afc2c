//! Counts of flows.

use std::sync::Arc;

use weir_tcp::{Receiver, Sender};
use weir_types::{Duration, Instant};

use super::{Completions, QueueGauge};

/// Counts of one flow in one interval.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlowCounts {
    /// Distinct data segments that reached the receiver.
    pub(crate) delivered: u64,
    /// Their bytes on the wire.
    pub(crate) bytes: u64,
    /// Segments that reached the receiver, including the SYN and duplicates.
    pub(crate) arrived: u64,
    /// Segments among `arrived` that a queue had marked.
    pub(crate) marked: u64,
    /// Segments sent, including retransmissions and the SYN.
    pub(crate) sent: u64,
    /// Retransmissions.
    pub(crate) retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub(crate) timeouts: u64,
    /// Entries into fast recovery.
    pub(crate) fast_retransmits: u64,
    /// Reductions of the window because of marks.
    pub(crate) mark_cuts: u64,
}

impl FlowCounts {
    /// The counts of the two ends of a flow since its start, whose data segments have `bytes` bytes.
    pub(crate) fn of(sender: &Sender, receiver: &Receiver, bytes: u32) -> Self {
        let counters = sender.counters();
        let counted = Self::received(receiver.arrived(), receiver.delivered(), bytes, receiver.short());
        Self {
            marked: u64::from(receiver.marked()),
            sent: sender.sent().into(),
            retransmitted: counters.retransmitted.into(),
            timeouts: counters.timeouts.into(),
            fast_retransmits: counters.fast_retransmits.into(),
            mark_cuts: counters.mark_cuts.into(),
            ..counted
        }
    }

    /// Counts of a receiver whose data segments have `bytes` bytes, all together `short` bytes less.
    pub(crate) fn received(arrived: u32, delivered: u32, bytes: u32, short: u64) -> Self {
        let (arrived, delivered) = (u64::from(arrived), u64::from(delivered));
        Self { arrived, delivered, bytes: delivered * u64::from(bytes) - short, ..Self::default() }
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

    /// The counts since `earlier`; both are counted from the start.
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

/// Counts of the datagrams of one flow since its start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DatagramCounts {
    pub(crate) sent: u64,
    pub(crate) delivered: u64,
    /// Bytes delivered.
    pub(crate) bytes: u64,
    /// Datagrams delivered with a mark.
    pub(crate) marked: u64,
}

impl DatagramCounts {
    /// Converts the counts to those of a flow.
    pub(crate) fn as_flow(&self) -> FlowCounts {
        FlowCounts {
            delivered: self.delivered,
            bytes: self.bytes,
            arrived: self.delivered,
            marked: self.marked,
            sent: self.sent,
            ..FlowCounts::default()
        }
    }
}

/// Counts of a group of finite flows in one interval.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowArrivals {
    pub(crate) flows: FlowCounts,
    /// Flows in progress.
    pub(crate) live: QueueGauge,
    pub(crate) completions: Completions,
}

/// Results of a group of finite flows.
#[derive(Clone, Debug)]
pub(crate) struct FiniteGroup {
    /// Index among all groups.
    pub(crate) group: usize,
    /// Mean propagation round trip of its routes, in nanoseconds.
    pub(crate) mean_rtt: f64,
    /// Counts of each interval.
    pub(crate) intervals: Vec<FlowArrivals>,
    /// Its transfers in the order of their starts, if they are those of a list.
    pub(crate) transfers: Vec<TransferRecord>,
}

/// One transfer of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransferRecord {
    /// Its line in the file.
    pub(crate) line: u32,
    pub(crate) bytes: u64,
    /// When its first packet left.
    pub(crate) begun: Instant,
    /// When all data had arrived; none if the run ended before.
    pub(crate) end: Option<Instant>,
    /// The least possible time from `begun` to `end`.
    pub(crate) ideal: Duration,
}

/// Static properties of one flow.
#[derive(Clone, Debug)]
pub(crate) struct FlowInfo {
    /// Begin, after jitter.
    pub(crate) start: Instant,
    pub(crate) shared: Arc<SharedInfo>,
}

/// Properties that flows of a group may have in common. Each set is stored once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedInfo {
    /// Index of the group.
    pub(crate) group: u32,
    /// Propagation round trip.
    pub(crate) rtt: Duration,
    /// Begin of the lifetime, before jitter.
    pub(crate) scheduled: Instant,
    /// End of the lifetime; [`Instant::MAX`] if the run ends first.
    pub(crate) stop: Instant,
    /// Bytes of data segments on the wire.
    pub(crate) bytes: u32,
}

/// Static properties of one group of flows.
#[derive(Clone, Debug)]
pub(crate) struct GroupInfo {
    /// Its name in the scenario.
    pub(crate) name: String,
    /// Index of the queue that is the bottleneck of its data.
    pub(crate) bottleneck: usize,
    /// Rate of the bottleneck in bit/s when the run begins.
    pub(crate) rate: f64,
    /// Indices of the queues that its data passes.
    pub(crate) queues: Vec<usize>,
    /// Indices of the queues that its ACKs pass; `None` for datagrams, which have no ACKs.
    pub(crate) acks: Option<Vec<usize>>,
    /// Links of each flow's own at both ends, if there are any.
    pub(crate) access: Option<AccessInfo>,
    /// Propagation round trips that it changes to, and when.
    pub(crate) rtts: Vec<(Instant, Duration)>,
}

/// Links of a flow's own at both ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessInfo {
    /// Rate in bit/s.
    pub(crate) rate: f64,
    /// Bytes of an ACK.
    pub(crate) ack_bytes: f64,
}
