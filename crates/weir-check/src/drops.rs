//! Rules on packets that are dropped where others are marked.

use weir_types::Ecn;

use crate::{
    aqm::Aqm,
    note::Notes,
    path::{Path, names},
    port::Port,
    scene::Scene,
    words::listed,
};

/// Kinds of packets that the receiver sends.
const BACK: [&str; 2] = ["SYN-ACK", "ACK"];

/// The parameter of `tcp` that makes packets of a kind ECN-capable.
fn switch(kind: &str) -> &'static str {
    match kind {
        "SYN" => "ecn_on_syn",
        "SYN-ACK" => "ecn_on_syn_ack",
        "retransmission" => "ecn_on_retransmissions",
        "ACK" => "ecn_on_acks",
        other => unreachable!("packets of the kind {other}"),
    }
}

/// So does a step, and any queue that scalable senders hold where most packets are marked: of SYNs and retransmissions
/// that cannot be marked few come through (RFC 8257, sections 3.5 and 5).
pub(crate) fn drops_where_it_marks(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.data_ports() {
        let aqms = scene.aqms(port);
        let Some(aqm) = aqms.iter().find(|aqm| marks_most(scene, port, aqm)) else { continue };
        for (kinds, paths) in not_capable(scene, port) {
            let key = paths[0].ecn_key();
            if kinds.contains(&"data") {
                let message = format!("{} marks others, and drops {} in its place", aqm.name, names(&paths));
                let hint = format!("{key} = true");
                notes.warning(key, message, hint);
                continue;
            }
            let table = key.trim_end_matches(".ecn");
            // The switches work for senders with ECN alone.
            let ecn = if paths[0].ecn_capable() { None } else { Some("ecn") };
            let needed: Vec<_> = ecn.into_iter().chain(kinds.iter().map(|kind| switch(kind))).collect();
            let switched: Vec<_> = needed.iter().map(|key| format!("{table}.{key} = true")).collect();
            notes.note(
                format!("{table}.{}", needed[0]),
                format!(
                    "{} marks data, and drops packets of {} that are not ECN-capable: {}",
                    aqm.name,
                    names(&paths),
                    listed(&kinds)
                ),
                switched.join(", "),
            );
        }
    }
}

pub(crate) fn bottleneck_without_marks(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.bottlenecks() {
        let aqm = &port.aqm;
        let is_off = aqm.parameters.get("ecn").is_some_and(|ecn| *ecn == false);
        if !is_off || !port.of.ecn_capable || scene.aqms(port).iter().any(Aqm::does_mark) {
            continue;
        }
        let mut paths = scene.through(port);
        paths.retain(|path| {
            path.of.bottleneck.at == port.of.at
                && path.ecn_capable()
                && scene.ports_of(path).any(|other| scene.aqms(other).iter().any(Aqm::does_mark))
        });
        if !paths.is_empty() {
            let key = format!("{}.ecn", aqm.path);
            let message = format!("{} drops packets of {} that it could mark", aqm.name, names(&paths));
            let hint = format!("{key} = true");
            notes.note(key, message, hint);
        }
    }
}

/// Returns true if this AQM marks nearly all packets that the port holds.
fn marks_most(scene: &Scene<'_>, port: &Port<'_>, aqm: &Aqm) -> bool {
    let mut capable = scene.through(port);
    capable.retain(|path| path.ecn_capable());
    // What waits beyond a ce_threshold is marked if it can be, and goes on if it cannot.
    if !aqm.does_mark() || aqm.per_flow || aqm.parameters.contains_key("ce_threshold") || capable.is_empty() {
        return false;
    }
    let has_scalable = capable.iter().any(|path| path.is_scalable() && !path.is_l4s());
    match aqm.name {
        // Its low-latency queue drops nothing that others could have marked.
        "dualpi2" => has_scalable && !aqm.has("low_latency", "any-ect"),
        // Of Prague `prague-in-classic-queue` speaks.
        name => name == "step" || has_scalable,
    }
}

/// The kinds of packets at the port that cannot be marked, with the groups that send them.
fn not_capable<'a, 'b>(scene: &'b Scene<'a>, port: &Port<'_>) -> Vec<(Vec<&'static str>, Vec<&'b Path<'a>>)> {
    let mut found: Vec<(Vec<&'static str>, Vec<&'b Path<'a>>)> = Vec::new();
    for path in &scene.paths {
        let (there, back) = (port.is_passed_by(&path.of), path.of.acks.contains(&port.of.at));
        let is_here = |kind: &str| if BACK.contains(&kind) { back } else { there };
        let kinds = path.declares().iter().filter(|(kind, ecn)| *ecn == Ecn::NotEct && is_here(kind));
        let kinds: Vec<_> = kinds.map(|(kind, _)| *kind).collect();
        if kinds.is_empty() {
            continue;
        }
        match found.iter_mut().find(|(its, _)| *its == kinds) {
            Some((_, paths)) => paths.push(path),
            None => found.push((kinds, vec![path])),
        }
    }
    found
}
