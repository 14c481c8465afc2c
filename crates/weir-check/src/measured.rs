//! The rule on how much is measured: whether there is anything.

use crate::{load::flows_at, note::Notes, scene::Scene, words::time};

/// Recordings, which end by themselves, have the note `recording-not-measured`.
pub(crate) fn no_traffic_measured(scene: &Scene<'_>, notes: &mut Notes) {
    let warm_up = scene.warm_up();
    let later = scene.instants.iter().copied().filter(|at| warm_up < *at && *at < scene.end());
    let mut instants = std::iter::once(warm_up).chain(later);
    let has_flows = |at| scene.paths.iter().any(|path| flows_at(&path.of.load, at) > 0);
    if !scene.paths.is_empty() && !instants.any(has_flows) {
        let message = format!(
            "no flow is there from {} on, when measuring begins: nothing is measured",
            time(warm_up.as_secs_f64())
        );
        notes.warning("measure.warm_up", message, "a shorter warm_up, or flows that stop later");
    }
}
