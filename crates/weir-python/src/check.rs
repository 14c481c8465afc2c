//! Notes on scenarios.

use std::cell::Cell;

use pyo3::prelude::*;
use weir_scenario::{Document, Scenario};

use crate::errors::scenario_error;

/// Notes: code, severity, path, message and hint of each.
pub(crate) type Notes = Vec<(String, &'static str, String, String, String)>;

/// Notes on a scenario. `estimated_bytes` is a function of Python: see [`weir_check::notes`].
pub(crate) fn notes(
    scenario: &Scenario,
    document: &Document,
    variant: Option<&str>,
    estimated_bytes: &Bound<'_, PyAny>,
) -> PyResult<Notes> {
    let failed = Cell::new(None);
    let ask = |port: &str| {
        let answer = estimated_bytes.call1((port,)).and_then(|bytes| bytes.extract());
        answer.inspect_err(|error| failed.set(Some(error.clone_ref(estimated_bytes.py())))).ok()
    };
    let found = weir_check::notes(scenario, document, variant, &ask);
    if let Some(error) = failed.take() {
        return Err(error);
    }
    let plain = found.into_iter().map(|note| {
        let weir_check::Note { code, severity, path, message, hint } = note;
        (code, severity.name(), path, message, hint)
    });
    Ok(plain.collect())
}

/// Notes on a scenario that was written out with every default. Raises `ScenarioError`.
#[pyfunction]
pub(crate) fn notes_of(
    py: Python<'_>,
    resolved: &str,
    estimated_bytes: &Bound<'_, PyAny>,
) -> PyResult<Notes> {
    let document = Document::parse("<resolved>", resolved).map_err(|error| scenario_error(py, &error))?;
    let scenario = document.resolved_scenario().map_err(|error| scenario_error(py, &error))?;
    notes(&scenario, &document, None, estimated_bytes)
}

/// Codes of notes, each with its meaning, in the order of the rules.
#[pyfunction]
pub(crate) fn note_codes() -> Vec<(String, &'static str)> {
    weir_check::RULES.iter().map(|rule| (rule.code(), rule.meaning())).collect()
}

/// A level of a queue for people: `3125 kB (500 ms)`.
#[pyfunction]
pub(crate) fn level_in_words(written: &str, steady_bps: Option<f64>) -> String {
    weir_check::in_words(written, steady_bps)
}

/// A value with the unit of these, each a thousand times the one before, that suits it.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "converted from Python")]
pub(crate) fn scaled(value: f64, units: Vec<String>) -> String {
    let units: Vec<_> = units.iter().map(String::as_str).collect();
    weir_check::words::scaled(value, &units)
}

/// A rate in bit/s for people.
#[pyfunction]
pub(crate) fn rate_in_words(bps: f64) -> String {
    weir_check::words::rate(bps)
}

/// A time in seconds for people.
#[pyfunction]
pub(crate) fn time_in_words(seconds: f64) -> String {
    weir_check::words::time(seconds)
}

/// A number of packets for people.
#[pyfunction]
pub(crate) fn packets_in_words(number: f64) -> String {
    weir_check::words::packets(number)
}
