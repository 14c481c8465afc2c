//! Changes of the text of a scenario.

use toml_edit::{DocumentMut, Item, Key, Table, TableLike, Value};
use wasm_bindgen::prelude::*;

use crate::scenario::ScenarioError;

/// The scenario format as JSON schema.
#[wasm_bindgen]
pub fn schema() -> String {
    weir_scenario::schema()
}

/// The two-sided quantile of Student's t distribution: see [`weir_theory::student_t`]. NaN if there is none.
#[wasm_bindgen]
pub fn student_t(degrees: u32, level: f64) -> f64 {
    weir_theory::student_t(degrees, level).unwrap_or(f64::NAN)
}

/// The tables of the text as JSON, as they are written.
///
/// # Errors
/// If the text is not TOML.
#[wasm_bindgen]
pub fn parse(text: &str) -> Result<String, ScenarioError> {
    let found: Result<serde_json::Value, _> = toml_edit::de::from_str(text);
    found.map(|tables| tables.to_string()).map_err(|error| ScenarioError {
        line: error.span().map(|span| 1 + text[..span.start].matches('\n').count()),
        path: None,
        message: error.message().to_owned(),
        hint: None,
    })
}

/// The text with `value`, in TOML, at the dotted `path`, and without the key if there is no value. All else stays,
/// comments included.
///
/// # Errors
/// If the text or the value is not TOML, or something on the way is no table.
#[wasm_bindgen]
pub fn edit(text: &str, path: &str, value: Option<String>) -> Result<String, ScenarioError> {
    let mut document = document(text, path)?;
    let (table, key) = table_at(&mut document, path)?;
    let wrong = |message: String| wrong(path, message);
    match value {
        None => {
            table.remove(key);
        }
        Some(value) => {
            let value: Value =
                value.parse().map_err(|error: toml_edit::TomlError| wrong(error.message().to_owned()))?;
            match table.get_mut(key).and_then(Item::as_value_mut) {
                Some(old) => {
                    let decor = old.decor().clone();
                    *old = value;
                    *old.decor_mut() = decor;
                }
                None => {
                    table.insert(key, Item::Value(value));
                }
            }
        }
    }
    Ok(document.to_string())
}

/// The text as a document.
pub(crate) fn document(text: &str, path: &str) -> Result<DocumentMut, ScenarioError> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().map(|span| &text[..span.start]);
        let line = before.map(|before| before.matches('\n').count() + 1);
        ScenarioError { line, ..wrong(path, error.message().to_owned()) }
    })
}

/// The table that holds the last key of the dotted `path`, made if it is not there, and that key. In a variant it is
/// made of dotted keys: a table under a header of its own would replace the whole table of the scenario.
pub(crate) fn table_at<'a, 'p>(
    document: &'a mut DocumentMut,
    path: &'p str,
) -> Result<(&'a mut dyn TableLike, &'p str), ScenarioError> {
    let names: Vec<_> = path.split('.').collect();
    let [parents @ .., key] = &*names else { unreachable!("a split text has a part") };
    let is_in_variant = |depth: usize| depth > 1 && names[0] == "variants";
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for (depth, parent) in parents.iter().enumerate() {
        let in_variant = is_in_variant(depth);
        if in_variant {
            unquote(table, &names[depth..]).map_err(|message| wrong(path, message))?;
        }
        let below = table.entry(parent).or_insert_with(|| {
            let mut new = Table::new();
            new.set_implicit(!in_variant);
            new.set_dotted(in_variant);
            Item::Table(new)
        });
        table = below.as_table_like_mut().ok_or_else(|| wrong(path, no_table(parent)))?;
    }
    if is_in_variant(parents.len()) {
        unquote(table, &[key]).map_err(|message| wrong(path, message))?;
    }
    Ok((table, key))
}

/// Writes keys such as `"links.a.queue.red"`, a path in quotation marks, as dotted keys: those above `path` and below
/// it. Only then can what they hold be edited in part. All keys keep their order.
fn unquote(table: &mut dyn TableLike, path: &[&str]) -> Result<(), String> {
    let is_meant = |key: &Key| {
        let mut names = key.get().split('.').zip(path);
        key.get().contains('.') && names.all(|(name, other)| name == *other)
    };
    let names: Vec<_> = table.iter().map(|(name, _)| name.to_owned()).collect();
    let keys: Vec<_> = names.iter().filter_map(|name| table.key(name).cloned()).collect();
    if !keys.iter().any(is_meant) {
        return Ok(());
    }
    for key in keys {
        let Some(item) = table.remove(key.get()) else { continue };
        let names: Vec<_> = if is_meant(&key) { key.get().split('.').collect() } else { vec![key.get()] };
        enter(table, &names, &key, item)?;
    }
    Ok(())
}

/// Puts an item at a path of dotted keys, with what stands around its `key`.
fn enter(table: &mut dyn TableLike, names: &[&str], key: &Key, mut item: Item) -> Result<(), String> {
    let [name, below @ ..] = names else { return Ok(()) };
    if !below.is_empty() {
        let inner = table.entry(name).or_insert_with(|| {
            let mut new = Table::new();
            new.set_dotted(true);
            Item::Table(new)
        });
        return enter(inner.as_table_like_mut().ok_or_else(|| no_table(name))?, below, key, item);
    }
    if let Some(there) = table.get_mut(name) {
        // Dotted keys of one table may stand apart.
        let there = there.as_table_like_mut().ok_or_else(|| no_table(name))?;
        let dotted = item.as_table_like_mut().filter(|inner| inner.is_dotted());
        let dotted = dotted.ok_or_else(|| format!("{name} is there twice"))?;
        let names: Vec<_> = dotted.iter().map(|(name, _)| name.to_owned()).collect();
        for name in names {
            let Some((key, item)) = dotted.key(&name).cloned().zip(dotted.remove(&name)) else { continue };
            enter(there, &[&name], &key, item)?;
        }
        return Ok(());
    }
    if key.get() == *name {
        table.entry_format(key).or_insert(item);
    } else {
        table.entry(name).or_insert(item);
    }
    if let Some(mut new) = table.key_mut(name) {
        *new.leaf_decor_mut() = key.leaf_decor().clone();
        *new.dotted_decor_mut() = key.dotted_decor().clone();
    }
    Ok(())
}

fn no_table(name: &str) -> String {
    format!("{name} is no table")
}

pub(crate) fn wrong(path: &str, message: String) -> ScenarioError {
    ScenarioError { line: None, path: Some(path.to_owned()), message, hint: None }
}
