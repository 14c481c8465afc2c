//! The host of the first REM paper: it estimates the price of its path from marks, and sends at the rate at
//! which the marginal utility equals that price.
//!
//! D. Lapsley, S. Low: *Random Early Marking: an Optimisation Approach to Internet Congestion Control*,
//! IEEE ICON 1999, section 2: optimisation flow control (OFC) with marks for prices.
//!
//! ```text
//! every N ACKs   m^ = marked / N,  m = (1 - alpha) m + alpha m^
//!                p = -ln(1 - m)                        the price of the path
//!                x = U'^-1(p), within [min_rate, max_rate]  packets per second
//!                ownd = x tau, at least 1              equation 4
//! ```
//!
//! The window is the minimum of ownd, cwnd (Tahoe's response to losses) and the receive window. A mark only
//! counts for the estimate. The paper's `tau` is a medium-term delay (section 2.2). Here it is the round trip
//! without queues, which gives the published windows, unless `rtt_gain` lets it follow the measured one.
//!
//! With marks of probability `1 - exp(-gamma q)` at one queue q, n sources of weight a converge to
//! `n a tau / (gamma q) = C tau + q`. With the measured round trip, `tau + q / C`, they converge to the
//! optimum of rates, `n a / (gamma q) = C`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Invalid};

use super::{
    Ack, Congestion, Facts, Feedback, Marks, RenoParameters, Repair, Signal, Tahoe, TahoeParameters, Window,
};
use crate::preset::{InPreset, TcpPreset};

/// Utility of a rate `x`, in packets per second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Utility {
    /// `a ln(1 + x)`: `x = a / p - 1` (the paper).
    LogOnePlus,
    /// `a ln x`: `x = a / p`, proportional fairness.
    Log,
    /// `a x^(1 - f) / (1 - f)`: `x = (a / p)^(1 / f)`, alpha-fair with `f` above zero. At `f = 2` shares
    /// are those of Reno.
    Fair(f64),
}

/// Parameters of REM's host.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RemHostParameters {
    /// Utility of a rate.
    #[schemars(extend("x-default-source" = "the paper"))]
    pub utility: Utility,
    /// `a`: weight of the utility, in packets per second.
    #[schemars(extend("x-default-source" = "the paper, section 3.1: one more than its link carries"))]
    pub weight: f64,
    /// `N`: ACKs per estimate.
    #[schemars(extend("x-default-source" = "none in the paper; 75 gives its deviations"))]
    pub samples: u32,
    /// `alpha`: weight of the last estimate.
    #[schemars(extend("x-default-source" = "the paper"))]
    pub gain: f64,
    /// `tau`: round trip without queues; with `rtt_gain`, where `tau` begins.
    #[schemars(extend("x-default" = "the minimum round trip of the connection, which is too long if the queue is never empty"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_rtt: Option<Duration>,
    /// Weight of the mean round trip of the last `samples` ACKs in `tau`, which then follows what is measured
    /// (section 2.2: the medium-term delay), queues included; from 0 to 1, and 0 keeps `tau` as it is.
    #[schemars(extend("x-default-source" = "ours: gives the published windows; the paper has no value"))]
    pub rtt_gain: f64,
    /// Lowest rate, in packets per second.
    #[schemars(extend("x-default" = "none: the window is at least one packet"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rate: Option<f64>,
    /// Highest rate, in packets per second.
    #[schemars(extend("x-default" = "none; the paper limits the window, to 21 packets"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rate: Option<f64>,
    /// Parameters of the cuts of `cwnd`. A loss restarts slow start, as in Tahoe.
    pub reno: RenoParameters,
}

impl Default for RemHostParameters {
    fn default() -> Self {
        Self {
            utility: Utility::LogOnePlus,
            weight: 5626.0,
            samples: 75,
            gain: 0.5,
            base_rtt: None,
            rtt_gain: 0.0,
            min_rate: None,
            max_rate: None,
            reno: RenoParameters::default(),
        }
    }
}

impl InPreset for RemHostParameters {
    fn in_preset(preset: TcpPreset) -> Self {
        Self { reno: RenoParameters::in_preset(preset), ..Self::default() }
    }
}

impl RemHostParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        if let Utility::Fair(f) = self.utility {
            Invalid::unless_positive(f, "utility.fair")?;
        }
        Invalid::unless_positive(self.weight, "weight")?;
        Invalid::unless_positive(f64::from(self.samples), "samples")?;
        Invalid::unless(
            self.gain > 0.0 && self.gain <= 1.0,
            "gain",
            alloc::format!("{} is no weight", self.gain),
            "the paper has 0.5",
        )?;
        Invalid::unless(
            (0.0..=1.0).contains(&self.rtt_gain),
            "rtt_gain",
            alloc::format!("{} is no weight", self.rtt_gain),
            "1 takes the newest mean alone",
        )?;
        Invalid::unless(
            self.min_rate.unwrap_or(0.0) <= self.max_rate.unwrap_or(f64::INFINITY),
            "max_rate",
            "max_rate is less than min_rate",
            "exchange them",
        )?;
        self.reno.check().map_err(|invalid| invalid.below("reno"))
    }

    /// The rate at price `p`, in packets per second; infinite without a limit.
    fn rate(&self, p: f64) -> f64 {
        let max_rate = self.max_rate.unwrap_or(f64::INFINITY);
        let rate = if p > 0.0 {
            match self.utility {
                Utility::LogOnePlus => self.weight / p - 1.0,
                Utility::Log => self.weight / p,
                Utility::Fair(f) => libm::pow(self.weight / p, 1.0 / f),
            }
        } else {
            max_rate
        };
        rate.min(max_rate).max(self.min_rate.unwrap_or(0.0))
    }
}

/// Upper limit of the fraction of marks, so that the price stays finite.
const HIGHEST_FRACTION: f64 = 1.0 - 1e-9;

/// The state of REM's host.
#[derive(Clone, Debug)]
pub struct RemHost {
    parameters: RemHostParameters,
    tahoe: Tahoe,
    /// The receive window; known from the first ACK on.
    allowed: Option<f64>,
    /// The minimum round trip.
    min_rtt: Duration,
    /// The smoothed round trip in seconds, if it is followed; `None` before the first one.
    smoothed: Option<f64>,
    /// ACKs and marks since the last estimate, and the sum of the round trips.
    acks: u32,
    marked: u32,
    rtts: Duration,
    /// The smoothed fraction of marks, and the price that it gives.
    fraction: f64,
    price: f64,
    /// The window at this price, in segments.
    ownd: f64,
}

impl RemHost {
    /// REM's host with these parameters.
    pub fn new(parameters: &RemHostParameters) -> Self {
        Self {
            parameters: *parameters,
            tahoe: Tahoe::new(&TahoeParameters { reno: parameters.reno }),
            allowed: None,
            min_rtt: Duration::MAX,
            smoothed: parameters.base_rtt.map(Duration::as_secs_f64),
            acks: 0,
            marked: 0,
            rtts: Duration::ZERO,
            fraction: 0.0,
            price: 0.0,
            ownd: f64::INFINITY,
        }
    }

    /// `tau` in seconds, after the last `samples` ACKs.
    fn tau(&mut self) -> f64 {
        let RemHostParameters { samples, base_rtt, rtt_gain, .. } = self.parameters;
        let newest = core::mem::take(&mut self.rtts).as_secs_f64() / f64::from(samples);
        if rtt_gain == 0.0 {
            return base_rtt.unwrap_or(self.min_rtt).as_secs_f64();
        }
        *self.smoothed.insert(self.smoothed.map_or(newest, |old| old + rtt_gain * (newest - old)))
    }
}

impl Congestion for RemHost {
    const FACTS: Facts = Facts { marks: Marks::Needed, feedback: Feedback::Exact, ..Facts::PLAIN };

    #[inline(never)]
    fn observe(&mut self, ack: Ack, window: &mut Window) -> bool {
        let RemHostParameters { samples, gain, .. } = self.parameters;
        let allowed = *self.allowed.get_or_insert(window.bound);
        self.min_rtt = self.min_rtt.min(ack.rtt);
        self.rtts = self.rtts + ack.rtt;
        self.acks += 1;
        self.marked += u32::from(ack.echo);
        if self.acks == samples {
            let newest = f64::from(self.marked) / f64::from(samples);
            (self.acks, self.marked) = (0, 0);
            self.fraction = ((1.0 - gain) * self.fraction + gain * newest).min(HIGHEST_FRACTION);
            self.price = -libm::log(1.0 - self.fraction);
            self.ownd = (self.parameters.rate(self.price) * self.tau()).max(1.0);
            window.bound = self.ownd.min(allowed);
        }
        false
    }

    fn on_ack(&mut self, ack: Ack, window: &mut Window) {
        self.tahoe.on_ack(ack, window);
    }

    fn on_loss(&mut self, signal: Signal, window: &mut Window) -> Repair {
        self.tahoe.on_loss(signal, window)
    }

    fn on_mark(&mut self, _: Signal, _: &mut Window) {}

    fn on_timeout(&mut self, signal: Signal, window: &mut Window) {
        self.tahoe.on_timeout(signal, window);
    }

    fn answers_marks(&self) -> bool {
        false
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("m", self.fraction);
        record("price", self.price);
        record("ownd", self.ownd);
    }
}
