//! A link: what each of its directions does to packets.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_aqm::{
    DeliveryTrace,
    aqm::{DropTailParameters, PythonParameters},
    qdisc::QueueConfig,
};
use weir_types::{Buffer, Duration, PacketSize, Rate};

use super::{Loss, RateChange};
use crate::{
    Scenario,
    defaults::{is_off, is_on, on},
    traffic::files::Content,
};

/// A link: a queue, a transmitter and a propagation delay in one direction, and what there is of
/// the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The node at which it begins. Either all links name their nodes or none does. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The node at which it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Short form: so many links like this one in a row, called NAME1, NAME2 and so on. Flows name
    /// all of them by the name of this one. Default: one link of this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub hops: Option<u32>,
    /// Capacity. With a `trace` it is what laws are told; its default is then the trace's mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Changes of the rate, in the order of time: `[{ at = "20 s", rate = "5 Mbit/s" }]`. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rate_schedule: Vec<RateChange>,
    /// After this time the schedule begins anew, with `rate`. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_period: Option<Duration>,
    /// A file of delivery opportunities as Mahimahi records them, in the folder of the scenario: a
    /// millisecond in each line, at which 1504 bytes may leave. It takes the place of the rate.
    /// Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// What the file held, as a digest: filled in when it is read, and compared with it where it is
    /// written down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_digest: Option<String>,
    /// Propagation delay in one direction.
    pub delay: Duration,
    /// There is no other direction: ACKs come back elsewhere. Default: off.
    #[serde(default, skip_serializing_if = "is_off")]
    pub unidirectional: bool,
    /// Room for waiting packets; the one being sent does not wait.
    pub buffer: Buffer,
    /// What the buffer holds. Default: waiting packets.
    #[serde(default)]
    pub buffer_counts: LinkBuffer,
    /// The packet size that stands for all where a law counts in packets. Default: the mean
    /// of the flows over the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_packet_size: Option<PacketSize>,
    /// The queue discipline. Default: DropTail.
    #[serde(default = "drop_tail")]
    pub queue: QueueConfig,
    /// Packets that the line loses, whatever the queue does. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// Off for a router that knows nothing of ECN: it marks nothing, and tells sources that ask for it
    /// (`tcp.congestion.wireless.mixed_path`) that losses on this path may be those of congestion.
    /// Default: on.
    #[serde(default = "on", skip_serializing_if = "is_on")]
    pub ecn_capable: bool,
    /// The other direction. Default: ACKs are delayed as long as data, but never wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse: Option<ReverseLink>,
    /// What the trace holds, once it has been read.
    #[serde(skip)]
    pub(crate) deliveries: Content<DeliveryTrace>,
}

/// What a buffer holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LinkBuffer {
    /// Waiting packets.
    #[default]
    Waiting,
    /// Waiting packets and the one being sent: one fewer waits (ns-2's DropTail and REM).
    WaitingAndSending,
}

/// The direction of the ACKs, and of data of flows that go against the link: same propagation
/// delay, its own queue and transmitter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReverseLink {
    /// Capacity. Default: that of the forward direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Changes of the rate, as in the forward direction. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rate_schedule: Vec<RateChange>,
    /// After this time the schedule begins anew, with `rate`. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_period: Option<Duration>,
    /// A file of delivery opportunities, as in the forward direction. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// What the file held, as a digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_digest: Option<String>,
    /// Room for waiting packets.
    pub buffer: Buffer,
    /// The packet size that stands for all. Default: the mean of the flows' ACKs, or of data where data
    /// passes too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_packet_size: Option<PacketSize>,
    /// The queue discipline. Default: DropTail.
    #[serde(default = "drop_tail")]
    pub queue: QueueConfig,
    /// Packets that the line loses. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// What the trace holds, once it has been read.
    #[serde(skip)]
    pub(crate) deliveries: Content<DeliveryTrace>,
}

pub(crate) fn drop_tail() -> QueueConfig {
    QueueConfig::DropTail(DropTailParameters {})
}

/// One direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From its beginning to its end: that of data, unless a flow says otherwise.
    Forward,
    /// Back: that of ACKs.
    Reverse,
}

impl Direction {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Reverse => "reverse",
        }
    }

    /// The other one.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Forward => Self::Reverse,
            Self::Reverse => Self::Forward,
        }
    }
}

/// One direction of a link that has a queue, as a scenario describes it.
#[derive(Clone, Copy, Debug)]
pub struct PortSpec<'a> {
    /// Capacity, or what stands for it.
    pub rate: Rate,
    /// Its changes.
    pub rate_schedule: &'a [RateChange],
    /// After which time they begin anew.
    pub rate_period: Option<Duration>,
    /// The opportunities to send, where they take the place of the rate.
    pub deliveries: Option<&'a Arc<DeliveryTrace>>,
    /// Room for waiting packets.
    pub buffer: Buffer,
    /// The packet size that stands for all, if it is said.
    pub mean_packet_size: Option<PacketSize>,
    /// The queue discipline.
    pub queue: &'a QueueConfig,
    /// What the line loses.
    pub loss: Option<&'a Loss>,
}

impl Link {
    /// One direction; `None` if it has no queue.
    ///
    /// # Panics
    /// If the link has neither a rate nor a trace that has been read: a scenario that was checked
    /// has one.
    pub fn port(&self, direction: Direction) -> Option<PortSpec<'_>> {
        let forward = self.rate.expect("a link has a rate");
        match direction {
            Direction::Forward => Some(PortSpec {
                rate: forward,
                rate_schedule: &self.rate_schedule,
                rate_period: self.rate_period,
                deliveries: self.trace.is_some().then(|| self.deliveries.get()),
                buffer: self.buffer,
                mean_packet_size: self.mean_packet_size,
                queue: &self.queue,
                loss: self.loss.as_ref(),
            }),
            Direction::Reverse => self.reverse.as_ref().map(|reverse| PortSpec {
                rate: reverse.rate.unwrap_or(forward),
                rate_schedule: &reverse.rate_schedule,
                rate_period: reverse.rate_period,
                deliveries: reverse.trace.is_some().then(|| reverse.deliveries.get()),
                buffer: reverse.buffer,
                mean_packet_size: reverse.mean_packet_size,
                queue: &reverse.queue,
                loss: reverse.loss.as_ref(),
            }),
        }
    }
}

impl Scenario {
    /// The laws of one's own, each with its dotted path: somebody has to find them before the
    /// scenario runs.
    pub fn python_aqms_mut(&mut self) -> impl Iterator<Item = (String, &mut PythonParameters)> {
        self.links.iter_mut().flat_map(|(name, link)| {
            let reverse = link.reverse.as_mut().map(|reverse| (".reverse", &mut reverse.queue));
            let queues = [("", &mut link.queue)].into_iter().chain(reverse);
            queues.filter_map(move |(direction, queue)| {
                let (place, law) = queue.python_mut()?;
                Some((format!("links.{name}{direction}.queue.{place}"), law))
            })
        })
    }

    /// Whether there are laws of one's own in it.
    pub fn has_python_aqms(&self) -> bool {
        let reverse =
            self.links.values().filter_map(|link| link.reverse.as_ref().map(|reverse| &reverse.queue));
        self.links.values().map(|link| &link.queue).chain(reverse).any(|queue| queue.python().is_some())
    }
}
