use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_aqm::{
    Limit,
    disciplines::QueueConfig,
    laws::{DropTailParameters, PythonParameters},
};
use weir_types::{Buffer, Duration, PacketSize, Rate};

use crate::Scenario;

/// One direction of a link: a queue, a transmitter, a propagation delay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Capacity.
    pub rate: Rate,
    /// Propagation delay in one direction.
    pub delay: Duration,
    /// Room for waiting packets; the one being sent does not wait.
    pub buffer: Buffer,
    /// What the buffer holds. Default: waiting packets.
    #[serde(default)]
    pub buffer_counts: LinkBuffer,
    /// The packet size that stands for all where a law counts in packets. Default: the mean
    /// of the flows over the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_packet: Option<PacketSize>,
    /// The queue discipline. Default: DropTail.
    #[serde(default = "drop_tail")]
    pub aqm: QueueConfig,
    /// The other direction. Default: ACKs are delayed as long as data, but never wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse: Option<ReverseLink>,
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

/// The direction of the ACKs: same propagation delay, its own queue and transmitter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReverseLink {
    /// Capacity. Default: that of the forward direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Room for waiting packets.
    pub buffer: Buffer,
    /// The packet size that stands for all. Default: the mean of the flows' ACKs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_packet: Option<PacketSize>,
    /// The queue discipline. Default: DropTail.
    #[serde(default = "drop_tail")]
    pub aqm: QueueConfig,
}

pub(crate) fn drop_tail() -> QueueConfig {
    QueueConfig::DropTail(DropTailParameters {})
}

/// One direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// That of data.
    Forward,
    /// That of ACKs.
    Reverse,
}

impl Scenario {
    /// The laws of one's own, each with its dotted path: somebody has to find them before the
    /// scenario runs.
    pub fn python_laws_mut(&mut self) -> impl Iterator<Item = (String, &mut PythonParameters)> {
        self.links.iter_mut().flat_map(|(name, link)| {
            let reverse = link.reverse.as_mut().map(|reverse| (".reverse", &mut reverse.aqm));
            let queues = [("", &mut link.aqm)].into_iter().chain(reverse);
            queues.filter_map(move |(direction, aqm)| {
                let (place, law) = aqm.python_mut()?;
                Some((format!("links.{name}{direction}.aqm.{place}"), law))
            })
        })
    }

    /// Whether there are laws of one's own in it.
    pub fn has_python_laws(&self) -> bool {
        let reverse =
            self.links.values().filter_map(|link| link.reverse.as_ref().map(|reverse| &reverse.aqm));
        self.links.values().map(|link| &link.aqm).chain(reverse).any(|aqm| aqm.python().is_some())
    }

    /// What a law is told of `link` in one direction.
    pub fn seen_by_laws(&self, link: &str, direction: Direction) -> weir_aqm::Link {
        let forward = &self.links[link];
        let rate = match (direction, &forward.reverse) {
            (Direction::Reverse, Some(reverse)) => reverse.rate.unwrap_or(forward.rate),
            _ => forward.rate,
        };
        let mean_packet = self.mean_packet(link, direction).bytes();
        weir_aqm::Link { rate, mean_packet, limit: self.limit(link, direction) }
    }

    /// What may wait in the queue of `link` in one direction: bandwidth-delay products and
    /// times become packets of mean size, rounded. A direction without a queue has no limit.
    pub fn limit(&self, link: &str, direction: Direction) -> Limit {
        let forward = &self.links[link];
        let (rate, buffer) = match (direction, &forward.reverse) {
            (Direction::Forward, _) => (forward.rate, forward.buffer),
            (Direction::Reverse, Some(reverse)) => (reverse.rate.unwrap_or(forward.rate), reverse.buffer),
            (Direction::Reverse, None) => return Limit::NONE,
        };
        let mean = self.mean_packet(link, direction).bytes();
        let limit = Limit::of(buffer, rate, mean, self.largest_rtt(link));
        match (limit, forward.buffer_counts) {
            (Limit::Packets(n), LinkBuffer::WaitingAndSending) => Limit::Packets(n.saturating_sub(1)),
            (limit, _) => limit,
        }
    }

    /// The packet size that stands for all in one direction of `link`: what the scenario says,
    /// else the mean of its flows' data packets or ACKs.
    pub fn mean_packet(&self, link: &str, direction: Direction) -> PacketSize {
        let stated = match direction {
            Direction::Forward => self.links[link].mean_packet,
            Direction::Reverse => self.links[link].reverse.as_ref().and_then(|reverse| reverse.mean_packet),
        };
        if let Some(size) = stated {
            return size;
        }
        let over = self.flows.values().filter(|group| group.path.iter().any(|name| name == link));
        let (bytes, flows) = over.fold((0, 0), |(bytes, flows), group| {
            let size = match direction {
                Direction::Forward => group.packet,
                Direction::Reverse => group.tcp.ack_size,
            };
            let count = group.lifetimes().len() as u64;
            (bytes + count * u64::from(size.bytes()), flows + count)
        });
        let mean = (bytes + flows / 2).checked_div(flows).unwrap_or(0);
        PacketSize::new(mean as u32).unwrap_or(crate::traffic::DEFAULT_PACKET)
    }
}
