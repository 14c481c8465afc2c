//! The parts of a modular AQM and their parameters.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Invalid, Level, Probability};

use crate::aqm::Spacing;

/// Measure of congestion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CongestionMeasure {
    /// The queue in packets: before an arrival, or behind a departure.
    Queue,
    /// RED's average queue, in packets.
    #[default]
    Average,
    /// The average delay of packets that leave, in seconds.
    Delay,
    /// The average share of arrivals that find the buffer full.
    Loss,
    /// REM's price by rate and queue, equation (2).
    Price,
    /// REM's price by the queue alone, equation (3).
    PriceByQueue,
    /// PI's probability, from 0 to 1.
    Pi,
}

/// How the measure becomes a probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// RED: 0 below `low`, a line up to `top` at `high`, 1 above.
    #[default]
    Linear,
    /// Gentle RED: as linear, then a line from `top` at `high` to 1 at twice `high`.
    Gentle,
    /// NLRED: as linear, with a parabola instead of the line.
    Quadratic,
    /// REM: 1 - phi^-x for a price, 1 - e^(-kappa x) otherwise.
    Exponential,
    /// A line through `bottom` at `low` and `top` at `high`, from 0 to 1.
    Affine,
}

/// Where packets are signalled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SignalAt {
    /// On arrival.
    #[default]
    Arrival,
    /// On departure: a dropped packet has waited in vain.
    Departure,
}

/// Parameters of a modular AQM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModularParameters {
    /// Measure of congestion.
    #[schemars(extend("x-default-source" = "RED"))]
    pub measure: CongestionMeasure,
    /// Function from the measure to a probability.
    #[schemars(extend("x-default-source" = "RED"))]
    pub profile: Profile,
    /// How signals are spaced; REM and PI use `"geometric"`.
    #[schemars(extend("x-default-source" = "RED"))]
    pub spacing: Spacing,
    /// Where packets are signalled.
    #[schemars(extend("x-default-source" = "RED"))]
    pub signal_at: SignalAt,
    /// Weight of a new sample in the average queue, delay or loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "0.002 (RED); 0.1 for loss"))]
    pub weight: Option<Probability>,
    /// Target queue of a price or of PI. In bytes, every measure counts mean packets.
    #[schemars(extend("x-default-source" = "REM"))]
    pub target: Level,
    /// T, time between two updates of loss, a price or PI.
    #[schemars(extend("x-default-source" = "REM"))]
    #[schemars(extend("x-role" = "timer"))]
    pub interval: Duration,
    /// Weight of the queue mismatch in a price.
    #[schemars(extend("x-default-source" = "REM"))]
    pub alpha: f64,
    /// Step of a price per packet of mismatch.
    #[schemars(extend("x-default-source" = "REM"))]
    pub gamma: f64,
    /// PI's gain of the current queue, per packet.
    #[schemars(extend("x-default-source" = "PI"))]
    pub a: f64,
    /// PI's gain of the queue one interval ago, per packet.
    #[schemars(extend("x-default-source" = "PI"))]
    pub b: f64,
    /// First threshold, in the unit of the measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "5 packets (RED) or their transmission time; 0 for loss, a price or PI"))]
    pub low: Option<f64>,
    /// Second threshold, in the unit of the measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "15 packets (RED) or their transmission time; 105.413 for a price, where REM signals 0.1; 1 for PI; required for loss"))]
    pub high: Option<f64>,
    /// Probability at `low` in the affine profile.
    #[schemars(extend("x-default-source" = "PI"))]
    pub bottom: Probability,
    /// Probability at `high`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "0.1 (RED); 1 for PI"))]
    pub top: Option<Probability>,
    /// Base of the exponential profile of a price.
    #[schemars(extend("x-default-source" = "REM"))]
    pub phi: f64,
    /// Slope of the exponential profile of any other measure, per unit of the measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "0.1 per packet (REM of 1999), also for delay; 1 for PI; required for loss"))]
    pub kappa: Option<f64>,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Drop packets above the highest threshold even if `ecn` is on, as Linux can.
    #[schemars(extend("x-default-source" = "RFC 3168, section 7; RFC 7567"))]
    pub harddrop: bool,
}

impl Default for ModularParameters {
    fn default() -> Self {
        Self {
            measure: CongestionMeasure::default(),
            profile: Profile::default(),
            spacing: Spacing::default(),
            signal_at: SignalAt::default(),
            weight: None,
            target: Level::Packets(20.0),
            interval: Duration::from_millis(2),
            alpha: 0.1,
            gamma: 0.001,
            a: 1.822e-5,
            b: 1.816e-5,
            low: None,
            high: None,
            bottom: Probability::constant(0.0),
            top: None,
            phi: 1.001,
            kappa: None,
            ecn: false,
            harddrop: true,
        }
    }
}

impl ModularParameters {
    /// The queue lengths among the parameters.
    pub(crate) fn levels(&mut self) -> Vec<&mut Level> {
        [&mut self.target].into()
    }

    pub(in crate::aqm) fn check(&self) -> Result<(), Invalid> {
        let published = Self::default();
        crate::aqm::check_gain(self.alpha, "alpha", published.alpha)?;
        crate::aqm::check_gain(self.gamma, "gamma", published.gamma)?;
        crate::aqm::check_gain(self.a, "a", published.a)?;
        crate::aqm::check_gain(self.b, "b", published.b)?;
        Invalid::unless(
            self.b < self.a,
            "b",
            alloc::format!("b ({}) is not below a ({})", self.b, self.a),
            "the integral part is a - b; exchange the two",
        )?;
        Invalid::unless_positive(self.weight.map_or(1.0, Probability::get), "weight")?;
        crate::aqm::check_interval(self.interval, "REM has 2 ms, PI 6.25 ms")?;
        Invalid::unless(
            self.measure != CongestionMeasure::PriceByQueue || self.target.value() > 0.0,
            "target",
            "the target is zero",
            "the queue alone does not distinguish an idle link from a matched one; set a target above zero, \
             or measure = \"price\"",
        )?;
        Invalid::unless(
            self.phi > 1.0 && self.phi.is_finite(),
            "phi",
            alloc::format!("phi is {}, not above 1", self.phi),
            "the probability 1 - phi^-price needs phi > 1; the REM paper's is 1.001",
        )?;
        crate::aqm::check_gain(self.phi, "phi", published.phi)?;
        Invalid::unless_positive(self.kappa.unwrap_or(1.0), "kappa")?;
        let exponential = self.profile == Profile::Exponential;
        for (given, name, needed) in [(self.high, "high", !exponential), (self.kappa, "kappa", exponential)] {
            Invalid::unless(
                given.is_some() || self.measure != CongestionMeasure::Loss || !needed,
                name,
                alloc::format!("loss has no default for {name}"),
                "write what loss ratio means what probability",
            )?;
        }
        // Any rate will do: it scales both thresholds alike.
        let (low, high) = self.thresholds(1.0);
        Invalid::unless(
            low >= 0.0 && low < high && high.is_finite(),
            "high",
            alloc::format!("the thresholds are {low} and {high}"),
            "write two numbers from 0 up, the second above the first",
        )
    }

    /// `low` and `high` on a link that sends `rate` packets a second.
    pub(super) fn thresholds(&self, rate: f64) -> (f64, f64) {
        let (low, high) = match self.measure {
            CongestionMeasure::Queue | CongestionMeasure::Average => (5.0, 15.0),
            CongestionMeasure::Delay => (5.0 / rate, 15.0 / rate),
            // -ln(1 - 0.1) / ln(1.001).
            CongestionMeasure::Price | CongestionMeasure::PriceByQueue => (0.0, 105.413),
            CongestionMeasure::Loss | CongestionMeasure::Pi => (0.0, 1.0),
        };
        (self.low.unwrap_or(low), self.high.unwrap_or(high))
    }

    /// The slope of the exponential profile on a link that sends `rate` packets a second.
    pub(super) fn slope(&self, rate: f64) -> f64 {
        self.kappa.unwrap_or(match self.measure {
            CongestionMeasure::Delay => 0.1 * rate,
            CongestionMeasure::Pi => 1.0,
            _ => 0.1,
        })
    }
}
