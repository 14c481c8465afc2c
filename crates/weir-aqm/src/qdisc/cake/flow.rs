//! One queue of a tin.

use super::super::linked_list::{Index, List};
use crate::aqm::CobaltState;

/// The neighbours of a queue on its list.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Links {
    pub(super) next: Option<Index>,
    pub(super) previous: Option<Index>,
}

/// The list that a queue is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Set {
    #[default]
    None,
    Sparse,
    /// It counts as sparse, and has its turn among the bulk flows: it ran empty in debt.
    SparseWait,
    Bulk,
    Decaying,
}

/// One queue.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) cobalt: CobaltState,
    pub(super) line: List,
    /// Bytes it may still send in this round.
    pub(super) deficit: i64,
    pub(super) links: Links,
    pub(super) set: Set,
    /// Places of its hosts.
    pub(super) from: u16,
    pub(super) to: u16,
}
