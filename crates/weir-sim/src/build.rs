//! From a scenario, which is plain data, to a world that runs.

use std::{collections::HashMap, sync::Arc};

use weir_aqm::{
    Discipline, Port,
    disciplines::{AnyDiscipline, QueueConfig},
};
use weir_scenario::{Direction, FlowGroup, Rtt, RttDistribution, Scenario};
use weir_tcp::{Receiver, Sender};
use weir_types::{Duration, Instant, Rng, Streams};

use crate::{
    Packet, World,
    engine::{Calendar, Event},
    measure::{FlowInfo, GroupInfo, Intervals, QueueCounts, QueueInfo, Series},
    network::{Access, Entry, Hop, Pipe, Pipes, PortSlot, Route, To, Ways},
    world::{Books, Jitter, Sink, Source},
};

impl World {
    /// Builds the world of `scenario`, with every random stream drawn from `seed`.
    pub fn new(scenario: &Scenario, seed: u64) -> Self {
        let mut builder = Builder {
            scenario,
            streams: Streams::new(seed),
            links: HashMap::new(),
            ports: Vec::new(),
            queues: Vec::new(),
            pipes: Pipes::default(),
            known_pipes: HashMap::new(),
            known_routes: HashMap::new(),
            ways: Ways { groups: scenario.flows.len(), ..Ways::default() },
            calendar: Calendar::default(),
        };
        builder.add_ports();
        builder.finish(seed)
    }
}

/// The ports of one link.
#[derive(Clone, Copy)]
struct LinkPorts {
    forward: u32,
    reverse: Option<u32>,
    delay: Duration,
}

/// Where a pipe begins: with the port it leaves, or at an endpoint.
type PipeKey = (Option<u32>, To, Duration);

struct Builder<'a> {
    scenario: &'a Scenario,
    streams: Streams,
    links: HashMap<&'a str, LinkPorts>,
    ports: Vec<PortSlot>,
    queues: Vec<(QueueInfo, Vec<QueueCounts>)>,
    pipes: Pipes,
    known_pipes: HashMap<PipeKey, u32>,
    known_routes: HashMap<Route, u32>,
    ways: Ways,
    calendar: Calendar,
}

impl Builder<'_> {
    fn add_ports(&mut self) {
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

    fn finish(mut self, seed: u64) -> World {
        let scenario = self.scenario;
        let mut flows = Vec::new();
        let (mut sources, mut sinks, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for (index, (name, group)) in scenario.flows.iter().enumerate() {
            let bottleneck = group.path.iter().min_by_key(|link| scenario.links[*link].rate);
            let bottleneck = bottleneck.expect("a path has links").clone();
            let capacity = scenario.links[&bottleneck].rate.bits_per_second() as f64;
            groups.push(GroupInfo { name: name.clone(), bottleneck, capacity });
            self.add_flows(index, name, group, &mut flows, &mut sources, &mut sinks);
        }
        let wanted = scenario.measure.series.as_ref();
        let is_watched = |info: &FlowInfo| {
            let group = scenario.flows.get_index(info.group).map(|(name, _)| name);
            wanted.is_some_and(|series| {
                series.flows.iter().any(|flow| *flow == info.name || Some(flow) == group)
            })
        };
        let watched = (0..flows.len() as u32).filter(|flow| is_watched(&flows[*flow as usize])).collect();
        let intervals = Intervals::of(scenario);
        self.calendar.push(intervals.cuts[0], Event::Boundary);
        if wanted.is_some() {
            self.calendar.push(Instant::ZERO, Event::Sample);
        }
        World {
            now: Instant::ZERO,
            calendar: self.calendar,
            pipes: self.pipes,
            ports: self.ports,
            ways: self.ways,
            sources,
            sinks,
            books: Books {
                intervals,
                cut: 0,
                queues: self.queues,
                groups,
                flows: flows.into_iter().map(|info| (info, Vec::new())).collect(),
                series: Series::default(),
                sampling: wanted.map(|series| series.interval),
                watched,
                events: 0,
                sent: 0,
                delivered: 0,
                dropped: 0,
            },
            end: Instant::ZERO + scenario.duration,
            seed,
        }
    }

    fn add_flows(
        &mut self,
        index: usize,
        name: &str,
        group: &FlowGroup,
        flows: &mut Vec<FlowInfo>,
        sources: &mut Vec<Source>,
        sinks: &mut Vec<Sink>,
    ) {
        let tcp = Arc::new(group.tcp.clone());
        let mut starts = self.streams.at(&format!("flows.{name}.start"));
        let mut rtts = self.streams.at(&format!("flows.{name}.rtt"));
        for (number, lifetime) in group.lifetimes().into_iter().enumerate() {
            let flow = sources.len() as u32;
            let rtt = draw_rtt(&group.rtt, &mut rtts);
            let (forward, backward) = self.add_routes(group, rtt);
            self.ways.group.push(index as u32);
            self.ways.forward.push(forward);
            self.ways.backward.push(backward);
            if let Some(access) = &group.access {
                // Only as long as it must be: without access links nobody has to look.
                self.ways.access.resize_with(flow as usize, || None);
                let ack = group.tcp.ack_size.bytes();
                self.ways.access.push(Some(Access::new(access.rate, group.packet.bytes(), ack)));
            }
            let start = Instant::ZERO + lifetime.start + group.jitter.mul_f64(starts.uniform());
            let stop = lifetime.stop.map_or(Instant::MAX, |stop| Instant::ZERO + stop);
            // A flow that would leave before its jitter lets it come never comes.
            if start < stop {
                self.calendar.push(start, Event::Start(flow));
            }
            if stop < Instant::MAX {
                self.calendar.push(stop, Event::Stop(flow));
            }
            let jitter = (!group.send_jitter.is_zero()).then(|| {
                let rng = self.streams.at(&format!("flows.{name}.{number}.send"));
                Box::new(Jitter { width: group.send_jitter, rng, pending: false })
            });
            sources.push(Source {
                sender: Sender::new(flow, group.packet.bytes(), Arc::clone(&tcp)),
                timer_at: Instant::MAX,
                jitter,
            });
            sinks.push(Sink { receiver: Receiver::new(flow, &tcp), timer_at: Instant::MAX });
            flows.push(FlowInfo {
                name: format!("{name}.{number}"),
                group: index,
                rtt,
                scheduled: Instant::ZERO + lifetime.start,
                start,
                stop,
                bytes: group.packet.bytes(),
            });
        }
    }

    /// The routes of one flow, for data and for ACKs.
    fn add_routes(&mut self, group: &FlowGroup, rtt: Duration) -> (u32, u32) {
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

/// One draw of a propagation round trip.
fn draw_rtt(rtt: &Rtt, rng: &mut Rng) -> Duration {
    match rtt {
        Rtt::Fixed(rtt) => *rtt,
        Rtt::Drawn(RttDistribution::Uniform(uniform)) => {
            uniform.from + uniform.to.saturating_sub(uniform.from).mul_f64(rng.uniform())
        }
        Rtt::Drawn(RttDistribution::Exponential(exponential)) => {
            let rest = exponential.mean.saturating_sub(exponential.at_least);
            exponential.at_least + rest.mul_f64(-libm::log(1.0 - rng.uniform()))
        }
        Rtt::Drawn(RttDistribution::LogNormal(normal)) => {
            // Box and Muller; the functions of libm give the same bits everywhere.
            let radius = libm::sqrt(-2.0 * libm::log(1.0 - rng.uniform()));
            let z = radius * libm::cos(core::f64::consts::TAU * rng.uniform());
            normal.median.mul_f64(libm::exp(normal.sigma * z)).max(normal.at_least)
        }
    }
}
