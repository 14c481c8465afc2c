//! The network that a checked scenario describes, with everything resolved: the ports, the paths of
//! flows, the load over time, and which port is the bottleneck.
//!
//! Nothing else in the workspace finds routes, limits, rates over time or bottlenecks.

mod bottleneck;
mod load;

use std::fmt;

use weir_aqm::{Limit, Service, qdisc::QueueConfig};
use weir_types::{Duration, PacketSize, Rate};

pub use bottleneck::Bottleneck;
pub use load::LoadChange;
use load::load_of;

use crate::{DirectedLink, Direction, FlowGroup, Loss, PortSpec, Scenario};

/// The network of a scenario.
#[derive(Clone, Debug)]
pub struct Network<'a> {
    /// Every port: the links in the order of the scenario, forward before reverse.
    pub ports: Vec<Port<'a>>,
    /// The paths of the groups, in the order of the scenario.
    pub paths: Vec<Path<'a>>,
    /// The port that results are about.
    pub bottleneck: Bottleneck<'a>,
}

/// One direction of a link that has a queue.
#[derive(Clone, Debug)]
pub struct Port<'a> {
    /// The link and the direction.
    pub at: DirectedLink<'a>,
    /// What the scenario says of it.
    pub spec: PortSpec<'a>,
    /// Propagation delay.
    pub delay: Duration,
    /// What the transmitter can send, and when.
    pub service: Service,
    /// What may wait: bandwidth-delay products and times are packets of mean size.
    pub limit: Limit,
    /// The packet size that stands for all.
    pub mean_packet_size: PacketSize,
    /// The largest propagation round trip among the flows over the link.
    pub largest_rtt: Duration,
    /// Whether it marks packets and honours their ECN fields.
    pub ecn_capable: bool,
    /// The flows whose data pass, over time.
    pub load: Vec<LoadChange>,
}

/// The way of a group of flows, and back.
#[derive(Clone, Debug)]
pub struct Path<'a> {
    /// The group's name.
    pub group: &'a str,
    /// What the scenario says of it.
    pub flows: &'a FlowGroup,
    /// What data pass, in order.
    pub data: Vec<DirectedLink<'a>>,
    /// What ACKs pass, in order.
    pub acks: Vec<DirectedLink<'a>>,
    /// The port of the data that carries least.
    pub bottleneck: Bottleneck<'a>,
    /// The number of flows of the group, over time.
    pub load: Vec<LoadChange>,
}

impl Scenario {
    /// The network, resolved.
    pub fn network(&self) -> Network<'_> {
        let mut ports = Vec::new();
        for (name, link) in &self.links {
            for direction in Direction::BOTH {
                let at = DirectedLink { link: name, direction };
                let Some(spec) = link.port(direction) else { continue };
                ports.push(Port {
                    at,
                    spec,
                    delay: link.delay,
                    service: self.service(name, direction),
                    limit: self.limit(name, direction),
                    mean_packet_size: self.mean_packet_size(name, direction),
                    largest_rtt: self.largest_rtt(name),
                    ecn_capable: link.ecn_capable,
                    load: load_of(self.flows.values().filter(|group| self.data_path(group).contains(&at))),
                });
            }
        }
        let paths = self.flows.iter().map(|(name, group)| {
            let data = self.data_path(group);
            Path {
                group: name,
                flows: group,
                acks: self.ack_path_of(group),
                bottleneck: Bottleneck::of_path(&ports, &data, self.duration),
                data,
                load: load_of([group]),
            }
        });
        let paths: Vec<_> = paths.collect();
        let bottleneck = Bottleneck::of_scenario(self, &ports, &paths);
        Network { ports, paths, bottleneck }
    }
}

impl<'a> Network<'a> {
    /// The port of one direction of a link; `None` if it has no queue.
    pub fn port(&self, at: DirectedLink<'_>) -> Option<&Port<'a>> {
        self.ports.iter().find(|port| port.at == at)
    }
}

impl<'a> Port<'a> {
    /// Capacity at the start of the run; where the port follows a trace, what its AQM is told.
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

    /// The bandwidth-delay product for the largest round trip among the flows, in packets of mean size.
    pub fn bdp_packets(&self) -> f64 {
        self.rate().packets_per_second(self.mean_packet_size.bytes()) * self.largest_rtt.as_secs_f64()
    }

    /// What an AQM in this port is told of its link.
    pub fn link(&self) -> weir_aqm::Link {
        weir_aqm::Link { rate: self.rate(), mean_packet: self.mean_packet_size.bytes(), limit: self.limit }
    }

    /// The queue discipline.
    pub const fn queue(&self) -> &'a QueueConfig {
        self.spec.queue
    }

    /// What the line loses.
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

impl fmt::Display for DirectedLink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.direction {
            Direction::Forward => f.write_str(self.link),
            Direction::Reverse => write!(f, "{}.reverse", self.link),
        }
    }
}
