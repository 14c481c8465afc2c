//! Parameters of the scheduler of a [`FairQueue`](super::FairQueue).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::PacketSize;

/// Backlog that the AQM of a queue sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AqmBacklog {
    /// Backlog of all queues (Linux's FQ-CoDel).
    #[default]
    Total,
    /// Backlog of the AQM's own queue (FQ-PIE; ns-3).
    Flow,
}

/// Packets to drop on overflow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OverflowPolicy {
    /// The flow with most bytes, from its head (RFC 8290).
    #[default]
    Fattest,
    /// The packet that arrives (Linux's FQ-PIE).
    Arrival,
}

/// How flows are assigned to queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlowHashing {
    /// By a salted hash: two flows may share a queue.
    #[default]
    Salted,
    /// Flow number modulo number of queues.
    Modulo,
}

/// Parameters of a [`FairQueue`](super::FairQueue).
#[derive(Clone, Copy, Debug)]
pub struct Scheduler {
    /// Queues.
    pub flows: u32,
    /// Bytes that a queue may send per round.
    pub quantum: PacketSize,
    /// Maximum backlog in bytes, in addition to the buffer of the link.
    pub memory_limit: u32,
    /// Maximum number of packets dropped at once on overflow.
    pub drop_batch: u32,
    /// Backlog that the AQMs see.
    pub aqm_backlog: AqmBacklog,
    /// Packets to drop on overflow.
    pub overflow: OverflowPolicy,
    /// How flows are assigned to queues.
    pub flow_hashing: FlowHashing,
}
