//! The fluid model: scenarios as its systems, and these integrated. JSON has the names of `weir_theory`.

use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};
use serde::Serialize;
use weir_theory::{Integration, Look, Reader, TheoryError, Windows};

use crate::{run::packed, scenario::Scenario};

/// Integrates what `integration` says in JSON: values at each step, as bytes of float64. Raises `ValueError` with a
/// message, a hint and a path.
#[pyfunction]
pub(crate) fn integrate<'py>(py: Python<'py>, integration: &str) -> PyResult<Bound<'py, PyDict>> {
    let given: Integration = serde_json::from_str(integration)
        .map_err(|error| PyValueError::new_err((error.to_string(), "numbers of the model are finite")))?;
    let course = py.detach(|| given.run()).map_err(raised)?;
    let values = |values: &[f64]| packed(py, values, f64::to_ne_bytes);
    let windows = PyDict::new(py);
    for Windows { name, mean } in &course.windows {
        windows.set_item(name, values(mean)?)?;
    }
    let variables = PyDict::new(py);
    for (name, column) in &course.variables {
        variables.set_item(name, values(column)?)?;
    }
    let found = PyDict::new(py);
    found.set_item("times", values(&course.times)?)?;
    found.set_item("queue", values(&course.queue)?)?;
    found.set_item("signal", values(&course.signal)?)?;
    found.set_item("state", values(&course.state)?)?;
    found.set_item("variables", variables)?;
    found.set_item("windows", windows)?;
    Ok(found)
}

/// The queue of a link, the bottleneck if `None`, and its flows at an instant in seconds, the end if `None`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "converted from Python")]
pub(crate) fn fluid_system(
    scenario: PyRef<'_, Scenario>,
    at: Option<f64>,
    link: Option<&str>,
    cut: f64,
) -> PyResult<String> {
    written(Reader::new(&scenario.plain).at(at, Look { link, cut }))
}

/// The systems of a run until `until` seconds, one after another.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "converted from Python")]
pub(crate) fn fluid_timeline(
    scenario: PyRef<'_, Scenario>,
    until: Option<f64>,
    link: Option<&str>,
    cut: f64,
) -> PyResult<String> {
    written(Reader::new(&scenario.plain).timeline(until, Look { link, cut }))
}

/// A queue at an instant in seconds, counted in packets of `size` bytes.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "converted from Python")]
pub(crate) fn fluid_queue(scenario: PyRef<'_, Scenario>, link: &str, at: f64, size: u32) -> PyResult<String> {
    written(Reader::new(&scenario.plain).queue(link, at, size))
}

/// K and z of PI by its rule.
#[pyfunction]
pub(crate) fn pi_gains(flows: f64, capacity: f64, rtt: f64, crossover: Option<f64>) -> (f64, f64) {
    weir_theory::pi_gains(flows, capacity, rtt, crossover)
}

fn written(found: Result<impl Serialize, TheoryError>) -> PyResult<String> {
    let found = found.map_err(raised)?;
    Ok(serde_json::to_string(&found).expect("plain data"))
}

fn raised(error: TheoryError) -> PyErr {
    PyValueError::new_err((error.message, error.hint, error.path))
}
