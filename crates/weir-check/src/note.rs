//! A note, and the list that rules write theirs into.

/// Weight of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Something to know when results are read.
    Note,
    /// Results probably do not mean what they seem to.
    Warning,
}

impl Severity {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
        }
    }

    /// A warning if `grave`, else a note.
    pub(crate) const fn warning_if(grave: bool) -> Self {
        if grave { Self::Warning } else { Self::Note }
    }
}

/// Something in a scenario that is allowed, and that can mislead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Stable name, such as `no-warm-up`.
    pub code: String,
    /// Its weight.
    pub severity: Severity,
    /// Path in the scenario, such as `links.bottleneck.queue.red.min_th`.
    pub path: String,
    /// One sentence without its full stop.
    pub message: String,
    /// Proposed change of the scenario.
    pub hint: String,
}

/// Notes that rules have found.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Code of the rule at work.
    code: String,
    found: Vec<Note>,
}

impl Notes {
    /// Notes to come are those of the rule with this code.
    pub(crate) fn begin(&mut self, code: String) {
        self.code = code;
    }

    /// Adds what is to be known when results are read.
    pub(crate) fn note(
        &mut self,
        path: impl Into<String>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.add(Severity::Note, path, message, hint);
    }

    /// Adds what probably makes results mean something else than they seem to.
    pub(crate) fn warning(
        &mut self,
        path: impl Into<String>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.add(Severity::Warning, path, message, hint);
    }

    /// Adds a note of this weight.
    pub(crate) fn add(
        &mut self,
        severity: Severity,
        path: impl Into<String>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let (code, path) = (self.code.clone(), path.into());
        self.found.push(Note { code, severity, path, message: message.into(), hint: hint.into() });
    }

    /// The notes, one of each code and path: the links of a row have the same.
    pub(crate) fn different(self) -> Vec<Note> {
        let mut kept: Vec<Note> = Vec::new();
        for note in self.found {
            match kept.iter_mut().find(|one| one.code == note.code && one.path == note.path) {
                Some(before) => *before = note,
                None => kept.push(note),
            }
        }
        kept
    }
}
