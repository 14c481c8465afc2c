//! How many flows there are, over time. Jitter of starts does not count.

use std::collections::BTreeMap;

use weir_types::Duration;

use crate::FlowGroup;

/// A number of flows from an instant on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadChange {
    /// The instant.
    pub at: Duration,
    /// Flows before it.
    pub before: u32,
    /// Flows from then on. Of groups whose flows come and go these are their sources.
    pub after: u32,
}

/// The flows of some groups together: every instant at which their number changes.
pub(super) fn load_of<'a>(groups: impl IntoIterator<Item = &'a FlowGroup>) -> Vec<LoadChange> {
    let mut differences: BTreeMap<Duration, i64> = BTreeMap::new();
    for group in groups {
        let mut before = 0;
        let begin = [(group.start, group.count)];
        let end = group.stop.map(|stop| (stop, 0));
        for (at, count) in begin.into_iter().chain(group.population_changes()).chain(end) {
            *differences.entry(at).or_default() += i64::from(count) - before;
            before = i64::from(count);
        }
    }
    let mut before = 0;
    let changes = differences.into_iter().filter(|(_, by)| *by != 0).map(|(at, by)| {
        let after = u32::try_from(i64::from(before) + by).expect("no more flows go than are there");
        LoadChange { at, before: std::mem::replace(&mut before, after), after }
    });
    changes.collect()
}
