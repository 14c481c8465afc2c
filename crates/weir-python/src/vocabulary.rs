//! Names and schema of scenario files.

use pyo3::{exceptions::PyValueError, prelude::*, types::PyBytes};
use weir_aqm::qdisc::{CakeParameters, QueueConfig};
use weir_tcp::congestion::{CongestionConfig, Facts};
use weir_types::{Rate, UnitError};

use crate::run::packed;

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

/// Keys of runs of many scenarios, each with the seeds `first_seed`, `first_seed + 1`, ...: 64 bits each.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "converted from Python")]
pub(crate) fn run_keys(
    py: Python<'_>,
    hashes: Vec<String>,
    first_seed: u64,
    replications: u64,
    results_version: u32,
) -> PyResult<Bound<'_, PyBytes>> {
    let keys: Vec<_> = py.detach(|| {
        let seeds = first_seed..first_seed + replications;
        let of = |hash: &String| {
            seeds.clone().map(|seed| weir_scenario::run_key(hash, seed, results_version)).collect::<Vec<_>>()
        };
        hashes.iter().flat_map(of).collect()
    });
    packed(py, &keys, i64::to_ne_bytes)
}

/// Names of all queue disciplines: the AQMs, each of which is a FIFO under it, then the schedulers.
#[pyfunction]
pub(crate) fn disciplines() -> Vec<&'static str> {
    QueueConfig::NAMES.to_vec()
}

/// The name to write in place of the one that another tool gives a `kind`: queue, congestion, recovery or preset.
#[pyfunction]
pub(crate) fn name_of_others(kind: &str, name: &str) -> PyResult<Option<String>> {
    let kind = kind.parse().map_err(|error: UnitError| PyValueError::new_err(error.to_string()))?;
    let ours = weir_scenario::name_of_others(kind, name).map(str::to_owned);
    Ok(ours.or_else(|| weir_scenario::of_another_kind(kind, name)))
}

/// Facts about a congestion control.
#[pyclass(frozen)]
pub(crate) struct CongestionFacts {
    facts: Facts,
    variables: Vec<&'static str>,
}

#[pymethods]
impl CongestionFacts {
    #[getter]
    const fn marks(&self) -> &'static str {
        self.facts.marks.name()
    }

    #[getter]
    const fn samples(&self) -> bool {
        self.facts.samples
    }

    #[getter]
    const fn scalable(&self) -> bool {
        self.facts.scalable
    }

    #[getter]
    const fn yields(&self) -> bool {
        self.facts.yields
    }

    #[getter]
    const fn kernel_name(&self) -> Option<&'static str> {
        self.facts.kernel_name
    }

    #[getter]
    fn variables(&self) -> Vec<&'static str> {
        self.variables.clone()
    }

    #[getter]
    fn needs(&self) -> Vec<(&'static str, &'static str)> {
        self.facts.needs()
    }
}

/// Facts about the congestion control of this name, with its parameters in JSON.
#[pyfunction]
#[pyo3(signature = (name, parameters = "{}"))]
pub(crate) fn congestion_facts(name: &str, parameters: &str) -> PyResult<CongestionFacts> {
    CongestionConfig::from_name(name)
        .ok_or_else(|| PyValueError::new_err(format!("there is no congestion control {name}")))?;
    let control: CongestionConfig = serde_json::from_str(&format!("{{\"{name}\": {parameters}}}"))
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let mut variables = Vec::new();
    control.build().probe(&mut |variable, _| variables.push(variable));
    Ok(CongestionFacts { facts: control.facts(), variables })
}

/// Returns what CAKE counts with these parameters in JSON: the bytes of a packet of `packet` bytes on the wire, and the
/// bytes that may wait before a link of `rate_bps`.
#[pyfunction]
pub(crate) fn cake_bytes(parameters: &str, packet: u32, rate_bps: u64) -> PyResult<(u32, u64)> {
    let bad = |message: String| PyValueError::new_err(message);
    let cake: CakeParameters = serde_json::from_str(parameters).map_err(|error| bad(error.to_string()))?;
    let rate = Rate::from_bits_per_second(rate_bps).ok_or_else(|| bad("a rate is above zero".to_owned()))?;
    Ok((cake.bytes_on_wire(packet), cake.memory(rate)))
}

/// A quantity of any kind on one scale with the others of its kind.
#[pyfunction]
pub(crate) fn quantity(text: &str) -> PyResult<(f64, &'static str)> {
    weir_types::quantity(text).map_err(|error| PyValueError::new_err(error.to_string()))
}
