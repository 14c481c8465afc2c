//! Errors of serde in words for those who write scenario files.

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};
use weir_aqm::{aqm::AqmConfig, qdisc::QueueConfig};
use weir_types::UnitError;

use crate::{
    meant::{elsewhere, nearest, plain, words},
    others::{Named, name_of_others, of_another_kind, word_of_others},
    reader::{NO_CHOICE, NOT_ONE, WITHOUT_PARAMETERS},
    schema::Place,
};

/// Explains the error in `value`, which stands at `path` of `tree`, and says what to do about it. A path may come
/// back shorter than it was: a choice is to blame, not what it might have led to.
pub(crate) fn explain(
    words: &str,
    path: String,
    tree: &DeTable<'_>,
    value: Option<&DeValue<'_>>,
) -> (String, String, Option<String>) {
    // serde calls the choices of an enum variants; here that word means something else.
    let (message, hint) = UnitError::split(&words.replace("unknown variant", "unknown name"));
    if hint.is_some() {
        let said = value.and_then(|value| said_by_others(&path, value, &message)).map(str::to_owned);
        return (path, message, said.or(hint));
    }
    if message == WITHOUT_PARAMETERS
        && let Some(DeValue::String(name)) = value
    {
        let choice = path.strip_suffix(&format!(".{name}")).unwrap_or(&path).to_owned();
        let table = example(&path).unwrap_or_else(|| "{}".to_owned());
        let hint = format!("a choice is a table with its parameters: {}.{name} = {table}", last(&choice));
        return (choice, format!("\"{name}\" is a name without its parameters"), Some(hint));
    }
    if message == NO_CHOICE {
        let segments: Vec<_> = path.split('.').collect();
        let texts = Place::at(&segments).texts();
        if !texts.is_empty() {
            let texts: Vec<_> = texts.into_iter().map(|text| format!("\"{text}\"")).collect();
            let hint = format!("a choice is a name: {} = {}", last(&path), texts.join(", or "));
            return (path, message, Some(hint));
        }
        let hint = format!("a choice is a table with its parameters: {}.NAME = {{}}", last(&path));
        return (path, message, Some(hint));
    }
    if message == NOT_ONE {
        let names: Vec<_> = match value {
            Some(DeValue::Table(table)) => table.keys().map(|name| format!("`{}`", name.get_ref())).collect(),
            _ => Vec::new(),
        };
        return if names.is_empty() {
            let hint = format!("make exactly one choice here: {}.NAME = {{}}", last(&path));
            (path, "nothing is chosen".to_owned(), Some(hint))
        } else {
            let found = format!("{} choices: {}", names.len(), names.join(", "));
            let hint = match value.and_then(named) {
                Some(name) => format!("the choice itself is the key: {}.{name} = {{ … }}", last(&path)),
                None => "make exactly one choice here, and take the others out".to_owned(),
            };
            (path, found, Some(hint))
        };
    }
    let hint = suggestion(&message, &path, tree, value).or_else(|| remedy(&message, &path, tree, value));
    // What may be written here is in the hint.
    let short =
        message.split(", expected").next().filter(|_| hint.is_some() && message.starts_with("unknown"));
    let told = short.map(str::to_owned).or_else(|| in_plain_words(&message));
    (path, told.unwrap_or(message), hint)
}

/// For a text that is no quantity, at `path`: what another tool says by it, as `rtt internet` in a command of `tc`.
/// CAKE of Linux may also take packets for shorter than they are.
fn said_by_others(path: &str, value: &DeValue<'_>, message: &str) -> Option<&'static str> {
    let segments: Vec<_> = path.split('.').collect();
    let (key, parent) = segments.split_last()?;
    if message.ends_with("is negative") && parent.last() == Some(&"cake") && *key == "overhead" {
        return Some("Weir's CAKE takes packets for longer, never for shorter: write \"0 B\" or more");
    }
    word_of_others(parent, value.as_str()?)
}

/// The name in `{ type = "red", … }`.
fn named<'a>(value: &'a DeValue<'_>) -> Option<&'a str> {
    let keys = ["type", "kind", "name", "algorithm", "discipline", "aqm"];
    keys.iter().find_map(|key| value.get(*key)?.get_ref().as_str())
}

/// A table that may be at a path.
fn example(path: &str) -> Option<String> {
    Place::at(&path.split('.').collect::<Vec<_>>()).example()
}

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or_default()
}

/// For a name that does not exist: the one that was probably meant, or those there are.
fn suggestion(message: &str, path: &str, tree: &DeTable<'_>, value: Option<&DeValue<'_>>) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = quoted.next().filter(|_| message.starts_with("unknown"))?;
    let known: Vec<_> = quoted.collect();
    // A name of a scheduler where an AQM is expected.
    if QueueConfig::NAMES.contains(&unknown) && known.contains(&AqmConfig::NAMES[0]) {
        return Some(format!(
            "{unknown} is a scheduler, not an AQM for the queues of a scheduler: queue.{unknown} = {{}}"
        ));
    }
    if known.is_empty() {
        return None;
    }
    if let Some(hint) = Named::of(&known).and_then(|kind| name_of_others(kind, unknown)) {
        return Some(hint.to_owned());
    }
    if let Some(hint) = Named::of(&known).and_then(|kind| of_another_kind(kind, unknown)) {
        return Some(hint);
    }
    let segments: Vec<_> = path.split('.').filter(|name| !name.is_empty()).collect();
    if let Some(hint) = segments.split_last().and_then(|(_, parent)| word_of_others(parent, unknown)) {
        return Some(hint.to_owned());
    }
    if let Some(hint) = chosen(&segments, unknown) {
        return Some(hint);
    }
    let (parent, choice) = match segments.split_last() {
        Some((last, parent)) => (parent, *last != unknown),
        None => (&[][..], false),
    };
    let is_change = matches!(parent, [entry] if entry.starts_with("changes["));
    let named = ["links", "flows"].into_iter().find(|kind| {
        (parent.is_empty() || is_change)
            && tree.get(*kind).is_some_and(|entries| entries.get_ref().get(unknown).is_some())
    });
    if let Some(kind) = named {
        return Some(format!("did you mean `{kind}.{unknown}`?"));
    }
    if is_change && let Some(meant) = changed(tree, unknown) {
        return Some(format!("did you mean `{meant}`?"));
    }
    if let ["links", link, "reverse"] = parent
        && Place::at(&parent[..2]).names().contains(&unknown)
    {
        return Some(format!("did you mean `links.{link}.{unknown}`? It is one for both directions"));
    }
    // Titles and groups of flows may have the name of a congestion control, too.
    let inside = value.filter(|_| nearest(unknown, &["tcp", "congestion"]).is_some());
    let asked = matches!(parent, ["flows", ..]).then(|| unknown.to_owned()).into_iter();
    let mut asked = asked.chain(inside.into_iter().flat_map(words));
    let control = asked.find_map(|name| name_of_others(Named::Congestion, &name));
    // Below a queue are its parameters.
    let queue = || {
        name_of_others(Named::Queue, unknown)
            .filter(|_| matches!(parent, ["links", ..]) && (choice || !parent.contains(&"queue")))
    };
    if let Some(hint) = control.or_else(queue) {
        return Some(hint.to_owned());
    }
    // Another choice of the same table, or a key further down.
    if let Some(there) = elsewhere(tree, parent, unknown).filter(|there| !choice || !there.starts_with(path))
    {
        let sign = if matches!(value, Some(DeValue::Boolean(_))) { sign_of(&there) } else { "" };
        return Some(format!("did you mean `{there}{sign}`?"));
    }
    // `diffserv = "diffserv4"`: the text says which key it is of.
    let place = Place::at(parent);
    let listed = value.and_then(|value| value.as_str()).filter(|_| !choice).and_then(|text| {
        let key = place.names().into_iter().find(|key| place.below(key).has_text(text))?;
        Some(format!("did you mean `{key} = \"{text}\"`?"))
    });
    Some(match (nearest(unknown, &known), value) {
        (Some(best), Some(DeValue::String(text))) if Place::at(parent).below(best).is_choice() && !choice => {
            let choices = Place::at(parent).below(best).names();
            let text = nearest(text, &choices).map(|name| format!("{best}.{name} = {{}}"));
            format!("did you mean `{}`?", text.as_deref().unwrap_or(best))
        }
        (Some(best), Some(DeValue::Table(table)))
            if choice && matches!(table.get(unknown).map(Spanned::get_ref), Some(DeValue::Boolean(_))) =>
        {
            format!("did you mean `{}.{best} = {{}}`?", segments.last().unwrap_or(&""))
        }
        (Some(best), _) => format!("did you mean `{best}`?"),
        (None, _) => listed.unwrap_or_else(|| format!("known: {}", known.join(", "))),
    })
}

/// Text behind a path in place of `true`, where it is one choice among several.
fn sign_of(path: &str) -> &'static str {
    let parent = path.rsplit_once('.').map_or("", |(parent, _)| parent);
    if Place::at(&parent.split('.').collect::<Vec<_>>()).is_choice() { " = {}" } else { "" }
}

/// For the key `unknown` at the end of a path that is a choice of its table: `dual-srchost` and `no-ack-filter`, which
/// are words by themselves in a command of `tc`.
fn chosen(segments: &[&str], unknown: &str) -> Option<String> {
    let (key, parent) = segments.split_last()?;
    let place = Place::at(parent);
    if *key != unknown || place.is_choice() {
        return None;
    }
    let listed = place.names().into_iter().find(|name| place.below(name).has_text(unknown));
    listed.map(|name| format!("did you mean `{name} = \"{unknown}\"`?")).or_else(|| {
        let name = place.names().into_iter().find(|name| *name == "ack_filter")?;
        let hint = name_of_others(Named::Filter, unknown).filter(|_| plain(unknown).contains("ackfilter"))?;
        Some(format!("{name}: {hint}"))
    })
}

/// In an entry of `changes`: the path of `key`, which a change of a link or of a group of flows may have.
fn changed(tree: &DeTable<'_>, key: &str) -> Option<String> {
    let entry = Place::root().below("changes").item();
    let has = |kind: &&str| entry.below(kind).below("").names().contains(&key);
    let kind = ["links", "flows"].into_iter().find(has)?;
    let table = tree.get(kind).and_then(|table| table.get_ref().as_table());
    let only = table.filter(|table| table.len() == 1).and_then(|table| table.keys().next());
    Some(format!("{kind}.{}.{key}", only.map_or("NAME", |name| name.get_ref())))
}

/// For an override of `path`, whose entry `name` the table `kind` lacks.
pub(crate) fn missing_entry(kind: &str, name: &str, path: &str, known: &[&str]) -> (String, String) {
    let what = if kind == "links" { "link" } else { "group of flows" };
    let keys: Vec<_> = Place::root().below(kind).below(name).required().collect();
    let hint = match nearest(name, known) {
        Some(best) => {
            let rest = path.strip_prefix(&format!("{kind}.{name}")).unwrap_or_default();
            format!("did you mean `{kind}.{best}{rest}`?")
        }
        None => format!(
            "{kind}: {}; for a new one write a table [{kind}.{name}] with {} in the file",
            if known.is_empty() { "none".to_owned() } else { known.join(", ") },
            keys.join(" and ")
        ),
    };
    (format!("there is no {what} `{name}`"), hint)
}

/// Advice on what to write where serde's words do not say it.
fn remedy(message: &str, path: &str, tree: &DeTable<'_>, value: Option<&DeValue<'_>>) -> Option<String> {
    let last = last(path);
    if let Some(field) = message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next()) {
        return Some(match field {
            "schema" => "add schema = 1".to_owned(),
            "duration" => "add duration = \"100 s\"".to_owned(),
            "rate" => "add rate = \"64 Mbit/s\"".to_owned(),
            "delay" => "add delay = \"5 ms\"".to_owned(),
            "rtt" => "add rtt = \"80 ms\"".to_owned(),
            "buffer" => "add buffer = \"120 packets\"".to_owned(),
            other => match example(path) {
                Some(table) => format!("write for example {last} = {table}"),
                None => format!("`weir schema` says what {other} may be"),
            },
        });
    }
    if let Some(DeValue::Boolean(_)) = value
        && let Some((parent, _)) = path.rsplit_once('.')
        && Place::at(&parent.split('.').collect::<Vec<_>>()).is_choice()
    {
        let table = example(path).unwrap_or_else(|| "{}".to_owned());
        return Some(format!(
            "a choice is a table with its parameters: {}.{last} = {table}",
            self::last(parent)
        ));
    }
    if path.starts_with("sweep.axes") {
        return Some("write the values as an array, [2, 4, 8], or as a text, \"2..8 by 2\"".into());
    }
    let is_table = message.contains(", expected struct ");
    if let Some(DeValue::String(text)) = value
        && message.starts_with("invalid type")
        && !is_table
        && (text.parse::<f64>().is_ok() || matches!(&**text, "true" | "false"))
    {
        return Some(format!("write it without quotation marks: {last} = {text}"));
    }
    if let Some(DeValue::String(text)) = value
        && message.starts_with("invalid type")
    {
        if message.ends_with("a boolean") {
            return Some(format!("write {last} = true or {last} = false"));
        }
        let segments: Vec<_> = path.split('.').collect();
        let place = Place::at(&segments);
        let keys = place.names();
        if !keys.is_empty() {
            let choice = || elsewhere(tree, &segments, text).map(|there| format!("{there} = {{}}"));
            let key = keys.into_iter().find(|key| place.below(key).has_text(text));
            let meant = || key.map(|key| format!("{path}.{key} = \"{text}\"")).or_else(choice);
            let said = || meant().map(|meant| format!("did you mean `{meant}`?"));
            let of_others = || name_of_others(Named::Congestion, text).filter(|_| segments[0] == "flows");
            if let Some(hint) = of_others().map(str::to_owned).or_else(said) {
                return Some(hint);
            }
        }
        let bounds = text.split_once(['-', ':']).map(|(from, to)| (from.trim(), to.trim()));
        if let Some((from, to)) = bounds
            && from.parse::<f64>().is_ok()
            && to.parse::<f64>().is_ok()
        {
            return Some(format!("one number; a sweep takes several: --axis \"{path}={from}..{to} by 1\""));
        }
    }
    if message.starts_with("invalid type") && matches!(path, "links" | "flows" | "variants") {
        return Some(format!("write [{path}.NAME], a table for each"));
    }
    if message.starts_with("invalid type") && path == "changes" {
        return Some("write [[changes]], a table for each instant".to_owned());
    }
    if is_table && let Some(table) = table_at(path) {
        let out = if matches!(value, Some(DeValue::Boolean(false))) { ", or leave it out" } else { "" };
        return Some(format!("write for example {last} = {table}{out}"));
    }
    message.starts_with("invalid ").then(|| format!("`weir schema` says what {last} may be"))
}

/// A table that may be at a path: an example, or an empty one where every key has a default.
fn table_at(path: &str) -> Option<String> {
    let needs_none = || Place::at(&path.split('.').collect::<Vec<_>>()).required().next().is_none();
    example(path).or_else(|| needs_none().then(|| "{}".to_owned()))
}

/// `invalid type: string "0.1", expected f64`, as people would say it.
fn in_plain_words(message: &str) -> Option<String> {
    let rest = message.strip_prefix("invalid type: ").or(message.strip_prefix("invalid value: "))?;
    let (found, expected) = rest.rsplit_once(", expected ")?;
    let found = match found.split_once(' ').unwrap_or((found, "")) {
        ("string", text) => format!("the text {text}"),
        ("integer" | "boolean", value) => value.trim_matches('`').to_owned(),
        ("floating", value) => value.trim_start_matches("point ").trim_matches('`').to_owned(),
        ("map", _) => "a table".to_owned(),
        ("sequence", _) => "an array".to_owned(),
        _ => found.to_owned(),
    };
    let expected = match expected {
        "f64" | "f32" => "a number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 on",
        "i8" | "i16" | "i32" | "i64" => "a whole number",
        "a nonzero u8" | "a nonzero u16" | "a nonzero u32" | "a nonzero u64" => "a whole number from 1 on",
        "a boolean" => "true or false",
        "a string" => "a text",
        "a sequence" => "an array",
        "a map" => "a table",
        _ if expected.starts_with("struct ") => "a table",
        other => other,
    };
    Some(format!("{expected} belongs here, not {found}"))
}
