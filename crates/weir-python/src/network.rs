//! The resolved network of a scenario, read-only.

use pyo3::{exceptions::PyKeyError, prelude::*};
use weir_aqm::Limit;
use weir_scenario::{
    Document, FlowGroup, LeftInList, Listed, MOST_RATE_CHANGES, Rtt, Selection, Share, Traffic,
};
use weir_sim::mean_size;
use weir_types::Duration;

use crate::errors::scenario_error;

/// A number of flows from an instant on.
#[pyclass(frozen, get_all, eq, from_py_object, module = "weir._core")]
#[derive(Clone, PartialEq)]
pub(crate) struct LoadChange {
    at_s: f64,
    before: u32,
    after: u32,
}

/// One direction of a link that has a queue.
#[pyclass(frozen, get_all, eq, from_py_object, module = "weir._core")]
#[derive(Clone, PartialEq)]
pub(crate) struct Port {
    name: String,
    link: String,
    direction: &'static str,
    key: String,
    rate_bps: u64,
    rate_changes: Vec<(f64, u64)>,
    follows_trace: bool,
    delay_s: f64,
    limit_packets: Option<u32>,
    limit_bytes: Option<u64>,
    limit_changes: Vec<(f64, f64)>,
    mean_packet_bytes: u32,
    largest_rtt_s: f64,
    bdp_packets: f64,
    queue: &'static str,
    classes: Vec<&'static str>,
    ecn_capable: bool,
    loses_packets: bool,
    shaped_bps: Option<f64>,
    granted_bps: Option<f64>,
    grant_wait_s: Option<f64>,
    load: Vec<LoadChange>,
}

/// The port that limits flows.
#[pyclass(frozen, get_all, eq, from_py_object, module = "weir._core")]
#[derive(Clone, PartialEq)]
pub(crate) struct Bottleneck {
    name: String,
    link: String,
    direction: &'static str,
    key: String,
    ambiguity: Option<String>,
}

/// Packets of a recording.
#[pyclass(frozen, get_all, eq, from_py_object, module = "weir._core")]
#[derive(Clone, PartialEq)]
pub(crate) struct RecordingShare {
    packets: u64,
    bytes: u64,
    to: Option<String>,
    hosts: u64,
}

/// Packets of a recording that are replayed, and those that are left out.
#[pyclass(frozen, get_all, eq, from_py_object, module = "weir._core")]
#[derive(Clone, PartialEq)]
pub(crate) struct RecordingSelection {
    replayed: RecordingShare,
    left_out: RecordingShare,
    groups: Option<usize>,
    mixed: bool,
    last_s: f64,
    late: u64,
    latest_s: f64,
    copies: u64,
}

/// The way of a group of flows, and back.
#[pyclass(frozen, get_all, eq, from_py_object, module = "weir._core")]
#[derive(Clone, PartialEq)]
pub(crate) struct Path {
    group: String,
    data: Vec<String>,
    acks: Vec<String>,
    bottleneck: Bottleneck,
    base_rtt_s: Option<f64>,
    base_rtt_range_s: (f64, f64),
    packet_bytes: u32,
    bdp_packets: f64,
    traffic: &'static str,
    is_datagrams: bool,
    comes_and_goes: bool,
    begins_by_itself: bool,
    is_random: bool,
    declares: Vec<(&'static str, &'static str)>,
    mean_transfer_bytes: Option<f64>,
    offered_bps: Option<f64>,
    listed: Option<(usize, usize, f64)>,
    recording: Option<RecordingSelection>,
    replayed: Option<(usize, u64, u32)>,
    load: Vec<LoadChange>,
    flow_bytes: f64,
    sender_bytes: f64,
}

/// The network of a scenario.
#[pyclass(frozen, get_all, eq, module = "weir._core")]
#[derive(Clone, PartialEq)]
pub(crate) struct Network {
    duration_s: f64,
    ports: Vec<Port>,
    paths: Vec<Path>,
    bottleneck: Bottleneck,
    unlisted: Vec<(String, usize, usize)>,
}

#[pymethods]
impl Network {
    /// The port of that name.
    fn port(&self, name: &str) -> PyResult<Port> {
        let found = self.ports.iter().find(|port| port.name == name);
        found.cloned().ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    /// The path of that group of flows.
    fn path(&self, group: &str) -> PyResult<Path> {
        let found = self.paths.iter().find(|path| path.group == group);
        found.cloned().ok_or_else(|| PyKeyError::new_err(group.to_owned()))
    }
}

/// Buffer size after each of its changes: time in seconds, and packets of mean size.
fn limit_changes(port: &weir_scenario::Port<'_>) -> Vec<(f64, f64)> {
    let mut before = port.limit;
    let changed = port
        .changes
        .iter()
        .filter(|change| std::mem::replace(&mut before, change.link.limit) != change.link.limit);
    let packets = |limit: Limit| limit.in_packets(port.mean_packet_size.bytes());
    changed.map(|change| (change.at.as_secs_f64(), packets(change.link.limit))).collect()
}

impl Network {
    /// The network of `scenario`, read from `document` with the overrides of `variant`.
    pub(crate) fn of(scenario: &weir_scenario::Scenario, document: &Document, variant: Option<&str>) -> Self {
        let network = scenario.network();
        let written = document.written(variant);
        let key = |at: &dyn std::fmt::Display| written(&format!("links.{at}"));
        let named = |found: &weir_scenario::Bottleneck<'_>| Bottleneck {
            name: found.at.to_string(),
            link: found.at.link.to_owned(),
            direction: found.at.direction.name(),
            key: key(&found.at),
            ambiguity: found.ambiguity.clone(),
        };
        let ports = network.ports.iter().map(|port| {
            let (limit_packets, limit_bytes) = match port.limit {
                Limit::Packets(packets) => (Some(packets), None),
                Limit::Bytes(bytes) | Limit::Span(bytes) => (None, Some(bytes)),
            };
            let changes = port.rate_changes(scenario.duration).take(MOST_RATE_CHANGES);
            Port {
                name: port.at.to_string(),
                link: port.at.link.to_owned(),
                direction: port.at.direction.name(),
                key: key(&port.at),
                rate_bps: port.rate().bits_per_second(),
                rate_changes: changes.map(|(at, rate)| (at.as_secs_f64(), rate.bits_per_second())).collect(),
                follows_trace: port.spec.deliveries.is_some(),
                delay_s: port.delay.as_secs_f64(),
                limit_packets,
                limit_bytes,
                limit_changes: limit_changes(port),
                mean_packet_bytes: port.mean_packet_size.bytes(),
                largest_rtt_s: port.largest_rtt.as_secs_f64(),
                bdp_packets: port.bdp_packets(),
                queue: port.queue().name(),
                classes: port.queue().classes().to_vec(),
                ecn_capable: port.ecn_capable,
                loses_packets: port.loss().is_some(),
                shaped_bps: weir_check::shaped_bps(port, port.queue()),
                granted_bps: weir_check::granted_bps(port),
                grant_wait_s: port.spec.docsis.map(weir_check::grant_wait_s),
                load: changes_of(&port.load),
            }
        });
        let paths = network.paths.iter().map(|path| {
            let rtt = &path.flows.rtt;
            let listed = path.flows.listed(scenario.duration);
            let rate = network.port(path.bottleneck.at).map(weir_scenario::Port::rate);
            Path {
                group: path.group.to_owned(),
                data: path.data.iter().map(ToString::to_string).collect(),
                acks: path.acks.iter().map(ToString::to_string).collect(),
                bottleneck: named(&path.bottleneck),
                base_rtt_s: match rtt {
                    Rtt::Fixed(rtt) => Some(rtt.as_secs_f64()),
                    Rtt::Drawn(_) => None,
                },
                base_rtt_range_s: (rtt.minimum().as_secs_f64(), rtt.typical_maximum().as_secs_f64()),
                packet_bytes: path.flows.packet_size.bytes(),
                bdp_packets: path.bdp_packets(&network),
                traffic: path.flows.traffic.name(),
                is_datagrams: path.flows.traffic.is_datagrams(),
                comes_and_goes: path.flows.traffic.comes_and_goes(),
                begins_by_itself: path.flows.traffic.begins_by_itself(),
                is_random: path.flows.traffic.is_random(),
                declares: path.flows.declares().into_iter().map(|(kind, ecn)| (kind, ecn.name())).collect(),
                mean_transfer_bytes: mean_transfer(path.flows),
                offered_bps: rate.and_then(|rate| weir_check::offered_bps(path.flows, rate)),
                listed: listed.map(|Listed { all, started, bytes }| (all, started, bytes)),
                recording: recording(path.flows),
                replayed: replayed(path.flows, scenario.duration),
                load: changes_of(&path.load),
                flow_bytes: path.flows.memory(),
                sender_bytes: path.flows.sender_memory(),
            }
        });
        let unlisted = scenario.unlisted().into_iter();
        Self {
            duration_s: scenario.duration.as_secs_f64(),
            ports: ports.collect(),
            paths: paths.collect(),
            bottleneck: named(&network.bottleneck),
            unlisted: unlisted.map(|LeftInList { group, left, all }| (group.to_owned(), left, all)).collect(),
        }
    }
}

/// The network of a scenario that was written out with every default, as it lies beside results: the files
/// and classes that it names need not exist. Raises `ScenarioError`.
#[pyfunction]
pub(crate) fn network_of(py: Python<'_>, resolved: &str) -> PyResult<Network> {
    let document = Document::parse("<resolved>", resolved).map_err(|error| scenario_error(py, &error))?;
    let scenario = document.resolved_scenario().map_err(|error| scenario_error(py, &error))?;
    Ok(Network::of(&scenario, &document, None))
}

fn mean_transfer(group: &FlowGroup) -> Option<f64> {
    let sizes = match &group.traffic {
        Traffic::List(list) => {
            let listed = list.transfers.read()?;
            return Some(listed.iter().map(|one| one.bytes as f64).sum::<f64>() / listed.len() as f64);
        }
        Traffic::Poisson(poisson) => &poisson.size,
        Traffic::ClosedLoop(users) => &users.size,
        Traffic::Web(web) => &web.size,
        _ => return None,
    };
    mean_size(sizes, group.packet_size)
}

fn recording(group: &FlowGroup) -> Option<RecordingSelection> {
    let Traffic::Replay(replay) = &group.traffic else { return None };
    let Selection { replayed, left_out, groups, mixed, last, late, latest, copies } = replay.selection()?;
    let share = |Share { packets, bytes, to, hosts }| RecordingShare {
        packets,
        bytes,
        to: to.map(|to| to.to_string()),
        hosts,
    };
    Some(RecordingSelection {
        replayed: share(replayed),
        left_out: share(left_out),
        groups,
        mixed,
        last_s: last.as_secs_f64(),
        late,
        latest_s: latest.as_secs_f64(),
        copies,
    })
}

/// Packets, bytes and flows of a trace that is read, as far as the run goes.
fn replayed(group: &FlowGroup, duration: Duration) -> Option<(usize, u64, u32)> {
    let Traffic::Replay(replay) = &group.traffic else { return None };
    if !replay.trace.is_read() {
        return None;
    }
    let trace = replay.trace.get();
    let end = group.stop.map_or(duration, |stop| stop.min(duration));
    let packets = &trace.packets[..trace.packets.partition_point(|packet| group.start + packet.at < end)];
    let bytes = packets.iter().map(|packet| u64::from(packet.bytes)).sum();
    Some((packets.len(), bytes, trace.flows))
}

fn changes_of(load: &[weir_scenario::LoadChange]) -> Vec<LoadChange> {
    let seconds = Duration::as_secs_f64;
    load.iter()
        .map(|one| LoadChange { at_s: seconds(one.at), before: one.before, after: one.after })
        .collect()
}
