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
pub(crate) const ELSEWHERE: usize = usize::MAX;

/// Reads what stands behind `--set PATH=`: a TOML value, or else plain text.
pub(crate) fn parse_value(text: &str) -> Value<'_> {
    match DeValue::parse(text) {
        Ok(value) => displace(value, &(ELSEWHERE..ELSEWHERE)),
        Err(_) => Spanned::new(ELSEWHERE..ELSEWHERE, DeValue::String(Cow::Borrowed(text))),
    }
}

/// The same value, with everything in it, as if it were written at `span`.
pub(crate) fn displace<'i>(value: Value<'i>, span: &Range<usize>) -> Value<'i> {
    let value = match value.into_inner() {
        DeValue::Table(table) => {
            let displaced = table
                .into_iter()
                .map(|(name, value)| (key(name.get_ref(), span.clone()), displace(value, span)));
            DeValue::Table(displaced.collect())
        }
        DeValue::Array(values) => {
            DeValue::Array(values.into_iter().map(|value| displace(value, span)).collect())
        }
        plain => plain,
    };
    Spanned::new(span.clone(), value)
}

/// Whether a table was written as such, in braces or under its own header, and not by dotted keys alone. What comes
/// from outside of the text is a value of its own.
pub(crate) fn is_whole(text: &str, table: &Value<'_>) -> bool {
    let start = table.span().start;
    start == ELSEWHERE || matches!(text.as_bytes()[start], b'{' | b'[')
}

/// Sets `path` to `value` by the rule of this module; `text` is what both were read from.
pub(crate) fn set<'i>(text: &str, table: &mut DeTable<'i>, path: &[&str], value: &Value<'i>) {
    set_within(Place::root(), text, table, path, value);
}

/// The same for a table at `place`.
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
            let key_path: Vec<_> = path.iter().copied().chain(key.get_ref().split('.')).collect();
            set_within(place, text, table, &key_path, value);
        }
        return;
    }
    let [first, rest @ ..] = path else { return };
    if rest.is_empty() {
        table.insert(key(first, value.span()), expanded(value));
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

/// The same value, with tables for the parts of keys that are paths in quotation marks.
fn expanded<'i>(value: &Value<'i>) -> Value<'i> {
    let DeValue::Table(values) = value.get_ref() else { return value.clone() };
    let mut table = DeTable::new();
    for (name, value) in values {
        let mut inner = &mut table;
        let (parents, last) = match name.get_ref().rsplit_once('.') {
            Some((parents, last)) => (Some(parents), last),
            None => (None, &**name.get_ref()),
        };
        for parent in parents.into_iter().flat_map(|parents| parents.split('.')) {
            let slot = inner
                .entry(key(parent, name.span()))
                .or_insert_with(|| Spanned::new(name.span(), DeValue::Table(DeTable::new())));
            if !matches!(slot.get_ref(), DeValue::Table(_)) {
                *slot = Spanned::new(name.span(), DeValue::Table(DeTable::new()));
            }
            let DeValue::Table(next) = slot.get_mut() else { unreachable!("it was just made") };
            inner = next;
        }
        inner.insert(key(last, name.span()), expanded(value));
    }
    Spanned::new(value.span(), DeValue::Table(table))
}

/// The table and the name of a link or a group of flows that `tree` lacks, if setting `path` to `value` would
/// change it. A table that has what it must adds a new one; `is_whole` says whether a table was written as such,
/// not as dotted keys.
pub(crate) fn missing_entry<'a>(
    tree: &DeTable<'_>,
    path: &[&'a str],
    value: &'a Value<'_>,
    is_whole: &impl Fn(&Value<'_>) -> bool,
) -> Option<(&'a str, &'a str)> {
    match (path, value.get_ref()) {
        ([] | [_], DeValue::Table(values)) => values.iter().find_map(|(key, value)| {
            let path: Vec<_> = path.iter().copied().chain(key.get_ref().split('.')).collect();
            missing_entry(tree, &path, value, is_whole)
        }),
        (&[kind @ ("links" | "flows"), name, ref rest @ ..], set) => {
            let there = tree.get(kind).and_then(|entries| entries.get_ref().get(name)).is_some();
            let new = || match set {
                DeValue::Table(keys) => {
                    let mut required = Place::root().below(kind).below(name).required();
                    is_whole(value) && required.all(|key| keys.contains_key(key))
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
