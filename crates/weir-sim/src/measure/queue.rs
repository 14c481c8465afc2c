use weir_aqm::Reason;
use weir_types::{Duration, Instant};

use super::{Histogram, QueueGauge};

/// What one queue did in one interval.
#[derive(Clone, Debug)]
pub(crate) struct QueueCounts {
    pub(crate) gauge: QueueGauge,
    /// Nanoseconds during which bits left.
    busy: u64,
    /// When the transmission counted last ends: what lies beyond a cut belongs to the next interval.
    busy_until: Instant,
    pub(crate) groups: Vec<GroupCounts>,
}

/// What one queue did with the packets of one group.
#[derive(Clone, Debug)]
pub(crate) struct GroupCounts {
    pub(crate) arrivals: u64,
    pub(crate) departures: u64,
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
            busy: 0,
            busy_until: Instant::ZERO,
            groups: vec![GroupCounts::new(); groups],
        }
    }

    /// A transmission takes from `start` to `end`.
    #[inline]
    pub(crate) fn transmits(&mut self, start: Instant, end: Instant) {
        self.busy += end.since(start).as_nanos();
        self.busy_until = end;
    }

    /// Closes the interval at `now` and begins the next.
    pub(crate) fn cut(&mut self, now: Instant) -> Self {
        let beyond = self.busy_until.since(now).as_nanos();
        let next = Self { gauge: self.gauge.begin(now), busy: beyond, ..Self::new(self.groups.len()) };
        let next = Self { busy_until: self.busy_until, ..next };
        let mut closed = std::mem::replace(self, next);
        closed.gauge.close(now);
        closed.busy -= beyond;
        closed
    }

    /// The share of `nanos` nanoseconds during which bits left.
    pub(crate) fn utilisation(&self, nanos: f64) -> f64 {
        self.busy as f64 / nanos
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.gauge.add(&other.gauge);
        self.busy += other.busy;
        for (group, other) in self.groups.iter_mut().zip(&other.groups) {
            group.add(other);
        }
    }
}

impl GroupCounts {
    pub(crate) fn new() -> Self {
        Self {
            arrivals: 0,
            departures: 0,
            bytes: 0,
            early: 0,
            forced: 0,
            overflow: 0,
            marks: 0,
            sojourns: Histogram::default(),
            waited: 0,
        }
    }

    #[inline]
    pub(crate) fn departed(&mut self, bytes: u32, sojourn: Duration) {
        self.departures += 1;
        self.bytes += u64::from(bytes);
        self.waited += sojourn.as_nanos();
        self.sojourns.record(sojourn);
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
        self.bytes += other.bytes;
        self.early += other.early;
        self.forced += other.forced;
        self.overflow += other.overflow;
        self.marks += other.marks;
        self.waited += other.waited;
        self.sojourns.add(&other.sojourns);
    }
}
