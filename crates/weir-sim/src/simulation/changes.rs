//! Changes in mid-run: a queue takes the place of another, and flows take ways with another round trip.
//!
//! Endpoints act ahead of the clock because the delays behind the last port are known and packets keep their order.
//! Neither is so while packets are on their way with two different delays: from a change of a round trip until the
//! last packet with the former one has arrived. All endpoints then act in the order of the clock.

use weir_types::Instant;

use crate::{
    engine::{Event, EventQueue},
    network::Change,
};

/// All changes of a run.
#[derive(Debug, Default)]
pub(super) struct Changes {
    changes: Vec<Change>,
    /// While endpoints act in the order of the clock: from when, and until when.
    in_order: Vec<(Instant, Instant)>,
}

impl Changes {
    /// Schedules changes of queues and of ways. The second instant of a change of ways is when the last packet on the
    /// former way has arrived.
    pub(super) fn new(
        queues: Vec<(Instant, Change)>,
        ways: Vec<(Instant, Instant, Change)>,
        events: &mut EventQueue,
    ) -> Self {
        let mut all = Self::default();
        let mut add = |at, change| {
            events.push(at, Event::Change(all.changes.len() as u32));
            all.changes.push(change);
        };
        for (at, change) in queues {
            add(at, change);
        }
        for (at, settled, change) in ways {
            add(at, change);
            add(settled, Change::Settled);
            all.in_order.push((at, settled));
        }
        all
    }

    /// The change of this index.
    pub(super) fn at(&mut self, index: u32) -> &mut Change {
        &mut self.changes[index as usize]
    }

    /// The instant that endpoints must not reach ahead of the clock, at `now`.
    pub(super) fn horizon(&self, now: Instant) -> Instant {
        let ahead = self.in_order.iter().filter(|(_, until)| *until > now).map(|(from, _)| *from);
        ahead.min().unwrap_or(Instant::MAX)
    }
}
