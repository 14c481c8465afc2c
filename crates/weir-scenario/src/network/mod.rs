//! The network that a checked scenario describes, with everything resolved: the ports, the paths of
//! flows, the load over time, and which port is the bottleneck.
//!
//! Nothing else in the workspace finds routes, limits, rates over time or bottlenecks.

mod bottleneck;
mod load;
mod model;

pub use load::LoadChange;
use load::load_of;
pub use model::{Bottleneck, MOST_RATE_CHANGES, Network, Path, Port};

use std::collections::HashMap;

use crate::{DirectedLink, Direction, Scenario, topology::Passing};

impl Scenario {
    /// The network, resolved.
    pub fn network(&self) -> Network<'_> {
        let passing = Passing::of(self);
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
                    limit: self.limit(&passing, at),
                    mean_packet_size: passing.mean_packet_size(self, at),
                    largest_rtt: passing.largest_rtt(self, name),
                    ecn_capable: link.ecn_capable,
                    load: load_of(passing.data(self, at)),
                    changes: self.queue_changes(&passing, at),
                });
            }
        }
        let places: HashMap<_, _> = ports.iter().enumerate().map(|(place, port)| (port.at, place)).collect();
        let hosts = self.hosts();
        let paths = self.flows.iter().map(|(name, group)| {
            let data = self.data_path(group);
            Path {
                group: name,
                flows: group,
                acks: self.ack_path_of(group),
                bottleneck: Bottleneck::of_path(&ports, &places, &data, self.duration),
                hosts: (
                    host_number(&hosts, group.from_host.as_ref()),
                    host_number(&hosts, group.to_host.as_ref()),
                ),
                data,
                load: load_of([group]),
            }
        });
        let paths: Vec<_> = paths.collect();
        let bottleneck = Bottleneck::of_scenario(self, &ports, &paths);
        Network { ports, paths, bottleneck, places }
    }

    /// Names of hosts that flow groups have, each once, in the order of the scenario. The first is number 1.
    pub(crate) fn hosts(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.flows.values().flat_map(|group| [&group.from_host, &group.to_host]).flatten() {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }
}

/// The number of a host; 0 without a name.
fn host_number(hosts: &[&str], name: Option<&String>) -> u8 {
    let place = name.and_then(|name| hosts.iter().position(|host| host == name));
    place.map_or(0, |place| place as u8 + 1)
}
