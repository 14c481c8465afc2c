//! Setting values by dotted path, in the text's own tree, so that every value keeps the place
//! it was written at.

use std::{borrow::Cow, ops::Range};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// Tables that hold one choice among several: setting a value of another choice replaces it.
const CHOICES: &[&str] =
    &["queue", "aqm", "congestion", "loss", "recovery", "rtt", "size", "slow_start", "traffic", "utility"];

/// Tables in which people choose the names, which may be any of these.
const NAMED: &[&str] = &["links", "flows", "variants"];

/// Whether the table `name` within `parent` holds a choice.
pub(crate) fn is_choice(parent: &str, name: &str) -> bool {
    CHOICES.contains(&name) && !NAMED.contains(&parent)
}

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

/// Sets `path` to `value`. A table sets each value it holds, and an empty one makes a choice.
pub(crate) fn set<'i>(table: &mut DeTable<'i>, path: &[&str], value: &Value<'i>) {
    set_within("", table, path, value);
}

fn set_within<'i>(parent: &str, table: &mut DeTable<'i>, path: &[&str], value: &Value<'i>) {
    if let DeValue::Table(values) = value.get_ref()
        && !values.is_empty()
    {
        for (key, value) in values {
            let key_path: Vec<_> = path.iter().copied().chain(key.get_ref().split('.')).collect();
            set_within(parent, table, &key_path, value);
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
    if is_choice(parent, first) {
        let others: Vec<_> = inner.keys().filter(|name| name.get_ref() != rest[0]).cloned().collect();
        for other in others {
            inner.remove(&other);
        }
    }
    set_within(first, inner, rest, value);
}

/// The choices that a path leads through, each with what it chooses there: of
/// `links.core.queue.fq.aqm.red.max_th` they are (`links.core.queue`, `fq`) and
/// (`links.core.queue.fq.aqm`, `red`).
pub fn choices_of(path: &str) -> Vec<(&str, &str)> {
    let (mut found, mut start, mut parent) = (Vec::new(), 0, "");
    for name in path.split('.') {
        let end = start + name.len();
        if let Some(rest) = path.get(end + 1..).filter(|_| is_choice(parent, name)) {
            found.push((&path[..end], rest.split('.').next().unwrap_or(rest)));
        }
        (start, parent) = (end + 1, name);
    }
    found
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
