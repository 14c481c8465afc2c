//! Advice on a text that is not TOML.

/// Advice on what to write, by what the parser says (`message`) about `text` at the byte `at`.
pub(crate) fn remedy(message: &str, text: &str, at: usize) -> String {
    let said = |words: &[&str]| words.iter().any(|word| message.contains(word));
    let line = line_at(text, at);
    if text.trim_start().starts_with('{') {
        return "a scenario is TOML, not JSON: KEY = VALUE below [TABLE]; `weir init` writes one".to_owned();
    }
    if said(&["unclosed", "missing key for inline table", "missing comma", "missing value"])
        && let Some((bracket, opened)) = open_bracket(text, at)
    {
        let closing = if bracket == '{' { '}' } else { ']' };
        return format!("the {bracket} in line {opened} is not closed: add {closing}");
    }
    if said(&["duplicate key"]) {
        return format!("`{}` is written twice: keep one", line.split('=').next().unwrap_or(line).trim());
    }
    if said(&["cannot extend value"]) {
        return "write a table in one place: all its keys in { }, or each with dots, tcp.ecn = true"
            .to_owned();
    }
    if said(&["extra `=`"]) {
        return "write one =: KEY = VALUE".to_owned();
    }
    if said(&["key with no value"]) {
        let colon = line.split_once(':').map(|(key, value)| (key.trim(), value.trim()));
        return match colon {
            Some((key, value)) => format!("write =, not a colon: {key} = {value}"),
            None => format!("write {} = VALUE", line.split_whitespace().next().unwrap_or("KEY")),
        };
    }
    if said(&["invalid boolean"]) {
        return "write true or false, in lower case".to_owned();
    }
    if said(&["unexpected key or value"]) {
        return "write one KEY = VALUE in each line, with nothing behind the value".to_owned();
    }
    if line.contains("//") && !line.contains('#') {
        return "a comment begins with #".to_owned();
    }
    if line.contains(['“', '”', '‘', '’', '„']) {
        return "write straight quotation marks: \"64 Mbit/s\"".to_owned();
    }
    if line.matches('"').count() % 2 == 1 {
        return "a text ends with a quotation mark in the same line: rate = \"64 Mbit/s\"".to_owned();
    }
    "texts need quotation marks: rate = \"64 Mbit/s\"".to_owned()
}

fn line_at(text: &str, at: usize) -> &str {
    let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let start = text[..at].rfind('\n').map_or(0, |before| before + 1);
    text[start..].lines().next().unwrap_or_default()
}

/// The innermost bracket that is open before the byte `end`, and its line, from 1.
fn open_bracket(text: &str, end: usize) -> Option<(char, usize)> {
    let (mut open, mut line, mut quote, mut escaped) = (Vec::new(), 1, None, false);
    let mut comment = false;
    for (_, char) in text.char_indices().take_while(|(at, _)| *at < end) {
        match (char, quote) {
            ('\n', _) => (line, quote, comment, escaped) = (line + 1, None, false, false),
            _ if comment => {}
            (_, Some('"')) if escaped => escaped = false,
            ('\\', Some('"')) => escaped = true,
            (_, Some(mark)) if char == mark => quote = None,
            ('"' | '\'', None) => quote = Some(char),
            ('#', None) => comment = true,
            ('[' | '{', None) => open.push((char, line)),
            (']' | '}', None) => drop(open.pop()),
            _ => {}
        }
    }
    open.pop()
}
