//! COBALT's rule for one queue, apart from its parameters: CAKE has a thousand queues with the same.

use weir_types::{Duration, Instant, Rng};

/// Values by which COBALT judges, the same for many queues.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settings {
    /// Acceptable sojourn time; also the minimum time between two steps of `p_drop`.
    pub(crate) target: Duration,
    /// Time above `target` before the first signal.
    pub(crate) interval: Duration,
    /// Increment of `p_drop` when the buffer overflows.
    pub(crate) increment: f64,
    /// Decrement of `p_drop` when the queue is empty.
    pub(crate) decrement: f64,
}

/// State of one queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// The last sojourn time was too long.
    dropping: bool,
    /// No spacing has been computed yet: it is zero.
    unspaced: bool,
    /// Number of signals, minus decrements since.
    count: u32,
    /// When the next signal or decrement is due.
    drop_next: Instant,
    /// Blue's probability.
    p_drop: f64,
    /// When it last changed.
    blue_timer: Instant,
}

/// Signals to the packet at the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Judgement {
    /// It is to be marked.
    pub(crate) mark: bool,
    /// It is to be dropped.
    pub(crate) drop: bool,
}

impl State {
    /// State as Linux clears it: the reciprocal root of `count` is 0 until `count` first changes. The first
    /// signal of all is therefore due at once, with the second packet that has waited too long.
    pub(crate) fn as_in_linux() -> Self {
        Self { unspaced: true, ..Self::default() }
    }

    /// `interval / sqrt(count)`; an interval while nothing has been counted.
    fn spacing(&self, settings: &Settings) -> Duration {
        if self.unspaced {
            return Duration::ZERO;
        }
        settings.interval.mul_f64(1.0 / libm::sqrt(f64::from(self.count.max(1))))
    }

    /// `count` has changed: the next signal or decrement comes a spacing later.
    fn advance(&mut self, settings: &Settings) {
        self.unspaced = false;
        self.drop_next += self.spacing(settings);
    }

    /// Raises Blue's probability, at most once per target.
    pub(crate) fn blue_up(&mut self, settings: &Settings, now: Instant) {
        if now.since(self.blue_timer) > settings.target {
            self.p_drop = (self.p_drop + settings.increment).min(1.0);
            self.blue_timer = now;
        }
    }

    /// CoDel's part: whether to signal this head, and whether the stored `drop_next` has passed.
    fn codel(&mut self, too_long: bool, settings: &Settings, now: Instant) -> (bool, bool) {
        // Values on entry, before `drop_next` changes.
        let mut due = self.count > 0 && now >= self.drop_next;
        let mut passed = now > self.drop_next;
        if too_long {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = now + self.spacing(settings);
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        if due && self.dropping {
            self.count = self.count.saturating_add(1);
            self.advance(settings);
            return (true, now > self.drop_next);
        }
        while due {
            self.count -= 1;
            self.advance(settings);
            passed = now > self.drop_next;
            due = self.count > 0 && now >= self.drop_next;
        }
        (false, passed)
    }

    /// Judges the head of the queue, whose sojourn time is `too_long` or not.
    #[inline]
    pub(crate) fn judge(
        &mut self,
        too_long: bool,
        markable: bool,
        settings: &Settings,
        rng: &mut Rng,
        now: Instant,
    ) -> Judgement {
        let (signal, passed) = self.codel(too_long, settings, now);
        let mark = signal && markable;
        let mut drop = signal && !mark;
        if self.p_drop > 0.0 {
            // Traffic that ignores drops ignores marks too.
            drop |= rng.chance(self.p_drop);
        }
        if self.count == 0 {
            self.drop_next = now + settings.interval;
        } else if passed && !drop {
            self.drop_next = now;
        }
        Judgement { mark, drop }
    }

    /// The queue was to give a packet at `now`, and is empty.
    pub(crate) fn ran_empty(&mut self, settings: &Settings, now: Instant) {
        if self.p_drop > 0.0 && now.since(self.blue_timer) > settings.target {
            self.p_drop = (self.p_drop - settings.decrement).max(0.0);
            self.blue_timer = now;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.advance(settings);
        }
    }

    /// A packet was dropped at `now` because the buffer was full.
    pub(crate) fn overflowed(&mut self, settings: &Settings, now: Instant) {
        self.blue_up(settings, now);
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// Returns true if nothing is left of former congestion at `now`.
    pub(crate) fn is_at_rest(&self, now: Instant) -> bool {
        self.p_drop == 0.0 && self.count == 0 && now >= self.drop_next
    }

    /// Blue's probability.
    pub(crate) const fn p_drop(&self) -> f64 {
        self.p_drop
    }

    /// Number of signals, minus decrements since.
    pub(crate) const fn count(&self) -> u32 {
        self.count
    }

    pub(crate) fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("dropping", f64::from(u8::from(self.dropping)));
        record("count", f64::from(self.count));
        record("drop_next", self.drop_next.as_secs_f64());
        record("p_drop", self.p_drop);
        record("blue_timer", self.blue_timer.as_secs_f64());
    }
}
