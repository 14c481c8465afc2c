//! What serde says, in words for those who write scenario files.

use toml::de::DeValue;
use weir_aqm::{aqm::AqmConfig, qdisc::QueueConfig};
use weir_types::UnitError;

use crate::{
    reader::{NO_CHOICE, NOT_ONE, WITHOUT_PARAMETERS},
    schema::Place,
};

/// What is wrong with `value`, which stands at `path`, and what to do about it. A path may come
/// back shorter than it was: a choice is to blame, not what it might have led to.
pub(crate) fn explain(
    words: &str,
    path: String,
    value: Option<&DeValue<'_>>,
) -> (String, String, Option<String>) {
    // serde calls the choices of an enum variants; here that word means something else.
    let (message, hint) = UnitError::split(&words.replace("unknown variant", "unknown name"));
    if hint.is_some() {
        return (path, message, hint);
    }
    if message == WITHOUT_PARAMETERS
        && let Some(DeValue::String(name)) = value
    {
        let choice = path.strip_suffix(&format!(".{name}")).unwrap_or(&path).to_owned();
        let hint = format!("a choice is a table with its parameters: {}.{name} = {{}}", last(&choice));
        return (choice, format!("\"{name}\" is a name without its parameters"), Some(hint));
    }
    if message == NO_CHOICE {
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
            (path, found, Some("make exactly one choice here, and take the others out".to_owned()))
        };
    }
    let hint = suggestion(&message).or_else(|| remedy(&message, &path, value));
    (path, in_plain_words(&message).unwrap_or(message), hint)
}

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or_default()
}

/// For a name that does not exist: the one that was probably meant, or those there are.
fn suggestion(message: &str) -> Option<String> {
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
    // The key of older texts is like no other.
    let meant = if unknown == "aqm" { known.contains(&"queue").then_some("queue") } else { None };
    let best = meant.or_else(|| nearest(unknown, &known));
    Some(
        best.map_or_else(|| format!("known: {}", known.join(", ")), |best| format!("did you mean `{best}`?")),
    )
}

/// The one of `known` that `unknown` was probably meant to be.
fn nearest<'a>(unknown: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = known.iter().map(|name| (strsim::jaro_winkler(unknown, name), *name));
    let (likeness, best) = near.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (likeness > 0.75).then_some(best)
}

/// For an override of the entry `name` that the table `kind` lacks.
pub(crate) fn missing_entry(kind: &str, name: &str, known: &[&str]) -> (String, String) {
    let what = if kind == "links" { "link" } else { "group of flows" };
    let keys: Vec<_> = Place::root().below(kind).below(name).required().collect();
    let hint = match nearest(name, known) {
        Some(best) => format!("did you mean `{best}`?"),
        None => format!(
            "{kind}: {}; for a new one write a table [{kind}.{name}] with {} in the file",
            if known.is_empty() { "none".to_owned() } else { known.join(", ") },
            keys.join(" and ")
        ),
    };
    (format!("there is no {what} `{name}`"), hint)
}

/// What to write where serde's words do not say it.
fn remedy(message: &str, path: &str, value: Option<&DeValue<'_>>) -> Option<String> {
    let last = last(path);
    if let Some(field) = message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next()) {
        return Some(match field {
            "schema" => "add schema = 1".to_owned(),
            "duration" => "add duration = \"100 s\"".to_owned(),
            "rate" => "add rate = \"64 Mbit/s\"".to_owned(),
            "delay" => "add delay = \"5 ms\"".to_owned(),
            "rtt" => "add rtt = \"80 ms\"".to_owned(),
            "buffer" => "add buffer = \"120 packets\"".to_owned(),
            other => format!("`weir schema` says what {other} may be"),
        });
    }
    if path.starts_with("sweep.axes") {
        return Some("write the values as an array, [2, 4, 8], or as a text, \"2..8 by 2\"".into());
    }
    if let Some(DeValue::String(text)) = value
        && message.starts_with("invalid type")
        && (text.parse::<f64>().is_ok() || matches!(&**text, "true" | "false"))
    {
        return Some(format!("write it without quotation marks: {last} = {text}"));
    }
    message.starts_with("invalid ").then(|| format!("`weir schema` says what {last} may be"))
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
        "a boolean" => "true or false",
        "a string" => "a text",
        "a sequence" => "an array",
        "a map" => "a table",
        _ if expected.starts_with("struct ") => "a table",
        other => other,
    };
    Some(format!("{expected} belongs here, not {found}"))
}
