//! A scenario as the rules see it: its resolved network, and its values.

use std::collections::BTreeSet;

use weir_aqm::Limit;
use weir_scenario::{DirectedLink, Direction, Scenario};
use weir_types::Duration;

use crate::{
    aqm::Aqm,
    load::offered_bps,
    path::Path,
    phase::{self, Phase},
    port::Port,
    rates::MOST_CHANGES,
};

/// A scenario without its variants.
pub(crate) struct Scene<'a> {
    /// The scenario.
    pub(crate) scenario: &'a Scenario,
    /// Every direction of a link that has a queue.
    pub(crate) ports: Vec<Port<'a>>,
    /// Paths of the groups of flows.
    pub(crate) paths: Vec<Path<'a>>,
    /// The port that results are about.
    pub(crate) bottleneck: weir_scenario::Bottleneck<'a>,
    /// Instants at which the load or a rate changes, the start first; at most `MOST_CHANGES` of them.
    pub(crate) instants: Vec<Duration>,
    estimated_bytes: &'a dyn Fn(&str) -> Option<f64>,
}

impl<'a> Scene<'a> {
    /// Resolves a scenario; `written` tells paths as its file has them, `estimated_bytes` the mean size of data packets
    /// at a port.
    pub(crate) fn of(
        scenario: &'a Scenario,
        written: impl Fn(&str) -> String,
        estimated_bytes: &'a dyn Fn(&str) -> Option<f64>,
    ) -> Self {
        let (network, end) = (scenario.network(), scenario.duration);
        let ports = network.ports.into_iter().map(|port| {
            let follows_trace = follows_trace(scenario, port.at);
            let key = written(&format!("links.{}", port.at));
            Port::new(port, key, follows_trace, end)
        });
        let ports: Vec<_> = ports.collect();
        let paths: Vec<_> = network.paths.into_iter().map(|path| Path::new(path, end)).collect();
        let mut instants = BTreeSet::from([Duration::ZERO]);
        instants.extend(paths.iter().flat_map(|path| &path.of.load).map(|change| change.at));
        instants.extend(ports.iter().flat_map(|port| &port.rates.changes).map(|(at, _)| *at));
        let instants = instants.into_iter().take(MOST_CHANGES).collect();
        Self { scenario, ports, paths, bottleneck: network.bottleneck, instants, estimated_bytes }
    }

    /// Simulated time.
    pub(crate) const fn end(&self) -> Duration {
        self.scenario.duration
    }

    /// Time at the start that results leave out.
    pub(crate) fn warm_up(&self) -> Duration {
        self.scenario.measure.warm_up.unwrap_or(Duration::ZERO)
    }

    /// Simulated time in seconds.
    pub(crate) fn duration_s(&self) -> f64 {
        self.end().as_secs_f64()
    }

    /// The ports that data pass, not ACKs alone.
    pub(crate) fn data_ports(&self) -> impl Iterator<Item = &Port<'a>> {
        self.ports.iter().filter(|port| !port.of.load.is_empty())
    }

    /// The ports that limit a group.
    pub(crate) fn bottlenecks(&self) -> impl Iterator<Item = &Port<'a>> {
        self.ports.iter().filter(|port| self.is_bottleneck(port))
    }

    /// Returns true if the port limits a group.
    pub(crate) fn is_bottleneck(&self, port: &Port<'_>) -> bool {
        self.paths.iter().any(|path| path.of.bottleneck.at == port.of.at)
    }

    /// The port of one direction of a link; `None` if it has no queue.
    pub(crate) fn port(&self, at: DirectedLink<'_>) -> Option<&Port<'a>> {
        self.ports.iter().find(|port| port.of.at == at)
    }

    /// The port that limits the group.
    pub(crate) fn limiting(&self, path: &Path<'_>) -> &Port<'a> {
        self.port(path.of.bottleneck.at).expect("data has a queue")
    }

    /// The ports that data of the group pass, in order.
    pub(crate) fn ports_of(&self, path: &Path<'_>) -> impl Iterator<Item = &Port<'a>> {
        path.of.data.iter().filter_map(|at| self.port(*at))
    }

    /// The paths whose data pass the port.
    pub(crate) fn through(&self, port: &Port<'_>) -> Vec<&Path<'a>> {
        self.paths.iter().filter(|path| port.is_passed_by(&path.of)).collect()
    }

    /// The paths through the port if all of them are TCP with data without end, else none.
    pub(crate) fn bulk_through(&self, port: &Port<'_>) -> Vec<&Path<'a>> {
        let paths = self.through(port);
        if paths.iter().all(|path| path.is_bulk()) { paths } else { Vec::new() }
    }

    /// AQMs of the port in the course of the run: at the start, then after each change of it.
    pub(crate) fn aqms(&self, port: &Port<'_>) -> Vec<Aqm> {
        phase::aqms(port, &self.scenario.changes)
    }

    /// The queue and the buffer of the port in the course of the run.
    pub(crate) fn phases(&self, port: &Port<'a>) -> Vec<Phase<'a>> {
        phase::phases(port, &self.scenario.changes)
    }

    /// Returns true if a queue may mark data of the group.
    pub(crate) fn may_mark(&self, path: &Path<'_>) -> bool {
        let mut ports = self.ports_of(path).filter(|port| port.of.ecn_capable);
        ports.any(|port| self.aqms(port).iter().any(Aqm::may_mark))
    }

    /// The rate times the mean round trip of the groups there, in packets of mean size. Of drawn round trips the middle
    /// of their range counts.
    pub(crate) fn mean_bdp(&self, port: &Port<'_>) -> f64 {
        let middles = self.through(port).into_iter().map(|path| {
            let (low, high) = path.base_rtt_range_s();
            f64::midpoint(low, high)
        });
        let middles: Vec<_> = middles.collect();
        if middles.is_empty() {
            return 0.0;
        }
        let sum: f64 = middles.iter().sum();
        port.of.bdp_packets() * sum / middles.len() as f64 / port.of.largest_rtt.as_secs_f64()
    }

    /// Bytes of a data packet at the port, where each group counts by the packets that it sends, if they are estimated.
    /// A flow that sends little is seldom in the queue. In the mean of the port, each flow counts alike.
    pub(crate) fn mean_bytes(&self, port: &Port<'_>) -> f64 {
        let sizes: BTreeSet<_> = self.through(port).iter().map(|path| path.packet_bytes()).collect();
        let estimate = if sizes.len() < 2 { None } else { (self.estimated_bytes)(&port.name) };
        estimate.unwrap_or_else(|| port.mean_packet())
    }

    /// Bits of data that a full buffer holds.
    pub(crate) fn full_bits(&self, port: &Port<'_>) -> f64 {
        match port.of.limit {
            Limit::Packets(packets) => 8.0 * f64::from(packets) * self.mean_bytes(port),
            Limit::Bytes(bytes) | Limit::Span(bytes) => 8.0 * bytes as f64,
        }
    }

    /// Mean offered load of each source of the group, bit/s: see [`offered_bps`].
    pub(crate) fn offered_bps(&self, path: &Path<'_>) -> Option<f64> {
        offered_bps(path.of.flows, self.limiting(path).of.rate())
    }
}

/// Returns true if a trace says when packets leave. The digest is there even if the trace of a stored scenario is not.
fn follows_trace(scenario: &Scenario, at: DirectedLink<'_>) -> bool {
    let link = &scenario.links[at.link];
    match at.direction {
        Direction::Forward => link.trace.is_some() || link.trace_digest.is_some(),
        Direction::Reverse => {
            link.reverse.as_ref().is_some_and(|one| one.trace.is_some() || one.trace_digest.is_some())
        }
    }
}
