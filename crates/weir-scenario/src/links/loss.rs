//! Losses of a line, whatever its queue does.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::Probability;

use crate::defaults::is_off;

/// A model of the losses of a line, in one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// Every packet, or every bit, is lost with the same probability, whatever became of the others.
    Bernoulli(Bernoulli),
    /// Losses in bursts (Gilbert, 1960; Elliott, 1963): the line is good or bad, each for a while.
    GilbertElliott(GilbertElliott),
    /// Every n-th packet is lost, as the analyses of TCP assume (Mathis et al., 1997).
    Periodic(Periodic),
}

/// Independent losses. Of `per_packet` and `per_bit` one is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"per_packet": 0.001}]))]
pub struct Bernoulli {
    /// Probability that a packet is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_packet: Option<Probability>,
    /// Probability that a bit is wrong: a packet of n bits is lost with 1 - (1 - p)^n.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_bit: Option<Probability>,
    /// Packets are lost on their way to the queue, not behind the transmitter. Default: off.
    #[serde(default, skip_serializing_if = "is_off")]
    pub before_queue: bool,
}

/// Losses in bursts. The share of bad steps is `to_bad / (to_bad + to_good)`, and a bad time lasts
/// `1 / to_good` steps on average.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"to_bad": 0.001, "to_good": 0.2}]))]
pub struct GilbertElliott {
    /// Probability that the line turns bad after a good step.
    pub to_bad: Probability,
    /// Probability that the line turns good after a bad step.
    pub to_good: Probability,
    /// Probability of a loss in a good step. Default 0 (Gilbert).
    #[serde(default = "never", skip_serializing_if = "is_never")]
    pub loss_good: Probability,
    /// Probability of a loss in a bad step. Default 1.
    #[serde(default = "always", skip_serializing_if = "is_always")]
    pub loss_bad: Probability,
    /// Length of a step: a packet or a bit. Default: a packet.
    #[serde(default, skip_serializing_if = "is_a_packet")]
    pub step: ChainStep,
    /// Packets are lost on their way to the queue, not behind the transmitter. Default: off.
    #[serde(default, skip_serializing_if = "is_off")]
    pub before_queue: bool,
}

/// Losses at equal distances: no chance is involved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"every": 100}]))]
pub struct Periodic {
    /// Distance of losses in packets: 100 loses 1%, the hundredth packet first.
    pub every: u32,
    /// Packets are lost on their way to the queue, not behind the transmitter. Default: off.
    #[serde(default, skip_serializing_if = "is_off")]
    pub before_queue: bool,
}

/// Length of a step of a line that is good or bad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChainStep {
    /// Every packet that passes.
    #[default]
    Packet,
    /// Every bit that passes: a packet is lost if one of its bits is.
    Bit,
}

impl Loss {
    /// Returns true if packets are lost on their way to the queue.
    pub const fn before_queue(&self) -> bool {
        match self {
            Self::Bernoulli(loss) => loss.before_queue,
            Self::GilbertElliott(loss) => loss.before_queue,
            Self::Periodic(loss) => loss.before_queue,
        }
    }

    /// Its name in scenario files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Bernoulli(_) => "bernoulli",
            Self::GilbertElliott(_) => "gilbert-elliott",
            Self::Periodic(_) => "periodic",
        }
    }
}

fn always() -> Probability {
    Probability::constant(1.0)
}

fn never() -> Probability {
    Probability::constant(0.0)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_always(probability: &Probability) -> bool {
    *probability == always()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_never(probability: &Probability) -> bool {
    *probability == never()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_a_packet(step: &ChainStep) -> bool {
    *step == ChainStep::Packet
}
