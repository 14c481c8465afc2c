//! What makes two scenarios the same experiment.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::{FlowGroup, Link, Scenario};

impl Scenario {
    /// A hash of what differs from the defaults, as 16 hexadecimal digits: a new optional
    /// field changes no old hash. Names, titles and the seed do not count.
    pub fn hash(&self) -> String {
        let mut plain = serde_json::to_value(self).expect("a scenario is valid JSON");
        strip(&mut plain, &self.template());
        let text = serde_json::to_string(&plain).expect("JSON is valid JSON");
        Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The same tables with every optional value at its default, and without the rest.
    fn template(&self) -> Value {
        let links = self.links.iter().map(|(name, link)| (name.clone(), link_template(link)));
        let flows = self.flows.keys().map(|name| (name.clone(), group_template()));
        json!({
            "name": self.name,
            "title": self.title,
            "seed": self.seed,
            "measure": crate::Measure::default(),
            "links": links.collect::<Map<_, _>>(),
            "flows": flows.collect::<Map<_, _>>(),
        })
    }
}

/// A link that says only what it must, and the same law as `like`.
fn link_template(like: &Link) -> Value {
    let aqm = weir_aqm::laws::AqmConfig::from_name(like.aqm.name()).expect("its own name");
    let link: Link = serde_json::from_value(json!({
        "rate": "1 bit/s", "delay": "0 s", "buffer": "1 packet", "aqm": aqm,
    }))
    .expect("the least a link can say");
    without(&link, &["rate", "delay", "buffer"])
}

/// A group that says only what it must.
fn group_template() -> Value {
    let group: FlowGroup =
        serde_json::from_value(json!({ "rtt": "0 s" })).expect("the least a group can say");
    without(&group, &["rtt", "path"])
}

fn without(table: &impl serde::Serialize, required: &[&str]) -> Value {
    let mut value = serde_json::to_value(table).expect("plain data");
    if let Value::Object(map) = &mut value {
        map.retain(|key, _| !required.contains(&key.as_str()));
    }
    value
}

/// Removes from `value` every leaf that equals the one in `template`.
fn strip(value: &mut Value, template: &Value) {
    if let (Value::Object(map), Value::Object(defaults)) = (value, template) {
        map.retain(|key, inner| match defaults.get(key) {
            Some(default) if inner.is_object() => {
                strip(inner, default);
                true
            }
            Some(default) => inner != default,
            None => true,
        });
    }
}
