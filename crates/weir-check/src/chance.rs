//! Rules on the start of a run, and on what is random in it.

use std::collections::BTreeSet;

use weir_scenario::{DocsisSpec, Rtt};

use crate::{
    note::{Notes, Severity},
    path::{Path, names},
    port::Port,
    scene::Scene,
    words::time,
};

/// Number of flows from which on they are many.
const FEW_FLOWS: u64 = 5;

/// Round trips of the proposed warm-up: slow start, and the first cycles of the windows.
const ROUND_TRIPS: f64 = 100.0;

/// RFC 7928, section 8.2, lets time begin when all flows are in congestion avoidance. The overshoot of slow start alone
/// can make a 99th percentile.
pub(crate) fn no_warm_up(scene: &Scene<'_>, notes: &mut Notes) {
    let tcp = scene.paths.iter().filter(|path| !path.is_datagrams());
    let longest = tcp.map(|path| path.base_rtt_range_s().1).reduce(f64::max);
    if let Some(longest) = longest.filter(|_| scene.warm_up().is_zero()) {
        let enough = (ROUND_TRIPS * longest).min(scene.duration_s() / 4.0);
        notes.note(
            "measure.warm_up",
            "the results of the whole run include the start: slow start and its losses",
            format!("measure.warm_up = \"{}\"", time(enough)),
        );
    }
}

/// Differences between variants are paired. A mean over replications is one over draws too, so that one replication
/// says little.
pub(crate) fn drawn_rtts(scene: &Scene<'_>, notes: &mut Notes) {
    let drawn: Vec<_> = scene.paths.iter().filter(|path| path.base_rtt_s().is_none()).collect();
    if let Some(first) = drawn.first() {
        let ranges = || drawn.iter().map(|path| path.base_rtt_range_s());
        let low = ranges().map(|(low, _)| low).fold(f64::INFINITY, f64::min);
        let high = ranges().map(|(_, high)| high).fold(0.0, f64::max);
        notes.note(
            format!("flows.{}.rtt", first.group()),
            format!(
                "each replication draws the round trips of {} anew, the same for all variants: about {} to {}",
                names(&drawn),
                time(low),
                time(high)
            ),
            "--replications 10 or more, and paired differences instead of means",
        );
    }
}

/// Real flows do not (RFC 7928, section 3.2, varies them). Without chance anywhere, every replication gives the same;
/// chance in other traffic alone parts them late. Before `DropTail`, a random start parts them, but leaves phase
/// effects: a random time before each packet cures both.
pub(crate) fn flows_in_step(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.bottlenecks() {
        let Some((path, flows)) = in_step(scene, port) else { continue };
        let mut others = scene.through(port);
        others.retain(|other| is_random(other));
        let why = if others.is_empty() {
            format!("nothing at {} is random", port.name)
        } else {
            format!("until the traffic of {} parts them", names(&others))
        };
        let key = format!("flows.{}.start_jitter", path.group());
        let has_phases = port.aqm.is_drop_tail() && kinds(&fixed(scene, port)).len() > 1;
        let hint =
            if has_phases { send_jitter(&regular(scene, port), port) } else { format!("{key} = \"1 s\"") };
        let message = format!(
            "{flows} flows start at the same instant with the same round trip, and stay in step: {why}"
        );
        notes.add(Severity::warning_if(others.is_empty()), key, message, hint);
    }
}

/// Floyd and Jacobson, On Traffic Phase Effects in Packet-Switched Gateways, 1992: a round trip that is a little longer
/// changes the shares of flows entirely. A random time before each packet, up to one packet time at the bottleneck,
/// breaks it. Neither many flows nor random starts do: ten flows of 40 ms beside ten of 80 ms get a third of their rate
/// instead of 1.7 times as much. The shares of flows that are all alike hold; with few of them, single drops can still
/// follow a pattern.
pub(crate) fn phase_effects(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.bottlenecks() {
        let paths = regular(scene, port);
        let Some(first) = paths.first() else { continue };
        if !port.aqm.is_drop_tail() || port.loses_packets() || in_step(scene, port).is_some() {
            continue;
        }
        let sharing = fixed(scene, port);
        let flows: u64 = sharing.iter().map(|path| u64::from(path.load.most)).sum();
        let (key, kinds) = (format!("flows.{}.send_jitter", first.group()), kinds(&sharing));
        if flows >= 2 && kinds.len() > 1 {
            let rtts: BTreeSet<_> = kinds.iter().map(|(rtt, _)| rtt).collect();
            let differ = if rtts.len() > 1 { "round trips" } else { "packet sizes" };
            let message = format!(
                "phases decide how {} share {}: their {differ} differ, all are fixed, and the queue is DropTail",
                names(&sharing),
                port.name
            );
            notes.warning(key, message, send_jitter(&paths, port));
        } else if (2..FEW_FLOWS).contains(&flows) && paths.len() == scene.bulk_through(port).len() {
            let message = format!(
                "{flows} flows with fixed round trips before DropTail: phases can decide whose packets are \
                 dropped"
            );
            notes.note(key, message, send_jitter(&paths, port));
        }
    }
}

/// The paths of [`fixed`] that do not wait for a random time of a packet before they send.
fn regular<'a, 'b>(scene: &'b Scene<'a>, port: &Port<'_>) -> Vec<&'b Path<'a>> {
    let mut paths = fixed(scene, port);
    // A remedy that was followed is enough, though its number is rounded.
    paths.retain(|path| path.of.flows.send_jitter.as_secs_f64() < 0.99 * packet_s(path, port));
    paths
}

/// The paths of bulk flows through the port whose round trips are fixed but for their queues.
fn fixed<'a, 'b>(scene: &'b Scene<'a>, port: &Port<'_>) -> Vec<&'b Path<'a>> {
    let mut paths = scene.through(port);
    paths.retain(|path| path.is_bulk() && path.base_rtt_s().is_some() && !is_parted(scene, path));
    paths
}

/// Time of a packet of the group on the link, in seconds.
fn packet_s(path: &Path<'_>, port: &Port<'_>) -> f64 {
    f64::from(path.packet_bytes()) * 8.0 / port.rate_bps()
}

/// Round trips in nanoseconds and packet sizes of flows, which decide their phases.
fn kinds(paths: &[&Path<'_>]) -> BTreeSet<(Option<u64>, u32)> {
    paths.iter().map(|path| (fixed_rtt(path), path.packet_bytes())).collect()
}

fn fixed_rtt(path: &Path<'_>) -> Option<u64> {
    match &path.of.flows.rtt {
        Rtt::Fixed(rtt) => Some(rtt.as_nanos()),
        Rtt::Drawn(_) => None,
    }
}

/// Remedy of phase effects: a random time of one packet before each packet, for each of the groups.
fn send_jitter(paths: &[&Path<'_>], port: &Port<'_>) -> String {
    let most = time(paths.iter().map(|path| packet_s(path, port)).fold(0.0, f64::max));
    let jitters = paths.iter().map(|path| format!("flows.{}.send_jitter = \"{most}\"", path.group()));
    jitters.collect::<Vec<_>>().join(" and ")
}

/// The first group with flows that start in step, at a port where nothing by itself parts them; and their number.
fn in_step<'a, 'b>(scene: &'b Scene<'a>, port: &Port<'_>) -> Option<(&'b Path<'a>, u64)> {
    if port.aqm.draws() || port.loses_packets() {
        return None;
    }
    let mut regular = scene.through(port);
    regular.retain(|path| path.is_bulk() && !is_random(path) && !is_parted(scene, path));
    let kind =
        |path: &Path<'a>| (path.of.data.clone(), fixed_rtt(path), path.packet_bytes(), path.of.flows.start);
    let flows = |path: &Path<'a>| {
        let alike = regular.iter().filter(|other| kind(other) == kind(path));
        alike.map(|other| u64::from(other.of.flows.count)).sum::<u64>()
    };
    regular.iter().map(|path| (*path, flows(path))).find(|(_, flows)| *flows > 1)
}

/// Returns true if chance decides when the packets of the group are sent.
fn is_random(path: &Path<'_>) -> bool {
    let flows = path.of.flows;
    path.base_rtt_s().is_none()
        || path.traffic().is_random()
        || !flows.start_jitter.is_zero()
        || !flows.send_jitter.is_zero()
}

/// Returns true if chance on a line decides when packets of the group, or their ACKs, arrive.
fn is_parted(scene: &Scene<'_>, path: &Path<'_>) -> bool {
    // Guaranteed grants begin with their interval; others lie anywhere in it.
    let is_asked = |modem: &DocsisSpec| modem.guaranteed_grant_rate.is_none();
    let mut way = path.of.data.iter().chain(&path.of.acks).filter_map(|at| scene.port(*at));
    way.any(|port| {
        let line = &port.of.spec;
        port.loses_packets()
            || line.delay_variation.is_some()
            || line.docsis.is_some_and(is_asked)
            || line.aggregation.is_some_and(|grants| grants.max_interval.is_some())
    })
}
