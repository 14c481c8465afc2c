//! What scenario files may say.

use numpy::PyArray1;
use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};
use serde_json::Value;
use weir_aqm::disciplines::QueueConfig;

/// The JSON schema of scenario files.
#[pyfunction]
pub(crate) fn schema() -> String {
    weir_scenario::schema()
}

/// The choices that a path leads through, each with what it chooses there.
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

/// Every law, and then every discipline that is more than one FIFO under a law: name, kind, summary,
/// parameters. All of it comes from their own declarations.
#[pyfunction]
pub(crate) fn laws(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let schema = schemars::schema_for!(QueueConfig).to_value();
    let choices = schema["oneOf"].as_array().into_iter().flatten();
    let text = |value: &Value| value["description"].as_str().unwrap_or_default().replace('\n', " ");
    QueueConfig::NAMES
        .iter()
        .map(|name| {
            let law = PyDict::new(py);
            law.set_item("name", name)?;
            let choice = choices.clone().find(|choice| choice["properties"].get(*name).is_some());
            law.set_item("summary", choice.map(text).unwrap_or_default())?;
            let config = QueueConfig::from_name(name).expect("a name of the registry");
            law.set_item("kind", if config.law().is_some() { "law" } else { "discipline" })?;
            let defaults = serde_json::to_value(&config).expect("plain data")[name].take();
            let reference =
                choice.and_then(|choice| choice["properties"][name]["$ref"].as_str()).unwrap_or_default();
            let definition = &schema["$defs"][reference.trim_start_matches("#/$defs/")]["properties"];
            let mut parameters = Vec::new();
            for (parameter, about) in definition.as_object().into_iter().flatten() {
                let entry = PyDict::new(py);
                entry.set_item("name", parameter)?;
                let default = match &defaults[parameter] {
                    Value::Null => "none".to_owned(),
                    Value::String(text) => text.clone(),
                    // A choice, by its name.
                    Value::Object(choice) => choice.keys().cloned().collect::<Vec<_>>().join(", "),
                    other => other.to_string(),
                };
                entry.set_item("default", default)?;
                entry.set_item("summary", text(about))?;
                parameters.push(entry);
            }
            law.set_item("parameters", parameters)?;
            Ok(law)
        })
        .collect()
}

/// A quantity of any kind on one scale with the others of its kind.
#[pyfunction]
pub(crate) fn quantity(text: &str) -> PyResult<(f64, &'static str)> {
    weir_types::quantity(text).map_err(|error| PyValueError::new_err(error.to_string()))
}
