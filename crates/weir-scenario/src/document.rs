use std::{fs, path::Path};

use toml::de::{DeTable, DeValue, Deserializer};
use weir_types::UnitError;

use crate::{
    Scenario, ScenarioError,
    check::Problem,
    overrides::{self, Value},
};

/// The text of a scenario file, with the overrides that were asked for. Values keep the place
/// they were written at, so that every error can point at its line.
#[derive(Clone, Debug)]
pub struct Document {
    file: String,
    text: String,
    overrides: Vec<(String, String)>,
    variants: Vec<String>,
}

impl Document {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is not TOML.
    pub fn load(path: &Path) -> Result<Self, ScenarioError> {
        let file = path.display().to_string();
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(&file, &text),
            Err(error) => Err(ScenarioError {
                file,
                line: None,
                path: None,
                message: format!("cannot be read: {error}"),
                hint: Some("name a scenario file, or one of the scenarios that `weir list` shows".into()),
            }),
        }
    }

    /// Takes `text`, which came from `file`.
    ///
    /// # Errors
    /// If it is not TOML.
    pub fn parse(file: &str, text: &str) -> Result<Self, ScenarioError> {
        let mut document = Self {
            file: file.to_owned(),
            text: text.to_owned(),
            overrides: Vec::new(),
            variants: Vec::new(),
        };
        let tree = document.tree()?;
        document.variants = variants(&tree).map(|(name, _)| name.to_owned()).collect();
        Ok(document)
    }

    /// The same text with more values set: dotted paths and TOML values, text that is not TOML
    /// being taken as text.
    #[must_use]
    pub fn with_overrides(&self, overrides: &[(String, String)]) -> Self {
        let mut document = self.clone();
        document.overrides.extend_from_slice(overrides);
        document
    }

    /// Names of the variants in the order of the file.
    pub fn variants(&self) -> &[String] {
        &self.variants
    }

    /// What to call a variant: its `label`, else its name.
    pub fn label(&self, variant: &str) -> String {
        let Ok(tree) = self.tree() else { return variant.to_owned() };
        let label = variants(&tree)
            .find(|(name, _)| *name == variant)
            .and_then(|(_, value)| value.get_ref().get("label"))
            .and_then(|label| label.get_ref().as_str());
        label.unwrap_or(variant).to_owned()
    }

    /// The scenario without any variant.
    ///
    /// # Errors
    /// Whatever makes it impossible to run.
    pub fn scenario(&self) -> Result<Scenario, ScenarioError> {
        self.finish(self.tree()?)
    }

    /// The scenario with the overrides of `[variants.NAME]`.
    ///
    /// # Errors
    /// If there is no such variant, or whatever makes it impossible to run.
    pub fn variant(&self, name: &str) -> Result<Scenario, ScenarioError> {
        let mut tree = self.tree()?;
        let Some((_, changes)) = variants(&tree).find(|(found, _)| *found == name) else {
            return Err(self.error(None, "variants", format!("there is no variant \"{name}\""), {
                (!self.variants.is_empty()).then(|| format!("variants: {}", self.variants.join(", ")))
            }));
        };
        let changes = changes.clone();
        if let DeValue::Table(changes) = changes.get_ref() {
            for (path, value) in changes {
                if path.get_ref() != "label" {
                    overrides::set(&mut tree, &path.get_ref().split('.').collect::<Vec<_>>(), value);
                }
            }
        }
        self.finish(tree)
    }

    /// The text as a tree.
    fn tree(&self) -> Result<DeTable<'_>, ScenarioError> {
        DeTable::parse(&self.text).map(toml::Spanned::into_inner).map_err(|error| ScenarioError {
            file: self.file.clone(),
            line: error.span().map(|span| self.line(span.start)),
            path: None,
            message: format!("not TOML: {}", error.message()),
            hint: Some("texts need quotation marks: rate = \"64 Mbit/s\"".into()),
        })
    }

    fn finish<'a>(&'a self, mut tree: DeTable<'a>) -> Result<Scenario, ScenarioError> {
        for (path, value) in &self.overrides {
            let value = overrides::parse_value(value);
            overrides::set(&mut tree, &path.split('.').collect::<Vec<_>>(), &value);
        }
        let kept = tree.clone();
        let spanned = toml::Spanned::new(0..self.text.len(), tree);
        let mut scenario: Scenario = serde_path_to_error::deserialize(Deserializer::from(spanned))
            .map_err(|error| self.explain(&kept, &error))?;
        scenario.variants = crate::Variants::default();
        scenario.complete();
        scenario.check().map_err(|Problem { path, message, hint }| {
            let value = overrides::find(&kept, &path.split('.').collect::<Vec<_>>());
            self.error(value, &path, message, Some(hint))
        })?;
        Ok(scenario)
    }

    /// What serde found wrong, in words and with its place.
    fn explain(
        &self,
        tree: &DeTable<'_>,
        error: &serde_path_to_error::Error<toml::de::Error>,
    ) -> ScenarioError {
        let path = error.path().to_string();
        let path = if path == "." { String::new() } else { path };
        // serde calls the choices of an enum variants; here that word means something else.
        let words = error.inner().message().replace("unknown variant", "unknown name");
        let (message, hint) = UnitError::split(&words);
        let hint = hint.or_else(|| suggestion(&message));
        let value = overrides::find(tree, &path.split('.').collect::<Vec<_>>());
        let mut found = self.error(value, &path, message, hint);
        if let (Some(span), true) = (error.inner().span(), found.line.is_some()) {
            found.line = Some(self.line(span.start));
        }
        found
    }

    fn error(
        &self,
        value: Option<&Value<'_>>,
        path: &str,
        message: String,
        hint: Option<String>,
    ) -> ScenarioError {
        let set = self.overrides.iter().find(|(set, _)| {
            path == set || path.strip_prefix(set.as_str()).is_some_and(|rest| rest.starts_with('.'))
        });
        let (file, line) = match set {
            Some((path, value)) => (format!("--set {path}={value}"), None),
            None => (self.file.clone(), value.map(|value| self.line(value.span().start))),
        };
        ScenarioError { file, line, path: (!path.is_empty()).then(|| path.to_owned()), message, hint }
    }

    /// The line that holds the byte at `offset`, from 1.
    fn line(&self, offset: usize) -> usize {
        self.text.as_bytes()[..offset.min(self.text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
    }
}

fn variants<'a, 'i>(tree: &'a DeTable<'i>) -> impl Iterator<Item = (&'a str, &'a Value<'i>)> {
    let table = tree.get("variants").and_then(|value| match value.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    });
    table.into_iter().flatten().map(|(name, value)| (name.get_ref().as_ref(), value))
}

/// For a name that does not exist: the one that was probably meant, or those there are.
fn suggestion(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = quoted.next().filter(|_| message.starts_with("unknown"))?;
    let known: Vec<_> = quoted.collect();
    let near = known.iter().map(|name| (strsim::jaro_winkler(unknown, name), name));
    let (likeness, best) = near.max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(if likeness > 0.75 {
        format!("did you mean `{best}`?")
    } else {
        format!("known: {}", known.join(", "))
    })
}
