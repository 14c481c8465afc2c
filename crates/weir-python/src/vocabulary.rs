//! Names and schema of scenario files.

use numpy::PyArray1;
use pyo3::{exceptions::PyValueError, prelude::*};
use weir_aqm::qdisc::QueueConfig;

/// The JSON schema of scenario files.
#[pyfunction]
pub(crate) fn schema() -> String {
    weir_scenario::schema()
}

/// The choices along a path, each with the chosen name.
#[pyfunction]
pub(crate) fn choices_of(path: &str) -> Vec<(&str, &str)> {
    weir_scenario::choices_of(path)
}

/// Keys of runs of many scenarios, each with the seeds `first_seed`, `first_seed + 1`, ...
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "converted from Python")]
pub(crate) fn run_keys(
    py: Python<'_>,
    hashes: Vec<String>,
    first_seed: u64,
    replications: u64,
    results_version: u32,
) -> Bound<'_, PyArray1<i64>> {
    let keys = py.detach(|| {
        let seeds = first_seed..first_seed + replications;
        let of = |hash: &String| {
            seeds.clone().map(|seed| weir_scenario::run_key(hash, seed, results_version)).collect::<Vec<_>>()
        };
        hashes.iter().flat_map(of).collect()
    });
    PyArray1::from_vec(py, keys)
}

/// Names of all queue disciplines: the AQMs, each of which is a FIFO under it, then the schedulers.
#[pyfunction]
pub(crate) fn disciplines() -> Vec<&'static str> {
    QueueConfig::NAMES.to_vec()
}

/// A quantity of any kind on one scale with the others of its kind.
#[pyfunction]
pub(crate) fn quantity(text: &str) -> PyResult<(f64, &'static str)> {
    weir_types::quantity(text).map_err(|error| PyValueError::new_err(error.to_string()))
}
