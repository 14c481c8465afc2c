//! Vegas: a few packets of each flow in the queue, told by the round trip.
//!
//! L. Brakmo, L. Peterson: *TCP Vegas: End to End Congestion Avoidance on a Global Internet*, IEEE JSAC
//! 13 (8), 1995, section 3; rounds and constants as ns-2 has them.
//!
//! ```text
//! once per round trip      diff = W (1 - base / RTT)
//! congestion avoidance     diff < alpha: one segment more over the next round;  diff > beta: one less
//! slow start               one segment per ACK, every other round
//!                          diff > gamma: cwnd -= cwnd / 8, and congestion avoidance
//! a loss                   cwnd = 3/4 cwnd, at least 2
//! a mark, a timeout        as Reno
//! ```
//!
//! `base` is the least round trip seen, RTT the mean of the round. In equilibrium each flow has alpha to
//! beta packets in the queues. The finer timeouts of the paper (section 3.1) find a loss before the
//! third duplicate. They belong to loss recovery and are not a part of this.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Invalid};

use super::{Ack, Congestion, Facts, Reno, RenoParameters, Repair, Signal, Window, parts::Round};
use crate::preset::InPreset;

/// Parameters of Vegas.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VegasParameters {
    /// Below this many packets of its own in the queue a flow grows.
    #[schemars(extend("x-default-source" = "the paper; ns-2"))]
    pub alpha: f64,
    /// Above this many packets of its own in the queue a flow shrinks.
    #[schemars(extend("x-default-source" = "the paper; ns-2"))]
    pub beta: f64,
    /// Above this many packets of its own in the queue slow start ends.
    #[schemars(extend("x-default-source" = "the paper; ns-2"))]
    pub gamma: f64,
}

impl Default for VegasParameters {
    fn default() -> Self {
        Self { alpha: 1.0, beta: 3.0, gamma: 1.0 }
    }
}

impl InPreset for VegasParameters {}

impl VegasParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless_positive(self.alpha, "alpha")?;
        Invalid::unless_positive(self.gamma, "gamma")?;
        Invalid::unless(self.beta >= self.alpha, "beta", "beta is less than alpha", "exchange them")?;
        Invalid::unless_positive(self.beta, "beta")
    }
}

/// Vegas's congestion control.
#[derive(Clone, Debug)]
pub struct Vegas {
    parameters: VegasParameters,
    /// The least round trip so far.
    base: Duration,
    /// Sum and number of the samples of this round.
    sum: Duration,
    samples: u32,
    round: Round,
    /// Below the threshold the window doubles in every other round.
    slow_start: bool,
    /// This round is one in which the window grows.
    grows: bool,
    /// The last diff; reported by `probe` only.
    diff: f64,
    reno: Reno,
}

impl Vegas {
    /// Vegas with these parameters.
    pub fn new(parameters: &VegasParameters) -> Self {
        Self {
            parameters: *parameters,
            base: Duration::MAX,
            sum: Duration::ZERO,
            samples: 0,
            round: Round::BEGIN,
            slow_start: true,
            grows: true,
            diff: 0.0,
            reno: Reno::new(&RenoParameters::default()),
        }
    }

    /// A round is over: what the next one does.
    fn classify(&mut self, window: &mut Window) {
        let VegasParameters { alpha, beta, gamma } = self.parameters;
        let mean = self.sum.as_secs_f64() / f64::from(self.samples);
        (self.sum, self.samples) = (Duration::ZERO, 0);
        let used = libm::floor(window.cwnd.min(window.bound));
        self.diff = used * (1.0 - self.base.as_secs_f64() / mean);
        if !self.slow_start {
            self.grows = self.diff < alpha;
            if self.diff > beta {
                window.cwnd = (window.cwnd - 1.0).max(2.0);
            }
        } else if self.diff > gamma {
            self.slow_start = false;
            self.grows = false;
            window.cwnd = (window.cwnd - window.cwnd / 8.0).max(2.0);
            window.ssthresh = window.cwnd;
        } else {
            self.grows = !self.grows;
        }
    }
}

impl Congestion for Vegas {
    const FACTS: Facts = Facts { kernel_name: Some("vegas"), ..Facts::PLAIN };

    #[inline(never)]
    fn on_ack(&mut self, ack: Ack, window: &mut Window) {
        self.base = self.base.min(ack.rtt);
        self.slow_start &= window.cwnd < window.ssthresh;
        if self.round.ends(&ack) && self.samples > 0 {
            self.classify(window);
        }
        self.sum = self.sum + ack.rtt;
        self.samples += 1;
        if self.grows {
            window.cwnd += if self.slow_start { ack.counted } else { ack.counted / window.cwnd };
        }
    }

    fn on_loss(&mut self, _: Signal, window: &mut Window) -> Repair {
        window.cwnd = (0.75 * window.cwnd).max(2.0);
        window.ssthresh = window.cwnd;
        Repair::Recover
    }

    fn on_mark(&mut self, signal: Signal, window: &mut Window) {
        self.reno.on_mark(signal, window);
    }

    fn on_timeout(&mut self, signal: Signal, window: &mut Window) {
        self.reno.on_timeout(signal, window);
        self.slow_start = true;
    }

    fn on_recovered(&mut self, _: weir_types::Instant, window: &mut Window) {
        // Recovery may have left it below the threshold, to come back without a burst.
        self.slow_start = window.cwnd < window.ssthresh;
        (self.sum, self.samples) = (Duration::ZERO, 0);
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("diff", self.diff);
        record("base", self.base.as_secs_f64());
    }
}
