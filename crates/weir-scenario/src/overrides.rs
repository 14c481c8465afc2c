//! Setting values by dotted path, in the text's own tree, so that every value keeps the place
//! it was written at.
//!
//! One rule holds for variants, `--set`, `[[changes]]` and Python:
//!
//! ```toml
//! tcp.ecn = true                 # a dotted key sets one value: the others of `tcp` stay
//! tcp = { ecn = true }           # a table that is written as such replaces the whole table at its path
//! [variants.a.flows.ftp.tcp]     # so does one under its own header
//! queue.codel.target = "5 ms"    # another choice drops what belongs to the former
//! ```

use std::{borrow::Cow, ops::Range};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::schema::Place;

/// A value and where it was written.
pub(crate) type Value<'i> = Spanned<DeValue<'i>>;

/// Where values stand that no file holds: beyond the end of any.
const ELSEWHERE: usize = usize::MAX;

/// Where those of them stand that are tables of dotted keys.
const DOTTED: usize = ELSEWHERE - 1;

/// Returns true if the value at `span` is from outside of the text.
pub(crate) fn is_elsewhere(span: &Range<usize>) -> bool {
    span.start >= DOTTED
}

/// Reads what stands behind `--set PATH=`: a TOML value, or else plain text.
pub(crate) fn parse_value(text: &str) -> Value<'_> {
    match DeValue::parse(text) {
        Ok(value) => displace(value, &|value| {
            let dotted = matches!(value.get_ref(), DeValue::Table(_)) && !is_whole(text, value);
            if dotted { DOTTED..DOTTED } else { ELSEWHERE..ELSEWHERE }
        }),
        Err(_) => Spanned::new(ELSEWHERE..ELSEWHERE, DeValue::String(Cow::Borrowed(text))),
    }
}

/// Choice that a name makes at `path`, from outside of the text: the path of the choice, with an empty table.
/// `None` where no choice stands, and for a value that is none of its names.
pub(crate) fn chosen(path: &str, value: &Value<'_>) -> Option<(String, Value<'static>)> {
    let place = Place::at(&path.split('.').collect::<Vec<_>>());
    let name = value.get_ref().as_str().filter(|_| place.is_choice())?;
    let table = || Spanned::new(ELSEWHERE..ELSEWHERE, DeValue::Table(DeTable::new()));
    place.names().contains(&name).then(|| (format!("{path}.{name}"), table()))
}

/// Returns the value, with everything in it, as if each value were written at its `place`.
pub(crate) fn displace<'i>(value: Value<'i>, place: &impl Fn(&Value<'i>) -> Range<usize>) -> Value<'i> {
    let span = place(&value);
    let value = match value.into_inner() {
        DeValue::Table(table) => {
            let displaced = table
                .into_iter()
                .map(|(name, value)| (key(name.get_ref(), place(&value)), displace(value, place)));
            DeValue::Table(displaced.collect())
        }
        DeValue::Array(values) => {
            DeValue::Array(values.into_iter().map(|value| displace(value, place)).collect())
        }
        plain => plain,
    };
    Spanned::new(span, value)
}

/// Returns true if a table was written as such, in braces or under its own header, and not by dotted keys alone.
pub(crate) fn is_whole(text: &str, table: &Value<'_>) -> bool {
    let start = table.span().start;
    start == ELSEWHERE || matches!(text.as_bytes().get(start), Some(b'{' | b'['))
}

/// Sets `path` to `value`, whose keys are `expanded`, by the rule of this module; `text` is what both were read from.
pub(crate) fn set<'i>(text: &str, table: &mut DeTable<'i>, path: &[&str], value: &Value<'i>) {
    set_within(Place::root(), text, table, path, value);
}

/// Sets `path` to `value` in a table at `place`.
pub(crate) fn set_within<'i>(
    place: Place,
    text: &str,
    table: &mut DeTable<'i>,
    path: &[&str],
    value: &Value<'i>,
) {
    if let DeValue::Table(values) = value.get_ref()
        && !is_whole(text, value)
    {
        for (key, value) in values {
            let key_path: Vec<_> = path.iter().copied().chain([&**key.get_ref()]).collect();
            set_within(place, text, table, &key_path, value);
        }
        return;
    }
    let [first, rest @ ..] = path else { return };
    if rest.is_empty() {
        table.insert(key(first, value.span()), value.clone());
        return;
    }
    let slot = table
        .entry(key(first, value.span()))
        .or_insert_with(|| Spanned::new(value.span(), DeValue::Table(DeTable::new())));
    if !matches!(slot.get_ref(), DeValue::Table(_)) {
        *slot = Spanned::new(value.span(), DeValue::Table(DeTable::new()));
    }
    let DeValue::Table(inner) = slot.get_mut() else { return };
    let below = place.below(first);
    if below.is_choice() {
        choose(inner, rest[0]);
    }
    set_within(below, text, inner, rest, value);
}

/// Drops every other choice than `name` from the table of a choice.
pub(crate) fn choose(table: &mut DeTable<'_>, name: &str) {
    let others: Vec<_> = table.keys().filter(|other| other.get_ref() != name).cloned().collect();
    for other in others {
        table.remove(&other);
    }
}

/// Returns the value with tables for the parts of keys that are paths in quotation marks: as if these were dotted
/// keys.
pub(crate) fn expanded<'i>(text: &str, value: &Value<'i>) -> Value<'i> {
    let inner = match value.get_ref() {
        DeValue::Table(values) => {
            let mut table = DeTable::new();
            for (name, value) in values {
                let path: Vec<_> = name.get_ref().split('.').collect();
                enter(text, &mut table, &path, &name.span(), expanded(text, value));
            }
            DeValue::Table(table)
        }
        DeValue::Array(values) => DeValue::Array(values.iter().map(|value| expanded(text, value)).collect()),
        plain => plain.clone(),
    };
    Spanned::new(value.span(), inner)
}

/// Puts `value` at a path into `table`, as keys that are written at `span` do: dotted keys of one table belong
/// together.
fn enter<'i>(text: &str, table: &mut DeTable<'i>, path: &[&str], span: &Range<usize>, value: Value<'i>) {
    let [first, rest @ ..] = path else { return };
    let is_dotted = !is_whole(text, &value);
    match (rest, value.get_ref(), table.get_mut(*first).map(Spanned::get_mut)) {
        ([], DeValue::Table(values), Some(DeValue::Table(there))) if is_dotted => {
            for (name, value) in values {
                enter(text, there, &[name.get_ref()], &name.span(), value.clone());
            }
        }
        ([], ..) => {
            table.insert(key(first, span.clone()), value);
        }
        (_, _, Some(DeValue::Table(there))) => enter(text, there, rest, span, value),
        _ => {
            let mut inner = DeTable::new();
            enter(text, &mut inner, rest, span, value);
            let place = if is_elsewhere(span) { DOTTED..DOTTED } else { span.clone() };
            table.insert(key(first, span.clone()), Spanned::new(place, DeValue::Table(inner)));
        }
    }
}

/// The table and the name of a link or a group of flows that `tree` lacks, if setting `path` to `value` would change
/// it. A table that has all required keys adds a new link or group. It must be written as a table, not as dotted
/// keys, or be within such a table (`is_within`).
pub(crate) fn missing_entry<'a>(
    tree: &DeTable<'_>,
    text: &str,
    path: &[&'a str],
    value: &'a Value<'_>,
    is_within: bool,
) -> Option<(&'a str, &'a str)> {
    let is_new = is_within || is_whole(text, value);
    match (path, value.get_ref()) {
        ([] | [_], DeValue::Table(values)) => values.iter().find_map(|(key, value)| {
            let path: Vec<_> = path.iter().copied().chain([&**key.get_ref()]).collect();
            missing_entry(tree, text, &path, value, is_new)
        }),
        (&[kind @ ("links" | "flows"), name, ref rest @ ..], set) => {
            let there = tree.get(kind).and_then(|entries| entries.get_ref().get(name)).is_some();
            let new = || match set {
                DeValue::Table(keys) => {
                    let mut required = Place::root().below(kind).below(name).required();
                    is_new && required.all(|key| keys.contains_key(key))
                }
                _ => true,
            };
            let known = there || rest.is_empty() && new();
            (!known).then_some((kind, name))
        }
        _ => None,
    }
}

/// The deepest value on `path` that was written down. A name such as `population[2]` is an entry of an
/// array.
pub(crate) fn find<'a, 'i>(table: &'a DeTable<'i>, path: &[&str]) -> Option<&'a Value<'i>> {
    let [first, rest @ ..] = path else { return None };
    let (first, index) = match first.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((name, index)) => (name, index.parse::<usize>().ok()),
        None => (*first, None),
    };
    let (_, value) = table.iter().find(|(name, _)| name.get_ref() == first)?;
    let entry = index.and_then(|index| value.get_ref().as_array()?.get(index));
    let value = entry.unwrap_or(value);
    match value.get_ref() {
        DeValue::Table(inner) => find(inner, rest).or(Some(value)),
        _ => Some(value),
    }
}

/// A key written at `span`.
pub(crate) fn key(name: &str, span: Range<usize>) -> Spanned<Cow<'static, str>> {
    Spanned::new(span, Cow::Owned(name.to_owned()))
}
