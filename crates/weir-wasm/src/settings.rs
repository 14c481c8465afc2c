//! Values that could stand in place of others, for controls.

use serde_json::{Value, json};
use toml_edit::DocumentMut;
use wasm_bindgen::prelude::*;
use weir_scenario::{Document, Need, Scale};

use crate::{edit::edit, scenario::ScenarioError};

/// A path as the scenario has it, and the variants that it concerns: the one that it is in, or else `shown`.
fn place<'a>(path: &'a str, shown: &'a [String]) -> (&'a str, Vec<Option<&'a str>>) {
    if let Some((variant, inner)) = path.strip_prefix("variants.").and_then(|rest| rest.split_once('.')) {
        return (inner, vec![Some(variant)]);
    }
    let named = shown.iter().map(|name| Some(&**name));
    (path, std::iter::once(None).chain(named).collect())
}

/// Values that `value`, in TOML, at the dotted `path` needs beside it and that are not there: a JSON list of the path,
/// the value in TOML, and the value in words. A choice is the path of its table: `flows.web.tcp.congestion.prague`.
///
/// # Errors
/// If the text is no valid scenario.
#[wasm_bindgen]
#[expect(clippy::needless_pass_by_value, reason = "JavaScript hands over lists as they are")]
pub fn needs(text: &str, path: &str, value: &str, shown: Vec<String>) -> Result<String, ScenarioError> {
    let (inner, variants) = place(path, &shown);
    let prefix = path.strip_suffix(inner).unwrap_or_default();
    let document = Document::parse("scenario", text)?;
    let read = |name: Option<&str>| name.map_or_else(|| document.scenario(), |name| document.variant(name));
    let all = variants.iter().copied().map(read).collect::<Result<Vec<_>, _>>()?;
    let is_there = |need: &Need| {
        let wanted = need.value.and_then(parsed);
        let has = |scenario: &weir_scenario::Scenario| match (&wanted, scenario.value(&need.path)) {
            // A choice with any parameters.
            (Some(Value::Object(_)), found) => found.is_some(),
            (wanted, found) => found == *wanted,
        };
        all.iter().all(has)
    };
    let needed = weir_scenario::needs(inner, value).into_iter().filter(|need| !is_there(need));
    let mut list: Vec<_> =
        needed.map(|need| Need { path: format!("{prefix}{}", need.path), ..need }).collect();
    if let Some((group, _)) = path.split_once(".tcp.congestion.") {
        // A loss recovery that is written stands against that of the preset.
        let recovery = format!("{group}.tcp.recovery");
        let mut changed = edit(text, &format!("{group}.tcp.congestion"), None)?;
        changed = edit(&changed, path, Some(value.to_owned()))?;
        for need in &list {
            changed = edit(&changed, &need.path, need.value.map(str::to_owned))?;
        }
        let read = |name| crate::scenario::Scenario::new(&changed, "scenario", name);
        let refused = variants.iter().find_map(|name| read(name.map(str::to_owned)).err());
        if refused.is_some_and(|error| error.path.is_some_and(|path| path.ends_with(".tcp.recovery"))) {
            list.push(Need { path: recovery, value: None, name: "its loss recovery" });
        }
    }
    let list: Vec<_> = list.iter().map(|Need { path, value, name }| json!([path, value, name])).collect();
    Ok(Value::from(list).to_string())
}

/// A value in TOML.
fn parsed(value: &str) -> Option<Value> {
    let document: DocumentMut = format!("v = {value}").parse().ok()?;
    let table: Value = toml_edit::de::from_document(document).ok()?;
    table.get("v").cloned()
}

/// Lowest and highest value of the dotted `paths` together around `now`: see [`Document::span`]. What `scale` leaves out
/// is false.
///
/// # Errors
/// If the text is not TOML.
#[wasm_bindgen]
#[expect(clippy::needless_pass_by_value, reason = "JavaScript hands over lists as they are")]
pub fn span(
    text: &str,
    paths: Vec<String>,
    shown: Vec<String>,
    scale: &SliderScale,
    now: f64,
) -> Result<Vec<f64>, ScenarioError> {
    let document = Document::parse("scenario", text)?;
    let Some(first) = paths.first() else { return Ok(vec![scale.low, scale.high]) };
    let (_, variants) = place(first, &shown);
    let inner: Vec<_> = paths.iter().map(|path| place(path, &shown).0.to_owned()).collect();
    let SliderScale { low, high, log, whole, ref unit } = *scale;
    let (low, high) = document.span(&variants, &inner, Scale { low, high, log, whole, unit }, now);
    Ok(vec![low, high])
}

/// Values that a slider can have: see [`Scale`].
#[wasm_bindgen]
#[derive(Debug)]
pub struct SliderScale {
    low: f64,
    high: f64,
    log: bool,
    whole: bool,
    unit: String,
}

#[wasm_bindgen]
impl SliderScale {
    /// From `low` to `high` in `unit`, which is empty for a number.
    #[wasm_bindgen(constructor)]
    pub fn new(low: f64, high: f64, log: bool, whole: bool, unit: String) -> Self {
        Self { low, high, log, whole, unit }
    }
}
