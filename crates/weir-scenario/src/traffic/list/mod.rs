//! A list of transfers: when each starts and how large it is, from CSV or from a list that simulators of data centres
//! read.

use std::{collections::HashSet, path::Path, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Invalid};

mod parse;

use crate::files::{self, Content};

/// The transfers of a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"file": "flows.csv"}]))]
pub struct TransferList {
    /// A path beside the scenario's file. Each line is a transfer, in one of three forms. CSV has the columns
    /// `start` (seconds after the group's `start`), `size` (bytes on the wire, headers included) and, if wanted,
    /// `group`, `source` and `destination`. The second form is start, size, source and destination, separated by
    /// blanks. The third is that of HPCC's traffic generator. Lines are in any order; what follows `#` is a
    /// comment.
    pub file: String,
    /// Digest of what the file must hold. Default: whatever it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The transfers of this group in the file. Default: of the flow group's own name, where the file has groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The transfers from this source. Default: from all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The transfers to this destination. Default: to all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// The transfers that are meant, in the order of their starts.
    #[serde(skip)]
    pub transfers: Content<Vec<ListedTransfer>>,
    /// The transfers of the file, those of others too.
    #[serde(skip)]
    pub in_file: usize,
}

/// A transfer of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedTransfer {
    /// When it starts, after the start of its group.
    pub start: Duration,
    /// Bytes on the wire, headers included.
    pub bytes: u64,
    /// The line of the file.
    pub line: u32,
    /// Its group, source and destination, where the file has them.
    labels: [Option<Name>; 3],
}

/// Transfers of a file, in the order of the starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Listing {
    rows: Arc<Vec<ListedTransfer>>,
    names: Vec<String>,
}

/// The index of a name in its list.
type Name = u32;

/// Group, source and destination, as a message calls them.
const LABELS: [&str; 3] = ["group", "source", "destination"];

/// Names of a list that a message quotes.
const MOST_NAMED: usize = 4;

impl TransferList {
    /// Reads the file for the flow group `name` of a scenario in `folder`.
    pub(super) fn read(&mut self, folder: &Path, name: &str) -> Result<(), Invalid> {
        let mut listing = Content::default();
        files::read(folder, &mut self.file, &mut self.digest, &mut listing, Listing::parse)?;
        let Listing { rows, .. } = &**listing.get();
        if self.group.is_none() && rows.iter().any(|row| row.labels[0].is_some()) {
            self.group = Some(name.to_owned());
        }
        self.in_file = rows.len();
        let mut meant = Arc::clone(rows);
        for (place, wanted) in self.wanted().into_iter().enumerate() {
            if let Some(wanted) = wanted {
                let number = Some(listing.get().number(place, wanted)?);
                meant = Arc::new(meant.iter().filter(|row| row.labels[place] == number).copied().collect());
            }
        }
        self.transfers = Content::made(meant);
        Invalid::unless(
            !self.transfers.get().is_empty(),
            "file",
            "no transfer of the list has this group, source and destination together",
            "leave one of them out",
        )
    }

    fn wanted(&self) -> [Option<&str>; 3] {
        [self.group.as_deref(), self.source.as_deref(), self.destination.as_deref()]
    }
}

impl Listing {
    /// The number of the name `wanted`, which a transfer has as its label in this `place`.
    fn number(&self, place: usize, wanted: &str) -> Result<Name, Invalid> {
        // In the order of their first transfers.
        let mut there: Vec<Name> = Vec::new();
        let mut seen = HashSet::new();
        for name in self.rows.iter().filter_map(|row| row.labels[place]) {
            if self.names[name as usize] == wanted {
                return Ok(name);
            }
            if seen.insert(name) {
                there.push(name);
            }
        }
        let label = LABELS[place];
        let named: Vec<_> = there.iter().take(MOST_NAMED).map(|name| &*self.names[*name as usize]).collect();
        let more = if there.len() > MOST_NAMED { ", …" } else { "" };
        let hint = if let Some(first) = named.first() {
            format!("the list has {}{more}: write for example {label} = \"{first}\"", named.join(", "))
        } else {
            format!("the list names no {label}: leave {label} out")
        };
        Err(Invalid {
            parameter: label.into(),
            message: format!("no transfer of the list has the {label} {}", files::quoted(wanted)),
            hint,
        })
    }
}
