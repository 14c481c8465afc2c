//! Rules on CAKE: its shaper, what it sorts and shares by, and filters of ACKs.

use weir_aqm::qdisc::{Filtering, QueueConfig};
use weir_types::Dscp;

use crate::{
    aqm::Aqm,
    note::Notes,
    path::{Path, names},
    port::Port,
    scene::Scene,
    words::{rate, time},
};

pub(crate) fn dscp_unused(scene: &Scene<'_>, notes: &mut Notes) {
    let is_unused = |path: &&Path<'_>| path.of.flows.dscp != Dscp::CS0 && !is_sorted(scene, path);
    let paths: Vec<_> = scene.paths.iter().filter(is_unused).collect();
    if let Some(first) = paths.first() {
        notes.note(
            format!("flows.{}.dscp", first.group()),
            format!("no queue on the path of {} sorts packets by dscp", names(&paths)),
            format!("{}.queue.cake = {{}}, or leave dscp out", scene.limiting(first).key),
        );
    }
}

pub(crate) fn host_unused(scene: &Scene<'_>, notes: &mut Notes) {
    for (key, side, is_sender) in [("from_host", "send", true), ("to_host", "receive", false)] {
        let is_unused = |path: &&Path<'_>| {
            let flows = path.of.flows;
            let host = if is_sender { &flows.from_host } else { &flows.to_host };
            host.is_some() && !is_shared(scene, path, is_sender)
        };
        let paths: Vec<_> = scene.paths.iter().filter(is_unused).collect();
        if let Some(first) = paths.first() {
            notes.note(
                format!("flows.{}.{key}", first.group()),
                format!("no queue on the path of {} shares its rate among hosts that {side}", names(&paths)),
                format!("{}.queue.cake = {{}}, or leave {key} out", scene.limiting(first).key),
            );
        }
    }
}

/// Datagrams have no ACKs, and those of TCP may go another way.
pub(crate) fn ack_filter_unused(scene: &Scene<'_>, notes: &mut Notes) {
    for port in &scene.ports {
        let Some(key) = filter_of(port) else { continue };
        if acked_through(scene, port).is_empty() {
            let message = format!("no ACKs pass {}: its filter has none to take away", port.name);
            let hint = format!("{key} = \"off\"");
            notes.note(key, message, hint);
        }
    }
}

/// Linux takes the flag AE for a reserved bit and knows no option of the counters: such ACKs stay. The counter of
/// marked packets begins at 5, where AE is set (RFC 9768, section 3.2.1). So without the option the filter takes ACKs
/// away after the first marks.
pub(crate) fn ack_filter_accecn(scene: &Scene<'_>, notes: &mut Notes) {
    for port in &scene.ports {
        let (Some(key), paths) = (filter_of(port), acked_through(scene, port)) else { continue };
        let is_unknown = |path: &&Path<'_>| feeds_back(path) && !has_plain_acks(scene, path);
        if paths.is_empty() || !paths.iter().all(is_unknown) {
            continue;
        }
        let off = format!("{key} = \"off\"");
        let hint = match paths.iter().find(|path| scene.may_mark(path)) {
            Some(marked) => format!("flows.{}.tcp.accecn_option = false, or {off}", marked.group()),
            None => off,
        };
        let message = format!(
            "ACKs of {} bear accurate ECN feedback, which the filter of {} does not know: it takes none away",
            names(&paths),
            port.name
        );
        notes.note(key, message, hint);
    }
}

/// Packets wait in CAKE all the same, as a link takes one at a time. On a real line they wait in the device or the
/// modem behind it. Its tins and times are scaled to `bandwidth`.
pub(crate) fn shaper_above_rate(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.data_ports().filter(|port| !port.follows_trace && port.of.spec.token_bucket.is_none()) {
        for phase in scene.phases(port).iter().take_while(|phase| phase.at < scene.end()) {
            let (_, highest) = port.rates.between(phase.at, phase.until);
            let highest = highest as f64;
            let Some(written) = phase.aqm.text("bandwidth") else { continue };
            if shaped_bps(&port.of, phase.queue).is_none_or(|shaped| shaped <= highest) {
                continue;
            }
            let key = format!("{}.bandwidth", phase.aqm.path);
            let begins = if phase.at.is_zero() {
                String::new()
            } else {
                format!("from {} on, ", time(phase.at.as_secs_f64()))
            };
            let message = format!(
                "{begins}a shaper of {written} holds nothing back at {}: packets wait for {}, in CAKE here, but \
                 behind it on a real line",
                rate(highest),
                port.name
            );
            let hint = format!("{key} = \"{}\", or leave it out", rate(0.95 * highest));
            notes.warning(key, message, hint);
            break;
        }
    }
}

/// A link's rate decides which one is the bottleneck, and the headline measures are about that one.
pub(crate) fn shaper_elsewhere(scene: &Scene<'_>, notes: &mut Notes) {
    let Some(main) = scene.port(scene.bottleneck.at) else { return };
    let shaped_at = |port: &Port<'_>| shaped_bps(&port.of, port.of.queue());
    let least = main.rate_bps().min(shaped_at(main).unwrap_or(f64::INFINITY));
    for port in scene.data_ports().filter(|port| port.of.at != main.of.at) {
        let is_shared = scene.through(port).iter().any(|path| main.is_passed_by(&path.of));
        let Some(shaped) = shaped_at(port).filter(|shaped| is_shared && *shaped < least) else { continue };
        notes.warning(
            format!("{}.bandwidth", port.aqm.path),
            format!(
                "the shaper of {} lets {} pass, less than {}: packets wait there, and the headline measures \
                 are about {}",
                port.name,
                rate(shaped),
                main.name,
                main.name
            ),
            format!("measure.bottleneck = \"{}\"", port.name),
        );
    }
}

/// Rate that the shaper of this queue lets through before a port, bit/s, with packets of mean size. `None` without a
/// shaper.
pub fn shaped_bps(port: &weir_scenario::Port<'_>, queue: &QueueConfig) -> Option<f64> {
    let QueueConfig::Cake(cake) = queue else { return None };
    let (bandwidth, packet) = (cake.bandwidth?, port.mean_packet_size.bytes());
    let on_wire = cake.bytes_on_wire(packet);
    Some(bandwidth.bits_per_second() as f64 * f64::from(packet) / f64::from(on_wire))
}

/// Path of the mode of a filter of ACKs at the port, if there is one at work.
fn filter_of(port: &Port<'_>) -> Option<String> {
    let (key, mode) = match port.of.queue() {
        QueueConfig::Cake(cake) => ("cake.ack_filter", cake.ack_filter),
        QueueConfig::AckFilter(filter) => ("ack-filter.mode", filter.mode),
        _ => return None,
    };
    (mode != Filtering::Off).then(|| format!("{}.queue.{key}", port.key))
}

/// The paths whose ACKs pass the port.
fn acked_through<'a, 'b>(scene: &'b Scene<'a>, port: &Port<'_>) -> Vec<&'b Path<'a>> {
    let passes = |path: &&Path<'_>| !path.is_datagrams() && path.of.acks.contains(&port.of.at);
    scene.paths.iter().filter(passes).collect()
}

/// Returns true if receivers of the group send accurate ECN feedback.
fn feeds_back(path: &Path<'_>) -> bool {
    path.tcp().accecn && path.falls_back().is_none()
}

/// Returns true if some ACKs with accurate feedback have neither its option nor its flag AE.
fn has_plain_acks(scene: &Scene<'_>, path: &Path<'_>) -> bool {
    !path.tcp().accecn_option && scene.may_mark(path)
}

/// Returns true if a queue sorts data or ACKs of the group into tins.
fn is_sorted(scene: &Scene<'_>, path: &Path<'_>) -> bool {
    cakes(scene, path).iter().any(|(_, aqm)| !aqm.has("tins", "besteffort"))
}

/// Returns true if a queue tells the host of the group that sends, or the one that receives, from others. ACKs go the
/// other way.
fn is_shared(scene: &Scene<'_>, path: &Path<'_>, is_sender: bool) -> bool {
    cakes(scene, path).iter().any(|(is_data, aqm)| {
        let by = aqm.text("isolation").unwrap_or_default();
        if is_sender == *is_data { SENDERS.contains(&by) } else { RECEIVERS.contains(&by) }
    })
}

/// Isolations to which it matters who sends.
const SENDERS: [&str; 4] = ["srchost", "hosts", "dual-srchost", "triple-isolate"];

/// Isolations to which it matters who receives.
const RECEIVERS: [&str; 4] = ["dsthost", "hosts", "dual-dsthost", "triple-isolate"];

/// CAKE on the path of the group at any time, and whether data pass it, or ACKs.
fn cakes(scene: &Scene<'_>, path: &Path<'_>) -> Vec<(bool, Aqm)> {
    let data = path.of.data.iter().map(|at| (true, *at));
    let passed = data.chain(path.of.acks.iter().map(|at| (false, *at)));
    let ports = passed.filter_map(|(is_data, at)| Some((is_data, scene.port(at)?)));
    let aqms = ports.flat_map(|(is_data, port)| scene.aqms(port).into_iter().map(move |aqm| (is_data, aqm)));
    aqms.filter(|(_, aqm)| aqm.name == "cake").collect()
}
