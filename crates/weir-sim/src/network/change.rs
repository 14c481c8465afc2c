//! Changes of the network in mid-run.

use std::{ops::Range, sync::Arc};

use weir_aqm::qdisc::AnyDiscipline;

use crate::{hosts::Way, packet::Packet};

/// A change of the network at one instant.
#[derive(Debug)]
pub(crate) enum Change {
    /// The queue of this port; `None` once it has changed.
    Queue(u32, Option<Box<AnyDiscipline<Packet>>>),
    /// The ways of these flows.
    Way(Range<u32>, Arc<Way>),
    /// Packets that were on their way when others changed it have arrived.
    Settled,
}
