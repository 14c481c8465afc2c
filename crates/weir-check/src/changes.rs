//! Rules on load and rates over time: overload, which port is the bottleneck, and rates that change.

use weir_scenario::{PopulationChange, Traffic};
use weir_types::{Buffer, Duration};

use crate::{
    aqm::Aqm,
    level::{Level, fixed_levels},
    load::flows_at,
    note::{Notes, Severity},
    path::{Path, names},
    port::Port,
    scene::Scene,
    words::{count, general, packets, rate, time},
};

/// Rates per flow that are closer than this ratio count as equal.
const CLEARLY: f64 = 0.9;

/// Gains that belong to a rate, unless `design` gives them.
const GAINS: [&str; 3] = ["w_q", "a", "b"];

/// The offered load is the rate of arrivals times the mean size. At 1 and above there is no steady state (Kleinrock,
/// Queueing Systems I, section 3.2): results depend on how long the run is.
pub(crate) fn load_above_rate(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.bottlenecks() {
        let mut paths = scene.through(port);
        paths.retain(|path| path.of.bottleneck.at == port.of.at);
        let poisson = paths.iter().filter_map(|path| match path.traffic() {
            Traffic::Poisson(poisson) => Some((path, poisson)),
            _ => None,
        });
        let poisson: Vec<_> = poisson.collect();
        let (mut offered, mut carried) = (0.0, 0.0);
        let until = scene.instants.iter().skip(1).copied().chain([scene.end()]);
        for (at, until) in scene.instants.iter().copied().zip(until).filter(|(at, until)| at < until) {
            if poisson.iter().any(|(path, _)| flows_at(&path.of.load, at) > 0) {
                let of_path = |path: &&Path<'_>| {
                    f64::from(flows_at(&path.of.load, at)) * scene.offered_bps(path).unwrap_or(0.0)
                };
                let lasts_s = until.as_secs_f64() - at.as_secs_f64();
                offered += lasts_s * paths.iter().map(of_path).sum::<f64>();
                carried += lasts_s * port.rates.at(at) as f64;
            }
        }
        let Some((first, its)) = poisson.first().filter(|_| offered > carried) else { continue };
        let key = if its.load.is_none() { "rate" } else { "load" };
        notes.warning(
            format!("flows.{}.traffic.poisson.{key}", first.group()),
            format!(
                "{}: the offered load is {}% of what {} carries, and transfers accumulate as long as it lasts",
                names(&paths),
                general(100.0 * offered / carried, 3),
                port.name
            ),
            format!(
                "a lower {key}, smaller transfers, or a faster {}; in overload, results over time \
                 (measure.period)",
                port.name
            ),
        );
    }
}

/// Queue, marks and delay are measured at one port, which `measure.bottleneck` names.
pub(crate) fn ambiguous_bottleneck(scene: &Scene<'_>, notes: &mut Notes) {
    let found = &scene.bottleneck;
    if let (Some(ambiguity), true) = (&found.ambiguity, moves(scene).is_empty()) {
        notes.note(
            "measure.bottleneck",
            format!("results are about {}, but {ambiguity}", found.at),
            format!("measure.bottleneck = \"{}\"", found.at),
        );
    }
}

/// The bottleneck of a path is the port with the least rate at the start. Which port limits flows follows from their
/// number too: the least rate per flow comes first in max-min fairness (Bertsekas and Gallager, Data Networks, section
/// 6.5.2).
pub(crate) fn moving_bottleneck(scene: &Scene<'_>, notes: &mut Notes) {
    for Move { path, at, to, share } in moves(scene) {
        notes.warning(
            to.key.as_str(),
            format!(
                "from {} on, {} gives a flow {}, less than {}, the bottleneck of {}",
                time(at.as_secs_f64()),
                to.name,
                rate(share),
                path.of.bottleneck.at,
                path.group()
            ),
            format!("measure.bottleneck = \"{}\", or measure.period to see each phase", to.name),
        );
    }
}

/// A port that gives flows of a path less than the bottleneck of the path does, from an instant on.
struct Move<'a, 'b> {
    path: &'b Path<'a>,
    at: Duration,
    to: &'b Port<'a>,
    /// Rate that it gives a flow, in bit/s.
    share: f64,
}

fn moves<'a, 'b>(scene: &'b Scene<'a>) -> Vec<Move<'a, 'b>> {
    if scene.scenario.measure.bottleneck.is_some() {
        return Vec::new();
    }
    let several = scene.paths.iter().filter(|path| path.is_bulk() && scene.ports_of(path).count() > 1);
    let moves = several.filter_map(|path| {
        let named = scene.limiting(path);
        scene.instants.iter().find_map(|at| {
            let shares = scene.ports_of(path).map(|port| (port, per_flow(scene, port, *at)));
            let (to, share) = shares.reduce(|least, one| if one.1 < least.1 { one } else { least })?;
            (share < CLEARLY * per_flow(scene, named, *at)).then_some(Move { path, at: *at, to, share })
        })
    });
    moves.collect()
}

/// Rate of a port per flow of bulk data in bit/s; infinite without any.
fn per_flow(scene: &Scene<'_>, port: &Port<'_>, at: Duration) -> f64 {
    let bulk = scene.paths.iter().filter(|path| path.is_bulk() && port.is_passed_by(&path.of));
    let flows: f64 = bulk.map(|path| f64::from(flows_at(&path.of.load, at))).sum();
    port.rates.at(at) as f64 / flows
}

/// A queue of so many packets is another delay at another rate. `CoDel` and PIE control the delay for this reason (RFC
/// 8289, section 3.1; RFC 8033, section 3). An average over packets (RED) and a loop gain (PI) change as well.
pub(crate) fn fixed_while_rate_varies(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.data_ports() {
        let (traced, (low, high)) = (port.follows_trace, port.rates.range());
        if low == high && !traced {
            continue;
        }
        let held = held(scene, port).into_iter().map(|one| {
            let rates = port.rates.between(one.since, one.until);
            (one.level, rates)
        });
        let held = held.filter(|(_, (low, high))| low != high || traced);
        let (gains, levels): (Vec<_>, Vec<_>) = held.partition(|(level, _)| GAINS.contains(&level.name()));
        let Some((last, (low, high))) = levels.last() else { continue };
        let mut fixed: Vec<&str> = Vec::new();
        for (level, _) in levels.iter().chain(&gains) {
            if !fixed.contains(&level.name()) {
                fixed.push(level.name());
            }
        }
        let fixed = fixed.join(", ");
        let waits = |bps: u64| {
            let bps = bps as f64;
            format!("{} at {}", time(last.packets * 8.0 * port.mean_packet() / bps), rate(bps))
        };
        let message = if traced {
            format!("fixed while {} follows a trace: {fixed}", port.name)
        } else {
            format!(
                "fixed while the rate of {} changes: {fixed}; {} wait {} and {}",
                port.name,
                packets(last.packets),
                waits(*high),
                waits(*low)
            )
        };
        let hint = format!("an AQM with a target delay, for example {}.queue.codel = {{}}", port.key);
        notes.note(last.path.as_str(), message, hint);
    }
}

/// A threshold, gain or buffer that was chosen for a rate, and how long it holds.
struct Held {
    level: Level,
    since: Duration,
    until: Option<Duration>,
}

fn held(scene: &Scene<'_>, port: &Port<'_>) -> Vec<Held> {
    let mut found: Vec<Held> = Vec::new();
    for phase in scene.phases(port) {
        let aqm = &phase.aqm;
        let mut levels = fixed_levels(port, aqm);
        if matches!(phase.room, Buffer::Bdp(_) | Buffer::Time(_)) {
            levels.push(phase.buffer.clone());
        }
        if !aqm.parameters.contains_key("design") {
            levels.extend(GAINS.iter().filter_map(|key| {
                let written = aqm.parameters.get(*key)?.to_string();
                Some(Level { path: format!("{}.{key}", aqm.path), written, packets: 0.0 })
            }));
        }
        for level in levels {
            match found.iter_mut().find(|one| one.until == Some(phase.at) && one.level.is_same(&level)) {
                Some(before) => before.until = phase.until,
                None => found.push(Held { level, since: phase.at, until: phase.until }),
            }
        }
    }
    found
}

/// It is told one rate, `rate` or the mean of the trace, not what the trace delivers at the time.
pub(crate) fn mean_rate_of_trace(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.data_ports().filter(|port| port.follows_trace && needs_rate(&port.aqm)) {
        notes.warning(
            port.aqm.path.as_str(),
            format!(
                "{} computes with {}, not with what the trace delivers then",
                port.aqm.name,
                rate(port.rate_bps())
            ),
            format!("an AQM that needs no rate, for example {}.queue.codel = {{}}", port.key),
        );
    }
}

/// Returns true if the decisions of the AQM depend on the rate that it is told.
fn needs_rate(aqm: &Aqm) -> bool {
    match aqm.name {
        "rem" => aqm.has("price", "rate-and-queue"),
        "modular" => aqm.has("measure", "price"),
        "adaptive-red" | "avq" | "hred" => true,
        _ => aqm.parameters.contains_key("design"),
    }
}

/// A change of a rate is told at the schedule of the link, one of a number of flows at the population of the group:
/// there it is written out.
pub(crate) fn change_after_end(scene: &Scene<'_>, notes: &mut Notes) {
    let scenario = scene.scenario;
    let of_queues = ("changes".to_owned(), scenario.changes.iter().map(|change| change.at).collect());
    let of_rates = scene.ports.iter().map(|port| {
        let instants: Vec<_> = port.of.spec.rate_schedule.iter().map(|change| change.at).collect();
        (format!("{}.rate_schedule", port.key), instants)
    });
    let of_flows = scenario.flows.iter().map(|(name, group)| {
        let instants = group.population.iter().filter_map(|change| match change {
            PopulationChange::Once(once) => Some(once.at),
            PopulationChange::Stepwise(_) => None,
        });
        (format!("flows.{name}.population"), instants.collect())
    });
    for (path, instants) in std::iter::once(of_queues).chain(of_rates).chain(of_flows) {
        let late: Vec<Duration> = instants.into_iter().rev().take_while(|at| *at >= scene.end()).collect();
        let Some(first) = late.last() else { continue };
        let first = time(first.as_secs_f64());
        let which = if late.len() > 1 {
            format!("changes from {first} on come")
        } else {
            format!("the change at {first} comes")
        };
        let message = format!("{which} when the run is over: it ends at {}", time(scene.duration_s()));
        notes.note(path, message, "a longer duration, or an earlier change");
        return;
    }
}

pub(crate) fn list_after_end(scene: &Scene<'_>, notes: &mut Notes) {
    for path in &scene.paths {
        let Some(listed) = path.of.flows.listed(scene.end()) else { continue };
        if listed.started < listed.all {
            notes.add(
                Severity::warning_if(listed.started == 0),
                format!("flows.{}.traffic.list.file", path.group()),
                format!(
                    "{} of {} transfers start when {} is over",
                    count(listed.all - listed.started),
                    count(listed.all),
                    path.group()
                ),
                "a longer duration, or a later stop",
            );
        }
    }
}

pub(crate) fn list_left_out(scene: &Scene<'_>, notes: &mut Notes) {
    for left in scene.scenario.unlisted() {
        notes.note(
            format!("flows.{}.traffic.list.file", left.group),
            format!(
                "no flow group takes {} of the {} transfers of this list",
                count(left.left),
                count(left.all)
            ),
            "a flow group for each group, source or destination that is meant",
        );
    }
}
