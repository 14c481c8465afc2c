//! Tables of a scenario with every default written out.

use serde::Serialize;
use serde_json::Value;

/// The keys of one.
#[derive(Clone, Debug)]
pub(super) struct Table(Value);

impl Table {
    /// The name of the choice made among several, and the table of its keys.
    pub(super) fn choice(chosen: &impl Serialize) -> (String, Self) {
        Self::new(chosen).chosen()
    }

    pub(super) fn new(table: &impl Serialize) -> Self {
        Self(serde_json::to_value(table).expect("what was read can be written"))
    }

    fn chosen(self) -> (String, Self) {
        match self.0 {
            Value::Object(choice) => {
                let (name, table) = choice.into_iter().next().expect("a choice has one key");
                (name, Self(table))
            }
            other => (other.as_str().expect("a choice is a name").to_owned(), Self(Value::Null)),
        }
    }

    /// The table at a key.
    pub(super) fn inner(&self, key: &str) -> Option<Self> {
        self.0.get(key).filter(|value| !value.is_null()).map(|value| Self(value.clone()))
    }

    /// The choice at a key.
    pub(super) fn choice_at(&self, key: &str) -> (String, Self) {
        self.inner(key).expect("the choice has a default").chosen()
    }

    pub(super) fn number(&self, key: &str) -> Option<f64> {
        self.0.get(key)?.as_f64()
    }

    /// Returns true if a switch is there and on.
    pub(super) fn on(&self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str()
    }

    /// A quantity in the first of its units, and which that is.
    pub(super) fn quantity(&self, key: &str) -> Option<(f64, &'static str)> {
        weir_types::quantity(self.text(key)?).ok()
    }

    pub(super) fn seconds(&self, key: &str) -> Option<f64> {
        self.quantity(key).map(|(value, _)| value)
    }

    /// A level in packets of `size` bytes.
    pub(super) fn packets(&self, key: &str, size: f64) -> Option<f64> {
        self.quantity(key).map(|(value, kind)| if kind == "B" { value / size } else { value })
    }
}
