use std::fmt;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;
use weir_types::UnitError;

/// Which points of a scenario are run, and how often. What the values mean is for those to say
/// who run them; each is set like an override.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Replications of every point; with `until`, the most of any point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub replications: Option<u32>,
    /// When a point has been run often enough: `"goodput ±0.5%"`. All of them must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub until: Vec<String>,
    /// Points drawn from the ranges of the axes. Default: every combination of their values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub samples: Option<u32>,
    /// How points are drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<SweepMethod>,
    /// Values to vary, each axis under its path. Paths that move together share an axis and are parted by `;`.
    #[serde(default)]
    pub axes: Axes,
}

/// How points are drawn from the ranges of the axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SweepMethod {
    /// Latin hypercube: every axis is covered evenly.
    Lhs,
    /// A Sobol sequence: the whole space is covered evenly.
    Sobol,
    /// Morris's elementary effects: which axes matter, at the least cost.
    Morris,
    /// Saltelli's scheme for Sobol indices: how much of the variance each axis accounts for.
    Saltelli,
}

/// The axes in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Axes(pub IndexMap<String, AxisValues>);

/// The values of one axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum AxisValues {
    /// In words, such as `"2..20 by 2"`.
    Text(String),
    /// One after the other; where several paths move together, each is a list of as many.
    List(Vec<Value>),
}

impl Sweep {
    /// The table as JSON, without what was left out.
    pub fn to_json(&self) -> String {
        serde_json::to_value(self).expect("a sweep is valid JSON").to_string()
    }
}

/// Contents of `[sweep.axes]`: a path without quotation marks is tables within tables.
enum Node {
    Axis(AxisValues),
    Below(IndexMap<String, Self>),
}

impl Node {
    fn flatten(self, path: String, axes: &mut IndexMap<String, AxisValues>) {
        match self {
            Self::Axis(values) => {
                axes.insert(path, values);
            }
            Self::Below(nodes) => {
                for (name, node) in nodes {
                    node.flatten(format!("{path}.{name}"), axes);
                }
            }
        }
    }
}

impl<'de> Deserialize<'de> for Axes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut axes = IndexMap::new();
        for (path, node) in IndexMap::<String, Node>::deserialize(deserializer)? {
            node.flatten(path, &mut axes);
        }
        Ok(Self(axes))
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> de::Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of values, or a text such as \"2..20 by 2\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Axis(AxisValues::Text(text.to_owned())))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut values: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = values.next_element::<Value>()? {
            if is_nothing(&value) {
                return Err(de::Error::custom(UnitError::new(
                    "nan and inf are no values of an axis",
                    "write finite numbers",
                )));
            }
            list.push(value);
        }
        if list.is_empty() {
            return Err(de::Error::custom(UnitError::new(
                "an axis without values",
                "write at least one, or leave the axis out",
            )));
        }
        Ok(Node::Axis(AxisValues::List(list)))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Node, A::Error> {
        IndexMap::deserialize(de::value::MapAccessDeserializer::new(map)).map(Node::Below)
    }
}

/// Returns true if JSON cannot hold the value: it has a number that is NaN or infinite.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(values) => values.iter().any(is_nothing),
        Value::Object(values) => values.values().any(is_nothing),
        _ => false,
    }
}

impl JsonSchema for Axes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Axes".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "Axes by the path of what is varied, or several paths parted by `;`.",
            "additionalProperties": {
                "description": "The values, as an array or in words.",
                "anyOf": [
                    { "type": "array", "minItems": 1 },
                    { "type": "string", "examples": ["2..20 by 2"] },
                    { "type": "object", "description": "A path without quotation marks goes on." },
                ],
            },
            "examples": [{
                "links.bottleneck.rate": ["5 Mbit/s", "20 Mbit/s"],
                "links.bottleneck.rate; links.bottleneck.buffer":
                    [["5 Mbit/s", "20 packets"], ["20 Mbit/s", "80 packets"]],
            }],
        })
    }
}
