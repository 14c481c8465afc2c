//! Markdown as a list of blocks with their places.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// A block of a document.
pub(crate) struct Block<'a> {
    /// Line on which it begins, from 1.
    pub line: usize,
    pub kind: Kind<'a>,
}

pub(crate) enum Kind<'a> {
    /// A heading of this depth, from 1.
    Heading(usize, String),
    /// A fenced code block with this language.
    Code {
        language: String,
        text: String,
    },
    Paragraph(Inline<'a>),
    /// Items, each with its line.
    List(Vec<Item<'a>>),
    /// A block that a lesson has no use for.
    Other,
}

pub(crate) struct Item<'a> {
    pub line: usize,
    /// `[x]` or `[ ]`, if the item begins with one.
    pub mark: Option<bool>,
    pub text: Inline<'a>,
}

/// Text with emphasis, code and links.
#[derive(Default)]
pub(crate) struct Inline<'a>(Vec<Event<'a>>);

impl Inline<'_> {
    /// As HTML. What the author wrote as HTML is shown as it is written.
    pub(crate) fn html(&self) -> String {
        let safe = self.0.iter().map(|event| match event {
            Event::Html(text) | Event::InlineHtml(text) => Event::Text(text.clone()),
            other => other.clone(),
        });
        let mut out = String::new();
        html::push_html(&mut out, safe);
        out.trim().to_owned()
    }

    /// The words alone.
    pub(crate) fn text(&self) -> String {
        let words = self.0.iter().filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => Some(&**text),
            Event::SoftBreak | Event::HardBreak => Some(" "),
            _ => None,
        });
        words.collect::<String>().trim().to_owned()
    }

    /// Takes the code at its end, if it ends in code.
    pub(crate) fn pop_code(&mut self) -> Option<String> {
        while self.0.last().is_some_and(is_blank) {
            self.0.pop();
        }
        if let Some(Event::Code(_)) = self.0.last() {
            let Some(Event::Code(code)) = self.0.pop() else { return None };
            return Some(code.into_string());
        }
        None
    }
}

/// The blocks of a document.
pub(crate) fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut events = Parser::new_ext(text, Options::ENABLE_TASKLISTS).into_offset_iter();
    while let Some((event, place)) = events.next() {
        let line = line_of(text, place.start);
        let kind = match event {
            Event::Start(Tag::Heading { level, .. }) => {
                Kind::Heading(depth(level), until(&mut events, TagEnd::Heading(level)).text())
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                Kind::Code { language, text: until(&mut events, TagEnd::CodeBlock).code() }
            }
            Event::Start(Tag::Paragraph) => Kind::Paragraph(until(&mut events, TagEnd::Paragraph)),
            Event::Start(Tag::List(start)) => {
                let mut items = Vec::new();
                while let Some((event, place)) = events.next() {
                    match event {
                        Event::Start(Tag::Item) => {
                            items.push(item(line_of(text, place.start), until(&mut events, TagEnd::Item)));
                        }
                        Event::End(TagEnd::List(ordered)) if ordered == start.is_some() => break,
                        _ => {}
                    }
                }
                Kind::List(items)
            }
            Event::Start(tag) => {
                until(&mut events, tag.to_end());
                Kind::Other
            }
            _ => Kind::Other,
        };
        found.push(Block { line, kind });
    }
    found
}

impl Inline<'_> {
    /// The text of a code block, line ends included.
    fn code(&self) -> String {
        let parts = self.0.iter().filter_map(|event| match event {
            Event::Text(text) => Some(&**text),
            _ => None,
        });
        parts.collect()
    }
}

fn is_blank(event: &Event<'_>) -> bool {
    match event {
        Event::Text(text) => text.trim().is_empty(),
        Event::SoftBreak | Event::HardBreak => true,
        _ => false,
    }
}

/// The events up to an end, which is left out.
fn until<'a>(
    events: &mut impl Iterator<Item = (Event<'a>, std::ops::Range<usize>)>,
    end: TagEnd,
) -> Inline<'a> {
    let mut depth = 0;
    let mut inner = Vec::new();
    for (event, _) in events {
        match event {
            Event::End(found) if found == end && depth == 0 => break,
            Event::Start(ref tag) if tag.to_end() == end => depth += 1,
            Event::End(found) if found == end => depth -= 1,
            _ => {}
        }
        inner.push(event);
    }
    Inline(inner)
}

fn item(line: usize, Inline(mut events): Inline<'_>) -> Item<'_> {
    // A list with blank lines between its items has paragraphs in them.
    events.retain(|event| !matches!(event, Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph)));
    let mut mark = None;
    if let Some(Event::TaskListMarker(checked)) = events.first() {
        mark = Some(*checked);
        events.remove(0);
    }
    Item { line, mark, text: Inline(events) }
}

fn depth(level: HeadingLevel) -> usize {
    level as usize
}

fn line_of(text: &str, place: usize) -> usize {
    1 + text[..place].matches('\n').count()
}
