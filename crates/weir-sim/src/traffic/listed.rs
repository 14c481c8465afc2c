//! Flows whose starts and sizes are those of a list.

use std::sync::Arc;

use weir_scenario::ListedTransfer;
use weir_types::{Instant, Rng};

use super::{draw::route, finite::NewFlow};

/// The transfers of a list, one after the other.
#[derive(Debug)]
pub(crate) struct Listed {
    /// Index of the group among the groups of finite flows.
    pub(crate) group: u32,
    /// From which instant their starts count.
    pub(crate) start: Instant,
    /// End of the group: later transfers do not start.
    pub(crate) stop: Instant,
    /// Transfers in the order of their starts.
    pub(crate) transfers: Arc<Vec<ListedTransfer>>,
    /// Number of transfers that have started.
    pub(crate) started: usize,
    pub(crate) packet: u32,
    /// Number of routes to draw from.
    pub(crate) routes: u32,
    pub(crate) route: Rng,
}

impl Listed {
    /// The transfer that starts now.
    pub(crate) fn take(&mut self) -> NewFlow {
        let ListedTransfer { bytes, line, .. } = self.transfers[self.started];
        self.started += 1;
        let route = route(self.routes, &mut self.route);
        NewFlow {
            group: self.group,
            session: None,
            bytes,
            route,
            packet: self.packet,
            headers: 0,
            line: Some(line),
        }
    }

    /// The instant of the next start.
    pub(crate) fn next(&self) -> Option<Instant> {
        let at = self.start + self.transfers.get(self.started)?.start;
        (at < self.stop).then_some(at)
    }
}
