//! Changes of the list `changes` in the text of a scenario: what stays keeps its comments.

use serde_json::Value as Json;
use toml_edit::{Array, ArrayOfTables, InlineTable, Item, Table, Value};
use wasm_bindgen::prelude::*;

use crate::{
    edit::{document, table_at, wrong},
    scenario::ScenarioError,
};

/// An entry of the new list.
struct Entry {
    /// The entry of the old list that it was.
    from: Option<usize>,
    /// Its new instant, if no more than that changes.
    at: Option<Value>,
    /// All of it, if it changes.
    whole: Option<InlineTable>,
}

/// The text with another list of tables at the dotted `path`, or without it if the list is empty. `entries` is
/// JSON, a list of `{ from, at, whole }` of which each may be left out. `from` is the number of the entry that it
/// was. `at` is its new `at` if no more than that changes. `whole` is all of it if it changes. The last two are
/// in TOML. Entries that stay keep their comments.
///
/// # Errors
/// If the text or an entry is not TOML, `entries` is no such list, or something on the way is no table.
#[wasm_bindgen]
pub fn edit_list(text: &str, path: &str, entries: &str) -> Result<String, ScenarioError> {
    let mut document = document(text, path)?;
    let (table, key) = table_at(&mut document, path)?;
    let entries = read(entries).map_err(|message| wrong(path, message))?;
    if entries.is_empty() {
        table.remove(key);
        return Ok(document.to_string());
    }
    match table.get_mut(key) {
        Some(Item::ArrayOfTables(old)) => *old = tables(old, entries),
        Some(Item::Value(Value::Array(old))) => {
            let decor = old.decor().clone();
            *old = lines(Some(old), entries);
            *old.decor_mut() = decor;
        }
        _ => {
            table.insert(key, Item::Value(Value::Array(lines(None, entries))));
        }
    }
    Ok(document.to_string())
}

fn read(entries: &str) -> Result<Vec<Entry>, String> {
    let entries: Vec<Json> = serde_json::from_str(entries).map_err(|error| error.to_string())?;
    let toml = |text: Option<&Json>| {
        let parsed = text.and_then(Json::as_str).map(str::parse::<Value>).transpose();
        parsed.map_err(|error| error.message().to_owned())
    };
    let entry = |json: &Json| {
        let whole = match toml(json.get("whole"))? {
            None => None,
            Some(Value::InlineTable(table)) => Some(table),
            Some(_) => return Err("an entry is a table".to_owned()),
        };
        let from = json.get("from").and_then(Json::as_u64).and_then(|from| usize::try_from(from).ok());
        Ok(Entry { from, at: toml(json.get("at"))?, whole })
    };
    entries.iter().map(entry).collect()
}

/// The list as tables, `[[changes]]`.
fn tables(old: &ArrayOfTables, entries: Vec<Entry>) -> ArrayOfTables {
    // Tables are written in the order of their positions in the old text; of equal ones in the order of the list.
    let position = old.get(0).and_then(Table::position);
    let entry = |Entry { from, at, whole }: Entry| {
        let former = from.and_then(|from| old.get(from));
        let mut table = former.cloned().unwrap_or_default();
        if let Some(whole) = whole {
            let decor = table.decor().clone();
            table = whole.into_table();
            if former.is_some() {
                *table.decor_mut() = decor;
            } else {
                table.decor_mut().set_prefix("\n");
            }
        }
        if let Some((at, old)) = at.zip(table.get_mut("at").and_then(Item::as_value_mut)) {
            replace(old, at);
        }
        put(&mut table, position);
        table
    };
    entries.into_iter().map(entry).collect()
}

/// Puts a table and those in it to a position.
fn put(table: &mut Table, position: Option<isize>) {
    table.set_position(position);
    for (_, item) in table.iter_mut() {
        match item {
            Item::Table(inner) => put(inner, position),
            Item::ArrayOfTables(all) => all.iter_mut().for_each(|inner| put(inner, position)),
            _ => {}
        }
    }
}

/// The list as an array, a line for each entry.
fn lines(old: Option<&Array>, entries: Vec<Entry>) -> Array {
    let mut list = Array::new();
    for Entry { from, at, whole } in entries {
        let former = from.zip(old).and_then(|(from, old)| old.get(from)?.as_inline_table());
        let mut table = former.cloned().unwrap_or_default();
        if let Some(whole) = whole {
            let decor = table.decor().clone();
            table = whole;
            *table.decor_mut() = decor;
        }
        if former.is_none() {
            table.decor_mut().set_prefix("\n  ");
        }
        if let Some((at, old)) = at.zip(table.get_mut("at")) {
            replace(old, at);
        }
        list.push_formatted(Value::InlineTable(table));
    }
    match old {
        Some(old) => list.set_trailing(old.trailing().clone()),
        None => list.set_trailing("\n"),
    }
    list.set_trailing_comma(true);
    list
}

/// Another value, with what stands around the old one.
fn replace(old: &mut Value, new: Value) {
    let decor = old.decor().clone();
    *old = new;
    *old.decor_mut() = decor;
}
