//! Which transfers of lists start, and which no group takes.

use std::collections::BTreeMap;

use weir_types::Duration;

use crate::{FlowGroup, Scenario, Traffic};

/// Transfers that a group takes from a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listed {
    /// Number of them.
    pub all: usize,
    /// Number of those that start in the run.
    pub started: usize,
    /// Bytes of those that start.
    pub bytes: f64,
}

/// Transfers of a list that no group takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftInList<'a> {
    /// The first group that takes from the list.
    pub group: &'a str,
    /// Number of transfers that no group takes.
    pub left: usize,
    /// Number of all.
    pub all: usize,
}

impl FlowGroup {
    /// Transfers of the group in a run that ends at `end`; `None` unless it has a list that was read.
    pub fn listed(&self, end: Duration) -> Option<Listed> {
        let Traffic::List(list) = &self.traffic else { return None };
        let transfers = list.transfers.read()?;
        let starts = |at: Duration| at <= end && self.stop.is_none_or(|stop| at < stop);
        let start = transfers.iter().take_while(|one| starts(self.start + one.start));
        let (started, bytes) =
            start.fold((0, 0.0), |(count, bytes), one| (count + 1, bytes + one.bytes as f64));
        Some(Listed { all: transfers.len(), started, bytes })
    }
}

impl Scenario {
    /// Lists that were read and have transfers that no group takes.
    pub fn unlisted(&self) -> Vec<LeftInList<'_>> {
        let mut files: BTreeMap<&str, (&str, usize, Vec<u32>)> = BTreeMap::new();
        for (name, group) in &self.flows {
            let Traffic::List(list) = &group.traffic else { continue };
            let Some(transfers) = list.transfers.read() else { continue };
            let (.., taken) = files.entry(&list.file).or_insert((name, list.in_file, Vec::new()));
            taken.extend(transfers.iter().map(|one| one.line));
        }
        let left = files.into_values().map(|(group, all, mut taken)| {
            // Several groups may take the same.
            taken.sort_unstable();
            taken.dedup();
            LeftInList { group, left: all - taken.len(), all }
        });
        left.filter(|one| one.left > 0).collect()
    }
}
