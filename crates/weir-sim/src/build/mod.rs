//! From a scenario, which is plain data, to a world that runs.

mod flows;
mod network;
mod traffic;

use std::collections::HashMap;

use weir_scenario::{Direction, Passage, Scenario};
use weir_types::{Duration, Instant, Streams};

use crate::{
    World,
    engine::{Calendar, Event},
    measure::{FlowInfo, GroupInfo, Intervals, QueueCounts, QueueInfo, Series},
    network::{Pipes, PortSlot, Route, To, Ways},
    traffic::Traffic,
    world::{Books, Sink, Source},
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
            ways: Ways {
                groups: scenario.flows.len(),
                live: vec![0; scenario.flows.len()],
                ..Ways::default()
            },
            calendar: Calendar::default(),
            traffic: Traffic::default(),
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

impl LinkPorts {
    /// The port of one direction, if it has one.
    const fn port(&self, direction: Direction) -> Option<u32> {
        match direction {
            Direction::Forward => Some(self.forward),
            Direction::Reverse => self.reverse,
        }
    }
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
    traffic: Traffic,
}

/// Static flows and their two ends, in the order of their ids.
#[derive(Default)]
struct Ends {
    flows: Vec<FlowInfo>,
    sources: Vec<Source>,
    sinks: Vec<Sink>,
}

impl Builder<'_> {
    fn finish(mut self, seed: u64) -> World {
        let scenario = self.scenario;
        let mut ends = Ends::default();
        let mut groups = Vec::new();
        for (index, (name, group)) in scenario.flows.iter().enumerate() {
            let way = scenario.data_way(group);
            let rate = |at: &Passage<'_>| scenario.rate(at.link, at.direction);
            let narrowest = *way.iter().min_by_key(|at| rate(at)).expect("a path has links");
            let ports =
                way.iter().map(|at| self.links[at.link].port(at.direction).expect("data has a queue"));
            let capacity = rate(&narrowest).bits_per_second() as f64;
            groups.push(GroupInfo {
                name: name.clone(),
                bottleneck: (narrowest.link.to_owned(), narrowest.direction),
                capacity,
                queues: ports.map(|port| port as usize).collect(),
            });
            self.add_traffic(index, name, group, capacity, &mut ends);
        }
        let Ends { flows, sources, sinks } = ends;
        self.traffic.first = flows.len() as u32;
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
        // As long as they will be: with many flows a vector that grows takes several times that.
        let cuts = intervals.cuts.len();
        World {
            now: Instant::ZERO,
            calendar: self.calendar,
            pipes: self.pipes,
            ports: self.ports,
            ways: self.ways,
            sources,
            sinks,
            traffic: self.traffic,
            streams: self.streams,
            books: Books {
                intervals,
                cut: 0,
                queues: self.queues,
                groups,
                flows: flows.into_iter().map(|info| (info, Vec::with_capacity(cuts))).collect(),
                series: Series::default(),
                sampling: wanted.map(|series| series.interval),
                watched,
                events: 0,
                sent: 0,
                delivered: 0,
            },
            captures: None,
            end: Instant::ZERO + scenario.duration,
            seed,
        }
    }
}
