//! Changes in mid-run: a queue takes the place of another, and flows take ways with another round trip.
//!
//! Endpoints act ahead of the clock because the delays behind the last port are known and packets keep their order.
//! While packets are on their way with two different delays, neither is so: from a change of a round trip until the last
//! packet with the former one has arrived, all endpoints act in the order of the clock.

use std::{ops::Range, sync::Arc};

use weir_aqm::qdisc::AnyDiscipline;
use weir_types::Instant;

use super::Simulation;
use crate::{
    engine::{Event, EventQueue},
    hosts::Way,
    packet::Packet,
};

/// What changes at one instant.
#[derive(Debug)]
pub(crate) enum Change {
    /// The queue of this port; `None` once it has changed.
    Queue(u32, Option<Box<AnyDiscipline<Packet>>>),
    /// The ways of these flows.
    Way(Range<u32>, Arc<Way>),
    /// Packets that were on their way when others changed it have arrived.
    Settled,
}

/// All changes of a run.
#[derive(Debug, Default)]
pub(super) struct Changes {
    changes: Vec<Change>,
    /// While endpoints act in the order of the clock: from when, and until when.
    in_order: Vec<(Instant, Instant)>,
}

impl Changes {
    /// Those of queues and of ways. A change of ways says for how long packets may be on their way.
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

    /// The instant that endpoints must not reach ahead of the clock, at `now`.
    pub(super) fn horizon(&self, now: Instant) -> Instant {
        let ahead = self.in_order.iter().filter(|(_, until)| *until > now).map(|(from, _)| *from);
        ahead.min().unwrap_or(Instant::MAX)
    }
}

impl Simulation<'_> {
    /// Handles [`Event::Change`].
    #[cold]
    pub(super) fn change(&mut self, index: u32) {
        match &mut self.changes.changes[index as usize] {
            Change::Queue(port, queue) => {
                let queue = queue.take().expect("a change comes once");
                let unseen = self.network.replace(*port, *queue, self.now);
                self.show(unseen);
            }
            Change::Way(flows, way) => self.network.hosts.take_way(flows.clone(), way),
            Change::Settled => self.move_horizon(),
        }
    }
}
