//! Guesses at the name that was meant, where a name does not exist.

use std::collections::VecDeque;

use toml::de::{DeTable, DeValue};

use crate::schema::Place;

/// Words of other simulators and tools, and the keys that say the same here.
const SAME: [(&str, &str); 26] = [
    ("aqm", "queue"),
    ("qdisc", "queue"),
    ("discipline", "queue"),
    ("scheduler", "queue"),
    ("congestion_control", "congestion"),
    ("cc", "congestion"),
    ("algorithm", "congestion"),
    ("bandwidth", "rate"),
    ("capacity", "rate"),
    ("bw", "rate"),
    ("speed", "rate"),
    ("latency", "delay"),
    ("propagation", "delay"),
    ("delay", "rtt"),
    ("limit", "buffer"),
    ("queue_size", "buffer"),
    ("buffer_size", "buffer"),
    ("mss", "packet_size"),
    ("mtu", "packet_size"),
    ("packet", "packet_size"),
    ("flows", "count"),
    ("number", "count"),
    ("time", "duration"),
    ("iw", "initial_window"),
    ("ledbat++", "ledbat-plus-plus"),
    ("ledbatpp", "ledbat-plus-plus"),
];

/// The one of `known` that `unknown` was probably meant to be.
pub(crate) fn nearest<'a>(unknown: &str, known: &[&'a str]) -> Option<&'a str> {
    let wanted = plain(unknown);
    let same = |name: &str| SAME.iter().any(|(other, key)| plain(other) == wanted && *key == name);
    if let Some(name) = known.iter().find(|name| same(name)) {
        return Some(name);
    }
    let likeness = |name: &str| {
        let name = plain(name);
        // Two letters in the wrong order, or one wrong: in a short name much of it.
        let slip = wanted.len() > 2 && strsim::osa_distance(&wanted, &name) == 1;
        strsim::jaro_winkler(&wanted, &name).max(if slip { 0.9 } else { 0.0 })
    };
    let near = known.iter().map(|name| (likeness(name), *name));
    let (likeness, best) = near.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (likeness > 0.75).then_some(best)
}

/// The keys and texts of a value.
pub(crate) fn words(value: &DeValue<'_>) -> Vec<String> {
    match value {
        DeValue::String(text) => vec![text.to_string()],
        DeValue::Table(table) => table
            .iter()
            .flat_map(|(key, value)| [vec![key.to_string()], words(value.get_ref())].concat())
            .collect(),
        _ => Vec::new(),
    }
}

/// The dotted path below the table at `parent` at which a scenario knows the key or choice `name`, the
/// nearest first. Of choices, only those that `tree` has made are looked into.
pub(crate) fn elsewhere(tree: &DeTable<'_>, parent: &[&str], name: &str) -> Option<String> {
    let wanted = plain(name);
    let mut waiting =
        VecDeque::from([(Place::at(parent), parent.iter().map(ToString::to_string).collect::<Vec<_>>())]);
    while let Some((place, path)) = waiting.pop_front() {
        let segments: Vec<_> = path.iter().map(String::as_str).collect();
        let table = segments.iter().try_fold(tree, |table, name| table.get(*name)?.get_ref().as_table());
        let written: Vec<_> = table.into_iter().flat_map(DeTable::keys).map(|key| &**key.get_ref()).collect();
        let names = if place.is_map() { written.clone() } else { place.names() };
        if segments.len() > parent.len()
            && let Some(name) = names.iter().find(|name| plain(name) == wanted)
        {
            return Some([&segments[..], &[name]].concat().join("."));
        }
        let looked_into = names.iter().filter(|name| !place.is_choice() || written.contains(name));
        for name in looked_into.filter(|name| !["variants", "sweep"].contains(name)) {
            let below = path.iter().cloned().chain([(*name).to_owned()]).collect();
            waiting.push_back((place.below(name), below));
        }
    }
    None
}

/// A name without what is easily got wrong.
pub(crate) fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '_'], "")
}
