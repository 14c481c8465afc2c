//! The resolved network of a scenario, as JSON.

use serde_json::{Value, json};
use weir_aqm::Limit;
use weir_scenario::{Path, Port, Scenario};
use weir_types::Level;

/// Ports, groups of flows, and the port that limits them. `written` tells the path that the text has for one.
pub(crate) fn json(scenario: &Scenario, written: impl Fn(&str) -> String) -> Value {
    let network = scenario.network();
    json!({
        "ports": network.ports.iter().map(|one| port(one, &written)).collect::<Vec<_>>(),
        "groups": network.paths.iter().map(|one| group(one, &written)).collect::<Vec<_>>(),
        "bottleneck": network.bottleneck.at.to_string(),
    })
}

fn port(port: &Port<'_>, written: &impl Fn(&str) -> String) -> Value {
    let (packets, bytes) = match port.limit {
        Limit::Packets(packets) => (Some(packets), None),
        Limit::Bytes(bytes) | Limit::Span(bytes) => (None, Some(bytes)),
    };
    let size = f64::from(port.mean_packet_size.bytes());
    let in_packets = |level| match port.link().length(level) {
        Level::Bytes(bytes) => bytes / size,
        level => level.value(),
    };
    let band = port.queue().band(port.link()).map(|(low, high)| [in_packets(low), in_packets(high)]);
    json!({
        "name": port.at.to_string(),
        "key": written(&format!("links.{}", port.at)),
        "link": port.at.link,
        "direction": port.at.direction.name(),
        "rate_bps": port.rate().bits_per_second(),
        "delay_s": port.delay.as_secs_f64(),
        "limit_packets": packets,
        "limit_bytes": bytes,
        "mean_packet_bytes": port.mean_packet_size.bytes(),
        "largest_rtt_s": port.largest_rtt.as_secs_f64(),
        "bdp_packets": port.bdp_packets(),
        "queue": port.queue().name(),
        "band_packets": band,
        "classes": port.queue().classes(),
        "ecn_capable": port.ecn_capable,
    })
}

fn group(path: &Path<'_>, written: &impl Fn(&str) -> String) -> Value {
    json!({
        "name": path.group,
        "key": written(&format!("flows.{}", path.group)),
        "flows": path.load.last().map(|change| change.after),
        "rtt_s": path.flows.rtt.typical_maximum().as_secs_f64(),
        "packet_bytes": path.flows.packet_size.bytes(),
        "bottleneck": path.bottleneck.at.to_string(),
    })
}
