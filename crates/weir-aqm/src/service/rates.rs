//! Rates that change at known instants.
//!
//! ```text
//! C(t) = integral of rate(s) ds from 0 to t                 bits that could have been sent
//! a packet of B bytes taken at t has left when C has grown by 8 B
//! ```
//!
//! A packet in transmission at a change continues at the new rate, so a busy link sends the
//! integral of its rate.

use alloc::{sync::Arc, vec::Vec};

use weir_types::{Duration, Instant, Rate};

use super::work::WORK_PER_BIT;

/// Rates by the time from which they hold, once or again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateSchedule {
    /// From when in the cycle, and what. The first begins with the cycle.
    steps: Vec<(Duration, Rate)>,
    /// Period, if it repeats.
    every: Option<Duration>,
    /// Work that can be done before each step, and in the whole cycle.
    before: Vec<u128>,
}

impl RateSchedule {
    /// `first` until the first of `changes`, which are in order of time; repeated with period
    /// `every`. `None` if they are not in order, start at zero, or exceed `every`.
    pub fn new(first: Rate, changes: &[(Duration, Rate)], every: Option<Duration>) -> Option<Self> {
        let mut steps = Vec::with_capacity(changes.len() + 1);
        steps.push((Duration::ZERO, first));
        steps.extend_from_slice(changes);
        let ordered = steps.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let last = steps.last().map_or(Duration::ZERO, |(at, _)| *at);
        if !ordered || every.is_some_and(|every| every <= last) {
            return None;
        }
        let mut before = Vec::with_capacity(steps.len() + 1);
        let mut sum = 0;
        for (index, (at, rate)) in steps.iter().enumerate() {
            before.push(sum);
            let until = steps.get(index + 1).map(|(next, _)| *next).or(every);
            sum += until.map_or(0, |until| work(*rate, until.saturating_sub(*at)));
        }
        before.push(sum);
        Some(Self { steps, every, before })
    }

    /// One rate for all time.
    pub fn fixed(rate: Rate) -> Self {
        Self::new(rate, &[], None).expect("no change is out of order")
    }

    /// Work that can be done until `at`: bits times `WORK_PER_BIT`.
    pub fn work(&self, at: Instant) -> u128 {
        let nanos = at.as_nanos();
        let (cycles, within) = match self.every {
            Some(every) => (nanos / every.as_nanos(), nanos % every.as_nanos()),
            None => (0, nanos),
        };
        let within = Duration::from_nanos(within);
        let step = self.steps.partition_point(|(from, _)| *from <= within) - 1;
        let (from, rate) = self.steps[step];
        let whole = self.before.last().copied().unwrap_or(0) * u128::from(cycles);
        whole + self.before[step] + work(rate, within.saturating_sub(from))
    }

    /// The first instant until which so much work can be done, the nanosecond in which it ends rounded down.
    pub(super) fn reaches(&self, target: u128) -> Instant {
        let (steps, last) = (self.steps.len(), self.before[self.steps.len()]);
        let (cycles, left) = match self.every {
            // What ends with a cycle ends in it.
            Some(_) if last > 0 => ((target.max(1) - 1) / last, (target.max(1) - 1) % last + 1),
            _ => (0, target),
        };
        let step = self.before[..steps].partition_point(|before| *before < left).max(1) - 1;
        let (from, rate) = self.steps[step];
        let nanos = (left.saturating_sub(self.before[step])) / u128::from(rate.bits_per_second());
        let within = from + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX / 4));
        let base = self.every.map_or(0, |every| every.as_nanos().saturating_mul(cycles as u64));
        Instant::from_nanos(base) + within
    }

    /// The first instant at which `work` more can have been done than at `from`.
    pub(super) fn after(&self, from: Instant, work: u128) -> Instant {
        let target = self.work(from) + work;
        let at = self.reaches(target);
        if self.work(at) < target { at + Duration::from_nanos(1) } else { at }
    }
}

fn work(rate: Rate, span: Duration) -> u128 {
    u128::from(rate.bits_per_second()) * u128::from(span.as_nanos())
}

/// A place in a schedule.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    /// When the cycle began.
    base: Instant,
    step: usize,
}

impl Cursor {
    const START: Self = Self { base: Instant::ZERO, step: 0 };

    fn rate(self, schedule: &RateSchedule) -> Rate {
        schedule.steps[self.step].1
    }

    /// When the rate changes next.
    fn until(self, schedule: &RateSchedule) -> Instant {
        let next = schedule.steps.get(self.step + 1).map(|(at, _)| *at).or(schedule.every);
        next.map_or(Instant::MAX, |at| self.base + at)
    }

    fn advance(&mut self, schedule: &RateSchedule) {
        let until = self.until(schedule);
        self.step += 1;
        if self.step == schedule.steps.len() {
            *self = Self { base: until, step: 0 };
        }
    }
}

/// The rate of a schedule that was last reported to the AQM.
#[derive(Debug)]
pub(super) struct ReportedRate {
    /// Position of the last change.
    at: Cursor,
    rate: Rate,
}

impl ReportedRate {
    /// The first rate of `schedule`.
    pub(super) fn new(schedule: &RateSchedule) -> Self {
        Self { at: Cursor::START, rate: Cursor::START.rate(schedule) }
    }

    /// When the rate changes next; [`Instant::MAX`] if it does not.
    pub(super) fn next_change(&self, schedule: &RateSchedule) -> Instant {
        self.at.until(schedule)
    }

    /// The change that was due has come: the rate from now on.
    pub(super) fn change(&mut self, schedule: &RateSchedule) -> Rate {
        self.at.advance(schedule);
        self.rate = self.at.rate(schedule);
        self.rate
    }

    /// The rate in force.
    pub(super) const fn rate(&self) -> Rate {
        self.rate
    }
}

/// Turns packets into instants on a link whose rate changes. Like
/// [`TransmitClock`](weir_types::TransmitClock) it carries what nanoseconds cut off.
#[derive(Debug)]
pub(crate) struct ScheduledClock {
    schedule: Arc<RateSchedule>,
    /// Where the last packet ends.
    sending: Cursor,
    reported: ReportedRate,
    /// Work that the instants given out so far fell short of: less than a nanosecond's.
    owed: u128,
}

impl ScheduledClock {
    pub(crate) fn new(schedule: Arc<RateSchedule>) -> Self {
        let reported = ReportedRate::new(&schedule);
        Self { schedule, sending: Cursor::START, reported, owed: 0 }
    }

    pub(crate) fn serve(&mut self, start: Instant, bytes: u32) -> (Instant, Instant) {
        let schedule = &*self.schedule;
        let mut at = start;
        let mut left = u128::from(bytes) * 8 * WORK_PER_BIT + self.owed;
        loop {
            let until = self.sending.until(schedule);
            let rate = self.sending.rate(schedule);
            let can = work(rate, until.since(at));
            if until > at && (left <= can || until == Instant::MAX) {
                let rate = u128::from(rate.bits_per_second());
                self.owed = left % rate;
                let end = at + Duration::from_nanos((left / rate) as u64);
                return (end, end);
            }
            // A schedule may have changed long ago, while nothing was to be sent.
            if until > at {
                left -= can;
                at = until;
            }
            self.sending.advance(schedule);
        }
    }

    pub(crate) fn next_change(&self) -> Instant {
        self.reported.next_change(&self.schedule)
    }

    pub(crate) fn change(&mut self) -> Rate {
        self.reported.change(&self.schedule)
    }

    pub(crate) const fn rate(&self) -> Rate {
        self.reported.rate()
    }

    pub(crate) fn offered(&self, now: Instant) -> u128 {
        self.schedule.work(now)
    }

    pub(crate) fn unsent(&self, now: Instant, free_at: Instant) -> u128 {
        self.offered(free_at).saturating_sub(self.offered(now)) + self.owed
    }
}
