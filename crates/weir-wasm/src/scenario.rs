//! Scenarios for JavaScript, and what is wrong with them.

use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use weir_scenario::{Document, MOST_RATE_CHANGES, longest_run};
use weir_types::Duration;

use crate::{network, simulation::Simulation};

/// As far as rates that change again and again are listed.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// An error in a scenario, for the person who wrote it.
#[wasm_bindgen(getter_with_clone)]
#[derive(Clone, Debug)]
pub struct ScenarioError {
    /// Line of the text, from 1.
    pub line: Option<usize>,
    /// Path of the key.
    pub path: Option<String>,
    /// The error.
    pub message: String,
    /// Hint at a remedy.
    pub hint: Option<String>,
}

impl From<weir_scenario::ScenarioError> for ScenarioError {
    fn from(error: weir_scenario::ScenarioError) -> Self {
        let weir_scenario::ScenarioError { line, path, message, hint, .. } = error;
        Self { line, path, message, hint }
    }
}

/// A quantity such as `"5 ms"` as JSON: its value, and the unit of that, which is s, bit/s, packets, B or BDP.
/// `undefined` if the text is none.
#[wasm_bindgen]
pub fn quantity(text: &str) -> Option<String> {
    weir_types::quantity(text).ok().map(|(value, unit)| json!([value, unit]).to_string())
}

/// A scenario: what is simulated, and how it is measured. Immutable.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Scenario {
    document: Document,
    variant: Option<String>,
    pub(crate) plain: weir_scenario::Scenario,
}

#[wasm_bindgen]
impl Scenario {
    /// The scenario in `text`, with the overrides of `variant`; the file is called `name` in messages.
    ///
    /// # Errors
    /// If the text is no valid scenario, or runs code in Python.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str, name: &str, variant: Option<String>) -> Result<Self, ScenarioError> {
        Self::of(Document::parse(name, text)?, variant)
    }

    /// Names of the variants.
    #[wasm_bindgen(getter)]
    pub fn variants(&self) -> Vec<String> {
        self.document.variants().to_vec()
    }

    /// Its name.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.plain.name.clone()
    }

    /// Its title.
    #[wasm_bindgen(getter)]
    pub fn title(&self) -> String {
        self.plain.title.clone()
    }

    /// The label of the variant, if it has one.
    #[wasm_bindgen(getter)]
    pub fn label(&self) -> Option<String> {
        let variant = self.variant.as_deref()?;
        Some(self.document.label(variant)).filter(|label| label != variant)
    }

    /// How long a run is, in seconds.
    #[wasm_bindgen(getter)]
    pub fn duration(&self) -> f64 {
        self.plain.duration.as_secs_f64()
    }

    /// The seed of the first replication.
    #[wasm_bindgen(getter)]
    pub fn seed(&self) -> u64 {
        self.plain.seed
    }

    /// Roughly what a run needs: flows, bytes of memory, seconds of a core. See [`weir_scenario::Demand`].
    pub fn demand(&self) -> Vec<f64> {
        let weir_scenario::Demand { flows, memory, seconds } = self.plain.demand();
        vec![flows, memory, seconds]
    }

    /// The whole scenario as JSON, every default written out.
    pub fn resolved(&self) -> String {
        self.plain.to_json()
    }

    /// The network as JSON: ports, groups of flows, and the port that limits them.
    pub fn network(&self) -> String {
        network::json(&self.plain, self.document.written(self.variant.as_deref())).to_string()
    }

    /// Notes of `weir check` on it, as JSON: code, severity, path, message and hint of each. The rules that read
    /// recordings and Python are not here.
    pub fn notes(&self) -> String {
        let notes = weir_check::notes(&self.plain, &self.document, self.variant.as_deref(), &|_| None);
        let notes = notes.into_iter().map(|note| {
            let weir_check::Note { code, severity, path, message, hint } = note;
            json!({
                "code": code,
                "severity": severity.name(),
                "path": path,
                "message": message,
                "hint": hint,
            })
        });
        Value::Array(notes.collect()).to_string()
    }

    /// The rates of queue number `port`: pairs of an instant in seconds and the rate from then on in bit/s. The first
    /// is that at the start. They are those of a day, or of the whole run if that is longer. Of very many changes the
    /// first hundred thousand are there.
    pub fn rates(&self, port: usize) -> Vec<f64> {
        let network = self.plain.network();
        let Some(port) = network.ports.get(port) else { return Vec::new() };
        let changes = port.rate_changes(self.plain.duration.max(DAY)).take(MOST_RATE_CHANGES);
        let all = std::iter::once((Duration::ZERO, port.rate())).chain(changes);
        all.flat_map(|(at, rate)| [at.as_secs_f64(), rate.bits_per_second() as f64]).collect()
    }

    /// A simulation of it. All random streams derive from `seed`.
    pub fn simulate(&self, seed: u64) -> Simulation {
        Simulation::new(&self.plain, seed)
    }

    /// A simulation that goes on after the scenario's duration, up to the longest time that can be counted. Until
    /// then it has the same values. It has no periods and no series, which would grow without an end.
    pub fn simulate_on(&self, seed: u64) -> Simulation {
        let mut endless = self.plain.clone();
        endless.duration = longest_run(endless.links.len());
        endless.measure.period = None;
        endless.measure.series = None;
        Simulation::new(&endless, seed)
    }
}

impl Scenario {
    fn of(document: Document, variant: Option<String>) -> Result<Self, ScenarioError> {
        let mut plain = match variant.as_deref() {
            Some(name) => document.variant(name)?,
            None => document.scenario()?,
        };
        if let Some((path, parameters)) = plain.python_aqms_mut().next() {
            let message = format!("{} is in Python, which does not run here", parameters.class);
            let hint = "run this scenario with the program".to_owned();
            return Err(document
                .error_at(variant.as_deref(), &format!("{path}.class"), message, hint)
                .into());
        }
        Ok(Self { document, variant, plain })
    }
}
