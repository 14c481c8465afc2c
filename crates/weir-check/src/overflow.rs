//! The rule on thresholds and targets against what the buffer holds, at the start and after each change.

use std::collections::HashSet;

use weir_scenario::Role;
use weir_types::Duration;

use crate::{
    bounds::{enough_of, sent_s},
    level::{Level, fixed_levels, in_words, level_of, weakest},
    levels::{PACKETS_FOR_DELAY, ROOM, larger_buffer},
    note::{Notes, Severity},
    phase::Phase,
    port::Port,
    scene::Scene,
    words::{packets, time},
};

/// The buffer overflows first, so that the queue is `DropTail` in all but name.
pub(crate) fn threshold_above_buffer(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.data_ports() {
        let mut told = HashSet::new();
        for phase in scene.phases(port).iter().take_while(|phase| phase.at < scene.end()) {
            let found = [at_level(scene, port, phase), at_delay(scene, port, phase)];
            for (severity, path, message, hint) in found.into_iter().flatten() {
                if told.insert(path.clone()) {
                    notes.add(severity, path, message, hint);
                }
            }
        }
    }
}

/// Severity, path, message and hint.
type Found = (Severity, String, String, String);

/// A threshold that the buffer does not hold.
fn at_level(scene: &Scene<'_>, port: &Port<'_>, phase: &Phase<'_>) -> Option<Found> {
    let (aqm, limit) = (&phase.aqm, phase.buffer.packets);
    let (first, last) = (weakest(port, aqm), level_of(port, aqm, Role::Last));
    // A level that fills the buffer is at it, though a buffer in time is one of whole packets.
    if let Some(first) = first.as_ref().filter(|first| first.packets >= limit) {
        let is_strongest = last.is_none_or(|last| last.path == first.path);
        let floor = if is_strongest { enough_of(scene, port, aqm) } else { 0.0 };
        let said = in_words(&first.written, port.steady_bps());
        let message = format!(
            "{}{said} is not below the buffer of {}: {} acts as DropTail",
            since(phase),
            packets(limit),
            aqm.name
        );
        let hint = lowered(scene, port, phase, first, 0.25, floor);
        return Some((Severity::Warning, first.path.clone(), message, hint));
    }
    let last = last.filter(|last| last.packets > limit + 0.5)?;
    let floor = enough_of(scene, port, aqm).max(first.map_or(0.0, |first| first.packets + 1.0));
    let message = format!(
        "{}the buffer of {} overflows before the queue reaches {}",
        since(phase),
        packets(limit),
        in_words(&last.written, port.steady_bps())
    );
    let hint = lowered(scene, port, phase, &last, ROOM, floor);
    Some((Severity::Note, last.path, message, hint))
}

/// A target delay that a full buffer does not exceed.
fn at_delay(scene: &Scene<'_>, port: &Port<'_>, phase: &Phase<'_>) -> Option<Found> {
    let (aqm, limit) = (&phase.aqm, phase.buffer.packets);
    // The ramp of a low-latency queue has a delay of its own.
    if aqm.per_flow || port.follows_trace || aqm.has("low_latency", "any-ect") {
        return None;
    }
    let delay = level_of(port, aqm, Role::Delay)?;
    let (lowest, _) = port.rates.between(phase.at, phase.until);
    let drained = limit * 8.0 * port.mean_packet() / lowest as f64;
    let target_s = delay.value();
    if drained > target_s {
        return None;
    }
    let least = 1.5 * sent_s(scene, port);
    let hint = if least > drained / 2.0 {
        let reached = 2.0 * limit * target_s / drained;
        larger_buffer(&phase.buffer.path, reached.max(PACKETS_FOR_DELAY))
    } else {
        format!("{} = \"{}\", or a larger buffer", delay.path, time((drained / 4.0).max(least)))
    };
    let message = format!(
        "{}a full buffer waits {}, not over {}: {} hardly acts",
        since(phase),
        time(drained),
        delay.written,
        aqm.name
    );
    Some((Severity::Warning, delay.path, message, hint))
}

fn since(phase: &Phase<'_>) -> String {
    if phase.at > Duration::ZERO {
        format!("from {} on, ", time(phase.at.as_secs_f64()))
    } else {
        String::new()
    }
}

/// A level at a share of the buffer, but not below what another rule wants: else a larger buffer.
fn lowered(
    scene: &Scene<'_>,
    port: &Port<'_>,
    phase: &Phase<'_>,
    level: &Level,
    share: f64,
    least: f64,
) -> String {
    let limit = phase.buffer.packets;
    let value = (limit * share).round_ties_even().max(1.0);
    let value = if value < least { least.ceil() } else { value };
    if value <= ROOM * limit {
        return format!("{} = \"{}\", or a larger buffer", level.path, level.in_unit(port, value));
    }
    let levels = fixed_levels(port, &phase.aqm);
    let highest = levels.iter().map(|level| level.packets).fold(0.0, f64::max);
    let wanted = highest.max(2.0 * enough_of(scene, port, &phase.aqm));
    format!("{}, or a lower {}", larger_buffer(&phase.buffer.path, wanted / ROOM), level.name())
}
