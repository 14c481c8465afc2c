//! What a modular law is put together from, and how it is set.

use weir_types::{Duration, Invalid, Level, Probability};

use crate::laws::{Forced, Spacing};

/// What says how congested the queue is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Measure {
    /// The queue as it is, in packets: before an arrival, or behind a departure.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Profile {
    /// RED's: 0 below `low`, a line up to `top` at `high`, 1 from there on.
    #[default]
    Linear,
    /// Gentle RED's: as linear, but from `top` at `high` in a line to 1 at twice `high`.
    Gentle,
    /// NLRED's: as linear, but with a parabola for the line.
    Quadratic,
    /// REM's: 1 - phi^-x for a price, 1 - e^(-kappa x) for anything else.
    Exponential,
    /// A line through `bottom` at `low` and `top` at `high`, on to 0 and 1.
    Affine,
}

/// Where packets are signalled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum SignalAt {
    /// As they arrive.
    #[default]
    Arrival,
    /// As they leave: a packet that is dropped has waited for nothing.
    Departure,
}

/// Parameters of a law put together. Defaults: RED's; those that are said to depend on the
/// measure are taken when nothing is set.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, default)
)]
pub struct ModularParameters {
    /// What says how congested the queue is. Default: the average queue.
    pub measure: Measure,
    /// How the measure becomes a probability. Default: linear.
    pub profile: Profile,
    /// How signals are spaced. Default: as in RED's paper; REM and PI have "independent".
    pub spacing: Spacing,
    /// Where packets are signalled. Default: as they arrive.
    pub signal_at: SignalAt,
    /// Weight of a new sample in the average queue, delay or loss. Default 0.002 (RED), of loss 0.1.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub weight: Option<Probability>,
    /// The queue to settle at, for prices and pi. Default 20 packets (REM). In bytes, every measure
    /// counts packets of mean size instead of packets.
    pub target: Level,
    /// T, the time between two updates of loss, a price or pi. Default 2 ms (REM).
    pub interval: Duration,
    /// Weight of the queue mismatch in a price. Default 0.1 (REM).
    pub alpha: f64,
    /// Step of a price per packet of mismatch. Default 0.001 (REM).
    pub gamma: f64,
    /// PI's gain of the queue, per packet. Default 1.822e-5 (PI).
    pub a: f64,
    /// PI's gain of the queue an interval ago, per packet. Default 1.816e-5 (PI).
    pub b: f64,
    /// The first threshold, in the unit of the measure. Default 5 packets (RED); of delay, the time
    /// that they take on the link; of loss, a price or pi 0.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub low: Option<f64>,
    /// The second threshold, in the unit of the measure. Default 15 packets (RED); of delay, the time
    /// that they take; of a price 105.413, where REM signals 0.1; of pi 1; of loss none: say which.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub high: Option<f64>,
    /// Probability at `low` in the affine profile. Default 0.
    pub bottom: Probability,
    /// Probability at `high`. Default 0.1 (RED), of pi 1.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub top: Option<Probability>,
    /// Base of the exponential profile of a price. Default 1.001 (REM).
    pub phi: f64,
    /// Slope of the exponential profile of any other measure, per unit of it. Default 0.1 per packet
    /// (REM of 1999); of delay, the same per packet that the link could have sent; of pi 1; of
    /// loss none: say which.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub kappa: Option<f64>,
    /// Mark packets that are ECN-capable instead of dropping them.
    pub ecn: bool,
    /// Packets beyond the highest threshold, if `ecn` is on. Default: drop.
    pub forced: Forced,
}

impl Default for ModularParameters {
    fn default() -> Self {
        Self {
            measure: Measure::default(),
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
            bottom: Probability::new(0.0).expect("a constant in [0, 1]"),
            top: None,
            phi: 1.001,
            kappa: None,
            ecn: false,
            forced: Forced::default(),
        }
    }
}

impl ModularParameters {
    pub(in crate::laws) fn check(&self) -> Result<(), Invalid> {
        let published = Self::default();
        crate::laws::check_gain(self.alpha, "alpha", published.alpha)?;
        crate::laws::check_gain(self.gamma, "gamma", published.gamma)?;
        crate::laws::check_gain(self.a, "a", published.a)?;
        crate::laws::check_gain(self.b, "b", published.b)?;
        Invalid::unless(
            self.b < self.a,
            "b",
            alloc::format!("b ({}) is not below a ({})", self.b, self.a),
            "the integral part is a - b; exchange the two",
        )?;
        Invalid::unless_positive(self.weight.map_or(1.0, Probability::get), "weight")?;
        crate::laws::check_interval(self.interval, "REM has 2 ms, PI 6.25 ms")?;
        Invalid::unless(
            self.measure != Measure::PriceByQueue || self.target.value() > 0.0,
            "target",
            "the target is zero",
            "by the queue alone an idle link cannot be told from a matched one; set a target above zero, \
             or measure = \"price\"",
        )?;
        Invalid::unless(
            self.phi > 1.0 && self.phi.is_finite(),
            "phi",
            alloc::format!("phi is {}, not above 1", self.phi),
            "the probability 1 - phi^-price needs phi > 1; the REM paper's is 1.001",
        )?;
        crate::laws::check_gain(self.phi, "phi", published.phi)?;
        Invalid::unless_positive(self.kappa.unwrap_or(1.0), "kappa")?;
        let exponential = self.profile == Profile::Exponential;
        for (given, name, needed) in [(self.high, "high", !exponential), (self.kappa, "kappa", exponential)] {
            Invalid::unless(
                given.is_some() || self.measure != Measure::Loss || !needed,
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
            Measure::Queue | Measure::Average => (5.0, 15.0),
            Measure::Delay => (5.0 / rate, 15.0 / rate),
            // -ln(1 - 0.1) / ln(1.001).
            Measure::Price | Measure::PriceByQueue => (0.0, 105.413),
            Measure::Loss | Measure::Pi => (0.0, 1.0),
        };
        (self.low.unwrap_or(low), self.high.unwrap_or(high))
    }

    /// The slope of the exponential profile on a link that sends `rate` packets a second.
    pub(super) fn slope(&self, rate: f64) -> f64 {
        self.kappa.unwrap_or(match self.measure {
            Measure::Delay => 0.1 * rate,
            Measure::Pi => 1.0,
            _ => 0.1,
        })
    }
}
