//! Ports, pipes and routes.

use weir_aqm::{
    Discipline, Port,
    disciplines::{AnyDiscipline, QueueConfig},
};
use weir_scenario::{Direction, FlowGroup};
use weir_types::Duration;

use super::{Builder, LinkPorts, PipeKey};
use crate::{
    Packet,
    measure::{QueueCounts, QueueInfo},
    network::{Entry, Hop, Pipe, PortSlot, Route, To},
};

impl Builder<'_> {
    pub(super) fn add_ports(&mut self) {
        let scenario = self.scenario;
        for (name, link) in &scenario.links {
            let forward = self.add_port(name, Direction::Forward, &link.aqm);
            let reverse = link.reverse.as_ref();
            let reverse = reverse.map(|reverse| self.add_port(name, Direction::Reverse, &reverse.aqm));
            self.links.insert(name, LinkPorts { forward, reverse, delay: link.delay });
        }
    }

    fn add_port(&mut self, link: &str, direction: Direction, aqm: &QueueConfig) -> u32 {
        let (name, stream) = match direction {
            Direction::Forward => ("forward", format!("links.{link}.aqm")),
            Direction::Reverse => ("reverse", format!("links.{link}.reverse.aqm")),
        };
        let seen = self.scenario.seen_by_laws(link, direction);
        let discipline: AnyDiscipline<Packet> = aqm.build(seen, self.streams, &stream);
        let classes = discipline.classes();
        let groups = self.scenario.flows.len();
        self.ports.push(PortSlot {
            port: Port::new(discipline, seen.rate),
            counts: QueueCounts::new(groups, classes.len()),
            lookahead: Duration::MAX,
            awaited: false,
        });
        let rate = seen.rate.bits_per_second() as f64;
        self.queues.push((QueueInfo { link: link.to_owned(), direction: name, rate, classes }, Vec::new()));
        self.ports.len() as u32 - 1
    }

    /// The routes of one flow, for data and for ACKs.
    pub(super) fn add_routes(&mut self, group: &FlowGroup, rtt: Duration) -> (u32, u32) {
        let links: Vec<_> = group.path.iter().map(|name| self.links[name.as_str()]).collect();
        let receiver = group.access.as_ref().map_or(Duration::ZERO, |access| access.receiver_delay);
        let across = links.iter().fold(receiver, |sum, link| sum + link.delay);
        // What the links do not account for is access delay, half in each direction.
        let access = rtt.saturating_sub(across * 2);
        let there = access / 2;
        let forward = links.iter().map(|link| (Some(link.forward), link.delay));
        let forward = self.add_route(there, forward, receiver, To::Receiver, group.access.is_some());
        let backward = links.iter().rev().map(|link| (link.reverse, link.delay));
        let back = access.saturating_sub(there);
        let backward = self.add_route(receiver, backward, back, To::Sender, group.access.is_some());
        (forward, backward)
    }

    /// A route through `links`, each a port, if it has one, and the delay behind it; `before`
    /// and `after` are the delays of the access links. Links without a port only delay.
    fn add_route(
        &mut self,
        before: Duration,
        links: impl Iterator<Item = (Option<u32>, Duration)>,
        after: Duration,
        end: To,
        serialises: bool,
    ) -> u32 {
        // Each leg: the port it leaves, and its delay.
        let mut legs: Vec<(Option<u32>, Duration)> = vec![(None, before)];
        for (port, delay) in links {
            match port {
                Some(_) => legs.push((port, delay)),
                None => lengthen(&mut legs, delay),
            }
        }
        lengthen(&mut legs, after);
        let to = |leg: usize| legs.get(leg + 1).and_then(|(port, _)| *port).map_or(end, To::Port);
        let entry = match to(0) {
            To::Port(port) if legs[0].1.is_zero() && !serialises => Entry::Port(port),
            first => Entry::Pipe(self.add_pipe((None, first, legs[0].1))),
        };
        let last = legs.len() - 1;
        let hops = legs.iter().enumerate().filter_map(|(leg, (port, delay))| {
            let port = (*port)?;
            let lookahead = &mut self.ports[port as usize].lookahead;
            *lookahead = (*lookahead).min(*delay);
            Some(Hop { port, pipe: self.add_pipe((Some(port), to(leg), *delay)), last: leg == last })
        });
        let route = Route { entry, hops: hops.collect() };
        *self.known_routes.entry(route.clone()).or_insert_with(|| {
            self.ways.routes.push(route);
            self.ways.routes.len() as u32 - 1
        })
    }

    fn add_pipe(&mut self, key: PipeKey) -> u32 {
        *self.known_pipes.entry(key).or_insert_with(|| {
            let (_, to, delay) = key;
            self.pipes.0.push(Pipe::new(delay, to));
            self.pipes.0.len() as u32 - 1
        })
    }
}

/// The last leg takes `delay` more.
fn lengthen(legs: &mut [(Option<u32>, Duration)], delay: Duration) {
    if let Some((_, sum)) = legs.last_mut() {
        *sum = *sum + delay;
    }
}
