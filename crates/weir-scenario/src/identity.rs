//! Identity of experiments and runs: the hash of a scenario and the key of a run.

use std::{collections::HashMap, sync::LazyLock};

use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use toml::de::DeTable;
use weir_aqm::{
    aqm::{AqmConfig, PythonParameters},
    qdisc::{AckFilterParameters, FqParameters, QueueConfig},
};

use crate::{FlowGroup, Link, Measure, Scenario, reader};

impl Scenario {
    /// A hash of what differs from the defaults, as 16 hexadecimal digits: a new optional
    /// field changes no old hash. Names, titles and the seed do not count.
    pub fn hash(&self) -> String {
        let mut plain = self.to_value();
        for name in ["name", "title", "seed"] {
            plain.as_object_mut().expect("a scenario is a table").shift_remove(name);
        }
        strip(&mut plain["measure"], &MEASURE);
        for (name, link) in &self.links {
            let plain = &mut plain["links"][name];
            // What a trace holds counts, not where it is.
            for direction in ["", "/reverse"] {
                if let Some(Value::Object(lane)) = plain.pointer_mut(direction) {
                    lane.shift_remove("trace");
                }
            }
            strip(plain, &LINKS[&choice(&link.queue)]);
        }
        for (name, group) in &self.flows {
            let plain = &mut plain["flows"][name];
            strip(plain, &GROUP);
            if let Some(traffic) = plain.get_mut("traffic") {
                strip(&mut traffic[group.traffic.name()], &group.traffic.least());
                without_places(traffic);
            }
        }
        for (index, change) in self.changes.iter().enumerate() {
            for (name, link) in &change.links {
                let plain = &mut plain["changes"][index]["links"][name];
                if let Some(queue) = &link.queue {
                    strip(plain, &LINKS[&choice(queue)]);
                }
                if let Some(queue) = link.reverse.as_ref().and_then(|reverse| reverse.queue.as_ref()) {
                    strip(&mut plain["reverse"], &LINKS[&choice(queue)]);
                }
            }
        }
        let text = serde_json::to_string(&plain).expect("JSON is valid JSON");
        Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Key that tells one run from every other: the first eight bytes of a SHA-256, read as a number with the highest
/// bit cleared. The SHA-256 is that of the text `HASH SEED VERSION`: the scenario's hash, the seed, the results
/// version. The key has 63 bits and is never negative, so that any tool can hold it. Among a million runs two
/// have the same key with a probability of 5e-8.
pub fn run_key(scenario_hash: &str, seed: u64, results_version: u32) -> i64 {
    let digest = Sha256::digest(format!("{scenario_hash} {seed} {results_version}"));
    let first: [u8; 8] = digest[..8].try_into().expect("a digest of 32 bytes");
    i64::from_be_bytes(first) & i64::MAX
}

/// The measurement that nobody asked for.
static MEASURE: LazyLock<Value> =
    LazyLock::new(|| serde_json::to_value(Measure::default()).expect("plain data"));

/// By discipline, a link that says only what it must.
static LINKS: LazyLock<HashMap<(&str, &str), Value>> = LazyLock::new(|| {
    let disciplines = QueueConfig::NAMES.iter().filter_map(|name| QueueConfig::from_name(name));
    let own = || AqmConfig::Python(PythonParameters::default());
    let aqms = AqmConfig::NAMES.iter().filter_map(|name| AqmConfig::from_name(name)).chain([own()]);
    let around = aqms.flat_map(|aqm| {
        let filter = AckFilterParameters { aqm: aqm.clone(), ..AckFilterParameters::default() };
        let fair = FqParameters { aqm, ..FqParameters::default() };
        [QueueConfig::Fq(fair), QueueConfig::AckFilter(filter)]
    });
    disciplines
        .chain([own().into()])
        .chain(around)
        .map(|queue| (choice(&queue), link_template(&queue)))
        .collect()
});

/// The queue discipline, and its AQM if it has a choice of them.
const fn choice(queue: &QueueConfig) -> (&'static str, &'static str) {
    match queue.inner() {
        Some((name, aqm)) => (name, aqm.name()),
        None => (queue.name(), ""),
    }
}

/// A group that says only what it must.
static GROUP: LazyLock<Value> = LazyLock::new(|| {
    let group: FlowGroup = least("rtt = '0 s'");
    without(&group, &["rtt", "path"])
});

fn link_template(queue: &QueueConfig) -> Value {
    let link: Link = least("rate = '1 bit/s'\ndelay = '0 s'\nbuffer = '1 packet'");
    without(&Link { queue: queue.clone(), ..link }, &["rate", "delay", "buffer"])
}

fn least<T: DeserializeOwned>(text: &str) -> T {
    reader::read(DeTable::parse(text).expect("TOML").get_ref()).expect("the least that it can say")
}

fn without(table: &impl serde::Serialize, required: &[&str]) -> Value {
    let mut value = serde_json::to_value(table).expect("plain data");
    if let Value::Object(map) = &mut value {
        map.retain(|key, _| !required.contains(&key.as_str()));
    }
    value
}

/// Removes the places of files whose digest says what they hold.
fn without_places(value: &mut Value) {
    if let Value::Object(map) = value {
        if map.contains_key("digest") {
            map.shift_remove("file");
        }
        map.values_mut().for_each(without_places);
    }
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
