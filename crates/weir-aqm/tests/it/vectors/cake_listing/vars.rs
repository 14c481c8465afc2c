//! COBALT of one queue and the times of a tin, in nanoseconds.

use weir_types::{Ecn, Rng};

/// Values that `cake_set_rate` sets, in nanoseconds and bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub(super) rate: Option<u64>,
    pub(super) target: i64,
    pub(super) interval: i64,
    pub(super) mtu_time: i64,
    pub(super) quantum: i64,
    pub(super) tin_quantum: i64,
}

/// Nanoseconds for `bytes` at `rate` bit/s.
pub(super) fn time(bytes: u32, rate: u64) -> i64 {
    (u128::from(bytes) * 8_000_000_000 / u128::from(rate)) as i64
}

impl Times {
    pub(super) fn new(rate: Option<u64>, rtt: i64, tin_quantum: i64) -> Self {
        let (mtu_time, target) = (rate.map_or(0, |rate| time(1514, rate)), rtt / 20);
        let stretched = (mtu_time * 3 / 2).max(target);
        Self {
            rate,
            target: stretched,
            interval: (rtt + stretched - target).max(2 * stretched),
            mtu_time,
            quantum: rate.map_or(1514, |rate| ((rate / 8) >> 12).clamp(300, 1514).cast_signed()),
            tin_quantum,
        }
    }
}

/// State of one queue's COBALT. `inverse` is the reciprocal root of `count`, 0 at first.
#[derive(Debug)]
pub(super) struct Vars {
    pub(super) count: u32,
    pub(super) inverse: f64,
    pub(super) drop_next: i64,
    pub(super) blue_timer: i64,
    pub(super) p_drop: f64,
    pub(super) dropping: bool,
}

impl Vars {
    pub(super) fn step(&mut self, interval: i64) {
        self.inverse = if self.count == 0 { 1.0 } else { 1.0 / f64::from(self.count).sqrt() };
        self.drop_next = self.control(self.drop_next, interval);
    }

    fn control(&self, from: i64, interval: i64) -> i64 {
        from + (interval as f64 * self.inverse).round() as i64
    }

    pub(super) fn full(&mut self, tin: &Times, now: i64) {
        if now - self.blue_timer > tin.target {
            self.p_drop = (self.p_drop + 1.0 / 256.0).min(1.0);
            self.blue_timer = now;
        }
        self.dropping = true;
        self.drop_next = now;
        if self.count == 0 {
            self.count = 1;
        }
    }

    pub(super) fn empty(&mut self, tin: &Times, now: i64) {
        if self.p_drop > 0.0 && now - self.blue_timer > tin.target {
            self.p_drop = if self.p_drop < 1.0 / 4096.0 { 0.0 } else { self.p_drop - 1.0 / 4096.0 };
            self.blue_timer = now;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.step(tin.interval);
        }
    }

    /// To be dropped, and to be marked.
    pub(super) fn judge(
        &mut self,
        tin: &Times,
        bulk: i64,
        waited: i64,
        ecn: Ecn,
        now: i64,
        rng: &mut Rng,
    ) -> (bool, bool) {
        let mut schedule = now - self.drop_next;
        let over = waited > tin.target && waited > tin.mtu_time * bulk * 2 && waited > tin.mtu_time * 4;
        let mut due = self.count > 0 && schedule >= 0;
        let (mut drop, mut mark) = (false, false);
        if over {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = self.control(now, tin.interval);
            }
            if self.count == 0 {
                self.count = 1;
            }
        } else {
            self.dropping = false;
        }
        if due && self.dropping {
            mark = ecn != Ecn::NotEct;
            drop = !mark;
            self.count += 1;
            self.step(tin.interval);
            schedule = now - self.drop_next;
        } else {
            while due {
                self.count -= 1;
                self.step(tin.interval);
                schedule = now - self.drop_next;
                due = self.count > 0 && schedule >= 0;
            }
        }
        if self.p_drop > 0.0 && rng.chance(self.p_drop) {
            drop = true;
        }
        if self.count == 0 {
            self.drop_next = now + tin.interval;
        } else if schedule > 0 && !drop {
            self.drop_next = now;
        }
        (drop, mark)
    }
}
