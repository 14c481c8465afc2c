//! Which port limits the flows.
//!
//! The bottleneck of a path is the port of its data with the least capacity, the first of equal ones.
//! Where capacities change it is the one with the least at the start. The bottleneck of the scenario is
//! that of its paths. Where paths have different ones, `measure.bottleneck` names it. Without that key
//! it is one of the paths' bottlenecks. A forward direction comes before a reverse one, then the one
//! with the least capacity, then the first in the scenario. `ambiguity` says whenever such a choice was
//! made.

use std::collections::{HashMap, HashSet};

use weir_types::{Duration, Rate};

use super::model::{Bottleneck, MOST_RATE_CHANGES, Path, Port};
use crate::{DirectedLink, Direction, Scenario};

impl<'a> Bottleneck<'a> {
    /// The bottleneck of the path over `data`, in a run that ends at `end`.
    pub(super) fn of_path(
        ports: &[Port<'a>],
        places: &HashMap<DirectedLink<'a>, usize>,
        data: &[DirectedLink<'a>],
        end: Duration,
    ) -> Self {
        let passed: Vec<_> = data.iter().filter_map(|at| Some(&ports[*places.get(at)?])).collect();
        let chosen = passed.iter().min_by_key(|port| port.rate()).expect("data has a queue");
        Self { at: chosen.at, ambiguity: ambiguity(chosen, &passed, end) }
    }

    /// The bottleneck of all paths together.
    pub(super) fn of_scenario(scenario: &'a Scenario, ports: &[Port<'a>], paths: &[Path<'a>]) -> Self {
        let named = scenario.measure.bottleneck.as_deref().map(DirectedLink::parse);
        if let Some(port) = named.and_then(|at| ports.iter().find(|port| port.at == at)) {
            return Self { at: port.at, ambiguity: None };
        }
        let limiting: HashSet<_> = paths.iter().map(|path| path.bottleneck.at).collect();
        let of_paths = |port: &&Port<'a>| limiting.contains(&port.at);
        let candidates: Vec<_> = ports.iter().filter(of_paths).collect();
        let chosen = candidates
            .iter()
            .min_by_key(|port| (port.at.direction == Direction::Reverse, port.rate()))
            .or_else(|| candidates.first())
            .map_or(ports[0].at, |port| port.at);
        let ambiguity = match &candidates[..] {
            [] | [_] => paths.iter().find_map(|path| path.bottleneck.ambiguity.clone()),
            several => {
                let links: Vec<_> = several.iter().map(|port| port.at.to_string()).collect();
                Some(format!("paths have different bottlenecks: {}", links.join(", ")))
            }
        };
        Self { at: chosen, ambiguity }
    }
}

/// Why one of the other ports may limit the path as well as `chosen`, at some instant before `end`.
fn ambiguity(chosen: &Port<'_>, passed: &[&Port<'_>], end: Duration) -> Option<String> {
    let others: Vec<_> = passed.iter().filter(|port| port.at != chosen.at).collect();
    let equal = others.iter().find(|port| port.rate() == chosen.rate());
    if let Some(other) = equal {
        return Some(format!("{} and {} have the same rate, {}", chosen.at, other.at, chosen.rate()));
    }
    let most = MOST_RATE_CHANGES / passed.len();
    let mut changes: Vec<(Duration, usize, Rate)> = Vec::new();
    for (index, port) in passed.iter().enumerate() {
        changes.extend(port.rate_changes(end).take(most).map(|(at, rate)| (at, index, rate)));
    }
    changes.sort_by_key(|(at, _, _)| *at);
    let mut rates: Vec<_> = passed.iter().map(|port| port.rate()).collect();
    let place = passed.iter().position(|port| port.at == chosen.at).expect("it is on the path");
    for (number, (at, index, rate)) in changes.iter().enumerate() {
        rates[*index] = *rate;
        // Changes at one instant count together.
        if changes.get(number + 1).is_some_and(|(next, _, _)| next == at) {
            continue;
        }
        let slower = (0..rates.len()).find(|other| *other != place && rates[*other] <= rates[place]);
        if let Some(other) = slower {
            let (from, to) = (chosen.at, passed[other].at);
            return Some(format!("the bottleneck moves from {from} to {to} at {at}"));
        }
    }
    None
}
