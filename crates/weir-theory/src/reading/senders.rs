//! Groups of flows of scenarios as groups of the model.

use weir_scenario::Path;

use super::{found::Flag, load::at_s, table::Table};
use crate::{Group, TheoryError, WindowModel};

/// Groups that stand for round trips drawn from a range.
const PARTS: u32 = 5;

/// Conditions of a group at the queue.
#[derive(Clone, Copy)]
pub(super) struct Met<'a> {
    /// The queue marks.
    pub(super) marks: bool,
    /// Scalable flows have a queue of their own, as under `DualPI2`.
    pub(super) apart: bool,
    /// b of Reno's fluid.
    pub(super) cut: f64,
    /// Their round trips and their number by the scenario's changes.
    pub(super) changes: &'a [weir_scenario::Change],
    pub(super) instant: f64,
    pub(super) flows: f64,
}

/// The flows of a path as one group, or in parts where round trips are drawn from a range.
pub(super) fn groups_of(path: &Path<'_>, met: Met<'_>) -> Result<(Vec<Group>, Option<Flag>), TheoryError> {
    let rtt = &path.flows.rtt;
    let (mut low, mut high) = (rtt.minimum().as_secs_f64(), rtt.typical_maximum().as_secs_f64());
    for change in met.changes.iter().filter(|change| at_s(change.at) <= met.instant) {
        if let Some(rtt) = change.flows.get(path.group).and_then(|flows| flows.rtt) {
            (low, high) = (rtt.as_secs_f64(), rtt.as_secs_f64());
        }
    }
    let whole = group(path, met)?;
    let step = (high - low) / f64::from(PARTS);
    if step <= 0.0 {
        return Ok((vec![Group { delay: low, ..whole }], None));
    }
    let part = |i: u32| Group {
        flows: whole.flows / f64::from(PARTS),
        delay: low + (f64::from(i) + 0.5) * step,
        ..whole.clone()
    };
    let text = format!("round trips of {} are taken as {PARTS} equal parts of {low} to {high} s", path.group);
    Ok(((0..PARTS).map(part).collect(), Some(Flag { code: "drawn-round-trips", text })))
}

fn group(path: &Path<'_>, met: Met<'_>) -> Result<Group, TheoryError> {
    let tcp = Table::new(&path.flows.tcp);
    let (control, own) = tcp.choice_at("congestion");
    let marked = met.marks && (tcp.on("ecn") || tcp.on("accecn"));
    // Half of the ACKs is half of the growth, unless what they acknowledge is counted (RFC 3465).
    let late = tcp.seconds("delayed_ack").is_some_and(|delay| delay > 0.0);
    let counted = tcp.text("abc").is_some_and(|abc| abc != "off");
    let size = f64::from(path.flows.packet_size.bytes());
    let mut found = Group {
        name: path.group.to_owned(),
        flows: met.flows,
        increase: if late && !counted { 0.5 } else { 1.0 },
        cut: met.cut,
        marked,
        most: tcp.packets("receive_window", size).unwrap_or(f64::INFINITY),
        ..Group::default()
    };
    match &*control {
        // Under a step DCTCP has a model of its own; under random marks it halves by the share of marks, as Prague.
        "dctcp" | "prague" if marked => {
            found.cut = 0.5;
            found.waits = !met.apart;
            found.kind =
                if met.apart || control == "prague" { WindowModel::Scalable } else { WindowModel::Dctcp };
            if control == "prague" {
                found.target_rtt = own.seconds("target_rtt").unwrap_or_default();
            } else {
                found.gain = own.number("gain").unwrap_or(found.gain);
            }
        }
        "cubic" => {
            found.kind = WindowModel::Cubic;
            found.cubic_c = own.number("c").unwrap_or(found.cubic_c);
            let on_mark = own.number("beta_ecn").filter(|_| marked);
            found.beta = on_mark.or(own.number("beta")).unwrap_or(found.beta);
            found.friendly = own.on("reno_friendly");
        }
        "reno" | "dctcp" | "prague" => {}
        other => {
            return Err(TheoryError::new(
                format!("no model: {other} has none here"),
                "reno, cubic, dctcp and prague have a model",
            )
            .at(format!("flows.{}.tcp.congestion.{other}", path.group)));
        }
    }
    Ok(found)
}
