//! Pure arithmetic of OP-RED: from errors to a direction, from a direction to parameters.

use core::cmp::Ordering;

/// Logarithmic error that counts as achieved.
pub(super) const TOLERANCE: f64 = 0.1;

/// Which parameter moves: `max_p` at low load, `max_th` at high load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    Low,
    High,
}

/// `u`: how much delay to trade for loss, from the errors before clipping.
pub(super) fn trade(e_d: f64, e_l: f64) -> f64 {
    let clip = |e: f64| e.clamp(-1.0, 1.0);
    match (e_d > TOLERANCE, e_l > TOLERANCE) {
        (true, true) => {
            let (u, difference) = (clip(e_l) - clip(e_d), e_l - e_d);
            u.abs().max(difference.abs().min(0.5)).copysign(difference)
        }
        // Slack of one target enlarges the step for the other.
        (true, false) => clip(e_l).min(0.0) - clip(e_d),
        (false, true) => clip(e_l) - clip(e_d).min(0.0),
        (false, false) => 0.0,
    }
}

/// The parameters that OP-RED changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Parameters {
    pub(super) max_th: f64,
    pub(super) max_p: f64,
}

/// Their bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// B, in the unit of the thresholds.
    pub(super) buffer: f64,
    /// Lowest and highest `max_th`, in the unit of the thresholds.
    pub(super) range: (f64, f64),
}

impl Bounds {
    /// From the buffer and `min_th`, both in units of which a packet has `packet`.
    pub(super) fn new(buffer: f64, min_th: f64, packet: f64) -> Self {
        let lowest = (2.0 * min_th).max(min_th + 5.0 * packet);
        Self { buffer, range: (lowest, buffer.max(lowest)) }
    }

    /// `max_th` at low load: 0.6 B.
    pub(super) fn max_th(&self) -> f64 {
        (0.6 * self.buffer).clamp(self.range.0, self.range.1)
    }

    /// The parameters after a step of `u`.
    pub(super) fn step(&self, from: Parameters, load: Load, u: f64, mostly_forced: bool) -> Parameters {
        let th =
            Lever { now: from.max_th, by: 0.05 * self.buffer * u, range: self.range, home: self.max_th() };
        let p = Lever { now: -libm::log(from.max_p), by: 0.15 * u, range: P_RANGE, home: P_HOME };
        let max_p = |lever: f64| libm::exp(-lever);
        match load {
            Load::High if th.yields_to(p) => Parameters { max_p: max_p(p.in_place_of(th)), ..from },
            Load::Low if p.yields_to(th) => Parameters { max_th: th.in_place_of(p), ..from },
            Load::High => {
                let tenth = -libm::log(from.max_p + 0.1 * (0.3 - from.max_p));
                let next = if mostly_forced { p.clamped(p.now - 0.15) } else { p.homewards(tenth) };
                Parameters { max_th: th.moved(), max_p: max_p(next) }
            }
            Load::Low => {
                let tenth = 0.1 * self.buffer;
                let home = th.now + (th.home - th.now).clamp(-tenth, tenth);
                let next = if mostly_forced { p.clamped(p.now - 0.15) } else { p.moved() };
                Parameters { max_th: th.homewards(home), max_p: max_p(next) }
            }
        }
    }
}

/// 0.5 to 0.01, and 0.3, as `-ln max_p`.
const P_RANGE: (f64, f64) = (core::f64::consts::LN_2, 2.0 * core::f64::consts::LN_10);
const P_HOME: f64 = 1.203_972_804_325_936;

/// Rounding error of the logarithm.
const NEAR: f64 = 1e-9;

/// A parameter on a scale where delay increases and loss decreases: `max_th`, `-ln max_p`.
#[derive(Clone, Copy, Debug)]
struct Lever {
    now: f64,
    /// The requested step.
    by: f64,
    range: (f64, f64),
    /// Value while the other parameter moves.
    home: f64,
}

impl Lever {
    fn clamped(self, next: f64) -> f64 {
        next.clamp(self.range.0, self.range.1)
    }

    fn moved(self) -> f64 {
        self.clamped(self.now + self.by)
    }

    /// `next`, a step towards home, if it has the direction of the requested step.
    fn homewards(self, next: f64) -> f64 {
        if (next - self.now) * self.by > 0.0 { next } else { self.now }
    }

    /// The bound that it has reached.
    fn end(self) -> Option<Ordering> {
        let Self { now, range: (lowest, highest), .. } = self;
        match () {
            () if now <= lowest + NEAR => Some(Ordering::Less),
            () if now >= highest - NEAR => Some(Ordering::Greater),
            () => None,
        }
    }

    /// The requested step leads out of the range.
    fn is_stuck(self) -> bool {
        self.end().is_some() && self.end() == self.by.partial_cmp(&0.0)
    }

    /// It is stuck, or it was and the other parameter is not home yet.
    fn yields_to(self, other: Self) -> bool {
        self.is_stuck()
            || match self.end() {
                Some(Ordering::Less) => other.now < other.home - NEAR,
                Some(_) => other.now > other.home + NEAR,
                None => false,
            }
    }

    /// The step in place of the other parameter, which takes over at home unless it is stuck.
    fn in_place_of(self, other: Self) -> f64 {
        let next = self.moved();
        let passes_home = (self.now - self.home) * (next - self.home) < 0.0;
        if passes_home && !other.is_stuck() { self.home } else { next }
    }
}
