use std::ops::Range;

use weir_aqm::{Capacity, Reason, Service, Supply};
use weir_types::{Duration, Instant};

use super::{Histogram, LossEvents, QueueGauge};

/// Static properties of one queue: one direction of a link.
#[derive(Clone, Debug)]
pub(crate) struct QueueInfo {
    /// The link's name in the scenario.
    pub(crate) link: String,
    /// `forward` for data, `reverse` for ACKs.
    pub(crate) direction: &'static str,
    /// The queue is the bottleneck of the scenario.
    pub(crate) is_bottleneck: bool,
    /// Its rate in bit/s when the run begins.
    pub(crate) rate: f64,
    /// The classes that its queue discipline distinguishes, if any.
    pub(crate) classes: &'static [&'static str],
}

impl QueueInfo {
    /// Mean rate at which the queue could have sent in `seconds` with this `capacity`, in bit/s.
    pub(crate) fn mean_rate(&self, capacity: Option<Capacity>, seconds: f64) -> f64 {
        capacity.map_or(self.rate, |capacity| capacity.bits() / seconds)
    }
}

/// Counts of one queue in one interval.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueCounts {
    pub(crate) gauge: QueueGauge,
    /// One for each class of the queue discipline, if there are any.
    pub(crate) class_gauges: Vec<QueueGauge>,
    pub(crate) losses: LossEvents,
    /// End and cell of the transmission counted last. Its part beyond a cut belongs to the next interval.
    busy_until: Instant,
    busy_cell: usize,
    /// Supply at the start of the interval, if the queue does not have one rate for all the time.
    supply: Supply,
    /// Capacity of the interval, once it is closed; `None` at a fixed rate.
    pub(crate) capacity: Option<Capacity>,
    /// Packets of each group that the impairment lost before the queue.
    pub(crate) lost_before: Vec<u64>,
    /// Counts of each group; with classes, of each group in the first class, then in the second, and so on.
    pub(crate) cells: Vec<CellCounts>,
}

/// Counts of one queue for the packets of one group and class.
// Sums of the same packets do not stand side by side: the compiler would make vectors of them to add them in pairs.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct CellCounts {
    pub(crate) arrivals: u64,
    pub(crate) departures: u64,
    /// Packets lost behind the transmitter.
    pub(crate) lost: u64,
    /// Nanoseconds of transmission.
    pub(crate) busy: u64,
    /// Bits sent in this interval of a packet counted in the previous interval, minus bits sent later of a
    /// packet counted here. In the unit of `QueueCounts::capacity`, and only where that is known.
    carried: i128,
    /// Bytes sent.
    pub(crate) bytes: u64,
    pub(crate) early: u64,
    pub(crate) forced: u64,
    pub(crate) overflow: u64,
    /// Packets marked here.
    pub(crate) marks: u64,
    pub(crate) sojourns: Histogram,
    /// Sum of sojourn times in nanoseconds, for an exact mean: the histogram rounds.
    pub(crate) waited: u64,
    /// Sum of the times on the line behind the transmitter, of packets that were not lost, in nanoseconds.
    pub(crate) on_line: u64,
    /// ACKs that a filter took away.
    pub(crate) filtered: u64,
    /// Nanoseconds that are `busy` in a later interval, of a packet counted here, minus those that are `busy` here, of a
    /// packet counted before.
    later: i64,
}

impl QueueCounts {
    /// Zero counts for so many groups and classes, of a port with this supply at the start.
    pub(crate) fn new(groups: usize, classes: usize, supply: Option<Supply>) -> Self {
        Self {
            gauge: QueueGauge::default(),
            class_gauges: vec![QueueGauge::default(); classes],
            losses: LossEvents::default(),
            busy_until: Instant::ZERO,
            busy_cell: 0,
            supply: supply.unwrap_or_default(),
            capacity: None,
            lost_before: vec![0; groups],
            cells: vec![CellCounts::default(); groups * classes.max(1)],
        }
    }

    /// Resets all counts, for so many groups and classes, and keeps the allocations.
    pub(crate) fn clear(&mut self, groups: usize, classes: usize) {
        self.gauge = QueueGauge::default();
        self.class_gauges.clear();
        self.class_gauges.resize_with(classes, QueueGauge::default);
        self.losses = LossEvents::default();
        self.capacity = None;
        self.lost_before.clear();
        self.lost_before.resize(groups, 0);
        self.cells.resize_with(groups * classes.max(1), CellCounts::default);
        for cell in &mut self.cells {
            cell.clear();
        }
    }

    /// Counts a packet in `cell`, whose transmission is `sent`, after a delay of `sojourn`.
    #[inline]
    pub(crate) fn transmits(&mut self, cell: usize, bytes: u32, sojourn: Duration, sent: &Range<Instant>) {
        self.busy_until = sent.end;
        self.busy_cell = cell;
        let counts = self.cell_mut(cell);
        counts.busy += sent.end.as_nanos() - sent.start.as_nanos();
        counts.departures += 1;
        counts.bytes += u64::from(bytes);
        counts.waited += sojourn.as_nanos();
        counts.sojourns.record(sojourn);
    }

    /// The counts of `cell`; most queues have one cell.
    #[inline]
    pub(crate) fn cell_mut(&mut self, cell: usize) -> &mut CellCounts {
        match &mut self.cells[..] {
            [only] => only,
            cells => &mut cells[cell],
        }
    }

    /// Mean queueing delay so far.
    pub(crate) fn mean_wait(&self) -> Duration {
        let (waited, departures) = self
            .cells
            .iter()
            .fold((0, 0), |(waited, left), cell| (waited + cell.waited, left + cell.departures));
        Duration::from_nanos(waited.checked_div(departures).unwrap_or(0))
    }

    /// Closes the interval at `now`, returns its counts and begins the next.
    pub(crate) fn cut(&mut self, now: Instant) -> Self {
        let beyond = self.busy_until.since(now).as_nanos();
        let mut next = Self {
            gauge: self.gauge.begin(now),
            class_gauges: self.class_gauges.iter().map(|gauge| gauge.begin(now)).collect(),
            losses: self.losses.cut(),
            busy_until: self.busy_until,
            busy_cell: self.busy_cell,
            supply: self.supply,
            capacity: None,
            lost_before: vec![0; self.lost_before.len()],
            cells: vec![CellCounts::default(); self.cells.len()],
        };
        let in_next = &mut next.cells[self.busy_cell];
        (in_next.busy, in_next.later) = (beyond, -beyond.cast_signed());
        let mut closed = std::mem::replace(self, next);
        closed.gauge.close(now);
        closed.class_gauges.iter_mut().for_each(|gauge| gauge.close(now));
        let last = closed.busy_cell;
        closed.cells[last].busy -= beyond;
        closed.cells[last].later += beyond.cast_signed();
        for cell in &mut closed.cells {
            cell.sojourns.close();
        }
        closed
    }

    /// Sets the capacity of the interval `closed`, which ends where this one begins, with this `supply`.
    pub(crate) fn divide(&mut self, closed: &mut Self, supply: Supply) {
        closed.capacity = Some(supply.since(self.supply));
        self.supply = supply;
        let unsent = supply.unsent.cast_signed();
        closed.cells[closed.busy_cell].carried -= unsent;
        self.cells[self.busy_cell].carried += unsent;
    }

    /// Packets of one group, or of all, that the impairment lost before the queue.
    pub(crate) fn lost_before(&self, group: Option<usize>) -> u64 {
        match group {
            Some(group) => self.lost_before[group],
            None => self.lost_before.iter().sum(),
        }
    }

    /// The cells of one class and one group, or of all; `groups` is the number of groups.
    pub(crate) fn cells_of(
        &self,
        groups: usize,
        class: Option<usize>,
        group: Option<usize>,
    ) -> impl Iterator<Item = &CellCounts> {
        let classes = match class {
            Some(class) => &self.cells[class * groups..(class + 1) * groups],
            None => &self.cells[..],
        };
        let step = if group.is_some() { groups } else { 1 };
        classes.iter().skip(group.unwrap_or(0)).step_by(step)
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.gauge.add(&other.gauge);
        for (gauge, other) in self.class_gauges.iter_mut().zip(&other.class_gauges) {
            gauge.add(other);
        }
        self.capacity = joined(self.capacity, other.capacity);
        for (lost, other) in self.lost_before.iter_mut().zip(&other.lost_before) {
            *lost += other;
        }
        self.losses.add(&other.losses);
        for (cell, other) in self.cells.iter_mut().zip(&other.cells) {
            cell.add(other);
        }
    }
}

/// The capacity of an interval and the next; `None` of a fixed rate.
pub(crate) fn joined(one: Option<Capacity>, next: Option<Capacity>) -> Option<Capacity> {
    match (one, next) {
        (Some(one), Some(next)) => Some(one.and(next)),
        (one, next) => one.or(next),
    }
}

impl CellCounts {
    /// Resets all counts and keeps the allocation.
    pub(crate) fn clear(&mut self) {
        let mut sojourns = std::mem::take(&mut self.sojourns);
        sojourns.clear();
        *self = Self { sojourns, ..Self::default() };
    }

    /// The share of `nanos` nanoseconds spent transmitting these packets. If the `capacity` is known: the share
    /// of that.
    pub(crate) fn utilisation(&self, nanos: f64, capacity: Option<Capacity>) -> f64 {
        match capacity {
            None => self.busy as f64 / nanos,
            Some(capacity) => {
                let begun = u128::from(self.bytes * 8) * Service::WORK_PER_BIT;
                (begun.cast_signed() + self.carried) as f64 / capacity.work() as f64
            }
        }
    }

    /// Nanoseconds that the transmissions of these packets take, all of them that begin here.
    pub(crate) const fn transmission(&self) -> i64 {
        self.busy.cast_signed() + self.later
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
        self.on_line += other.on_line;
        self.filtered += other.filtered;
        self.later += other.later;
        self.sojourns.add(&other.sojourns);
    }
}
