//! Rules on congestion controls: what they need of the path and of their receivers to be what they are.

use serde_json::Value;
use weir_scenario::Role;
use weir_tcp::{accecn::ReceiverEcn, congestion::Marks};
use weir_types::quantity;

use crate::{
    aqm::parameters_of,
    level::strongest,
    note::Notes,
    path::{Path, names},
    port::Port,
    scene::Scene,
    words::{listed, time},
};

/// Without ECN it would drop their packets, which BBR answers little or not, but repairs.
pub(crate) fn marks_ignored(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.data_ports().filter(|port| port.aqm.does_mark()) {
        let mut ignoring = scene.through(port);
        ignoring.retain(|path| path.ecn_capable() && path.marks() == Some(Marks::Ignored));
        if let Some(first) = ignoring.first() {
            let key = format!("flows.{}.tcp.ecn", first.group());
            let message = format!(
                "{} with {} is ECN-capable and ignores marks: {} does not slow it down",
                names(&ignoring),
                first.tcp().congestion.name(),
                port.aqm.name
            );
            let hint = format!("{key} = false");
            notes.note(key, message, hint);
        }
    }
}

pub(crate) fn receiver_ecn_unused(scene: &Scene<'_>, notes: &mut Notes) {
    let is_unused = |path: &&Path<'_>| {
        !path.is_datagrams() && !path.tcp().accecn && path.tcp().receiver_ecn != ReceiverEcn::Accecn
    };
    let paths: Vec<_> = scene.paths.iter().filter(is_unused).collect();
    if let Some(first) = paths.first() {
        let tcp = format!("flows.{}.tcp", first.group());
        notes.warning(
            format!("{tcp}.receiver_ecn"),
            format!(
                "senders of {} do not ask for accurate ECN feedback, so receiver_ecn has no effect",
                names(&paths)
            ),
            format!("{tcp}.accecn = true, beside ecn = true"),
        );
    }
}

/// ECN is negotiated for a connection as a whole (RFC 3168, section 6.1.1).
pub(crate) fn ecn_on_unused(scene: &Scene<'_>, notes: &mut Notes) {
    for path in scene.paths.iter().filter(|path| !path.is_datagrams() && !path.ecn_capable()) {
        let tcp = path.tcp();
        // The preset `ns2` has `ecn_on_retransmissions`, with ECN and without.
        let switches = [
            ("ecn_on_syn", tcp.ecn_on_syn),
            ("ecn_on_syn_ack", tcp.ecn_on_syn_ack),
            ("ecn_on_acks", tcp.ecn_on_acks),
        ];
        let on = switches.into_iter().filter(|(_, value)| *value == Some(true));
        let written: Vec<_> = on.map(|(key, _)| key).collect();
        if let Some(first) = written.first() {
            let group = path.group();
            notes.warning(
                format!("flows.{group}.tcp.{first}"),
                format!("{group} does not ask for ECN: no effect of {}", listed(&written)),
                format!("flows.{group}.tcp.ecn = true"),
            );
        }
    }
}

/// A short buffer or an AQM keeps it there; LEDBAT then takes as much as Reno (RFC 7928, section 5.4).
pub(crate) fn target_out_of_reach(scene: &Scene<'_>, notes: &mut Notes) {
    for path in &scene.paths {
        let (Some(facts), Some(control)) = (path.facts(), path.congestion()) else { continue };
        let parameters = parameters_of(serde_json::to_value(&path.tcp().congestion));
        let target = parameters.get("target").and_then(Value::as_str);
        let Some(target) = target.filter(|_| facts.yields) else { continue };
        let (reach, by) = greatest_delay(scene.limiting(path));
        if quantity(target).is_ok_and(|(target_s, _)| reach <= target_s) {
            let key = format!("flows.{}.tcp.congestion.{control}.target", path.group());
            let message = format!(
                "{by} keeps the queue below {target}: {} with {control} does not yield",
                path.group()
            );
            let hint = format!("{key} = \"{}\"", time(reach / 2.0));
            notes.warning(key, message, hint);
        }
    }
}

/// The longest delay of packets at the port, about, in seconds, and what limits it.
fn greatest_delay(port: &Port<'_>) -> (f64, String) {
    let aqm = &port.aqm;
    let packet_s = 8.0 * port.mean_packet() / port.rates.lowest();
    let full = port.buffer_limit() * packet_s;
    let target = aqm.parameter(Role::Delay).and_then(|parameter| aqm.text(parameter));
    let target = target.and_then(|written| quantity(written).ok()).map(|(seconds, _)| seconds);
    let threshold = strongest(port, aqm).map(|level| level.packets * packet_s);
    let delay = target.into_iter().chain(threshold).reduce(f64::min).unwrap_or(full);
    if delay < full { (delay, aqm.name.to_owned()) } else { (full, format!("a buffer of {}", time(full))) }
}
