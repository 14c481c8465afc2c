//! A lesson from its text.

use serde::Serialize;
use weir_scenario::{Document, ScenarioError};

use crate::answers::{Answer, Claim, Range};
use crate::blocks::{Block, Inline, Item, Kind, blocks};
use crate::quantity::{Quantity, Term};

/// The control that a student moves: a path of the scenario, and its value in TOML.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Move {
    /// Dotted path.
    pub path: String,
    /// The value in TOML.
    pub value: String,
}

/// A lesson.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lesson {
    /// Its title.
    pub title: String,
    /// Its first sentences, as HTML.
    pub text: String,
    /// The scenario in TOML.
    pub scenario: String,
    /// Line of the file on which the scenario begins, from 1.
    pub scenario_line: usize,
    /// The inner variable that is worth looking at, such as `price`.
    pub shows: Option<String>,
    /// The question, as HTML.
    pub question: String,
    /// The answers in their order.
    pub answers: Vec<Answer>,
    /// The quantity that decides between the answers.
    pub measured: Quantity,
    /// The value that is moved. None for a lesson that compares variants as they are.
    pub moved: Option<Move>,
    /// The reason, as HTML.
    pub why: String,
    /// Further claims, each as the simulation can show.
    pub claims: Vec<Claim>,
}

/// The parts of a lesson that a heading begins, in their order.
const PARTS: [&str; 4] = ["", "Predict", "Move", "Why"];

impl Lesson {
    /// Reads a lesson; `file` names it in messages.
    ///
    /// # Errors
    /// If a part is missing or wrong, or the scenario is none, before or after the move.
    pub fn parse(file: &str, text: &str) -> Result<Self, ScenarioError> {
        Reader { file }.read(text)
    }

    /// The scenario before the move.
    ///
    /// # Errors
    /// If it is none; see [`Lesson::parse`].
    pub fn document(&self, file: &str) -> Result<Document, ScenarioError> {
        // Lines of messages are those of the lesson.
        let lines = "\n".repeat(self.scenario_line - 1);
        Document::parse(file, &(lines + &self.scenario))
    }
}

struct Reader<'f> {
    file: &'f str,
}

/// The blocks of a file, sorted.
#[derive(Default)]
struct Parts<'a> {
    title: Option<String>,
    text: Vec<String>,
    scenario: Option<(usize, String)>,
    shows: Option<String>,
    question: Vec<String>,
    items: Vec<Item<'a>>,
    measured: Option<(usize, String)>,
    moved: Option<(usize, String)>,
    why: Vec<String>,
    claims: Vec<Item<'a>>,
}

impl Reader<'_> {
    fn error(&self, line: usize, message: impl Into<String>, hint: &str) -> ScenarioError {
        ScenarioError {
            file: self.file.to_owned(),
            line: Some(line),
            path: None,
            message: message.into(),
            hint: Some(hint.to_owned()),
        }
    }

    fn read(&self, text: &str) -> Result<Lesson, ScenarioError> {
        let parts = self.parts(text)?;
        let last = text.lines().count().max(1);
        let missing = |what: &str, hint: &str| self.error(last, format!("the lesson has no {what}"), hint);
        let title = parts.title.ok_or_else(|| missing("title", "begin with: # The title"))?;
        let (scenario_line, scenario) = parts.scenario.ok_or_else(|| {
            missing("scenario", "put a scenario between ```toml and ``` below the first sentences")
        })?;
        let measured = parts.measured.ok_or_else(|| {
            missing("quantity", "end the part Predict with: Measured: `delay_mean in b / delay_mean in a`")
        })?;
        if parts.question.is_empty() {
            return Err(missing("question", "put it below ## Predict, and the answers below it"));
        }
        if parts.why.is_empty() {
            return Err(missing("reason", "end with ## Why, and the reason in three sentences"));
        }
        let quantity =
            Quantity::parse(&measured.1).map_err(|(message, hint)| self.error(measured.0, message, &hint))?;
        let answers = self.answers(parts.items, &quantity.unit, measured.0)?;
        let claims: Vec<_> =
            parts.claims.into_iter().map(|item| self.claim(item)).collect::<Result<_, _>>()?;
        let moved = match &parts.moved {
            Some((line, code)) => Some((*line, self.moved(*line, code)?)),
            None => None,
        };
        let lesson = Lesson {
            title,
            text: parts.text.join("\n"),
            scenario,
            scenario_line,
            shows: parts.shows,
            question: parts.question.join("\n"),
            answers,
            measured: quantity,
            moved: moved.as_ref().map(|(_, one)| one.clone()),
            why: parts.why.join("\n"),
            claims: claims.iter().map(|(_, claim)| claim.clone()).collect(),
        };
        let document = lesson.document(self.file)?;
        self.check_terms(&document, &lesson, &lesson.measured, measured.0)?;
        for (line, claim) in &claims {
            self.check_terms(&document, &lesson, &claim.measured, *line)?;
        }
        self.check_move(&document, moved)?;
        Ok(lesson)
    }

    /// Sorts the blocks by what they say.
    fn parts<'a>(&self, text: &'a str) -> Result<Parts<'a>, ScenarioError> {
        let mut parts = Parts::default();
        let mut now = 0;
        for Block { line, kind } in blocks(text) {
            match (PARTS[now], kind) {
                (_, Kind::Heading(1, title)) if parts.title.is_none() && now == 0 => {
                    parts.title = Some(title);
                }
                (_, Kind::Heading(2, name)) => {
                    let place = PARTS.iter().position(|part| !part.is_empty() && *part == name);
                    let place = place.filter(|place| *place > now).ok_or_else(|| {
                        self.error(
                            line,
                            format!("\"{name}\" is no part, or stands twice"),
                            "parts: ## Predict, ## Move (or none), ## Why, in this order",
                        )
                    })?;
                    now = place;
                }
                ("", Kind::Code { language, text }) if language == "toml" && parts.scenario.is_none() => {
                    parts.scenario = Some((line + 1, text));
                }
                ("", Kind::Paragraph(inline)) => match after(inline, "Shown:") {
                    Ok(code) => parts.shows = Some(code),
                    Err(inline) => parts.text.push(paragraph(&inline)),
                },
                ("Predict", Kind::Paragraph(inline)) => match after(inline, "Measured:") {
                    Ok(code) => parts.measured = Some((line, code)),
                    Err(inline) => parts.question.push(paragraph(&inline)),
                },
                ("Predict", Kind::List(items)) if parts.items.is_empty() => parts.items = items,
                ("Move", Kind::Paragraph(mut inline)) if parts.moved.is_none() => {
                    let code = inline.pop_code().ok_or_else(|| {
                        self.error(
                            line,
                            "nothing is moved",
                            "write the path and its value: `flows.download.count = 20`",
                        )
                    })?;
                    parts.moved = Some((line, code));
                }
                ("Why", Kind::Paragraph(inline)) => parts.why.push(paragraph(&inline)),
                ("Why", Kind::List(items)) if parts.claims.is_empty() => parts.claims = items,
                (part, _) => {
                    let part = if part.is_empty() { "the beginning" } else { part };
                    return Err(self.error(line, format!("{part} has no place for this"), place_for(part)));
                }
            }
        }
        Ok(parts)
    }

    fn answers(&self, items: Vec<Item<'_>>, unit: &str, line: usize) -> Result<Vec<Answer>, ScenarioError> {
        let mut answers: Vec<(usize, Answer)> = Vec::new();
        for Item { line, mark, mut text } in items {
            let refuse = |message: &str, hint: &str| Err(self.error(line, message, hint));
            let Some(right) = mark else {
                return refuse("an answer has no box", "begin it with [ ], or with [x] if it is right");
            };
            let Some(written) = text.pop_code() else {
                return refuse(
                    "an answer has no range",
                    "end it with the range in which it is right: `below 0.5`",
                );
            };
            let range =
                Range::parse(&written, unit).map_err(|(message, hint)| self.error(line, message, &hint))?;
            if let Some((other, _)) = answers.iter().find(|(_, other)| !other.range.is_apart_from(range)) {
                return refuse(
                    &format!("two answers are right for one value: that of line {other} and this"),
                    "let each range begin where the one before it ends",
                );
            }
            answers.push((line, Answer { text: text.text(), html: text.html(), range, written, right }));
        }
        let right = answers.iter().filter(|(_, answer)| answer.right).count();
        if answers.len() < 2 || right != 1 {
            let message = format!("{} answers, of which {right} are right", answers.len());
            return Err(self.error(line, message, "give at least two, one of them with [x]"));
        }
        Ok(answers.into_iter().map(|(_, answer)| answer).collect())
    }

    fn claim(&self, Item { line, mut text, .. }: Item<'_>) -> Result<(usize, Claim), ScenarioError> {
        let wrong = |(message, hint): (String, String)| self.error(line, message, &hint);
        let range = text.pop_code();
        let (Some(range), Some(quantity)) = (range, text.pop_code()) else {
            let hint = "end it with a quantity and its range: `utilisation in a` `above 97%`";
            return Err(self.error(line, "a claim is not measured", hint));
        };
        let measured = Quantity::parse(&quantity).map_err(wrong)?;
        let parsed = Range::parse(&range, &measured.unit).map_err(wrong)?;
        Ok((line, Claim { text: text.text(), html: text.html(), measured, range: parsed, written: range }))
    }

    fn moved(&self, line: usize, code: &str) -> Result<Move, ScenarioError> {
        let (path, value) = code.split_once('=').ok_or_else(|| {
            self.error(line, format!("\"{code}\" moves nothing"), "write PATH = VALUE, the value in TOML")
        })?;
        Ok(Move { path: path.trim().to_owned(), value: value.trim().to_owned() })
    }

    /// The scenario has what is measured on this line.
    fn check_terms(
        &self,
        document: &Document,
        lesson: &Lesson,
        quantity: &Quantity,
        line: usize,
    ) -> Result<(), ScenarioError> {
        let variants = document.variants();
        for Term { group, variant, before, .. } in quantity.terms() {
            if *before && lesson.moved.is_none() {
                return Err(self.error(line, "nothing is moved, so there is no before", "add ## Move"));
            }
            let name = variant.as_deref();
            if name.is_some_and(|name| !variants.iter().any(|one| one == name))
                || (name.is_none() && !variants.is_empty())
            {
                let message = match name {
                    Some(name) => format!("there is no variant \"{name}\""),
                    None => "the quantity names no variant".to_owned(),
                };
                return Err(self.error(line, message, &format!("variants: {}", variants.join(", "))));
            }
            let scenario = name.map_or_else(|| document.scenario(), |name| document.variant(name))?;
            if let Some(group) = group.as_ref().filter(|group| !scenario.flows.contains_key(*group)) {
                let groups: Vec<_> = scenario.flows.keys().map(ToString::to_string).collect();
                let message = format!("there is no flow group \"{group}\"");
                return Err(self.error(line, message, &format!("flow groups: {}", groups.join(", "))));
            }
        }
        Ok(())
    }

    /// The scenario is one after the move, too.
    fn check_move(&self, document: &Document, moved: Option<(usize, Move)>) -> Result<(), ScenarioError> {
        let Some((line, Move { path, value })) = moved else { return Ok(()) };
        let variants = document.variants();
        let after = document.with_overrides(&[(path, value)]);
        let all = variants.iter().map(|name| after.variant(name));
        match all.chain((variants.is_empty()).then(|| after.scenario())).find_map(Result::err) {
            Some(error) => Err(ScenarioError { file: self.file.to_owned(), line: Some(line), ..error }),
            None => Ok(()),
        }
    }
}

/// The code after a word with a colon, or the paragraph back.
fn after<'a>(mut inline: Inline<'a>, word: &str) -> Result<String, Inline<'a>> {
    if !inline.text().starts_with(word) {
        return Err(inline);
    }
    inline.pop_code().ok_or(inline)
}

fn paragraph(inline: &Inline<'_>) -> String {
    format!("<p>{}</p>", inline.html())
}

/// A hint at what may stand in a part.
fn place_for(part: &str) -> &'static str {
    match part {
        "Predict" => "it holds the question, one list of answers, and Measured: `quantity`",
        "Move" => "it holds one path with its value, such as `flows.download.count = 20`",
        "Why" => "it holds the reason in sentences, and perhaps one list of claims",
        _ => "it holds the title, sentences, a scenario in ```toml, and perhaps Shown: `variable`",
    }
}
