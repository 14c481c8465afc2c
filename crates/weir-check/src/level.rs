//! Parameters of AQMs, and buffers, as levels of a queue.

use serde_json::Value;
use weir_scenario::Role;
use weir_types::quantity;

use crate::{aqm::Aqm, port::Port, words};

/// A parameter of an AQM as a level of the queue.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Level {
    /// Path in the scenario.
    pub(crate) path: String,
    /// Its value, as a scenario file has it.
    pub(crate) written: String,
    /// Its value in packets of mean size.
    pub(crate) packets: f64,
}

impl Level {
    /// `max_th`.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }

    /// Returns true if it is the same value of the same parameter, wherever it is written.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (self.name(), &self.written, self.packets) == (other.name(), &other.written, other.packets)
    }

    /// Its value in the unit of its kind.
    pub(crate) fn value(&self) -> f64 {
        quantity(&self.written).map_or(f64::NAN, |(value, _)| value)
    }

    /// A number of packets in the unit of this level, as another threshold beside it has the same unit.
    pub(crate) fn in_unit(&self, port: &Port<'_>, packets: f64) -> String {
        if self.written.ends_with('B') {
            format!("{:.0} B", packets * port.mean_packet())
        } else {
            words::level(packets)
        }
    }
}

/// A level of a queue in packets of mean size; times count at the rate of the start. `None` for no level of a queue.
pub(crate) fn in_packets(written: &str, port: &Port<'_>) -> Option<f64> {
    let (value, unit) = quantity(written).ok()?;
    match unit {
        "packets" => Some(value),
        "B" => Some(value * (1.0 / port.mean_packet())),
        "s" => Some(value * (port.rate_bps() / 8.0 / port.mean_packet())),
        _ => None,
    }
}

/// The parameter with this role as a level; `None` where there is none, or it is not set.
pub(crate) fn level_of(port: &Port<'_>, aqm: &Aqm, role: Role) -> Option<Level> {
    level(port, aqm, aqm.parameter(role)?)
}

/// The level at which signals begin, or the target; `None` for an AQM with neither.
pub(crate) fn weakest(port: &Port<'_>, aqm: &Aqm) -> Option<Level> {
    level(port, aqm, aqm.parameter(Role::First).or_else(|| aqm.parameter(Role::Queue))?)
}

/// The level at which signals are strongest, or the target; `None` for an AQM with neither.
pub(crate) fn strongest(port: &Port<'_>, aqm: &Aqm) -> Option<Level> {
    level(port, aqm, aqm.parameter(Role::Last).or_else(|| aqm.parameter(Role::Queue))?)
}

/// The thresholds and targets of the AQM that are packets or bytes.
pub(crate) fn fixed_levels(port: &Port<'_>, aqm: &Aqm) -> Vec<Level> {
    let mut parameters: Vec<_> =
        [Role::First, Role::Last, Role::Queue].into_iter().filter_map(|role| aqm.parameter(role)).collect();
    parameters.dedup();
    parameters.into_iter().filter_map(|parameter| level(port, aqm, parameter)).collect()
}

fn level(port: &Port<'_>, aqm: &Aqm, parameter: &str) -> Option<Level> {
    let written = aqm.parameters.get(parameter).and_then(Value::as_str)?;
    let packets = in_packets(written, port)?;
    Some(Level { path: format!("{}.{parameter}", aqm.path), written: written.to_owned(), packets })
}

/// A level for people, `3125 kB (500 ms)`: a time has become the length that the link sends in it. `steady_bps` is the
/// rate of a link that always has the same.
pub fn in_words(written: &str, steady_bps: Option<f64>) -> String {
    match quantity(written) {
        // A third of another threshold may have any digits.
        Ok((value, "packets")) if value.fract() != 0.0 => words::level(value),
        Ok((value, "B")) => match steady_bps {
            Some(bps) => format!("{} ({})", words::size(value), words::time(value * 8.0 / bps)),
            None => words::size(value),
        },
        _ => written.to_owned(),
    }
}
