use std::time::Duration;

use weir_line::Totals;
use weir_scenario::DirectedLink;

use super::{FiniteGroup, FlowRecords, GroupInfo, Parts, QueueCounts, QueueInfo, Row, Series, queue::joined};

/// Increases when the same scenario and seed give other numbers.
pub const RESULTS_VERSION: u32 = 9;

/// Everything that one run measured.
#[derive(Debug)]
pub struct Measurements {
    /// The seed of the run.
    pub seed: u64,
    /// Events handled.
    pub events: u64,
    /// Packets that left the forward ports.
    pub packets: u64,
    /// CPU time of the run's thread, from building the simulation to freeing it. Zero unless the run
    /// belongs to a `Batch`.
    pub cpu: Duration,
    /// Values over time.
    pub series: Series,
    /// Slots that finite flows needed: the largest number of them at the same time.
    pub slots: usize,
    pub(crate) rows: Vec<Row>,
    pub(crate) parts: Parts,
    pub(crate) queues: Vec<(QueueInfo, Vec<QueueCounts>)>,
    pub(crate) groups: Vec<GroupInfo>,
    pub(crate) flows: FlowRecords,
    pub(crate) finite: Vec<FiniteGroup>,
}

impl Measurements {
    /// The queue that results are about.
    pub(crate) fn bottleneck(&self) -> usize {
        self.queues.iter().position(|(info, _)| info.is_bottleneck).expect("every network has a bottleneck")
    }

    /// Mean rate at which `queue` could have sent in `row`, in bit/s.
    pub(crate) fn mean_rate(&self, queue: usize, row: &Row) -> f64 {
        let (info, intervals) = &self.queues[queue];
        let capacities = intervals[row.intervals.clone()].iter().map(|interval| interval.capacity);
        info.mean_rate(capacities.reduce(joined).flatten(), row.seconds())
    }

    /// Totals of the queue at `at` over the whole run, warm-up included; `None` if there is no such queue.
    pub fn totals(&self, at: DirectedLink<'_>) -> Option<Totals> {
        let is_meant = |info: &QueueInfo| info.link == at.link && info.direction == at.direction.name();
        let (_, intervals) = self.queues.iter().find(|(info, _)| is_meant(info))?;
        let mut totals = Totals::default();
        for interval in intervals {
            totals.lost += interval.lost_before(None);
            for cell in &interval.cells {
                totals.arrivals += cell.arrivals;
                totals.departures += cell.departures;
                totals.drops += cell.drops();
                totals.marks += cell.marks;
                totals.lost += cell.lost;
                totals.bytes += cell.bytes;
                totals.waited += cell.waited;
            }
        }
        Some(totals)
    }
}
