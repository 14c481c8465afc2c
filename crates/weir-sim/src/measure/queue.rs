use weir_aqm::Reason;
use weir_types::{Duration, Instant};

use super::{Histogram, QueueGauge};

/// What one queue did in one interval.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueCounts {
    pub(crate) gauge: QueueGauge,
    /// The transmission counted last: when it ends, and whose it is. What lies beyond a cut
    /// belongs to the next interval.
    busy_until: Instant,
    busy_group: usize,
    pub(crate) groups: Vec<GroupCounts>,
}

/// What one queue did with the packets of one group.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupCounts {
    pub(crate) arrivals: u64,
    pub(crate) departures: u64,
    /// Nanoseconds during which bits left.
    busy: u64,
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
    pub(crate) fn new(groups: usize) -> Self {
        Self {
            gauge: QueueGauge::default(),
            busy_until: Instant::ZERO,
            busy_group: 0,
            groups: vec![GroupCounts::default(); groups],
        }
    }

    /// Begins a new sum, for so many groups, in the room of the last.
    pub(crate) fn clear(&mut self, groups: usize) {
        self.gauge = QueueGauge::default();
        self.groups.resize_with(groups, GroupCounts::default);
        for group in &mut self.groups {
            group.clear();
        }
    }

    /// A packet of `group` is transmitted from `start` to `end`, after it waited `sojourn`.
    #[inline]
    pub(crate) fn transmits(
        &mut self,
        group: usize,
        bytes: u32,
        sojourn: Duration,
        start: Instant,
        end: Instant,
    ) {
        self.busy_until = end;
        self.busy_group = group;
        let counts = &mut self.groups[group];
        counts.busy += end.since(start).as_nanos();
        counts.departures += 1;
        counts.bytes += u64::from(bytes);
        counts.waited += sojourn.as_nanos();
        counts.sojourns.record(sojourn);
    }

    /// Closes the interval at `now` and begins the next.
    pub(crate) fn cut(&mut self, now: Instant) -> Self {
        let beyond = self.busy_until.since(now).as_nanos();
        let mut next = Self::new(self.groups.len());
        next.gauge = self.gauge.begin(now);
        (next.busy_until, next.busy_group) = (self.busy_until, self.busy_group);
        next.groups[self.busy_group].busy = beyond;
        let mut closed = std::mem::replace(self, next);
        closed.gauge.close(now);
        let last = closed.busy_group;
        closed.groups[last].busy -= beyond;
        for group in &mut closed.groups {
            group.sojourns.close();
        }
        closed
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.gauge.add(&other.gauge);
        for (group, other) in self.groups.iter_mut().zip(&other.groups) {
            group.add(other);
        }
    }
}

impl GroupCounts {
    /// Begins a new sum in the room of the last.
    pub(crate) fn clear(&mut self) {
        let mut sojourns = std::mem::take(&mut self.sojourns);
        sojourns.clear();
        *self = Self { sojourns, ..Self::default() };
    }

    /// The share of `nanos` nanoseconds during which bits of these packets left.
    pub(crate) fn utilisation(&self, nanos: f64) -> f64 {
        self.busy as f64 / nanos
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
        self.bytes += other.bytes;
        self.early += other.early;
        self.forced += other.forced;
        self.overflow += other.overflow;
        self.marks += other.marks;
        self.waited += other.waited;
        self.sojourns.add(&other.sojourns);
    }
}
