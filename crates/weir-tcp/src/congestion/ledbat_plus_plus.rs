//! LEDBAT++: LEDBAT with a decrease in proportion to the window, and with slowdowns that show the base delay.
//!
//! P. Balasubramanian, O. Ertugay, D. Havey, M. Bagnulo: *LEDBAT++: Congestion Control for Background Traffic*,
//! draft-irtf-iccrg-ledbat-plus-plus.
//!
//! ```text
//! GAIN = 1 / min(16, ceil(2 TARGET / base))
//! slow start    cwnd += GAIN n                                    n segments acknowledged
//!               the first ends at a queueing delay above 3/4 TARGET
//! delay <= TARGET         cwnd += GAIN n / cwnd
//! delay  > TARGET         cwnd += max(GAIN - C cwnd (delay / TARGET - 1), -cwnd / 2) n / cwnd
//! a loss, a mark          cwnd /= 2
//!
//! a slowdown    ssthresh = cwnd, cwnd = 2 for 2 RTT, then slow start up to ssthresh
//!               the first begins 2 RTT after slow start; the next 9 times its duration after each
//! ```
//!
//! During a slowdown the queue drains and all flows see the base delay, so that a late-comer has no advantage for long.
//! One tenth of the time goes into slowdowns. The delays: see `delay.rs`.
//!
//! Deviations: the first window is `tcp.initial_window`, where the draft has 2 segments. The window moves outside of
//! loss recovery only, and, as `tcp.cwnd_validation` has it, only while it limits the sender. The draft is silent on
//! three points. RTT is here the smoothed round trip when a slowdown begins, or is due. A loss in a slowdown halves
//! ssthresh. What follows a timeout counts as a slowdown, since the queue drains then too.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid, Packets};

use super::{
    Ack, Congestion, Facts, Repair, Signal, Window,
    delay::DelayFilter,
    ledbat::{check_min_cwnd, check_target},
};
use crate::preset::InPreset;

/// Greatest divisor of the gain.
const MOST_DIVISOR: f64 = 16.0;
/// Share of the target at which the first slow start ends.
const SLOW_START_EXIT: f64 = 0.75;
/// Round trips from slow start to the first slowdown, and at the least window.
const ROUNDS: u64 = 2;

/// Parameters of LEDBAT++.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LedbatPlusPlusParameters {
    /// `TARGET`: the queueing delay up to which the window grows.
    #[schemars(extend("x-default-source" = "the draft"))]
    pub target: Duration,
    /// `C`: weight of the multiplicative decrease.
    #[schemars(extend("x-default-source" = "the draft, multiplicative decrease"))]
    pub constant: f64,
    /// Least window but after a timeout, also that of a slowdown.
    #[schemars(extend("x-default-source" = "the draft, slowdown"))]
    pub min_cwnd: Packets,
    /// A slowdown begins this many times the duration of the last one after it. 0: never, not even the first.
    #[schemars(extend("x-default-source" = "the draft, periodic slowdown"))]
    pub slowdown_interval: u32,
    /// Minutes that the base delay looks back, at most 10.
    #[schemars(extend("x-default-source" = "RFC 6817, section 2.5"))]
    pub base_history: u32,
    /// The current delay is the least of this many, at most 16, of the last round trip.
    #[schemars(extend("x-default-source" = "RFC 6817: at least 4 in each round trip"))]
    pub current_filter: u32,
}

impl Default for LedbatPlusPlusParameters {
    fn default() -> Self {
        Self {
            target: Duration::from_millis(60),
            constant: 1.0,
            min_cwnd: Packets(2.0),
            slowdown_interval: 9,
            base_history: 10,
            current_filter: 4,
        }
    }
}

impl InPreset for LedbatPlusPlusParameters {}

impl LedbatPlusPlusParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        check_target(self.target)?;
        Invalid::unless_positive(self.constant, "constant")?;
        check_min_cwnd(self.min_cwnd)?;
        DelayFilter::check(self.base_history, self.current_filter)
    }
}

/// Phase of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The slow start of a new connection.
    First,
    /// Congestion avoidance.
    Steady { slowdown_at: Option<Instant> },
    /// The least window of a slowdown.
    Frozen { since: Instant, until: Instant },
    /// The slow start that ends a slowdown.
    Ramp { since: Instant },
}

/// LEDBAT++'s congestion control.
#[derive(Clone, Debug)]
pub struct LedbatPlusPlus {
    parameters: LedbatPlusPlusParameters,
    phase: Phase,
    delays: DelayFilter,
}

impl LedbatPlusPlus {
    /// LEDBAT++ with these parameters.
    pub fn new(parameters: &LedbatPlusPlusParameters) -> Self {
        Self {
            parameters: *parameters,
            phase: Phase::First,
            delays: DelayFilter::new(parameters.base_history, parameters.current_filter),
        }
    }

    fn gain(&self) -> f64 {
        let base = self.delays.base().as_secs_f64();
        let divisor = libm::ceil(2.0 * self.parameters.target.as_secs_f64() / base);
        1.0 / divisor.min(MOST_DIVISOR)
    }

    /// Begins or ends what is due.
    fn advance(&mut self, ack: &Ack, window: &mut Window) {
        let interval = self.parameters.slowdown_interval;
        let after = |wait: Duration| (interval > 0).then_some(ack.now + wait);
        match self.phase {
            Phase::First => {
                let exit = self.parameters.target.as_secs_f64() * SLOW_START_EXIT;
                if self.delays.queueing().as_secs_f64() > exit {
                    window.ssthresh = window.ssthresh.min(window.cwnd);
                }
                if window.cwnd >= window.ssthresh {
                    self.phase = Phase::Steady { slowdown_at: after(ack.smoothed * ROUNDS) };
                }
            }
            Phase::Steady { slowdown_at: Some(at) } if ack.now >= at => {
                window.ssthresh = window.cwnd;
                self.phase = Phase::Frozen { since: ack.now, until: ack.now + ack.smoothed * ROUNDS };
            }
            Phase::Frozen { since, until } if ack.now >= until => self.phase = Phase::Ramp { since },
            Phase::Ramp { since } if window.cwnd >= window.ssthresh => {
                let wait = ack.now.since(since) * u64::from(interval);
                self.phase = Phase::Steady { slowdown_at: after(wait) };
            }
            _ => {}
        }
    }

    /// The change of the window in congestion avoidance, in segments per round trip.
    fn change(&self, cwnd: f64) -> f64 {
        let excess = self.delays.queueing().as_secs_f64() / self.parameters.target.as_secs_f64() - 1.0;
        let decrease = self.parameters.constant * cwnd * excess.max(0.0);
        (self.gain() - decrease).max(-cwnd / 2.0)
    }

    fn slows_down(&self) -> bool {
        matches!(self.phase, Phase::Frozen { .. } | Phase::Ramp { .. })
    }

    /// Halves the window, or the one that a slowdown returns to; false if that.
    fn halve(&self, window: &mut Window) -> bool {
        if self.slows_down() {
            window.ssthresh = (window.ssthresh / 2.0).max(2.0);
            return false;
        }
        window.cwnd = window.cwnd.min((window.cwnd / 2.0).max(self.parameters.min_cwnd.0));
        window.ssthresh = window.cwnd.max(2.0);
        true
    }
}

impl Congestion for LedbatPlusPlus {
    const FACTS: Facts = Facts { yields: true, ..Facts::PLAIN };

    fn observe(&mut self, ack: Ack, _: &mut Window) -> bool {
        self.delays.sample(ack.now, ack.rtt);
        false
    }

    fn on_ack(&mut self, ack: Ack, window: &mut Window) {
        self.advance(&ack, window);
        if let Phase::Frozen { .. } = self.phase {
            window.cwnd = window.cwnd.min(self.parameters.min_cwnd.0);
        } else if window.cwnd < window.ssthresh {
            window.cwnd = (window.cwnd + self.gain() * ack.counted).min(window.ssthresh);
        } else {
            let change = self.change(window.cwnd);
            window.cwnd =
                (window.cwnd + change * f64::from(ack.acked) / window.cwnd).max(self.parameters.min_cwnd.0);
            if change < 0.0 {
                window.ssthresh = window.ssthresh.min(window.cwnd);
            }
        }
    }

    fn on_loss(&mut self, _: Signal, window: &mut Window) -> Repair {
        if self.halve(window) { Repair::Recover } else { Repair::Uncut }
    }

    fn on_mark(&mut self, _: Signal, window: &mut Window) {
        self.halve(window);
    }

    fn on_timeout(&mut self, signal: Signal, window: &mut Window) {
        if self.halve(window) {
            self.phase = Phase::Ramp { since: signal.now };
        }
        window.cwnd = 1.0;
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.delays.probe(record);
        record("slowdown", f64::from(u8::from(self.slows_down())));
    }
}
