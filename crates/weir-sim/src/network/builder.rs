use std::{collections::HashMap, sync::Arc};

use weir_aqm::{Discipline, Port, Service, qdisc::AnyDiscipline};
use weir_line::{Line, Losses};
use weir_scenario::{DirectedLink, Direction, FlowGroup, Scenario};
use weir_tcp::Label;
use weir_types::{Duration, Instant, Streams};

use super::{Change, Extras, PortSlot, PortState};
use crate::{
    hosts::{Hop, Hosts, Leg, Route, Way},
    packet::Packet,
    record::{AccessInfo, GroupInfo, QueueCounts, QueueInfo},
};

/// Builds the network of a scenario.
pub(crate) struct NetworkBuilder<'a> {
    scenario: &'a Scenario,
    resolved: weir_scenario::Network<'a>,
    streams: Streams,
    links: HashMap<&'a str, LinkPorts>,
    pub(super) ports: Vec<PortSlot>,
    pub(super) queues: Vec<QueueInfo>,
    /// The queues that take the place of others.
    pub(crate) changes: Vec<(Instant, Change)>,
    pub(super) known_pipes: HashMap<PipeKey, u32>,
    known_routes: HashMap<Route, u32>,
    pub(crate) hosts: Hosts,
}

/// The ports of one link.
#[derive(Clone, Copy)]
struct LinkPorts {
    forward: u32,
    reverse: Option<u32>,
    delay: Duration,
}

impl LinkPorts {
    /// The port of one direction, if it has a queue.
    const fn port(&self, direction: Direction) -> Option<u32> {
        match direction {
            Direction::Forward => Some(self.forward),
            Direction::Reverse => self.reverse,
        }
    }
}

/// The ports before a pipe (`None` at an endpoint) and behind it, its delay, and whether it is immediate.
pub(super) type PipeKey = (Option<u32>, u32, Duration, bool);

impl<'a> NetworkBuilder<'a> {
    /// Adds the ports of all links of `scenario`.
    pub(crate) fn new(scenario: &'a Scenario, streams: Streams) -> Self {
        let resolved = scenario.network();
        let end = Instant::ZERO + scenario.duration;
        let mut builder = Self {
            hosts: Hosts::new(scenario.flows.len(), resolved.ports.len(), end),
            scenario,
            resolved,
            streams,
            links: HashMap::new(),
            ports: Vec::new(),
            queues: Vec::new(),
            changes: Vec::new(),
            known_pipes: HashMap::new(),
            known_routes: HashMap::new(),
        };
        for port in builder.resolved.ports.clone() {
            let index = builder.add_port(&port);
            let (forward, reverse, delay) = (index, None, port.delay);
            match port.at.direction {
                Direction::Forward => {
                    builder.links.insert(port.at.link, LinkPorts { forward, reverse, delay });
                }
                Direction::Reverse => {
                    let ports = builder.links.get_mut(port.at.link).expect("forward comes first");
                    ports.reverse = Some(index);
                }
            }
        }
        builder
    }

    /// Adds a port, and returns its index.
    fn add_port(&mut self, port: &weir_scenario::Port<'_>) -> u32 {
        let path = format!("links.{}", port.at);
        // The stream is named after the former key `aqm`: published results keep their draws.
        let discipline: AnyDiscipline<Packet> =
            port.queue().build(port.link(), self.streams, &format!("{path}.aqm"));
        let classes = discipline.classes();
        let legacy = !port.ecn_capable;
        let losses = port.loss().map(|loss| Losses::new(loss, self.streams.at(&format!("{path}.loss"))));
        let line = Line::new(&port.spec, |part| self.streams.at(&format!("{path}.{part}")));
        // A line on which packets overtake is told of each packet before any of them can leave.
        let lateness = if line.as_ref().is_some_and(Line::reorders) { Duration::ZERO } else { Duration::MAX };
        let draws = || self.streams.draws_at(&format!("{path}.docsis"));
        let transmitter = Port::new(discipline, port.service.clone().drawing(draws));
        let counts =
            QueueCounts::new(self.hosts.routing.groups(), classes.len(), transmitter.supply(Instant::ZERO));
        self.ports.push(PortSlot {
            port: transmitter,
            state: PortState {
                counts,
                extras: (losses.is_some() || legacy || line.is_some())
                    .then(|| Box::new(Extras { losses, legacy, line, observed: None })),
                lateness,
                keeps_queue: port.changes.is_empty(),
                ..PortState::default()
            },
        });
        self.queues.push(QueueInfo {
            link: port.at.link.to_owned(),
            direction: port.at.direction.name(),
            rate: port.rate().bits_per_second() as f64,
            is_bottleneck: port.at == self.resolved.bottleneck.at,
            classes,
        });
        let index = self.ports.len() as u32 - 1;
        for (number, change) in port.changes.iter().enumerate() {
            let queue = change.queue.build(change.link, self.streams, &format!("{path}.changes.{number}"));
            let change_of = Change::Queue(index, Some(Box::new(queue)));
            self.changes.push((Instant::ZERO + change.at, change_of));
        }
        index
    }

    /// Returns true if a filter may look at ACKs that later ones have overtaken. Their options are forgotten when the
    /// sender reads the later ones, and must not be so ahead of the clock.
    pub(crate) fn filters_overtaken_acks(&self) -> bool {
        let ports = &self.resolved.ports;
        let filters = |port: &weir_scenario::Port<'_>| {
            let mut changed = port.changes.iter().map(|change| &change.queue);
            port.queue().ack_filter().is_some() || changed.any(|queue| queue.ack_filter().is_some())
        };
        ports.iter().any(filters)
            && ports.iter().any(|port| port.spec.delay_variation.is_some_and(|spec| spec.reorder))
    }

    /// The round trips of the group `name` in mid-run, with the instants from which on they hold.
    pub(crate) fn rtt_changes(&self, name: &str) -> Vec<(Instant, Duration)> {
        let of_group = |change: &'a weir_scenario::Change| {
            Some((Instant::ZERO + change.at, change.flows.get(name)?.rtt?))
        };
        self.scenario.changes.iter().filter_map(of_group).collect()
    }

    /// The properties of a group, among them the bottleneck of its data.
    pub(crate) fn group_info(&self, name: &str, group: &FlowGroup) -> GroupInfo {
        let path = self.path(group);
        let at = path.bottleneck.at;
        let rate = self.resolved.port(at).expect("data has a queue").rate();
        let place = |at: &DirectedLink<'_>| self.links[at.link].port(at.direction).map(|port| port as usize);
        let queue = |at: &DirectedLink<'_>| place(at).expect("data has a queue");
        GroupInfo {
            name: name.to_owned(),
            bottleneck: queue(&at),
            rate: rate.bits_per_second() as f64,
            queues: path.data.iter().map(queue).collect(),
            acks: (!group.traffic.is_datagrams()).then(|| path.acks.iter().filter_map(place).collect()),
            access: group.access.as_ref().map(|access| AccessInfo {
                rate: access.rate.bits_per_second() as f64,
                ack_bytes: f64::from(group.tcp.ack_size.bytes()),
            }),
            rtts: self.rtt_changes(name),
        }
    }

    /// The resolved path of a group of the scenario.
    fn path(&self, group: &FlowGroup) -> &weir_scenario::Path<'a> {
        let same = |path: &&weir_scenario::Path<'_>| std::ptr::eq(path.flows, group);
        self.resolved.paths.iter().find(same).expect("the group is of this scenario")
    }

    /// Propagation delay of the route of this index.
    pub(crate) fn delay(&self, route: u32) -> Duration {
        self.hosts.routing.route(route).delay()
    }

    /// Services on the route of this index: the least of the rates that never change, in bit/s, and the other
    /// services. Each of the latter comes with the propagation delay before it.
    pub(crate) fn services(&self, route: u32) -> (Option<u64>, Box<[(Duration, Service)]>) {
        let route = self.hosts.routing.route(route);
        let (mut before, mut fixed, mut varying) = (route.first.delay, None::<u64>, Vec::new());
        for hop in &route.hops {
            match &self.resolved.ports[hop.port as usize].service {
                Service::Fixed(rate) => {
                    let rate = rate.bits_per_second();
                    fixed = Some(fixed.map_or(rate, |least| least.min(rate)));
                }
                service => varying.push((before, service.clone())),
            }
            before = before + hop.leg.delay;
        }
        (fixed, varying.into())
    }

    /// The least rate of the ports on the route of this index, in bit/s.
    pub(crate) fn least_rate(&self, route: u32) -> Option<u64> {
        let hops = self.hosts.routing.route(route).hops.iter();
        hops.map(|hop| self.queues[hop.port as usize].rate as u64).min()
    }

    /// Adds the way of flows of `group`, number `index`, for data and for ACKs.
    pub(crate) fn add_way(&mut self, index: usize, group: &FlowGroup, rtt: Duration) -> Arc<Way> {
        let scenario = self.scenario;
        let path = self.path(group);
        let (data, acks, hosts) = (path.data.clone(), path.acks.clone(), path.hosts);
        let receiver = group.access.as_ref().map_or(Duration::ZERO, |access| access.receiver_delay);
        let links = scenario.delay_of(&data) + scenario.delay_of(&acks) + receiver * 2;
        // The part of the round trip that the links do not cover is access delay, half in each direction.
        let access = rtt.saturating_sub(links);
        let before = access / 2;
        let after = access.saturating_sub(before);
        let serialises = group.access.is_some();
        let forward = self.add_route(before, &data, receiver, serialises);
        let backward = self.add_route(receiver, &acks, after, serialises);
        let (from, to) = hosts;
        let labels = [Label::new(group.dscp, from, to), Label::new(group.dscp, to, from)];
        self.hosts.routing.way(index, forward, backward, labels)
    }

    /// Adds a route along `path`; `before` and `after` are the delays of the access links. A link without
    /// a port only delays.
    fn add_route(
        &mut self,
        before: Duration,
        path: &[DirectedLink<'_>],
        after: Duration,
        serialises: bool,
    ) -> u32 {
        // The segments of the route: the port at the beginning of each, and its delay.
        let mut segments: Vec<(Option<u32>, Duration)> = vec![(None, before)];
        for at in path {
            let link = self.links[at.link];
            match link.port(at.direction) {
                port @ Some(_) => segments.push((port, link.delay)),
                None => lengthen(&mut segments, link.delay),
            }
        }
        lengthen(&mut segments, after);
        let mut legs = (0..segments.len()).map(|index| {
            let (before, delay) = segments[index];
            let next = segments.get(index + 1).and_then(|(port, _)| *port);
            let immediate = before.is_none() && delay.is_zero() && !serialises;
            Leg { delay, pipe: next.map(|port| self.add_pipe((before, port, delay, immediate))) }
        });
        let first = legs.next().expect("a route begins at an endpoint");
        let hops = segments
            .iter()
            .skip(1)
            .zip(legs)
            .filter_map(|((port, _), leg)| Some(Hop { port: (*port)?, leg }));
        let route = Route::new(first, hops.collect());
        for Hop { port, leg } in &route.hops {
            let lateness = &mut self.ports[*port as usize].state.lateness;
            *lateness = (*lateness).min(leg.delay);
        }
        *self.known_routes.entry(route.clone()).or_insert_with(|| self.hosts.routing.add_route(route))
    }

    fn add_pipe(&mut self, key: PipeKey) -> u32 {
        *self.known_pipes.entry(key).or_insert_with(|| {
            let (_, port, _, immediate) = key;
            self.hosts.routing.pipes.add(port, immediate, self.queues[port as usize].rate)
        })
    }
}

/// Adds `delay` to the last segment.
fn lengthen(segments: &mut [(Option<u32>, Duration)], delay: Duration) {
    if let Some((_, sum)) = segments.last_mut() {
        *sum = *sum + delay;
    }
}
