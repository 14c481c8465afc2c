use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use pyo3::{
    prelude::*,
    types::{PyString, PyTuple},
};
use weir_scenario::{Document, ScenarioError};
use weir_types::Invalid;

use crate::{check, errors::scenario_error, network::Network, python_aqm};

type Overrides = Vec<(String, String)>;

/// A scenario: what is simulated, and how it is measured. Immutable.
#[pyclass(frozen, module = "weir._core")]
pub(crate) struct Scenario {
    document: Document,
    /// The variant whose overrides are applied.
    variant: Option<String>,
    pub(crate) plain: Arc<weir_scenario::Scenario>,
    /// AQMs in Python may be loaded; `None` leaves them alone, to read the results of an earlier run.
    python: Option<bool>,
    hash: OnceLock<String>,
    /// Text and file as Python has them: pickle writes one object once, however many scenarios
    /// of a sweep hold it.
    written: (Py<PyString>, Py<PyString>),
}

impl Scenario {
    fn new(
        py: Python<'_>,
        document: Document,
        variant: Option<String>,
        written: (Py<PyString>, Py<PyString>),
        python: Option<bool>,
    ) -> PyResult<Self> {
        let plain = match &variant {
            Some(name) => document.variant(name),
            None => document.scenario(),
        };
        let mut plain = plain.map_err(|error| scenario_error(py, &error))?;
        let folder = Path::new(document.file()).parent().unwrap_or(Path::new("")).to_string_lossy();
        for (path, parameters) in plain.python_aqms_mut() {
            let Some(allowed) = python else { break };
            if !allowed {
                let message = format!("{} would be run, and code in Python is not allowed", parameters.class);
                let hint = "read its file first; then leave --no-python, or python=False, out";
                let error =
                    document.error_at(variant.as_deref(), &format!("{path}.class"), message, hint.to_owned());
                return Err(scenario_error(py, &error));
            }
            python_aqm::find(py, parameters, &folder).map_err(|error| {
                python_aqm::blame(py, error, |key, message, hint| {
                    let path = format!("{path}.{key}");
                    let error = document.error_at(variant.as_deref(), &path, message, hint);
                    scenario_error(py, &error)
                })
            })?;
        }
        Ok(Self { document, variant, plain: Arc::new(plain), python, hash: OnceLock::new(), written })
    }

    /// A scenario of the same text with other overrides or another variant.
    fn derived(&self, py: Python<'_>, overrides: &Overrides, variant: Option<String>) -> PyResult<Self> {
        let (text, file) = &self.written;
        let written = (text.clone_ref(py), file.clone_ref(py));
        Self::new(py, self.document.with_overrides(overrides), variant, written, self.python)
    }

    /// The error at the value of `invalid.parameter`; if that is empty, at an argument beside the scenario.
    pub(crate) fn blamed(&self, invalid: Invalid) -> ScenarioError {
        let Invalid { parameter, message, hint } = invalid;
        if parameter.is_empty() {
            let (file, hint) = (self.document.file().to_owned(), Some(hint));
            return ScenarioError { file, line: None, path: None, message, hint };
        }
        self.document.error_at(self.variant.as_deref(), &parameter, message, hint)
    }

    /// Returns true if AQMs in Python were left alone: the scenario cannot be run.
    pub(crate) fn is_unloaded(&self) -> bool {
        self.python.is_none() && self.plain.has_python_aqms()
    }

    fn hash_once(&self) -> &str {
        self.hash.get_or_init(|| self.plain.hash())
    }
}

#[pymethods]
impl Scenario {
    #[staticmethod]
    #[pyo3(signature = (path, overrides = Overrides::new(), python = Some(true)))]
    #[expect(clippy::needless_pass_by_value, reason = "converted from Python")]
    fn load(py: Python<'_>, path: &str, overrides: Overrides, python: Option<bool>) -> PyResult<Self> {
        let document = Document::load(Path::new(path)).map_err(|error| scenario_error(py, &error))?;
        let written = (PyString::new(py, document.text()), PyString::new(py, document.file()));
        let written = (written.0.unbind(), written.1.unbind());
        Self::new(py, document.with_overrides(&overrides), None, written, python)
    }

    #[staticmethod]
    #[pyo3(signature = (text, name = "<text>", overrides = Overrides::new(), variant = None, python = Some(true)))]
    #[expect(clippy::needless_pass_by_value, reason = "converted from Python")]
    fn loads(
        py: Python<'_>,
        text: Bound<'_, PyString>,
        name: &str,
        overrides: Overrides,
        variant: Option<String>,
        python: Option<bool>,
    ) -> PyResult<Self> {
        let document = Document::parse(name, text.to_str()?);
        let document = document.map_err(|error| scenario_error(py, &error))?;
        let written = (text.unbind(), PyString::new(py, name).unbind());
        Self::new(py, document.with_overrides(&overrides), variant, written, python)
    }

    /// The text and what it was changed by: elsewhere it is read and checked again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (text, file) = &self.written;
        let again = py.get_type::<Self>().getattr("loads")?;
        let arguments =
            (text, file, self.document.overrides(), &self.variant, self.python).into_pyobject(py)?;
        (again, arguments).into_pyobject(py)
    }

    #[expect(clippy::needless_pass_by_value, reason = "converted from Python")]
    fn replace(&self, py: Python<'_>, overrides: Overrides) -> PyResult<Self> {
        self.derived(py, &overrides, self.variant.clone())
    }

    fn variant(&self, py: Python<'_>, name: String) -> PyResult<Self> {
        self.derived(py, &Overrides::new(), Some(name))
    }

    #[getter]
    fn variants(&self) -> Vec<String> {
        match self.variant {
            Some(_) => Vec::new(),
            None => self.document.variants().to_vec(),
        }
    }

    #[getter]
    fn name(&self) -> &str {
        &self.plain.name
    }

    #[getter]
    fn title(&self) -> &str {
        &self.plain.title
    }

    #[getter]
    fn label(&self) -> String {
        match &self.variant {
            Some(name) => self.document.label(name),
            None => self.plain.title.clone(),
        }
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.plain.seed
    }

    #[getter]
    fn duration(&self) -> f64 {
        self.plain.duration.as_secs_f64()
    }

    #[getter]
    fn links(&self) -> Vec<String> {
        self.plain.links.keys().cloned().collect()
    }

    /// Ports, paths, load over time and the bottleneck.
    #[getter]
    fn network(&self) -> Network {
        Network::of(&self.plain, &self.document, self.variant.as_deref())
    }

    /// Notes on what may mislead.
    fn notes(&self, estimated_bytes: &Bound<'_, PyAny>) -> PyResult<check::Notes> {
        check::notes(&self.plain, &self.document, self.variant.as_deref(), estimated_bytes)
    }

    /// Every link and direction that has a queue.
    #[getter]
    fn queues(&self) -> Vec<(&str, &'static str)> {
        let ports = self.plain.network().ports;
        ports.iter().map(|port| (port.at.link, port.at.direction.name())).collect()
    }

    #[getter]
    fn groups(&self) -> Vec<String> {
        self.plain.flows.keys().cloned().collect()
    }

    #[getter]
    fn hash(&self) -> &str {
        self.hash_once()
    }

    fn run_key(&self, seed: u64) -> i64 {
        weir_scenario::run_key(self.hash_once(), seed, weir_sim::RESULTS_VERSION)
    }

    #[getter]
    fn sweep(&self) -> Option<String> {
        self.plain.sweep.as_ref().map(weir_scenario::Sweep::to_json)
    }

    /// True if AQMs in Python run in the scenario, one at a time in each process.
    #[getter]
    fn has_python_aqms(&self) -> bool {
        self.plain.has_python_aqms()
    }

    /// True if queues, buffers or round trips change in mid-run.
    #[getter]
    fn has_changes(&self) -> bool {
        !self.plain.changes.is_empty()
    }

    /// The value at a dotted path of the scenario with every default written out.
    fn value<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let json = self.plain.value(path).map(|value| value.to_string());
        json.map(|text| py.import("json")?.call_method1("loads", (text,))).transpose()
    }

    fn has_choice(&self, path: &str) -> bool {
        self.plain.has_choice(path)
    }

    fn to_toml(&self) -> String {
        self.plain.to_toml()
    }

    fn to_json(&self) -> String {
        self.plain.to_json()
    }

    fn __repr__(&self) -> String {
        format!("Scenario({:?})", self.label())
    }
}
