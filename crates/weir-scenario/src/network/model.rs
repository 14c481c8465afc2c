//! Parts of a resolved network.

use std::collections::HashMap;

use weir_aqm::{Limit, Service, qdisc::QueueConfig};
use weir_types::{Duration, PacketSize, Rate};

use super::LoadChange;
use crate::{DirectedLink, FlowGroup, Loss, PortSpec, QueueChange};

/// The network of a scenario.
#[derive(Clone, Debug)]
pub struct Network<'a> {
    /// Every port: the links in the order of the scenario, forward before reverse.
    pub ports: Vec<Port<'a>>,
    /// The paths of the groups, in the order of the scenario.
    pub paths: Vec<Path<'a>>,
    /// The port that results are about.
    pub bottleneck: Bottleneck<'a>,
    /// The place of each port in `ports`.
    pub(super) places: HashMap<DirectedLink<'a>, usize>,
}

/// The changes of rates that are looked at: schedules of microseconds have a million million.
pub const MOST_RATE_CHANGES: usize = 100_000;

/// One direction of a link that has a queue.
#[derive(Clone, Debug)]
pub struct Port<'a> {
    /// The link and the direction.
    pub at: DirectedLink<'a>,
    /// Description of the port in the scenario.
    pub spec: PortSpec<'a>,
    /// Propagation delay.
    pub delay: Duration,
    /// Service of the transmitter: what it can send, and when.
    pub service: Service,
    /// Limit of the packets that may wait.
    pub limit: Limit,
    /// The packet size that stands for all.
    pub mean_packet_size: PacketSize,
    /// The largest propagation round trip among the flows over the link.
    pub largest_rtt: Duration,
    /// It marks packets and honours their ECN fields.
    pub ecn_capable: bool,
    /// The flows whose data pass, over time.
    pub load: Vec<LoadChange>,
    /// The queues that take the place of the first, in the order of time.
    pub changes: Vec<QueueChange<'a>>,
}

/// The way of a group of flows, and back.
#[derive(Clone, Debug)]
pub struct Path<'a> {
    /// The group's name.
    pub group: &'a str,
    /// Description of the group in the scenario.
    pub flows: &'a FlowGroup,
    /// Links that data pass, in order.
    pub data: Vec<DirectedLink<'a>>,
    /// Links that ACKs pass, in order.
    pub acks: Vec<DirectedLink<'a>>,
    /// Numbers of the hosts that data comes from and goes to; 0 where each flow has one of its own.
    pub hosts: (u8, u8),
    /// The port of the data that carries least.
    pub bottleneck: Bottleneck<'a>,
    /// The number of flows of the group, over time.
    pub load: Vec<LoadChange>,
}

/// A port that limits flows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bottleneck<'a> {
    /// Which port.
    pub at: DirectedLink<'a>,
    /// Why another could be meant; `None` if it is the only one at every instant, or named.
    pub ambiguity: Option<String>,
}

impl<'a> Network<'a> {
    /// The port of one direction of a link; `None` if it has no queue.
    pub fn port(&self, at: DirectedLink<'_>) -> Option<&Port<'a>> {
        self.places.get(&at).map(|place| &self.ports[*place])
    }
}

impl<'a> Port<'a> {
    /// Capacity at the start of the run; where the port follows a trace, the rate that its AQM sees.
    pub const fn rate(&self) -> Rate {
        self.spec.rate
    }

    /// Every change of the rate before `end`: the instant, and the rate from then on.
    pub fn rate_changes(&self, end: Duration) -> impl Iterator<Item = (Duration, Rate)> + use<'a> {
        let PortSpec { rate, rate_schedule, rate_period, .. } = self.spec;
        let cycles = 0..rate_period.map_or(1, |period| end.as_nanos().div_ceil(period.as_nanos()));
        let cycles = cycles.filter(move |_| !rate_schedule.is_empty());
        let changes = cycles.flat_map(move |cycle| {
            let begin = rate_period.map_or(Duration::ZERO, |period| period * cycle);
            let again = (begin > Duration::ZERO).then_some((begin, rate));
            again.into_iter().chain(rate_schedule.iter().map(move |change| (begin + change.at, change.rate)))
        });
        changes.take_while(move |(at, _)| *at < end)
    }

    /// The rate at an instant.
    pub fn rate_at(&self, at: Duration) -> Rate {
        let until = Duration::from_nanos(at.as_nanos().saturating_add(1));
        self.rate_changes(until).last().map_or(self.rate(), |(_, rate)| rate)
    }

    /// Limit of the packets that may wait at an instant, in packets of so many bytes; infinite if there is no limit.
    pub fn buffer_packets(&self, at: Duration, bytes: u32) -> f64 {
        let changed = self.changes.iter().rev().find(|change| change.at <= at);
        match changed.map_or(self.limit, |change| change.link.limit) {
            Limit::NONE => f64::INFINITY,
            limit => limit.in_packets(bytes),
        }
    }

    /// The bandwidth-delay product for the largest round trip among the flows, in packets of mean size.
    pub fn bdp_packets(&self) -> f64 {
        self.rate().packets_per_second(self.mean_packet_size.bytes()) * self.largest_rtt.as_secs_f64()
    }

    /// The link of this port as its AQM sees it.
    pub fn link(&self) -> weir_aqm::Link {
        weir_aqm::Link {
            rate: self.rate(),
            mean_packet: self.mean_packet_size.bytes(),
            limit: self.limit,
            rtt: self.largest_rtt,
        }
    }

    /// The queue discipline.
    pub const fn queue(&self) -> &'a QueueConfig {
        self.spec.queue
    }

    /// Loss model of the line.
    pub const fn loss(&self) -> Option<&'a Loss> {
        self.spec.loss
    }
}

impl Path<'_> {
    /// The bandwidth-delay product of the path for its largest round trip, in packets of its data.
    pub fn bdp_packets(&self, network: &Network<'_>) -> f64 {
        let rate = network.port(self.bottleneck.at).expect("data has a queue").rate();
        let rtt = self.flows.rtt.typical_maximum();
        rate.packets_per_second(self.flows.packet_size.bytes()) * rtt.as_secs_f64()
    }
}
