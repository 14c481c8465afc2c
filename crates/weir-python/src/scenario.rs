use std::{path::Path, sync::Arc};

use pyo3::{prelude::*, types::PyDict};
use serde_json::Value;
use weir_aqm::laws::AqmConfig;
use weir_scenario::Document;

use crate::errors::scenario_error;

type Overrides = Vec<(String, String)>;

/// A scenario: what is simulated, and how it is measured. Immutable.
#[pyclass(frozen, module = "weir._core")]
pub(crate) struct Scenario {
    document: Document,
    /// The variant whose overrides are applied.
    variant: Option<String>,
    pub(crate) plain: Arc<weir_scenario::Scenario>,
}

impl Scenario {
    fn new(py: Python<'_>, document: Document, variant: Option<String>) -> PyResult<Self> {
        let plain = match &variant {
            Some(name) => document.variant(name),
            None => document.scenario(),
        };
        let plain = plain.map_err(|error| scenario_error(py, &error))?;
        Ok(Self { document, variant, plain: Arc::new(plain) })
    }
}

#[pymethods]
impl Scenario {
    #[staticmethod]
    #[pyo3(signature = (path, overrides = Overrides::new()))]
    #[expect(clippy::needless_pass_by_value, reason = "converted from Python")]
    fn load(py: Python<'_>, path: &str, overrides: Overrides) -> PyResult<Self> {
        let document = Document::load(Path::new(path)).map_err(|error| scenario_error(py, &error))?;
        Self::new(py, document.with_overrides(&overrides), None)
    }

    #[staticmethod]
    #[pyo3(signature = (text, name = "<text>", overrides = Overrides::new()))]
    #[expect(clippy::needless_pass_by_value, reason = "converted from Python")]
    fn loads(py: Python<'_>, text: &str, name: &str, overrides: Overrides) -> PyResult<Self> {
        let document = Document::parse(name, text).map_err(|error| scenario_error(py, &error))?;
        Self::new(py, document.with_overrides(&overrides), None)
    }

    #[expect(clippy::needless_pass_by_value, reason = "converted from Python")]
    fn replace(&self, py: Python<'_>, overrides: Overrides) -> PyResult<Self> {
        Self::new(py, self.document.with_overrides(&overrides), self.variant.clone())
    }

    fn variant(&self, py: Python<'_>, name: String) -> PyResult<Self> {
        Self::new(py, self.document.clone(), Some(name))
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

    #[getter]
    fn groups(&self) -> Vec<String> {
        self.plain.flows.keys().cloned().collect()
    }

    #[getter]
    fn hash(&self) -> String {
        self.plain.hash()
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

/// The JSON schema of scenario files.
#[pyfunction]
pub(crate) fn schema() -> String {
    weir_scenario::schema()
}

/// Every law: name, summary, parameters. All of it comes from the law's own declaration.
#[pyfunction]
pub(crate) fn laws(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let schema = schemars::schema_for!(AqmConfig).to_value();
    let choices = schema["oneOf"].as_array().into_iter().flatten();
    let text = |value: &Value| value["description"].as_str().unwrap_or_default().replace('\n', " ");
    AqmConfig::NAMES
        .iter()
        .map(|name| {
            let law = PyDict::new(py);
            law.set_item("name", name)?;
            let choice = choices.clone().find(|choice| choice["properties"].get(*name).is_some());
            law.set_item("summary", choice.map(text).unwrap_or_default())?;
            let config = AqmConfig::from_name(name).expect("a name of the registry");
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
