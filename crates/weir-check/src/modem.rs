//! The wait of packets for grants of a cable modem, and what the grants must carry.

use weir_scenario::{DocsisSpec, Traffic};
use weir_types::Duration;

use crate::{port::Port, scene::Scene};

/// Part of what must be carried that guaranteed grants carry, from which on a packet waits for an interval, not for its
/// request.
///
/// With less, packets beyond wait in the queue for their grants, and all behind them as long. An AQM that aims below
/// this wait holds TCP down to what is guaranteed: 60% of 10 Mbit/s with 6 (`tests/test_cable.py`).
const COVERS: f64 = 0.9;

/// Rate that grants let leave the line of a port, bit/s, with packets of mean size; `None` if they let all waiting
/// packets go.
pub fn granted_bps(port: &weir_scenario::Port<'_>) -> Option<f64> {
    let grants = port.spec.aggregation?;
    let bits = f64::from(grants.packets?) * 8.0 * f64::from(port.mean_packet_size.bytes());
    let least = grants.interval.as_secs_f64();
    let longest = grants.max_interval.map_or(0.0, Duration::as_secs_f64);
    Some(bits / f64::midpoint(least, least.max(longest)))
}

/// Seconds that a packet waits for its grant.
pub fn grant_wait_s(modem: &DocsisSpec) -> f64 {
    // Half an interval until the request, the next to begin after the grant is known, and half of that.
    modem.request_to_grant.as_secs_f64() + 1.5 * modem.map_interval.as_secs_f64()
}

/// Bits per second that are granted without a request.
pub(crate) fn guaranteed_bps(modem: &DocsisSpec) -> f64 {
    modem.guaranteed_grant_rate.map_or(0.0, |rate| rate.bits_per_second() as f64)
}

/// Returns true if a modem has no need to ask: guaranteed grants carry nearly all that passes.
pub(crate) fn is_guaranteed(scene: &Scene<'_>, port: &Port<'_>) -> bool {
    port.of.spec.docsis.is_some_and(|modem| guaranteed_bps(modem) >= COVERS * carried_bps(scene, port))
}

/// Bits per second that the port must carry: those of steady datagrams alone, else all that it can.
pub(crate) fn carried_bps(scene: &Scene<'_>, port: &Port<'_>) -> f64 {
    let (paths, most) = (scene.through(port), port.rates.highest());
    let has_acks = scene.paths.iter().any(|path| path.of.acks.contains(&port.of.at));
    let is_steady = paths.iter().all(|path| matches!(path.traffic(), Traffic::Cbr(_)));
    if has_acks || paths.is_empty() || !is_steady {
        return most;
    }
    let offered = paths.iter().map(|path| scene.offered_bps(path).unwrap_or(0.0) * f64::from(path.load.most));
    most.min(offered.sum())
}
