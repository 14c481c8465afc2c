//! Quantities that a lesson measures.

use std::fmt;

use serde::Serialize;

/// The measures that a lesson may ask for, as `weir.stats` names them, each with its unit.
pub const MEASURES: [(&str, &str); 8] = [
    ("delay_mean", "ms"),
    ("delay_p99", "ms"),
    ("mean_queue", "packets"),
    ("utilisation", "%"),
    ("goodput", "%"),
    ("loss", "%"),
    ("mark_fraction", "%"),
    ("jain", ""),
];

/// Measures that a flow group has, too.
const OF_GROUPS: [&str; 3] = ["goodput", "loss", "jain"];

/// One measure of one variant, as in `goodput of far in a before`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Term {
    /// The measure.
    pub measure: String,
    /// The flow group; all flows if there is none.
    pub group: Option<String>,
    /// The variant; the scenario without a variant if there is none.
    pub variant: Option<String>,
    /// True for the scenario as it was before the move.
    pub before: bool,
}

/// How two terms are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// The first less the second, in their unit.
    Minus,
    /// The first over the second, a pure number.
    Over,
}

/// A quantity: a term, or two and how they are compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Quantity {
    /// The first term.
    pub first: Term,
    /// The second, if there is one.
    pub second: Option<(Operation, Term)>,
    /// Unit of the quantity; empty for a pure number.
    pub unit: String,
    /// The quantity as it is written.
    pub written: String,
}

impl Quantity {
    /// Reads `delay_mean in b / delay_mean in a`.
    ///
    /// # Errors
    /// A message and a hint, if it is no such thing.
    pub(crate) fn parse(text: &str) -> Result<Self, (String, String)> {
        let words: Vec<_> = text.split_whitespace().collect();
        let operation = words.iter().position(|word| matches!(*word, "/" | "-"));
        let (first, second) = match operation {
            Some(place) => {
                let operation = if words[place] == "/" { Operation::Over } else { Operation::Minus };
                (term(&words[..place])?, Some((operation, term(&words[place + 1..])?)))
            }
            None => (term(&words)?, None),
        };
        let own = unit(&first.measure);
        let unit = match &second {
            Some((Operation::Over, _)) => "",
            Some((Operation::Minus, other)) if unit(&other.measure) != own => {
                let message = format!("{} and {} have different units", first.measure, other.measure);
                return Err((message, "subtract two measures with one unit, or divide them by /".to_owned()));
            }
            Some((Operation::Minus, _)) if own == "%" => "points",
            _ => own,
        };
        Ok(Self { unit: unit.to_owned(), written: words.join(" "), first, second })
    }

    /// Its terms.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        std::iter::once(&self.first).chain(self.second.iter().map(|(_, term)| term))
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.measure)?;
        if let Some(group) = &self.group {
            write!(f, " of {group}")?;
        }
        if let Some(variant) = &self.variant {
            write!(f, " in {variant}")?;
        }
        if self.before { f.write_str(" before") } else { Ok(()) }
    }
}

fn unit(measure: &str) -> &'static str {
    MEASURES.iter().find(|(name, _)| *name == measure).map_or("", |(_, unit)| unit)
}

/// Reads `MEASURE [of GROUP] [in VARIANT] [before]`.
fn term(words: &[&str]) -> Result<Term, (String, String)> {
    let written = words.join(" ");
    let refuse = |hint: String| (format!("\"{written}\" is no measure of a variant"), hint);
    let shape = || "write MEASURE [of GROUP] [in VARIANT] [before], such as goodput of tcp in a".to_owned();
    let [measure, rest @ ..] = words else { return Err(refuse(shape())) };
    if !MEASURES.iter().any(|(name, _)| name == measure) {
        let names: Vec<_> = MEASURES.iter().map(|(name, _)| *name).collect();
        return Err(refuse(format!("measures: {}", names.join(", "))));
    }
    let (before, rest) = match rest {
        [rest @ .., "before"] => (true, rest),
        _ => (false, rest),
    };
    let (group, variant) = match rest {
        [] => (None, None),
        ["of", group] => (Some(*group), None),
        ["in", variant] => (None, Some(*variant)),
        ["of", group, "in", variant] => (Some(*group), Some(*variant)),
        _ => return Err(refuse(shape())),
    };
    if group.is_some() && !OF_GROUPS.contains(measure) {
        return Err(refuse(format!("a flow group has {} only", OF_GROUPS.join(", "))));
    }
    let own = |word: Option<&str>| word.map(str::to_owned);
    Ok(Term { measure: (*measure).to_owned(), group: own(group), variant: own(variant), before })
}
