//! Ports, pipes and routes.

use weir_aqm::{Discipline, Port, disciplines::AnyDiscipline};
use weir_scenario::{Direction, FlowGroup, Passage};
use weir_types::Duration;

use super::{Builder, LinkPorts, PipeKey};
use crate::{
    Packet,
    measure::{QueueCounts, QueueInfo},
    network::{Entry, Extras, Hop, Line, Pipe, PortSide, PortSlot, Route, To},
};

impl Builder<'_> {
    pub(super) fn add_ports(&mut self) {
        let scenario = self.scenario;
        for (name, link) in &scenario.links {
            let forward = self.add_port(name, Direction::Forward).expect("there is a queue");
            let reverse = self.add_port(name, Direction::Reverse);
            self.links.insert(name, LinkPorts { forward, reverse, delay: link.delay });
        }
    }

    /// The port of one direction of `link`, if it has a queue.
    fn add_port(&mut self, link: &str, direction: Direction) -> Option<u32> {
        let lane = self.scenario.links[link].lane(direction)?;
        let (name, path) = match direction {
            Direction::Forward => ("forward", format!("links.{link}")),
            Direction::Reverse => ("reverse", format!("links.{link}.reverse")),
        };
        let seen = self.scenario.seen_by_laws(link, direction);
        let discipline: AnyDiscipline<Packet> = lane.aqm.build(seen, self.streams, &format!("{path}.aqm"));
        let classes = discipline.classes();
        let groups = self.scenario.flows.len();
        let legacy = !self.scenario.links[link].ecn_capable;
        let on_the_way = Line::new(lane.loss, legacy, || self.streams.at(&format!("{path}.loss")));
        self.ports.push(PortSlot {
            port: Port::new(discipline, self.scenario.service(link, direction)),
            side: PortSide {
                counts: QueueCounts::new(groups, classes.len()),
                extras: on_the_way.map(|line| Box::new(Extras { line: Some(line), tap: None })),
                ..PortSide::default()
            },
            lookahead: Duration::MAX,
            awaited: false,
        });
        let rate = seen.rate.bits_per_second() as f64;
        self.queues.push((QueueInfo { link: link.to_owned(), direction: name, rate, classes }, Vec::new()));
        Some(self.ports.len() as u32 - 1)
    }

    /// The routes of one flow, for data and for ACKs.
    pub(super) fn add_routes(&mut self, group: &FlowGroup, rtt: Duration) -> (u32, u32) {
        let scenario = self.scenario;
        let (there, back) = (scenario.data_way(group), scenario.ack_way(group));
        let receiver = group.access.as_ref().map_or(Duration::ZERO, |access| access.receiver_delay);
        let across = scenario.delay_of(&there) + scenario.delay_of(&back) + receiver * 2;
        // What the links do not account for is access delay, half in each direction.
        let access = rtt.saturating_sub(across);
        let before = access / 2;
        let after = access.saturating_sub(before);
        let serialises = group.access.is_some();
        let forward = self.add_route(before, &there, receiver, To::Receiver, serialises);
        let backward = self.add_route(receiver, &back, after, To::Sender, serialises);
        (forward, backward)
    }

    /// A route along `way`; `before` and `after` are the delays of the access links. Links without a
    /// port only delay.
    fn add_route(
        &mut self,
        before: Duration,
        way: &[Passage<'_>],
        after: Duration,
        end: To,
        serialises: bool,
    ) -> u32 {
        // Each leg: the port it leaves, and its delay.
        let mut legs: Vec<(Option<u32>, Duration)> = vec![(None, before)];
        for at in way {
            let link = self.links[at.link];
            match link.port(at.direction) {
                port @ Some(_) => legs.push((port, link.delay)),
                None => lengthen(&mut legs, link.delay),
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
