//! The JSON schema of scenario files, and what it says about dotted paths.

use std::sync::LazyLock;

use schemars::{Schema, schema_for};
use serde::Serialize as _;
use serde_json::Value;

use crate::{Scenario, topology};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| schema_for!(Scenario));

/// The JSON schema of scenario files, as committed in `schema/scenario.schema.json`.
pub fn schema() -> String {
    let mut text = serde_json::to_string_pretty(&*SCHEMA).expect("a schema is valid JSON");
    text.push('\n');
    text
}

/// The choices on a path, each with the name that is chosen: in `links.core.queue.fq.aqm.red.max_th`
/// they are (`links.core.queue`, `fq`) and (`links.core.queue.fq.aqm`, `red`).
pub fn choices_of(path: &str) -> Vec<(&str, &str)> {
    let (mut found, mut end, mut place) = (Vec::new(), 0, Place::root());
    for name in path.split('.') {
        if end > 0 && place.is_choice() {
            found.push((&path[..end], name));
        }
        end += name.len() + usize::from(end > 0);
        place = place.below(name);
    }
    found
}

/// Role of a parameter of an AQM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Level of the queue at which signals begin.
    First,
    /// Level of the queue from which on signals are strongest.
    Last,
    /// Queue that is to be held.
    Queue,
    /// Delay that is to be held.
    Delay,
    /// Time between two updates.
    Timer,
}

/// Roles that parameters of a queue discipline have, and the names of these parameters.
pub fn roles(discipline: &str) -> Vec<(Role, &'static str)> {
    let tables = Place::at(&["links", "LINK", "queue", discipline]).alternatives().into_iter();
    let parameters = tables.filter_map(|table| table.get("properties")?.as_object()).flatten();
    let roles = parameters.flat_map(|(name, about)| {
        let words = about.get("x-role").and_then(Value::as_str).into_iter().flat_map(str::split_whitespace);
        words.map(move |word| (role(word), name.as_str()))
    });
    roles.filter_map(|(role, name)| Some((role?, name))).collect()
}

fn role(word: &str) -> Option<Role> {
    match word {
        "first" => Some(Role::First),
        "last" => Some(Role::Last),
        "queue" => Some(Role::Queue),
        "delay" => Some(Role::Delay),
        "timer" => Some(Role::Timer),
        _ => None,
    }
}

/// Returns true if chance has a part in what a queue discipline signals. It may have one in what is not known.
pub fn is_random(discipline: &str) -> bool {
    let tables = Place::at(&["links", "LINK", "queue", discipline]).alternatives();
    tables.iter().all(|table| table.get("x-draws") != Some(&Value::Bool(false)))
}

impl Scenario {
    /// Value at a dotted path of the scenario, with every default written out; `None` if there is nothing. In a row
    /// of links the first stands for all.
    pub fn value(&self, path: &str) -> Option<Value> {
        let plain = self.to_value();
        let at = |path: &str| plain.pointer(&format!("/{}", path.replace('.', "/"))).cloned();
        at(path).or_else(|| at(&topology::first_written_out(path)?))
    }

    /// Returns true if setting `path` leaves every choice as it is. It does not if it is a parameter of an AQM that
    /// this scenario does not have.
    pub fn has_choice(&self, path: &str) -> bool {
        let has =
            |(place, name): (&str, &str)| self.value(place).is_none_or(|choice| choice.get(name).is_some());
        choices_of(path).into_iter().all(has)
    }
}

/// Part of the schema about the value at a dotted path; nothing if there is no such path.
#[derive(Clone, Copy)]
pub(crate) struct Place(Option<&'static Value>);

impl Place {
    /// The place of the whole scenario.
    pub(crate) fn root() -> Self {
        Self(Some(SCHEMA.as_value()))
    }

    /// The place at a path.
    pub(crate) fn at(path: &[&str]) -> Self {
        path.iter().fold(Self::root(), |place, name| place.below(name))
    }

    /// The place of the value `name` in the table at this place.
    pub(crate) fn below(self, name: &str) -> Self {
        let values = self.alternatives();
        Self(values.iter().find_map(|value| {
            let key = value.get("properties").and_then(|keys| keys.get(name));
            key.or(value.get("additionalProperties").filter(|keys| keys.is_object()))
        }))
    }

    /// The place of the values in the array at this place.
    pub(crate) fn item(self) -> Self {
        Self(self.alternatives().into_iter().find_map(|value| value.get("items")))
    }

    /// Returns true if the value is a table that holds one choice among several: another choice replaces it.
    pub(crate) fn is_choice(self) -> bool {
        let values = self.alternatives();
        values.iter().any(|value| {
            let variants = value.get("oneOf").and_then(Value::as_array);
            variants
                .is_some_and(|variants| variants.iter().any(|variant| variant.get("properties").is_some()))
        })
    }

    /// Returns true if the value is a table whose keys are names that the user chooses.
    pub(crate) fn is_map(self) -> bool {
        let values = self.alternatives();
        values.iter().any(|value| value.get("additionalProperties").is_some_and(Value::is_object))
    }

    /// The keys and choices that the table at this place may have.
    pub(crate) fn names(self) -> Vec<&'static str> {
        let tables = self.alternatives().into_iter().filter_map(|value| value.get("properties")?.as_object());
        tables.flat_map(|keys| keys.keys().map(String::as_str)).collect()
    }

    /// Returns true if the value may be this text, one of a few.
    pub(crate) fn has_text(self, text: &str) -> bool {
        let is_listed = |value: &Value| {
            let lists = value.get("enum").and_then(Value::as_array).into_iter().flatten();
            lists.chain(value.get("const")).any(|one| one == text)
        };
        self.alternatives().into_iter().any(is_listed)
    }

    /// The texts that the value may be, if it is one of a few; nothing if it may be a table.
    pub(crate) fn texts(self) -> Vec<&'static str> {
        if self.is_choice() {
            return Vec::new();
        }
        let values = self.alternatives().into_iter();
        let lists = values.flat_map(|value| {
            value.get("enum").and_then(Value::as_array).into_iter().flatten().chain(value.get("const"))
        });
        lists.filter_map(Value::as_str).collect()
    }

    /// A table that may be here, as TOML: `{ every = 100 }`.
    pub(crate) fn example(self) -> Option<String> {
        let mut tables = self.alternatives().into_iter().filter_map(|value| value.get("examples")?.get(0));
        let mut text = String::new();
        let serializer = toml::ser::ValueSerializer::new(&mut text);
        tables.find(|example| example.is_object())?.serialize(serializer).ok()?;
        Some(text)
    }

    /// The keys that the table at this place must have.
    pub(crate) fn required(self) -> impl Iterator<Item = &'static str> {
        let lists = self.alternatives().into_iter().filter_map(|value| value.get("required")?.as_array());
        lists.flatten().filter_map(Value::as_str)
    }

    /// The schemas of the value, one within another: references are followed, alternatives listed.
    fn alternatives(self) -> Vec<&'static Value> {
        let mut found: Vec<_> = self.0.into_iter().collect();
        let mut next = 0;
        while let Some(value) = found.get(next).copied() {
            next += 1;
            let target = value.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix('#'));
            let lists = ["anyOf", "oneOf"].into_iter().filter_map(|key| value.get(key)?.as_array());
            found.extend(
                target.and_then(|name| SCHEMA.as_value().pointer(name)).into_iter().chain(lists.flatten()),
            );
        }
        found
    }
}
