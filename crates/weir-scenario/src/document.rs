use std::{fs, path::Path, sync::Arc};

use serde::{Deserialize, de::DeserializeOwned};
use toml::de::{DeTable, DeValue};
use weir_aqm::{Link, qdisc::QueueConfig};

use crate::{
    Scenario, ScenarioError, check,
    overrides::{self, Value},
    presets,
    problem::{Problem, is_plain},
    queue_changes::{self, Held},
    reader::{self, ReadError},
    syntax, topology, wording,
};

/// Bytes that a scenario file can have.
const LARGEST: u64 = 1 << 24;

/// The text of a scenario file, with the overrides that were asked for. Values keep the place
/// they were written at, so that every error can point at its line.
#[derive(Clone, Debug)]
pub struct Document {
    // Shared between the many that differ in their overrides alone.
    file: Arc<str>,
    text: Arc<str>,
    variants: Arc<[String]>,
    overrides: Vec<(String, String)>,
}

impl Document {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, is not a plain file of at most 16 MiB, or is not TOML.
    pub fn load(path: &Path) -> Result<Self, ScenarioError> {
        let file = path.display().to_string();
        let read = || {
            let meta = fs::metadata(path).map_err(|error| format!("cannot be read: {error}"))?;
            // A device or a pipe might never end.
            if meta.is_dir() {
                return Err("is a directory, not a file".to_owned());
            }
            if !meta.is_file() {
                return Err("is not a plain file".to_owned());
            }
            if meta.len() > LARGEST {
                return Err(format!("has {} bytes, more than a scenario can have, {LARGEST}", meta.len()));
            }
            fs::read(path).map_err(|error| format!("cannot be read: {error}"))
        };
        let refused = |message: String, hint: &str| {
            let (file, hint) = (file.clone(), Some(hint.to_owned()));
            ScenarioError { file, line: None, path: None, message, hint }
        };
        let bytes = read().map_err(|message| {
            refused(message, "name a scenario file, or one of the scenarios that `weir list` shows")
        })?;
        let text = String::from_utf8(bytes).map_err(|_| {
            refused("is not text in UTF-8".to_owned(), "save it as plain text with the encoding UTF-8")
        })?;
        Self::parse(&file, &text)
    }

    /// Takes `text`, which came from `file`.
    ///
    /// # Errors
    /// If it is not TOML.
    pub fn parse(file: &str, text: &str) -> Result<Self, ScenarioError> {
        let mut document =
            Self { file: file.into(), text: text.into(), variants: Arc::default(), overrides: Vec::new() };
        let tree = document.tree()?;
        for (name, value) in variants(&tree) {
            document.check_variant(name, value)?;
        }
        let names = variants(&tree).map(|(name, _)| name.to_owned()).collect();
        document.variants = names;
        Ok(document)
    }

    /// Returns this document with more values set: dotted paths and TOML values, text that is not TOML being taken
    /// as text.
    #[must_use]
    pub fn with_overrides(&self, overrides: &[(String, String)]) -> Self {
        let mut document = self.clone();
        document.overrides.extend_from_slice(overrides);
        document
    }

    /// The file it came from, as it was named.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The text, without overrides.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The values that were set besides, the last of a path counting.
    pub fn overrides(&self) -> &[(String, String)] {
        &self.overrides
    }

    /// Names of the variants in the order of the file.
    pub fn variants(&self) -> &[String] {
        &self.variants
    }

    /// A variant has a plain name and holds paths, values and perhaps a label.
    fn check_variant(&self, name: &str, value: &Value<'_>) -> Result<(), ScenarioError> {
        let path = format!("variants.{name}");
        let refuse = |message: &str, hint: &str| {
            Err(self.error(Some(value), &path, message.to_owned(), Some(hint.to_owned())))
        };
        if !is_plain(name) {
            return refuse(
                "not a plain name",
                "use letters, digits, \"-\" and \"_\"; label says what to call it",
            );
        }
        let DeValue::Table(table) = value.get_ref() else {
            return refuse("a variant is a table", "write [variants.NAME] with paths and values below");
        };
        if table.keys().any(|path| path.get_ref().split('.').next() == Some("sweep")) {
            return refuse("a sweep is one for all variants", "write [sweep] outside of the variants");
        }
        match table.get("label") {
            Some(label) if label.get_ref().as_str().is_none() => {
                refuse("the label is not a text", "write for example label = \"RED(20:80)\"")
            }
            _ => Ok(()),
        }
    }

    /// Label of a variant: its `label`, else its name.
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
        self.finish(&self.resolved(None)?)
    }

    /// The scenario with the overrides of `[variants.NAME]`.
    ///
    /// # Errors
    /// If there is no such variant, or whatever makes it impossible to run.
    pub fn variant(&self, name: &str) -> Result<Scenario, ScenarioError> {
        self.finish(&self.resolved(Some(name))?)
    }

    /// The scenario of a text that `Scenario::to_toml` wrote, without the files that it names: links that
    /// follow a trace have the rate that their AQM is told.
    ///
    /// # Errors
    /// If the text describes no scenario.
    pub fn resolved_scenario(&self) -> Result<Scenario, ScenarioError> {
        let mut scenario: Scenario = self.read(&self.tree()?)?;
        for link in scenario.links.values_mut() {
            link.directions_mut().for_each(|(_, direction)| *direction.trace = None);
        }
        Ok(scenario)
    }

    /// Error at the value at `path`, for those who find it out after the scenario has been read.
    pub fn error_at(
        &self,
        variant: Option<&str>,
        path: &str,
        message: String,
        hint: String,
    ) -> ScenarioError {
        let tree = self.resolved(variant).unwrap_or_default();
        let path = written(&tree, path);
        self.error(find(&tree, &path), &path, message, Some(hint))
    }

    /// Tells paths as the file has them: that of the row, where a link or a group was written out from one.
    pub fn written(&self, variant: Option<&str>) -> impl Fn(&str) -> String {
        let tree = self.resolved(variant).unwrap_or_default();
        move |path| written(&tree, path)
    }

    /// The text as a tree, with the overrides of a variant, those from outside, and the values of presets.
    fn resolved(&self, variant: Option<&str>) -> Result<DeTable<'_>, ScenarioError> {
        let mut tree = self.tree()?;
        let mut held = Held::default();
        held.add(&self.text, &tree);
        if let Some(name) = variant {
            // What is wrong only without the variant is no error.
            if self.overrides.iter().any(|(path, _)| path.starts_with("changes")) {
                let _ = self.override_in(&mut tree.clone(), &mut held);
            }
            let Some((_, changes)) = variants(&tree).find(|(found, _)| *found == name) else {
                return Err(self.error(None, "variants", format!("there is no variant \"{name}\""), {
                    (!self.variants.is_empty()).then(|| format!("variants: {}", self.variants.join(", ")))
                }));
            };
            let changes = changes.clone();
            if let DeValue::Table(changes) = changes.get_ref() {
                for (path, value) in changes {
                    if path.get_ref() != "label" {
                        self.set(&mut tree, path.get_ref(), value)?;
                    }
                }
            }
            held.add(&self.text, &tree);
        }
        self.override_in(&mut tree, &mut held)?;
        let completed = queue_changes::complete(&self.text, &mut tree, &held);
        completed.map_err(|Problem { path, message, hint }| {
            self.error(find(&tree, &path), &path, message, Some(hint))
        })?;
        presets::fill(&mut tree);
        Ok(tree)
    }

    /// Sets what is overridden from outside.
    fn override_in<'i>(&'i self, tree: &mut DeTable<'i>, held: &mut Held) -> Result<(), ScenarioError> {
        for (path, value) in &self.overrides {
            if path == "variants" || path.starts_with("variants.") {
                let message = "a variant cannot be set from outside".to_owned();
                let hint = "set the value itself: it is set in every variant".to_owned();
                return Err(self.error(None, path, message, Some(hint)));
            }
            let value = overrides::parse_value(value);
            match overrides::chosen(path, &value) {
                Some((path, table)) => self.set(tree, &path, &table)?,
                None => self.set(tree, path, &value)?,
            }
            held.add(&self.text, tree);
        }
        Ok(())
    }

    /// Sets `path` to `value`, which belongs to the text or to an override from outside.
    fn set<'i>(&self, tree: &mut DeTable<'i>, path: &str, value: &Value<'i>) -> Result<(), ScenarioError> {
        let written = path;
        let path: Vec<_> = path.split('.').collect();
        let value = &overrides::expanded(&self.text, value);
        if let Some((kind, name)) = overrides::missing_entry(tree, &self.text, &path, value, false) {
            let table = tree.get(kind).and_then(|value| value.get_ref().as_table());
            let known: Vec<_> =
                table.into_iter().flat_map(DeTable::keys).map(|name| &**name.get_ref()).collect();
            let (message, hint) = wording::missing_entry(kind, name, written, &known);
            return Err(self.error(Some(value), &format!("{kind}.{name}"), message, Some(hint)));
        }
        overrides::set(&self.text, tree, &path, value);
        Ok(())
    }

    /// The text as a tree.
    fn tree(&self) -> Result<DeTable<'_>, ScenarioError> {
        DeTable::parse(&self.text).map(toml::Spanned::into_inner).map_err(|error| ScenarioError {
            file: self.file.to_string(),
            line: error.span().map(|span| self.line(span.start)),
            path: None,
            message: format!("not TOML: {}", error.message()),
            hint: Some(syntax::remedy(
                error.message(),
                &self.text,
                error.span().map_or(self.text.len(), |span| span.start),
            )),
        })
    }

    fn finish(&self, tree: &DeTable<'_>) -> Result<Scenario, ScenarioError> {
        let mut scenario: Scenario = self.read(tree)?;
        scenario.variants = crate::Variants::default();
        let explain = |Problem { path, message, hint }| {
            let path = written(tree, &path);
            self.error(find(tree, &path), &path, message, Some(hint))
        };
        scenario.check_counts().map_err(explain)?;
        let folder = Path::new(&*self.file).parent().unwrap_or(Path::new(""));
        scenario.read_files(folder).map_err(explain)?;
        scenario.complete().map_err(explain)?;
        scenario.check().map_err(explain)?;
        scenario.take_out_written_changes();
        Ok(scenario)
    }

    /// Reads the value that the tree describes.
    fn read<T: DeserializeOwned>(&self, tree: &DeTable<'_>) -> Result<T, ScenarioError> {
        reader::read(tree).map_err(|error| self.explain(tree, &error))
    }

    /// Error that serde found, in words and with its place.
    fn explain(&self, tree: &DeTable<'_>, error: &ReadError) -> ScenarioError {
        let value = find(tree, error.path());
        let written = value.map(toml::Spanned::get_ref);
        let (path, message, hint) = wording::explain(error.message(), error.path().to_owned(), tree, written);
        // A choice that nobody knows stands where its parameters do: a --set may have put it into the file's table.
        let choice = message.strip_prefix("unknown name `").and_then(|rest| rest.strip_suffix('`'));
        let choice = choice.and_then(|name| find(tree, &format!("{}.{name}", error.path())));
        let mut found = self.error(choice.or(value), &path, message, hint);
        if let (Some(span), Some(line)) = (error.span(), found.line)
            && !overrides::is_elsewhere(&span)
        {
            // The parser may know no more than the array around the entry.
            found.line = Some(self.line(span.start).max(line));
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
        let below = |long: &str, short: &str| {
            long == short || long.strip_prefix(short).is_some_and(|rest| rest.starts_with('.'))
        };
        let elsewhere = value.is_some_and(|value| overrides::is_elsewhere(&value.span()));
        let mut set = self.overrides.iter().rev();
        let set = if elsewhere {
            set.find(|(set, _)| below(path, set) || below(set, path)).or(self.overrides.last())
        } else {
            set.find(|(set, _)| below(path, set))
        };
        let (file, line) = match set {
            Some((path, value)) => (format!("--set {path}={value}"), None),
            None => (self.file.to_string(), value.map(|value| self.line(value.span().start))),
        };
        ScenarioError { file, line, path: (!path.is_empty()).then(|| path.to_owned()), message, hint }
    }

    /// The line that holds the byte at `offset`, from 1.
    fn line(&self, offset: usize) -> usize {
        self.text.as_bytes()[..offset.min(self.text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
    }
}

/// The discipline before `link` that `table`, inline TOML, describes as in a scenario: for those who
/// have none.
///
/// # Errors
/// As in a scenario; the path begins with `queue`.
pub fn read_queue(table: &str, link: Link) -> Result<QueueConfig, ScenarioError> {
    #[derive(Deserialize)]
    struct Alone {
        queue: QueueConfig,
    }
    let document = Document::parse("the table", &format!("queue = {table}"))?;
    let tree = document.tree()?;
    let Alone { mut queue } = document.read(&tree)?;
    let checked = check::check_parameters("queue", &queue).and_then(|()| {
        queue.complete(link);
        check::check_discipline("queue", &queue, link)
    });
    checked.map_err(|Problem { path, message, hint }| {
        document.error(find(&tree, &path), &path, message, Some(hint))
    })?;
    Ok(queue)
}

/// The deepest value on the dotted `path` that was written down.
fn find<'a, 'i>(tree: &'a DeTable<'i>, path: &str) -> Option<&'a Value<'i>> {
    overrides::find(tree, &path.split('.').collect::<Vec<_>>())
}

/// The path that the tree has for what may have been written out from a short form.
fn written(tree: &DeTable<'_>, path: &str) -> String {
    let change = path.split_once('.').filter(|(change, _)| change.starts_with("changes["));
    if let Some((change, rest)) = change {
        let table = find(tree, change).and_then(|value| value.get_ref().as_table());
        return table.map_or_else(|| path.to_owned(), |table| format!("{change}.{}", written(table, rest)));
    }
    topology::written(path, |kind, name| {
        let table = tree.get(kind).and_then(|value| value.get_ref().as_table());
        table.is_some_and(|table| table.contains_key(name))
    })
}

fn variants<'a, 'i>(tree: &'a DeTable<'i>) -> impl Iterator<Item = (&'a str, &'a Value<'i>)> {
    let table = tree.get("variants").and_then(|value| match value.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    });
    table.into_iter().flatten().map(|(name, value)| (name.get_ref().as_ref(), value))
}
