use weir_aqm::{Reason, Service};
use weir_types::{Duration, Instant};

use super::{Histogram, LossEvents, QueueGauge};

/// What one queue did in one interval.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueCounts {
    pub(crate) gauge: QueueGauge,
    /// Of each class, if there are any.
    pub(crate) class_gauges: Vec<QueueGauge>,
    pub(crate) losses: LossEvents,
    /// The transmission counted last: when it ends, and whose it is. What lies beyond a cut
    /// belongs to the next interval.
    busy_until: Instant,
    busy_cell: usize,
    /// What could have been sent, in bits times [`Service::WORK_PER_BIT`], where that is not a rate times the
    /// time: until the interval began, and in it once it is closed.
    offered_before: u128,
    pub(crate) offered: Option<u128>,
    /// Packets of each group that the line lost before they reached the queue.
    pub(crate) lost_before: Vec<u64>,
    /// What it did with the packets of each group; where packets have classes, for one class after
    /// the other.
    pub(crate) cells: Vec<CellCounts>,
}

/// What one queue did with the packets of one group and class.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellCounts {
    pub(crate) arrivals: u64,
    pub(crate) departures: u64,
    /// Nanoseconds during which bits left.
    busy: u64,
    /// What left in this interval of packets that count in the one before, less what leaves later of
    /// packets that count here, in the unit of `QueueCounts::offered`; only where that is known.
    carried: i128,
    /// Packets lost behind the transmitter.
    pub(crate) lost: u64,
    /// Bytes that left.
    pub(crate) bytes: u64,
    pub(crate) early: u64,
    pub(crate) forced: u64,
    pub(crate) overflow: u64,
    /// Packets marked here.
    pub(crate) marks: u64,
    pub(crate) sojourns: Histogram,
    /// Sum of sojourn times in nanoseconds: the histogram rounds, the mean should not.
    pub(crate) waited: u64,
}

impl QueueCounts {
    /// Nothing yet, for so many groups, and so many classes if there are any.
    pub(crate) fn new(groups: usize, classes: usize) -> Self {
        Self {
            gauge: QueueGauge::default(),
            class_gauges: vec![QueueGauge::default(); classes],
            losses: LossEvents::default(),
            busy_until: Instant::ZERO,
            busy_cell: 0,
            offered_before: 0,
            offered: None,
            lost_before: vec![0; groups],
            cells: vec![CellCounts::default(); groups * classes.max(1)],
        }
    }

    /// Begins a new sum, for so many groups and classes, in the room of the last.
    pub(crate) fn clear(&mut self, groups: usize, classes: usize) {
        self.gauge = QueueGauge::default();
        self.class_gauges.clear();
        self.class_gauges.resize_with(classes, QueueGauge::default);
        self.losses = LossEvents::default();
        self.offered = None;
        self.lost_before.clear();
        self.lost_before.resize(groups, 0);
        self.cells.resize_with(groups * classes.max(1), CellCounts::default);
        for cell in &mut self.cells {
            cell.clear();
        }
    }

    /// A packet counted in `cell` is transmitted from `start` to `end`, after it waited `sojourn`.
    #[inline]
    pub(crate) fn transmits(
        &mut self,
        cell: usize,
        bytes: u32,
        sojourn: Duration,
        start: Instant,
        end: Instant,
    ) {
        self.busy_until = end;
        self.busy_cell = cell;
        let counts = &mut self.cells[cell];
        counts.busy += end.since(start).as_nanos();
        counts.departures += 1;
        counts.bytes += u64::from(bytes);
        counts.waited += sojourn.as_nanos();
        counts.sojourns.record(sojourn);
    }

    /// What packets have waited on average so far.
    pub(crate) fn mean_wait(&self) -> Duration {
        let (waited, departures) = self
            .cells
            .iter()
            .fold((0, 0), |(waited, left), cell| (waited + cell.waited, left + cell.departures));
        Duration::from_nanos(waited.checked_div(departures).unwrap_or(0))
    }

    /// Closes the interval at `now` and begins the next.
    pub(crate) fn cut(&mut self, now: Instant) -> Self {
        let beyond = self.busy_until.since(now).as_nanos();
        let mut next = Self {
            gauge: self.gauge.begin(now),
            class_gauges: self.class_gauges.iter().map(|gauge| gauge.begin(now)).collect(),
            losses: self.losses.cut(),
            busy_until: self.busy_until,
            busy_cell: self.busy_cell,
            offered_before: self.offered_before,
            offered: None,
            lost_before: vec![0; self.lost_before.len()],
            cells: vec![CellCounts::default(); self.cells.len()],
        };
        next.cells[self.busy_cell].busy = beyond;
        let mut closed = std::mem::replace(self, next);
        closed.gauge.close(now);
        closed.class_gauges.iter_mut().for_each(|gauge| gauge.close(now));
        let last = closed.busy_cell;
        closed.cells[last].busy -= beyond;
        for cell in &mut closed.cells {
            cell.sojourns.close();
        }
        closed
    }

    /// What the interval `closed` before this one could have sent, where so much could be sent since
    /// the start of time; `unsent` of its last packet leaves in this one.
    pub(crate) fn divide(&mut self, closed: &mut Self, offered: u128, unsent: u128) {
        closed.offered = Some(offered - self.offered_before);
        self.offered_before = offered;
        closed.cells[closed.busy_cell].carried -= unsent.cast_signed();
        self.cells[self.busy_cell].carried += unsent.cast_signed();
    }

    /// Packets of one group, or of all, that the line lost before they reached the queue.
    pub(crate) fn lost_before(&self, group: Option<usize>) -> u64 {
        match group {
            Some(group) => self.lost_before[group],
            None => self.lost_before.iter().sum(),
        }
    }

    /// What was counted of one class and one group, or of all, where there are so many groups.
    pub(crate) fn cells_of(
        &self,
        groups: usize,
        class: Option<usize>,
        group: Option<usize>,
    ) -> impl Iterator<Item = &CellCounts> {
        let is_meant = move |cell: usize| {
            class.is_none_or(|class| class == cell / groups)
                && group.is_none_or(|group| group == cell % groups)
        };
        self.cells.iter().enumerate().filter(move |(cell, _)| is_meant(*cell)).map(|(_, counts)| counts)
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.gauge.add(&other.gauge);
        for (gauge, other) in self.class_gauges.iter_mut().zip(&other.class_gauges) {
            gauge.add(other);
        }
        self.offered = match (self.offered, other.offered) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
        for (lost, other) in self.lost_before.iter_mut().zip(&other.lost_before) {
            *lost += other;
        }
        self.losses.add(&other.losses);
        for (cell, other) in self.cells.iter_mut().zip(&other.cells) {
            cell.add(other);
        }
    }
}

impl CellCounts {
    /// Begins a new sum in the room of the last.
    pub(crate) fn clear(&mut self) {
        let mut sojourns = std::mem::take(&mut self.sojourns);
        sojourns.clear();
        *self = Self { sojourns, ..Self::default() };
    }

    /// The share of `nanos` nanoseconds during which bits of these packets left; where it is known what
    /// could have been sent, the share of that.
    pub(crate) fn utilisation(&self, nanos: f64, offered: Option<u128>) -> f64 {
        match offered {
            None => self.busy as f64 / nanos,
            Some(offered) => {
                let begun = u128::from(self.bytes * 8) * Service::WORK_PER_BIT;
                (begun.cast_signed() + self.carried) as f64 / offered as f64
            }
        }
    }

    pub(crate) const fn dropped(&mut self, reason: Reason) {
        match reason {
            Reason::Early => self.early += 1,
            Reason::Forced => self.forced += 1,
            Reason::Overflow => self.overflow += 1,
        }
    }

    pub(crate) const fn drops(&self) -> u64 {
        self.early + self.forced + self.overflow
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.arrivals += other.arrivals;
        self.departures += other.departures;
        self.busy += other.busy;
        self.carried += other.carried;
        self.lost += other.lost;
        self.bytes += other.bytes;
        self.early += other.early;
        self.forced += other.forced;
        self.overflow += other.overflow;
        self.marks += other.marks;
        self.waited += other.waited;
        self.sojourns.add(&other.sojourns);
    }
}
