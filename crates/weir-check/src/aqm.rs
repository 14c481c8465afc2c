//! The AQM of a queue, as rules see it.

use serde_json::{Map, Value};
use weir_aqm::qdisc::QueueConfig;
use weir_scenario::Role;

/// Mark whatever their parameters say.
const ALWAYS_MARK: [&str; 2] = ["dualpi2", "cake"];

/// AQM of a queue; under a fair queue, the AQM of each flow.
#[derive(Clone, Debug)]
pub(crate) struct Aqm {
    /// Path in the scenario.
    pub(crate) path: String,
    /// Name in scenario files.
    pub(crate) name: &'static str,
    /// Parameters, as scenario files have them.
    pub(crate) parameters: Map<String, Value>,
    /// Every flow has an AQM of its own.
    pub(crate) per_flow: bool,
    roles: Vec<(Role, &'static str)>,
    is_random: bool,
}

impl Aqm {
    /// The AQM of a queue whose table is at `path`.
    pub(crate) fn of(path: &str, queue: &QueueConfig) -> Self {
        if let Some((scheduler, aqm)) = queue.inner() {
            let parameters = parameters_of(serde_json::to_value(aqm));
            let path = format!("{path}.{scheduler}.aqm.{}", aqm.name());
            return Self::new(path, aqm.name(), parameters, scheduler == "fq");
        }
        let (name, parameters) = (queue.name(), parameters_of(serde_json::to_value(queue)));
        let isolated = parameters.get("isolation").is_some_and(|by| by != "flowblind");
        let per_flow = isolated || matches!(name, "fq-codel" | "fq-pie");
        Self::new(format!("{path}.{name}"), name, parameters, per_flow)
    }

    fn new(path: String, name: &'static str, parameters: Map<String, Value>, per_flow: bool) -> Self {
        let is_random = weir_scenario::is_random(name);
        Self { path, name, parameters, per_flow, roles: weir_scenario::roles(name), is_random }
    }

    /// Returns true if it marks ECN-capable packets; `None` for an AQM in Python, as only its class knows.
    pub(crate) fn marks(&self) -> Option<bool> {
        let is_on = self.parameters.get("ecn").is_some_and(|ecn| *ecn != Value::Bool(false));
        match self.name {
            "python" => None,
            name => {
                Some(ALWAYS_MARK.contains(&name) || is_on || self.parameters.contains_key("ce_threshold"))
            }
        }
    }

    /// Returns true if it drops only where the buffer is full.
    pub(crate) fn is_drop_tail(&self) -> bool {
        self.name == "drop-tail"
    }

    /// Returns true if it marks.
    pub(crate) fn does_mark(&self) -> bool {
        self.marks() == Some(true)
    }

    /// Returns true unless it is certain that it does not mark.
    pub(crate) fn may_mark(&self) -> bool {
        self.marks() != Some(false)
    }

    /// Returns false if chance has no part in what is signalled; a fair queue draws how it spreads the flows. CAKE has
    /// a place for each of them.
    pub(crate) fn draws(&self) -> bool {
        self.name != "cake" && (self.per_flow || self.is_random)
    }

    /// The parameter that has this role; `None` for an AQM without one.
    pub(crate) fn parameter(&self, role: Role) -> Option<&'static str> {
        self.roles.iter().find(|(its, _)| *its == role).map(|(_, name)| *name)
    }

    /// A parameter that is a text.
    pub(crate) fn text(&self, parameter: &str) -> Option<&str> {
        self.parameters.get(parameter)?.as_str()
    }

    /// Returns true if a parameter has this text.
    pub(crate) fn has(&self, parameter: &str, text: &str) -> bool {
        self.text(parameter) == Some(text)
    }
}

/// Parameters of a choice, as scenario files have them.
pub(crate) fn parameters_of(choice: serde_json::Result<Value>) -> Map<String, Value> {
    let Ok(Value::Object(choice)) = choice else { unreachable!("a choice is a table") };
    match choice.into_iter().next() {
        Some((_, Value::Object(parameters))) => parameters,
        _ => unreachable!("parameters are a table"),
    }
}
