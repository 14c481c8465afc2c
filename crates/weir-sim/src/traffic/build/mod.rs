//! From the flow groups of a scenario to traffic with its endpoints and routes.

mod datagrams;
mod finite;

use std::sync::Arc;

use weir_scenario::{FlowGroup, Rtt, RttDistribution, Traffic};
use weir_tcp::TcpParameters;
use weir_types::{Duration, Instant, Rng, Streams};

use super::{draw::normal, finite::FiniteTraffic, generator::Generator};
use crate::{
    engine::Event,
    hosts::{Access, Flow, SendJitter, Way},
    monitor::{Monitor, Stopped},
    network::{Change, NetworkBuilder},
    record::{FlowInfo, SharedInfo},
};

/// The largest number of different round trips of a group of static flows. Each has its own pipes, and
/// pipes have events: with 100,000 of them the event queue would exceed the caches.
const ROUND_TRIPS: usize = 1024;

/// Flows after which the monitor is looked at.
const CHECK_EVERY: usize = 4096;

/// Adds the traffic of a scenario, group after group.
pub(crate) struct TrafficBuilder<'a, 'n> {
    streams: Streams,
    network: &'n mut NetworkBuilder<'a>,
    monitor: &'n Monitor,
    pub(super) generators: Vec<Generator>,
    pub(super) finite: FiniteTraffic,
    pub(super) flows: Vec<FlowInfo>,
    /// Flows that take ways with another round trip: when, when all packets with the former one have arrived, and
    /// what changes.
    pub(crate) changes: Vec<(Instant, Instant, Change)>,
}

/// A flow group with its index and name.
#[derive(Clone, Copy)]
struct Group<'g> {
    index: usize,
    name: &'g str,
    config: &'g FlowGroup,
}

/// Static flows of a group.
struct StaticFlows<'g> {
    group: Group<'g>,
    tcp: Arc<TcpParameters>,
    rtts: Rng,
    /// The ways with the round trips drawn so far, and the last flow of each.
    round_trips: Vec<(Arc<Way>, Arc<SharedInfo>)>,
    /// Number of flows so far.
    flows: usize,
}

/// The lifetime of a static flow.
#[derive(Clone, Copy)]
struct Lifetime {
    /// Begin before jitter.
    scheduled: Instant,
    start: Instant,
    stop: Instant,
}

impl<'a, 'n> TrafficBuilder<'a, 'n> {
    pub(crate) fn new(streams: Streams, network: &'n mut NetworkBuilder<'a>, monitor: &'n Monitor) -> Self {
        Self {
            streams,
            network,
            monitor,
            generators: Vec::new(),
            finite: FiniteTraffic::new(streams),
            flows: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// Adds the traffic of a group; `capacity` is that of its bottleneck in bit/s.
    ///
    /// # Errors
    /// If the monitor stops it.
    pub(crate) fn add(
        &mut self,
        index: usize,
        name: &str,
        config: &FlowGroup,
        capacity: f64,
    ) -> Result<(), Stopped> {
        let group = Group { index, name, config };
        match &config.traffic {
            Traffic::Bulk(_) => self.add_bulk(group),
            Traffic::Poisson(poisson) => {
                self.add_arrivals(group, poisson, capacity);
                Ok(())
            }
            Traffic::List(list) => {
                self.add_listed(group, list);
                Ok(())
            }
            Traffic::ClosedLoop(users) => self.add_loops(group, users),
            Traffic::Web(web) => self.add_pages(group, web),
            Traffic::Web3gpp(web) => self.add_3gpp_pages(group, web),
            Traffic::Cbr(cbr) => self.add_cbr(group, cbr),
            Traffic::OnOff(source) => self.add_on_off(group, source),
            Traffic::Replay(replay) => self.add_replay(group, replay),
        }
    }

    fn add_bulk(&mut self, group: Group<'_>) -> Result<(), Stopped> {
        let first = self.flows.len() as u32;
        let mut starts = self.streams.at(&format!("flows.{}.start", group.name));
        let mut flows = self.static_flows(group);
        for lifetime in group.config.lifetimes() {
            let lifetime = Lifetime::of(&lifetime, group.config.start_jitter.mul_f64(starts.uniform()));
            let flow = self.add_flow(&mut flows, lifetime)?;
            // Jitter may delay the start beyond the end: the flow never starts.
            if lifetime.start < lifetime.stop {
                self.network.hosts.start_at(flow, lifetime.start);
            }
            if lifetime.stop < Instant::MAX {
                self.network.hosts.events.push(lifetime.stop, Event::Stop(flow));
            }
        }
        let rtts = flows.round_trips.iter().map(|(_, shared)| shared.rtt);
        let mut longest = rtts.max().unwrap_or_default();
        for (at, rtt) in self.network.rtt_changes(group.name) {
            let way = self.network.add_way(group.index, group.config, rtt);
            let change = Change::Way(first..self.flows.len() as u32, way);
            // No packet is under way for longer without meeting a port, after which it has the new delay.
            self.changes.push((at, at + longest + Duration::from_nanos(1), change));
            longest = longest.max(rtt);
        }
        Ok(())
    }

    /// Prepares the static flows of `group`.
    fn static_flows<'g>(&self, group: Group<'g>) -> StaticFlows<'g> {
        StaticFlows {
            group,
            tcp: Arc::new(group.config.tcp.clone()),
            rtts: self.streams.at(&format!("flows.{}.rtt", group.name)),
            round_trips: Vec::new(),
            flows: 0,
        }
    }

    /// Adds routes and endpoints of the next of `flows` and returns its id.
    fn add_flow(&mut self, flows: &mut StaticFlows<'_>, lifetime: Lifetime) -> Result<u32, Stopped> {
        self.look(self.flows.len())?;
        let (way, shared) = flows.next_round_trip(lifetime, self.network);
        let StaticFlows { group: Group { name, config, .. }, tcp, .. } = flows;
        let id = self.flows.len() as u32;
        let packet = config.packet_size.bytes();
        let ack = config.tcp.ack_size.bytes();
        let access = config.access.as_ref().map(|access| Access::new(access.rate, packet, ack));
        let number = flows.flows;
        flows.flows += 1;
        let jitter = (!config.send_jitter.is_zero()).then(|| {
            let rng = self.streams.at(&format!("flows.{name}.{number}.send"));
            Box::new(SendJitter::new(config.send_jitter, rng))
        });
        let mut ends = Flow::endless(id, packet, tcp, jitter, lifetime.stop, &way);
        if tcp.congestion.samples() {
            ends.sender.set_random(self.streams.at(&format!("flows.{name}.{number}.congestion")));
        }
        self.network.hosts.add(ends.behind(access));
        self.flows.push(FlowInfo { start: lifetime.start, shared });
        Ok(id)
    }

    /// Looks at the monitor now and then: at the next of so many flows or sources.
    fn look(&self, before: usize) -> Result<(), Stopped> {
        if before.is_multiple_of(CHECK_EVERY) { self.monitor.look_at_building() } else { Ok(()) }
    }

    fn add_generator(&mut self, generator: Generator, first: Option<Instant>) {
        let index = self.generators.len() as u32;
        self.generators.push(generator);
        if let Some(first) = first {
            self.network.hosts.events.push(first, Event::Generate(index));
        }
    }
}

impl StaticFlows<'_> {
    /// The way and the properties of the next flow.
    fn next_round_trip(
        &mut self,
        Lifetime { scheduled, stop, .. }: Lifetime,
        network: &mut NetworkBuilder<'_>,
    ) -> (Arc<Way>, Arc<SharedInfo>) {
        let Group { index, config, .. } = self.group;
        let most = if matches!(config.rtt, Rtt::Fixed(_)) { 1 } else { ROUND_TRIPS };
        if self.flows < most {
            let rtt = draw_rtt(&config.rtt, &mut self.rtts);
            let (group, bytes) = (index as u32, config.packet_size.bytes());
            let shared = SharedInfo { group, rtt, scheduled, stop, bytes };
            self.round_trips.push((network.add_way(index, config, rtt), Arc::new(shared)));
        }
        let (way, shared) = &mut self.round_trips[self.flows % most];
        if (shared.scheduled, shared.stop) != (scheduled, stop) {
            *shared = Arc::new(SharedInfo { scheduled, stop, ..**shared });
        }
        (Arc::clone(way), Arc::clone(shared))
    }
}

impl Lifetime {
    /// The lifetime of a flow whose start is delayed by `jitter`.
    fn of(lifetime: &weir_scenario::Lifetime, jitter: Duration) -> Self {
        let scheduled = Instant::ZERO + lifetime.start;
        Self { scheduled, start: scheduled + jitter, stop: instant_or_never(lifetime.stop) }
    }
}

/// The instant `at` after the start of the run; [`Instant::MAX`] if there is none.
fn instant_or_never(at: Option<Duration>) -> Instant {
    at.map_or(Instant::MAX, |at| Instant::ZERO + at)
}

/// Draws a propagation round trip.
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
        Rtt::Drawn(RttDistribution::LogNormal(log_normal)) => {
            log_normal.median.mul_f64(libm::exp(log_normal.sigma * normal(rng))).max(log_normal.at_least)
        }
    }
}
