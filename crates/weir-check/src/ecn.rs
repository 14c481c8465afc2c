//! Rules on marks: who marks, who understands marks, and which class a packet enters.

use weir_tcp::congestion::Marks;

use crate::{
    aqm::Aqm,
    note::{Notes, Severity},
    path::{Path, names},
    port::Port,
    scene::Scene,
};

/// Mark by default and are meant for flows of both kinds: without ECN-capable flows they drop.
const BOTH: [&str; 3] = ["fq-codel", "dualpi2", "cake"];

/// Only packets with ECT(0) or ECT(1) may be marked; others are dropped in their place (RFC 3168, section 5).
pub(crate) fn ecn_without_senders(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.data_ports() {
        let (aqm, paths) = (&port.aqm, scene.through(port));
        if aqm.does_mark() && !BOTH.contains(&aqm.name) && !paths.iter().any(|path| path.ecn_capable()) {
            let is_on = aqm.parameters.get("ecn").is_some_and(|ecn| *ecn != false);
            let key = if is_on { "ecn" } else { "ce_threshold" };
            notes.warning(
                format!("{}.{key}", aqm.path),
                format!("no flow here is ECN-capable, so {} drops where it would mark", aqm.name),
                format!("{} = true", paths[0].ecn_key()),
            );
        }
    }
}

/// DCTCP without marks is Reno (RFC 8257, section 3.5), and a REM host learns nothing of prices.
pub(crate) fn ecn_without_marks(scene: &Scene<'_>, notes: &mut Notes) {
    let mut found: Vec<(Severity, Vec<&Path<'_>>)> = Vec::new();
    for path in &scene.paths {
        if path.is_datagrams() || !path.ecn_capable() || scene.may_mark(path) {
            continue;
        }
        // Congestion controls to which marks are this are made for them.
        let severity = Severity::warning_if(path.marks() >= Some(Marks::Wanted));
        match found.iter_mut().find(|(its, _)| *its == severity) {
            Some((_, paths)) => paths.push(path),
            None => found.push((severity, vec![path])),
        }
    }
    for (severity, paths) in found {
        let first = paths[0];
        let port = scene.limiting(first);
        let queue = match severity {
            _ if first.is_l4s() => "dualpi2 = {}",
            Severity::Warning => "step = {}",
            Severity::Note => "rem = { ecn = true }",
        };
        let hint = if port.aqm.parameters.contains_key("ecn") {
            format!("{}.ecn = true", port.aqm.path)
        } else {
            format!("for example {}.queue.{queue}", port.key)
        };
        notes.add(
            severity,
            format!("flows.{}.tcp.ecn", first.group()),
            format!("no queue on the path of {} marks, so ECN has no effect", names(&paths)),
            if port.of.ecn_capable {
                hint
            } else {
                format!("leave {}.ecn_capable out, and {hint}", port.key)
            },
        );
    }
}

/// DCTCP estimates congestion from marks alone, and treats losses as Reno does (RFC 8257, sections 3.3 and 3.5).
pub(crate) fn dctcp_without_ecn(scene: &Scene<'_>, notes: &mut Notes) {
    // Those that are another control without marks, and may run so.
    let wants = |path: &&Path<'_>| path.marks() == Some(Marks::Wanted) && !path.ecn_capable();
    let paths: Vec<_> = scene.paths.iter().filter(wants).collect();
    if let Some(first) = paths.first() {
        let control = first.tcp().congestion.name();
        notes.warning(
            format!("flows.{}.tcp.congestion.{control}", first.group()),
            format!("{control} of {} never sees a mark, and behaves like Reno", names(&paths)),
            format!("{} = true", first.ecn_key()),
        );
    }
}

/// ECT(1) and CE enter the low-latency queue (RFC 9331, section 5.1; RFC 9332, section 2.3). Only Prague uses ECT(1),
/// so without it and marks of an earlier queue it stays empty, unless `low_latency` is `"any-ect"`.
pub(crate) fn empty_class(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.data_ports() {
        let (aqm, paths) = (&port.aqm, scene.through(port));
        if aqm.name != "dualpi2" || paths.iter().any(|path| path.is_l4s()) {
            continue;
        }
        let capable: Vec<_> = paths.iter().copied().filter(|path| path.ecn_capable()).collect();
        let scalable: Vec<_> = capable.iter().copied().filter(|path| path.is_scalable()).collect();
        let key = format!("{}.low_latency", aqm.path);
        if aqm.has("low_latency", "any-ect") {
            if capable.is_empty() {
                let message = "no flow here is ECN-capable, so the low-latency queue stays empty";
                notes.warning(key, message, format!("{} = true", paths[0].ecn_key()));
            } else if capable.len() == paths.len() {
                let message =
                    "every flow here is ECN-capable: the Classic queue gets at most SYNs and repairs";
                notes.note(aqm.path.as_str(), message, "a group without tcp.ecn beside them");
            }
        } else if !capable.iter().any(|path| is_marked_before(scene, path, port)) {
            let empty = "no sender here uses ECT(1): the low-latency queue stays empty, and";
            if scalable.is_empty() {
                let message = format!("{empty} DualPI2 acts as PI2");
                let hint = "a group of flows with congestion.prague = {}, ecn = true and accecn = true in its \
                            tcp, beside preset = \"linux\"";
                notes.note(key, message, hint);
            } else {
                let message = format!("{empty} DCTCP of {} shares the Classic queue", names(&scalable));
                let hint = format!("{key} = \"any-ect\"");
                notes.warning(key, message, hint);
            }
        }
    }
}

/// With `low_latency = "any-ect"` they do. The queue marks for controls that answer a mark by a small reduction; one
/// that halves its window starves there (RFC 9331, section 4.1).
pub(crate) fn classic_in_low_latency(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.data_ports() {
        if port.aqm.name != "dualpi2" || !port.aqm.has("low_latency", "any-ect") {
            continue;
        }
        let mut classic = scene.through(port);
        classic.retain(|path| path.ecn_capable() && path.is_classic());
        if let Some(first) = classic.first() {
            notes.warning(
                format!("{}.low_latency", port.aqm.path),
                format!(
                    "{} with {} enters the low-latency queue, which marks for scalable controls",
                    names(&classic),
                    first.tcp().congestion.name()
                ),
                format!("flows.{}.tcp.ecn = false, or tcp.congestion.dctcp", first.group()),
            );
        }
    }
}

/// To RFC 3168 with a receiver of that (RFC 9768, section 3.1.2), else to no ECN. Prague does not fall back to RFC
/// 3168, and is Reno then (RFC 9331, section 4.3).
pub(crate) fn accecn_fallback(scene: &Scene<'_>, notes: &mut Notes) {
    let mut found: Vec<((&str, bool), Vec<&Path<'_>>)> = Vec::new();
    for path in &scene.paths {
        let Some(mode) = path.falls_back() else { continue };
        let kind = (mode, path.counts_marks());
        match found.iter_mut().find(|(its, _)| *its == kind) {
            Some((_, paths)) => paths.push(path),
            None => found.push((kind, vec![path])),
        }
    }
    for ((mode, is_prague), paths) in found {
        let key = format!("flows.{}.tcp.receiver_ecn", paths[0].group());
        let then = if is_prague { ", and Prague is Reno" } else { "" };
        let message = format!(
            "the receivers of {} have no accurate ECN feedback: their senders fall back to {mode}{then}",
            names(&paths)
        );
        let hint = format!("{key} = \"accecn\"");
        notes.add(Severity::warning_if(is_prague), key, message, hint);
    }
}

/// It answers a mark by less than they do, and displaces them (RFC 9331, section 4.3). DualPI2 and per-flow queues give
/// it a queue of its own.
pub(crate) fn prague_in_classic_queue(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.data_ports() {
        let (aqm, paths) = (&port.aqm, scene.through(port));
        if !aqm.does_mark() || aqm.per_flow || aqm.name == "dualpi2" {
            continue;
        }
        let (mut l4s, mut classic) = (paths.clone(), paths);
        l4s.retain(|path| path.is_l4s());
        classic.retain(|path| path.is_classic());
        if !l4s.is_empty() && !classic.is_empty() {
            notes.note(
                aqm.path.as_str(),
                format!(
                    "{} with Prague shares one queue with {}, and answers its marks by less",
                    names(&l4s),
                    names(&classic)
                ),
                format!("{}.queue.dualpi2 = {{}}", port.key),
            );
        }
    }
}

/// Returns true if packets may arrive at the port with a mark.
fn is_marked_before(scene: &Scene<'_>, path: &Path<'_>, port: &Port<'_>) -> bool {
    let mut before = path.of.data.iter().take_while(|at| **at != port.of.at);
    before.any(|at| scene.port(*at).is_some_and(|other| Aqm::may_mark(&other.aqm)))
}
