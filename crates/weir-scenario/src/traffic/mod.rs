//! Groups of flows: how many, over which path, and what they have to send.

mod cdf;
mod check;
mod datagrams;
mod list;
mod recording;
mod replay;
mod rtt;
mod sizes;
mod towards;
mod trace;
mod transfers;
mod web;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_tcp::{Declared, TcpParameters};
use weir_types::{Dscp, Duration, Ecn, PacketSize, Rate};

pub use cdf::{Cdf, CdfFile};
pub use datagrams::{Cbr, Gaps, OnOff};
pub use list::{ListedTransfer, TransferList};
pub use recording::{Recording, Selection, Share};
pub use replay::Replay;
pub use rtt::{Exponential, LogNormal, Rtt, RttDistribution, Uniform};
pub use sizes::{ExponentialSize, LogNormalSize, ParetoSize, Size, SizeDistribution, Sizes};
pub use towards::Towards;
pub use trace::{Trace, TracePacket};
pub use transfers::{ArrivalRate, ClosedLoop, Poisson};
pub use web::{ObjectCount, PageTime, ThreeGpp, Web};

use crate::{PopulationChange, defaults::is_off};

pub(crate) const DEFAULT_PACKET: PacketSize = match PacketSize::new(1500) {
    Some(size) => size,
    None => unreachable!(),
};

/// Flows of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowGroup {
    /// Flows at `start`. Default 1.
    #[serde(default = "one")]
    pub count: u32,
    /// How their number changes, in the order of time: `{ at = "50 s", count = 40 }` at an instant,
    /// `{ step = 20, every = "50 s", until = 160 }` step by step. Those who came last leave first.
    /// Default: it does not change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub population: Vec<PopulationChange>,
    /// The node that data comes from, where links have nodes. Default: where the path begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The node that data goes to. With `from` and without a path the way with the fewest links is
    /// taken, and of those the one with the least delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Nodes that the way from `from` to `to` passes, in order. Default: none in particular.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<String>,
    /// The links that data passes, in order. Default: the only link.
    #[serde(default)]
    pub path: Vec<String>,
    /// The links that ACKs pass, in order, from the receiver to the sender. Default: those of the data,
    /// in the other direction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ack_path: Vec<String>,
    /// Data passes the links of `path` in their reverse direction, ACKs in the forward one; where links
    /// have nodes, these say so. Default: off.
    #[serde(default, skip_serializing_if = "is_off")]
    pub upload: bool,
    /// Short form: one such group for each link of this row (`hops`), called NAME1, NAME2 and so on.
    /// Default: one group of this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each_hop_of: Option<String>,
    /// Propagation round trip, links included; what the links do not account for is the
    /// delay of the sender's access link, half in each direction.
    pub rtt: Rtt,
    /// When the group begins. Default 0 s.
    #[serde(default)]
    pub start: Duration,
    /// Each flow begins later by a time drawn uniformly between zero and this. Default 0 s.
    #[serde(default)]
    pub start_jitter: Duration,
    /// When the group ends. Default: with the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Duration>,
    /// Bytes of a data packet on the wire, headers included. Default 1500 B.
    #[serde(default = "default_packet")]
    pub packet_size: PacketSize,
    /// Diffserv codepoint of its packets, ACKs included, by which CAKE sorts them into tins: "CS1", "AF41", "EF", or a
    /// number from 0 to 63. Default "CS0": best effort.
    #[serde(default, skip_serializing_if = "is_best_effort")]
    pub dscp: Dscp,
    /// Name of the host that its data comes from, for queues that share a rate among hosts (CAKE). Default: each flow
    /// has one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_host: Option<String>,
    /// Name of the host that its data goes to. Default: each flow has one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_host: Option<String>,
    /// A new packet leaves the sender later by a time drawn uniformly between zero and this
    /// (ns-2's `overhead_`): it breaks the lock-step of equal round trips. Default 0 s.
    #[serde(default)]
    pub send_jitter: Duration,
    /// Links of the flow's own at both ends, which take time to send but never drop.
    /// Default: they only delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// The TCP connection.
    #[serde(default)]
    pub tcp: TcpParameters,
    /// Traffic of the group: what it sends, and when. Default: data without end, from `start` to `stop`.
    #[serde(default, skip_serializing_if = "Traffic::is_bulk")]
    pub traffic: Traffic,
}

/// Links of a flow's own, at both ends and in both directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// Capacity of each.
    pub rate: Rate,
    /// Propagation delay between the last link and the receiver. Default 0 s.
    #[serde(default)]
    pub receiver_delay: Duration,
}

impl FlowGroup {
    /// The ECN codepoint of each kind of packet that the group sends.
    pub fn declares(&self) -> Vec<(&'static str, Ecn)> {
        let datagrams = |ecn: bool| vec![("data", if ecn { Ecn::Ect0 } else { Ecn::NotEct })];
        match &self.traffic {
            Traffic::Cbr(cbr) => datagrams(cbr.ecn),
            Traffic::OnOff(source) => datagrams(source.ecn),
            Traffic::Replay(replay) => datagrams(replay.ecn),
            _ => {
                let kinds = Declared::in_all(&self.tcp).kinds().into_iter();
                kinds.filter(|(kind, _)| self.tcp.handshake || !kind.starts_with("SYN")).collect()
            }
        }
    }

    /// How many flows have numbers: those that come and go have none.
    pub(crate) fn static_flows(&self) -> usize {
        match &self.traffic {
            Traffic::Replay(replay) => replay.trace.get().flows as usize,
            traffic if traffic.comes_and_goes() => 0,
            _ => self.flows_in_all(),
        }
    }
}

/// Traffic of a group: what it sends, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Traffic {
    /// Data without end: every flow sends all that its window allows.
    Bulk(Bulk),
    /// Flows of finite size that arrive at random instants (a Poisson process) and leave when all has
    /// arrived.
    Poisson(Poisson),
    /// The transfers of a file: each starts when the file says, and is as large.
    List(TransferList),
    /// `count` users who transfer one flow after the other, each with a time to think in between.
    ClosedLoop(ClosedLoop),
    /// `count` web sessions as ns-2's PagePool/WebTraf has them: pages of objects, each object over a TCP
    /// connection of its own.
    Web(Web),
    /// `count` web users as 3GPP and ns-3 have them: a page is a main object and embedded ones.
    #[serde(rename = "web-3gpp")]
    Web3gpp(ThreeGpp),
    /// `count` sources of datagrams at a constant bit rate, which answer to nothing.
    Cbr(Cbr),
    /// `count` sources of datagrams that are on and off in turn, which answer to nothing.
    OnOff(OnOff),
    /// The packets of a trace, when and as large as they were, as datagrams.
    Replay(Replay),
}

/// Data without end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bulk {}

impl Default for Traffic {
    fn default() -> Self {
        Self::Bulk(Bulk {})
    }
}

impl Traffic {
    /// Returns true if it is data without end.
    pub const fn is_bulk(&self) -> bool {
        matches!(self, Self::Bulk(_))
    }

    /// Returns true if it is sent as datagrams, without TCP.
    pub const fn is_datagrams(&self) -> bool {
        matches!(self, Self::Cbr(_) | Self::OnOff(_) | Self::Replay(_))
    }

    /// Returns true if flows come and go, so that their number is not known before the run.
    pub const fn comes_and_goes(&self) -> bool {
        matches!(
            self,
            Self::Poisson(_) | Self::List(_) | Self::ClosedLoop(_) | Self::Web(_) | Self::Web3gpp(_)
        )
    }

    /// Returns true if transfers begin whether or not those before them have ended.
    pub const fn begins_by_itself(&self) -> bool {
        matches!(self, Self::Poisson(_) | Self::List(_))
    }

    /// Returns true if chance decides what is sent, or when.
    pub fn is_random(&self) -> bool {
        match self {
            Self::Poisson(_) | Self::ClosedLoop(_) | Self::Web(_) | Self::Web3gpp(_) | Self::OnOff(_) => true,
            Self::Cbr(cbr) => cbr.gaps != Gaps::Equal,
            Self::Bulk(_) | Self::List(_) | Self::Replay(_) => false,
        }
    }

    /// Its name in scenario files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Bulk(_) => "bulk",
            Self::Poisson(_) => "poisson",
            Self::List(_) => "list",
            Self::ClosedLoop(_) => "closed-loop",
            Self::Web(_) => "web",
            Self::Web3gpp(_) => "web-3gpp",
            Self::Cbr(_) => "cbr",
            Self::OnOff(_) => "on-off",
            Self::Replay(_) => "replay",
        }
    }

    /// The least that can be said of traffic of this kind, as JSON: what equals it need not be said.
    pub(crate) fn least(&self) -> serde_json::Value {
        let (mut value, required): (_, &[&str]) = match self {
            Self::Bulk(_) => (plain(&Bulk {}), &[]),
            Self::Poisson(_) => (plain(&Poisson::default()), &["size"]),
            Self::List(_) => (plain(&TransferList::default()), &["file"]),
            Self::ClosedLoop(_) => (plain(&ClosedLoop::default()), &["size"]),
            Self::Web(_) => (plain(&Web::default()), &[]),
            Self::Web3gpp(_) => (plain(&ThreeGpp::default()), &[]),
            Self::Cbr(_) => (plain(&Cbr::default()), &["rate"]),
            Self::OnOff(_) => (plain(&OnOff::default()), &["rate"]),
            Self::Replay(_) => (plain(&Replay::default()), &["file"]),
        };
        if let serde_json::Value::Object(map) = &mut value {
            map.retain(|key, _| !required.contains(&key.as_str()));
        }
        value
    }
}

fn plain(value: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(value).expect("plain data")
}

pub(crate) const fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_best_effort(dscp: &Dscp) -> bool {
    *dscp == Dscp::CS0
}

fn default_packet() -> PacketSize {
    DEFAULT_PACKET
}
