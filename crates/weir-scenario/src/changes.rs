//! Changes in mid-run: what a link or a group of flows is from one instant on.
//!
//! ```toml
//! [[changes]]
//! at = "20 s"
//! links.bottleneck.rate = "5 Mbit/s"
//! links.bottleneck.queue.codel = { target = "10 ms" }
//! flows.download.count = 40
//! ```
//!
//! A change of a rate is an entry of the link's `rate_schedule`, and one of a number of flows an entry of the group's
//! `population`: both are written there when a scenario is completed. What is left then are buffers, queue
//! disciplines and round trips.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_aqm::{Link as SeenLink, qdisc::QueueConfig};
use weir_types::{Buffer, Duration, Rate};

use crate::Direction;

/// Changes at one instant. They come before all other events of that instant, but after packets that leave a queue
/// at it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"at": "20 s", "links": {"bottleneck": {"rate": "5 Mbit/s"}}}]))]
pub struct Change {
    /// Simulated time.
    pub at: Duration,
    /// Links by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub links: IndexMap<String, LinkChange>,
    /// Groups of flows by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub flows: IndexMap<String, FlowsChange>,
}

/// New values of a link. Values that are not named stay.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkChange {
    /// Capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Room for waiting packets. Packets that wait already stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Buffer>,
    /// The queue discipline, with all its parameters. One of the same kind keeps what it has learned; another begins
    /// as if it had been idle, with the packets that wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueConfig>,
    /// The other direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse: Option<DirectionChange>,
}

/// New values of the other direction of a link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirectionChange {
    /// Capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Room for waiting packets. Packets that wait already stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Buffer>,
    /// The queue discipline, with all its parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueConfig>,
}

/// New values of a group of flows. Values that are not named stay.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowsChange {
    /// Number of flows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Propagation round trip of every flow, of bulk traffic without access links. Packets on their way keep theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt: Option<Duration>,
}

/// A queue from one instant on.
#[derive(Clone, Copy, Debug)]
pub struct QueueChange<'a> {
    /// Simulated time.
    pub at: Duration,
    /// The discipline.
    pub queue: &'a QueueConfig,
    /// The link as the discipline sees it then, with the room for waiting packets.
    pub link: SeenLink,
}

impl LinkChange {
    /// One direction.
    pub(crate) fn direction(&self, direction: Direction) -> Option<DirectionChange> {
        match direction {
            Direction::Forward => {
                let Self { rate, buffer, queue, .. } = self.clone();
                Some(DirectionChange { rate, buffer, queue })
            }
            Direction::Reverse => self.reverse.clone(),
        }
    }

    pub(crate) fn queue(&self, direction: Direction) -> Option<&QueueConfig> {
        match direction {
            Direction::Forward => self.queue.as_ref(),
            Direction::Reverse => self.reverse.as_ref()?.queue.as_ref(),
        }
    }

    pub(crate) fn buffer(&self, direction: Direction) -> Option<Buffer> {
        match direction {
            Direction::Forward => self.buffer,
            Direction::Reverse => self.reverse.as_ref()?.buffer,
        }
    }
}
