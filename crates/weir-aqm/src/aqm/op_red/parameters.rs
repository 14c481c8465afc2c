//! Parameters of OP-RED.

use alloc::{format, vec::Vec};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Invalid, Level, Probability};

use crate::aqm::{RedParameters, Spacing};

/// Packets that count as lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossSignal {
    /// Dropped packets.
    #[default]
    Drops,
    /// Dropped and marked packets.
    DropsAndMarks,
}

/// Targets from an instant on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Retarget {
    /// Simulated time of the change.
    pub at: Duration,
    /// d* from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "unchanged"))]
    pub delay: Option<Duration>,
    /// l* from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "unchanged"))]
    pub loss: Option<Probability>,
}

/// Parameters of OP-RED.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OpRedParameters {
    /// d*: target mean sojourn time.
    #[schemars(extend("x-default-source" = "Weir"))]
    #[schemars(extend("x-tunable" = { "from": "1 ms", "to": "100 ms", "source": "Weir: any delay of an operating point" }))]
    #[schemars(extend("x-role" = "delay"))]
    pub target_delay: Duration,
    /// l*: target fraction of arriving packets that are lost.
    #[schemars(extend("x-default-source" = "Weir"))]
    #[schemars(extend("x-tunable" = { "from": 0.001, "to": 0.1, "source": "Weir: any loss of an operating point" }))]
    pub target_loss: Probability,
    /// Target changes during the run: `[{ at = "60 s", delay = "10 ms", loss = 0.05 }]`.
    pub retarget: Vec<Retarget>,
    /// Packets that count as lost.
    #[schemars(extend("x-default-source" = "Weir"))]
    pub counts: LossSignal,
    /// Average queue below which no packet is signalled.
    #[schemars(extend("x-default-source" = "Floyd, 1997"))]
    #[schemars(extend("x-role" = "first"))]
    pub min_th: Level,
    /// Weight of a new sample in the average.
    #[schemars(extend("x-default-source" = "Floyd and Jacobson, 1993"))]
    pub w_q: Probability,
    /// How signals are spaced.
    #[schemars(extend("x-default-source" = "Floyd and Jacobson, 1993, method 2"))]
    pub spacing: Spacing,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Drop packets above `max_th` even if `ecn` is on, as Linux can.
    #[schemars(extend("x-default-source" = "RFC 3168, section 7; RFC 7567"))]
    pub harddrop: bool,
}

impl Default for OpRedParameters {
    fn default() -> Self {
        let RedParameters { w_q, spacing, ecn, harddrop, .. } = RedParameters::default();
        Self {
            target_delay: Duration::from_millis(20),
            target_loss: Probability::constant(0.02),
            retarget: Vec::new(),
            counts: LossSignal::default(),
            min_th: Level::Packets(5.0),
            w_q,
            spacing,
            ecn,
            harddrop,
        }
    }
}

impl OpRedParameters {
    /// The queue lengths among the parameters.
    pub(crate) fn levels(&mut self) -> Vec<&mut Level> {
        [&mut self.min_th].into()
    }

    pub(in crate::aqm) fn check(&self) -> Result<(), Invalid> {
        check_targets(self.target_delay, self.target_loss)?;
        self.check_retargets()?;
        Invalid::unless_positive(self.w_q.get(), "w_q")
    }

    fn check_retargets(&self) -> Result<(), Invalid> {
        let invalid = |message, hint: &str| Invalid::unless(false, "retarget", message, hint);
        let mut before = Duration::ZERO;
        for &Retarget { at, delay, loss } in &self.retarget {
            if at <= before {
                let message = match before {
                    Duration::ZERO => format!("targets cannot change at {at}"),
                    _ => format!("{at} does not come after {before}"),
                };
                return invalid(message, "write times above zero, each above the one before");
            }
            if delay.is_none() && loss.is_none() {
                return invalid(format!("nothing changes at {at}"), "write a `delay`, a `loss` or both");
            }
            check_targets(delay.unwrap_or(self.target_delay), loss.unwrap_or(self.target_loss))
                .or_else(|wrong| invalid(format!("at {at}: {}", wrong.message), &wrong.hint))?;
            before = at;
        }
        Ok(())
    }
}

pub(super) fn check_targets(delay: Duration, loss: Probability) -> Result<(), Invalid> {
    Invalid::unless_positive(delay.as_secs_f64(), "target_delay")?;
    Invalid::unless_positive(loss.get(), "target_loss")
}
