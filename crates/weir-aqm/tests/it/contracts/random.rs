//! Parameters at random, for every AQM of the registry, drawn from its schema: near the
//! defaults, far from them, and now and then where they may not be. An AQM that is new to the
//! registry needs no line here.

use std::sync::LazyLock;

use proptest::{prelude::*, strategy::Union};
use serde_json::{Map, Value, json};
use weir_aqm::{aqm::AqmConfig, qdisc::QueueConfig};
use weir_types::{Duration, Level, PacketSize, Probability};

use crate::support::probability;

/// The schema of every AQM, and the same as text.
static AQMS: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(AqmConfig).to_value());
static TEXT: LazyLock<String> = LazyLock::new(|| AQMS.to_string());

/// AQMs with any parameters that go together.
pub(crate) fn config() -> impl Strategy<Value = AqmConfig> {
    Union::new(AqmConfig::NAMES.iter().map(|name| {
        table(name).prop_filter_map("parameters that go together", move |table| read(name, &table).ok())
    }))
}

/// A table that a scenario file may have under the name of an AQM.
pub(super) fn table(name: &str) -> BoxedStrategy<Value> {
    table_of(&AQMS, name)
}

/// A table that a scenario file may have under the name of a discipline.
pub(super) fn queue_table(name: &str) -> BoxedStrategy<Value> {
    table_of(&schemars::schema_for!(QueueConfig).to_value(), name)
}

fn table_of(schema: &Value, name: &str) -> BoxedStrategy<Value> {
    let aqms = schema["oneOf"].as_array().expect("one entry for each AQM");
    let aqm = aqms.iter().find_map(|aqm| aqm["properties"].get(name)).expect("an AQM of the registry");
    let [packets, bytes] = [false, true].map(|in_bytes| Reader { root: schema, in_bytes }.value(aqm));
    packets.prop_union(bytes).boxed()
}

/// The AQM with these parameters, or why it cannot have them.
pub(super) fn read(name: &str, table: &Value) -> Result<AqmConfig, String> {
    let config: AqmConfig =
        serde_json::from_value(json!({ name: table })).map_err(|error| error.to_string())?;
    match config.check() {
        Ok(()) => Ok(config),
        Err(invalid) => {
            let parameter = format!("\"{}\"", invalid.parameter);
            assert!(TEXT.contains(&parameter), "{name} has no {parameter}");
            assert!(!invalid.hint.is_empty(), "{invalid:?} of {name}");
            Err(invalid.message)
        }
    }
}

/// Reads strategies off a schema; levels are mostly in one unit.
#[derive(Clone, Copy)]
struct Reader<'a> {
    root: &'a Value,
    in_bytes: bool,
}

impl Reader<'_> {
    /// Values of this schema. `null` for what this does not know, which leaves the default.
    fn value(self, schema: &Value) -> BoxedStrategy<Value> {
        let text = schema["default"].as_str();
        let name = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
        match name {
            Some("Duration") => duration(text),
            Some("Level") => self.level(text),
            Some("PacketSize") => size(text),
            Some("Probability") => chance().prop_map(|p| json!(p.get())).boxed(),
            Some(name) => self.value(&self.root["$defs"][name]),
            None => self.plain(schema),
        }
    }

    fn plain(self, schema: &Value) -> BoxedStrategy<Value> {
        if let Some(one) = schema.get("const") {
            return Just(one.clone()).boxed();
        }
        if let Some(values) = schema["enum"].as_array() {
            return prop::sample::select(values.clone()).boxed();
        }
        if let Some(kinds) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
            return Union::new(kinds.iter().map(|kind| self.value(kind))).boxed();
        }
        match schema["type"].as_str() {
            Some("boolean") => any::<bool>().prop_map(Value::from).boxed(),
            Some("number") => number(schema["default"].as_f64()),
            Some("integer") => integer(schema["default"].as_u64()),
            Some("object") => self.fields(schema),
            _ => Just(Value::Null).boxed(),
        }
    }

    /// A table in which each field is set or left out; all that are required are set.
    fn fields(self, schema: &Value) -> BoxedStrategy<Value> {
        let none = Map::new();
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        let fields = schema["properties"].as_object().unwrap_or(&none).iter().map(|(name, field)| {
            let value = self.value(field);
            let needed = required.iter().any(|required| required == name);
            let set = if needed { value.prop_map(Some).boxed() } else { prop::option::of(value).boxed() };
            (Just(name.clone()), set)
        });
        let set = |fields: Vec<(String, Option<Value>)>| {
            let set = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
            Value::Object(set.filter(|(_, value)| !value.is_null()).collect())
        };
        fields.collect::<Vec<_>>().prop_map(set).boxed()
    }

    /// Up to a few buffers, sometimes nothing; now and then in the other unit.
    fn level(self, default: Option<&str>) -> BoxedStrategy<Value> {
        let packets = match default.map(str::parse) {
            Some(Ok(Level::Packets(packets))) => packets,
            Some(Ok(Level::Bytes(bytes))) => bytes / 1000.0,
            _ => 5.0,
        };
        let in_bytes = prop_oneof![15 => Just(self.in_bytes), 1 => Just(!self.in_bytes)];
        let factor = prop_oneof![10 => around(-1.0..1.0), 1 => Just(0.0)];
        let text = move |(factor, in_bytes)| {
            let packets = packets * factor;
            json!(if in_bytes { format!("{packets:.3} kB") } else { format!("{packets:.3} packets") })
        };
        (factor, in_bytes).prop_map(text).boxed()
    }
}

/// Probabilities, with the ends.
pub(super) fn chance() -> impl Strategy<Value = Probability> {
    prop_oneof![Just(0.0), Just(0.1), Just(1.0), 0.0..=1.0].prop_map(probability)
}

/// Factors around 1, so many powers of ten below and above.
fn around(powers: std::ops::Range<f64>) -> impl Strategy<Value = f64> {
    powers.prop_map(|power| 10.0_f64.powf(power))
}

/// Times from far below the default, since a trace lasts for a fraction of a second; none; and
/// years.
fn duration(default: Option<&str>) -> BoxedStrategy<Value> {
    let default = default.map_or(Duration::from_millis(10), |text| text.parse().expect("its own default"));
    let span = around(-3.0..0.5).prop_map(move |factor| default.mul_f64(factor).to_string());
    let odd = prop::sample::select(vec!["0 s", "1 ns", "10 us", "100000000 s"]).prop_map(str::to_owned);
    prop_oneof![10 => span, 1 => odd].prop_map(Value::from).boxed()
}

fn size(default: Option<&str>) -> BoxedStrategy<Value> {
    let default: PacketSize = default.unwrap_or("1000 B").parse().expect("its own default");
    let bytes = around(-1.0..1.0).prop_map(move |factor| (f64::from(default.bytes()) * factor).round());
    bytes.prop_map(|bytes| json!(format!("{bytes} B"))).boxed()
}

/// Numbers far from the default, numbers close to it, and numbers that nobody should write. Most of
/// the far ones are larger, since gains are made for minutes and a trace is short.
fn number(default: Option<f64>) -> BoxedStrategy<Value> {
    let default = default.unwrap_or(1.0);
    let far = around(-2.0..4.0).prop_map(move |factor| default * factor);
    let near = (0.99..1.01).prop_map(move |factor| default * factor);
    let odd = prop::sample::select(vec![0.0, -1.0, 1.0, 1e-300, 1e300]);
    prop_oneof![4 => far, 4 => near, 1 => odd].prop_map(Value::from).boxed()
}

fn integer(default: Option<u64>) -> BoxedStrategy<Value> {
    let default = default.unwrap_or(1);
    prop_oneof![4 => 0..=2 * default, 1 => 0_u64..100].prop_map(Value::from).boxed()
}
