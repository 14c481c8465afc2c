//! A link: what each of its directions does to packets.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_aqm::{DeliveryTrace, aqm::DropTailParameters, qdisc::QueueConfig};
use weir_types::{Buffer, Duration, PacketSize, Rate};

use super::{Aggregation, DelayVariation, DocsisSpec, Loss, RateChange, TokenBucketSpec};
use crate::{
    defaults::{is_off, is_on, on},
    files::Content,
};

/// Declares what stands for one direction of a link in scenario files: the keys that both directions have, and
/// the keys that only this one has, each list at its place. serde's `flatten` would lose the path and the line
/// of an error.
macro_rules! link_direction {
    (
        $(#[$meta:meta])*
        pub struct $name:ident
        first { $($first:tt)* }
        before_buffer { $($before_buffer:tt)* }
        after_buffer { $($after_buffer:tt)* }
        last { $($last:tt)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($first)*
            /// Capacity. With a `trace` it is what AQMs see. Default: the mean of the trace, if there is one; for
            /// a reverse direction without a trace, the rate of the forward direction.
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
            /// Digest of the content of the trace: filled in when the file is read, and compared with it if written
            /// down.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub trace_digest: Option<String>,
            /// A token bucket instead of a constant rate. Default: none.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub token_bucket: Option<TokenBucketSpec>,
            /// The upstream of a cable modem, which sends what it has asked for and been granted. Default: packets
            /// leave when the link is free.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub docsis: Option<DocsisSpec>,
            $($before_buffer)*
            /// Room for waiting packets; the one being sent does not wait.
            pub buffer: Buffer,
            $($after_buffer)*
            /// The packet size that AQMs use to convert between bytes and packets. Default: the mean of the data
            /// packets in this direction, or of the ACKs if no data pass.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub mean_packet_size: Option<PacketSize>,
            /// The queue discipline. Default: DropTail.
            #[serde(default = "drop_tail")]
            pub queue: QueueConfig,
            /// Packets that are lost on the line, independent of the queue. Default: none.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub loss: Option<Loss>,
            /// Random delay on the line, behind the transmitter. Default: none.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub delay_variation: Option<DelayVariation>,
            /// Packets leave the line together, at the times of grants. Default: each by itself.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub aggregation: Option<Aggregation>,
            $($last)*
            /// Content of the trace, once it has been read.
            #[serde(skip)]
            pub(crate) deliveries: Content<DeliveryTrace>,
        }

        impl $name {
            /// This direction, with `rate` unless it has its own.
            fn spec(&self, rate: Option<Rate>) -> PortSpec<'_> {
                PortSpec {
                    rate: self.rate.or(rate).expect("a link has a rate"),
                    rate_schedule: &self.rate_schedule,
                    rate_period: self.rate_period,
                    deliveries: self.trace.is_some().then(|| self.deliveries.get()),
                    buffer: self.buffer,
                    mean_packet_size: self.mean_packet_size,
                    queue: &self.queue,
                    loss: self.loss.as_ref(),
                    token_bucket: self.token_bucket.as_ref(),
                    docsis: self.docsis.as_ref(),
                    delay_variation: self.delay_variation.as_ref(),
                    aggregation: self.aggregation.as_ref(),
                }
            }
        }
    };
}

link_direction! {
    /// A link: a queue, a transmitter and a propagation delay in one direction, and an optional other
    /// direction.
    pub struct Link
    first {
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
    }
    before_buffer {
        /// Propagation delay in one direction.
        pub delay: Duration,
        /// There is no other direction: ACKs come back elsewhere, and datagrams have none. Default: off.
        #[serde(default, skip_serializing_if = "is_off")]
        pub unidirectional: bool,
    }
    after_buffer {
        /// Packets that count towards the buffer. Default: waiting packets.
        #[serde(default)]
        pub buffer_counts: LinkBuffer,
    }
    last {
        /// Off for a router without ECN: it marks nothing, and tells sources that ask for it
        /// (`tcp.congestion.wireless.mixed_path`) that losses on this path may be those of congestion.
        /// Default: on.
        #[serde(default = "on", skip_serializing_if = "is_on")]
        pub ecn_capable: bool,
        /// The other direction. Default: ACKs are delayed as long as data, but never wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub reverse: Option<ReverseLink>,
    }
}

link_direction! {
    /// The direction of the ACKs, and of data of flows that go against the link: same propagation
    /// delay, its own queue and transmitter.
    pub struct ReverseLink
    first {}
    before_buffer {}
    after_buffer {}
    last {}
}

/// Packets that count towards a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LinkBuffer {
    /// Waiting packets.
    #[default]
    Waiting,
    /// Waiting packets and the one being sent: one fewer waits (ns-2's DropTail and REM).
    WaitingAndSending,
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
    /// Both directions, that of the link first.
    pub const BOTH: [Self; 2] = [Self::Forward, Self::Reverse];

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
    /// Loss model of the line.
    pub loss: Option<&'a Loss>,
    /// The bucket that takes the place of a constant rate.
    pub token_bucket: Option<&'a TokenBucketSpec>,
    /// Requests and grants of a cable modem.
    pub docsis: Option<&'a DocsisSpec>,
    /// Delays that the line adds to each packet.
    pub delay_variation: Option<&'a DelayVariation>,
    /// When the line lets packets go.
    pub aggregation: Option<&'a Aggregation>,
}

impl PortSpec<'_> {
    /// The lowest of its rates.
    pub(crate) fn lowest_rate(&self) -> Rate {
        self.rate_schedule.iter().map(|change| change.rate).fold(self.rate, Ord::min)
    }

    /// The highest of its rates.
    pub(crate) fn highest_rate(&self) -> Rate {
        self.rate_schedule.iter().map(|change| change.rate).fold(self.rate, Ord::max)
    }
}

/// Values of one direction of a link that are filled in when the scenario is read.
pub(crate) struct DirectionMut<'a> {
    pub(crate) rate: &'a mut Option<Rate>,
    pub(crate) trace: &'a mut Option<String>,
    pub(crate) trace_digest: &'a mut Option<String>,
    pub(crate) deliveries: &'a mut Content<DeliveryTrace>,
    pub(crate) mean_packet_size: &'a mut Option<PacketSize>,
    pub(crate) queue: &'a mut QueueConfig,
}

impl Link {
    /// The changes of the rate of one direction that there is.
    pub(crate) fn rate_schedule_mut(&mut self, direction: Direction) -> &mut Vec<RateChange> {
        match direction {
            Direction::Forward => &mut self.rate_schedule,
            Direction::Reverse => &mut self.reverse.as_mut().expect("there is one").rate_schedule,
        }
    }

    /// One direction; `None` if it has no queue.
    ///
    /// # Panics
    /// If the link has neither a rate nor a trace that has been read: a scenario that was checked
    /// has one.
    pub fn port(&self, direction: Direction) -> Option<PortSpec<'_>> {
        match direction {
            Direction::Forward => Some(self.spec(None)),
            Direction::Reverse => self.reverse.as_ref().map(|reverse| reverse.spec(self.rate)),
        }
    }

    /// The directions that have a queue, each with what it adds to the path of the link.
    pub(crate) fn directions_mut(&mut self) -> impl Iterator<Item = (&'static str, DirectionMut<'_>)> {
        macro_rules! direction_mut {
            ($keys:ident) => {
                DirectionMut {
                    rate: &mut $keys.rate,
                    trace: &mut $keys.trace,
                    trace_digest: &mut $keys.trace_digest,
                    deliveries: &mut $keys.deliveries,
                    mean_packet_size: &mut $keys.mean_packet_size,
                    queue: &mut $keys.queue,
                }
            };
        }
        let reverse = self.reverse.as_mut().map(|reverse| (".reverse", direction_mut!(reverse)));
        [("", direction_mut!(self))].into_iter().chain(reverse)
    }
}
