//! PI, PIE, PI2, DualPI2 and REM: every T they add now (q - target) - before (`q_old` - target) to a state.

use serde::{Deserialize, Serialize};

use super::drive::{Drive, Seen};

/// Divisors of a step of PIE below each probability, 1 above the last (RFC 8033, section 4.2).
pub const PIE_SCALE: [(f64, f64); 6] =
    [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (0.1, 2.0)];

/// The probability as a function of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// The state: PI, PIE.
    Plain,
    /// Its square: PI2.
    Square,
    /// 1 - phi^-x: REM.
    Price,
    /// k x of the scalable flows and x² of the others: DualPI2.
    Coupled,
}

impl Shape {
    /// Name of the state in the disciplines' variables.
    pub(super) const fn variable(self) -> &'static str {
        match self {
            Self::Plain => "probability",
            Self::Square | Self::Coupled => "p'",
            Self::Price => "price",
        }
    }
}

/// PI and its kin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Integrator {
    /// Its name in messages.
    pub name: String,
    /// Coefficient of the queue's excess over the target: added to the state per packet, or per second.
    pub now: f64,
    /// Coefficient of the excess one T earlier: subtracted from the state per packet, or per second.
    pub before: f64,
    /// T, seconds.
    pub interval: f64,
    /// Packets, or seconds if `by_delay`.
    pub target: f64,
    /// The queue is measured as its delay.
    pub by_delay: bool,
    /// The probability as a function of the state.
    pub shape: Shape,
    /// Base of REM's probability.
    pub phi: f64,
    /// k of `DualPI2`.
    pub coupling: f64,
    /// PIE: steps are divided by its table.
    pub tuned: bool,
    /// Divisor of PIE's steps, where it is held.
    pub scale: Option<f64>,
    /// Updates are T apart; otherwise the continuous controller of the same gains.
    pub hold: bool,
    /// REM by equation 2: what it drops arrives, and counts in the rate.
    pub counts_drops: bool,
}

impl Default for Integrator {
    /// PI without gains.
    fn default() -> Self {
        Self {
            name: "PI".to_owned(),
            now: 0.0,
            before: 0.0,
            interval: 0.0,
            target: 0.0,
            by_delay: false,
            shape: Shape::Plain,
            phi: 1.001,
            coupling: 2.0,
            tuned: false,
            scale: None,
            hold: true,
            counts_drops: false,
        }
    }
}

impl Integrator {
    /// Divisor of PIE's steps at a probability; 1 for the others.
    fn divisor(&self, p: f64) -> f64 {
        match self.scale {
            Some(scale) => scale,
            None if self.tuned => PIE_SCALE.iter().find(|(below, _)| p < *below).map_or(1.0, |(_, by)| *by),
            None => 1.0,
        }
    }
}

/// An integrator at work.
pub(crate) struct Driven {
    aqm: Integrator,
    /// The state at which the probability is one, or as near as a price can come.
    greatest: f64,
    /// ln phi.
    log_phi: f64,
    /// Where it is held between updates, the queue at the last, and when the next is due.
    last: Option<(f64, f64)>,
}

impl Driven {
    pub(crate) fn new(aqm: &Integrator) -> Self {
        let log_phi = aqm.phi.ln();
        let greatest = if aqm.shape == Shape::Price { 37.0 / log_phi } else { 1.0 };
        Self { aqm: aqm.clone(), greatest, log_phi, last: None }
    }

    /// The target in packets, and what turns the gains to those per packet.
    fn scaled(&self, capacity: f64) -> (f64, f64) {
        if self.aqm.by_delay { (self.aqm.target * capacity, 1.0 / capacity) } else { (self.aqm.target, 1.0) }
    }
}

impl Drive for Driven {
    fn signal(&self, state: f64, _: f64, _: f64, scalable: bool) -> f64 {
        match self.aqm.shape {
            Shape::Plain => state,
            Shape::Coupled if scalable => (self.aqm.coupling * state).min(1.0),
            Shape::Square | Shape::Coupled => state * state,
            Shape::Price => -(-state * self.log_phi).exp_m1(),
        }
    }

    fn slope(&self, state: f64, seen: Seen, capacity: f64) -> f64 {
        let aqm = &self.aqm;
        let (target, per) = self.scaled(capacity);
        let moves = if aqm.counts_drops { seen.rate - capacity } else { seen.growth };
        // K and K/z of the controller without a hold.
        let (integral, proportional) = ((aqm.now - aqm.before) / aqm.interval, 0.5 * (aqm.now + aqm.before));
        let found = (integral * (seen.queue - target) + proportional * moves) * per / aqm.divisor(state);
        let stuck = (state <= 0.0 && found < 0.0) || (state >= self.greatest && found > 0.0);
        if stuck { 0.0 } else { found }
    }

    fn bounded(&self, state: f64, _: f64) -> f64 {
        state.clamp(0.0, self.greatest)
    }

    fn knees(&self) -> Vec<f64> {
        let table = PIE_SCALE.iter().map(|(below, _)| *below).filter(|_| self.aqm.tuned);
        [0.0, self.greatest].into_iter().chain(table).collect()
    }

    fn hold(&mut self, longest: f64, now: f64, queue: f64) -> bool {
        let held = self.aqm.hold && self.aqm.interval >= longest;
        self.last = held.then(|| self.last.unwrap_or((queue, now + self.aqm.interval)));
        held
    }

    fn due(&self) -> f64 {
        self.last.map_or(f64::INFINITY, |(_, due)| due)
    }

    fn update(&mut self, state: f64, queue: f64, capacity: f64) -> f64 {
        let Some((old, due)) = self.last else { return state };
        self.last = Some((queue, due + self.aqm.interval));
        let (target, per) = self.scaled(capacity);
        let moved = self.aqm.now * (queue - target) - self.aqm.before * (old - target);
        self.bounded(state + moved * per / self.aqm.divisor(state), capacity)
    }
}
