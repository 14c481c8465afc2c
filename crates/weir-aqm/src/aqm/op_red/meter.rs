//! Delay, loss and load over windows of time, for OP-RED.

use weir_types::{Duration, Instant};

use crate::parts;

/// With fewer arrivals the window continues.
const ENOUGH: u32 = 50;

/// Weight of a window in the averages over windows.
const GAIN: f64 = 0.25;

/// Counters of a window.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    pub(super) began: Instant,
    arrivals: u32,
    /// Arrivals that count as lost, and those of them that were forced.
    lost: u32,
    forced: u32,
    departures: u32,
    /// Sum of their sojourns.
    sojourns: Duration,
    /// Idle time, up to `idle_since` if the link is idle.
    idle: Duration,
    idle_since: Option<Instant>,
}

/// The measures of a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Mean sojourn in seconds, if anything departed.
    delay: Option<f64>,
    /// Lost arrivals over arrivals.
    loss: f64,
    /// Forced ones over lost ones, if there are any.
    forced: Option<f64>,
    /// Utilisation of the link.
    pub(super) busy: f64,
}

impl Meter {
    /// The link starts idle.
    pub(super) const fn new() -> Self {
        Self {
            began: Instant::ZERO,
            arrivals: 0,
            lost: 0,
            forced: 0,
            departures: 0,
            sojourns: Duration::ZERO,
            idle: Duration::ZERO,
            idle_since: Some(Instant::ZERO),
        }
    }

    #[inline]
    pub(super) fn arrived(&mut self, now: Instant) {
        self.arrivals += 1;
        if let Some(since) = self.idle_since.take() {
            self.idle = self.idle + now.since(since);
        }
    }

    #[inline]
    pub(super) const fn lost(&mut self, forced: bool) {
        self.lost += 1;
        self.forced += forced as u32;
    }

    #[inline]
    pub(super) fn departed(&mut self, sojourn: Duration) {
        self.departures += 1;
        self.sojourns = self.sojourns + sojourn;
    }

    pub(super) fn on_idle(&mut self, now: Instant) {
        self.idle_since.get_or_insert(now);
    }

    /// Ends the window at `now`, unless too little has arrived.
    pub(super) fn take(&mut self, now: Instant) -> Option<Sample> {
        if self.arrivals < ENOUGH {
            return None;
        }
        let ratio = |part: f64, whole: u32| (whole > 0).then(|| part / f64::from(whole));
        let idle_now = self.idle_since.map_or(Duration::ZERO, |since| now.since(since));
        let idle = (self.idle + idle_now).as_secs_f64();
        let sample = Sample {
            delay: ratio(self.sojourns.as_secs_f64(), self.departures),
            loss: f64::from(self.lost) / f64::from(self.arrivals),
            forced: ratio(f64::from(self.forced), self.lost),
            busy: 1.0 - idle / now.since(self.began).as_secs_f64(),
        };
        *self = Self { began: now, idle_since: self.idle_since.map(|_| now), ..Self::new() };
        Some(sample)
    }
}

/// Averages over windows, which start at the first sample.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Estimates {
    pub(super) delay: Option<f64>,
    pub(super) loss: Option<f64>,
    pub(super) forced: Option<f64>,
}

impl Estimates {
    pub(super) fn take(&mut self, sample: Sample) {
        let update = |average: &mut Option<f64>, sample: Option<f64>| {
            *average = match (*average, sample) {
                (Some(average), Some(sample)) => Some(parts::ewma(average, GAIN, sample)),
                (average, sample) => average.or(sample),
            };
        };
        update(&mut self.delay, sample.delay);
        update(&mut self.loss, Some(sample.loss));
        update(&mut self.forced, sample.forced);
    }
}
