//! Flows over time.

use weir_scenario::{LoadChange, Path, Port};
use weir_types::Duration;

/// Returns true if the data of a path pass a port.
pub(super) fn passes(path: &Path<'_>, port: &Port<'_>) -> bool {
    path.data.contains(&port.at)
}

/// Returns true if flows have data without end.
pub(super) fn is_bulk(path: &Path<'_>) -> bool {
    path.flows.traffic.name() == "bulk"
}

/// Seconds.
pub(super) fn at_s(at: Duration) -> f64 {
    at.as_secs_f64()
}

/// The number of flows at an instant.
pub(super) fn flows_at(load: &[LoadChange], instant: f64) -> u32 {
    load.iter().rev().find(|change| at_s(change.at) <= instant).map_or(0, |change| change.after)
}
