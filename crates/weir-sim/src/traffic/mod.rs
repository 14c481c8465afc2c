//! Traffic: finite flows, and sources of datagrams.
//!
//! Static flows have the first ids. The *slots* of finite flows follow. A slot is reused as soon as its flow
//! has ended. So there are as many slots as finite flows were in progress at the same time.
//!
//! A *generator* decides when the next flow or datagram begins. It draws from its own random streams and
//! never depends on queues, so that every queue discipline meets the same traffic. It has at most one
//! pending event.

mod arrivals;
mod build;
mod datagrams;
mod draw;
mod finite;
mod generator;
mod listed;
mod path_delay;
mod sessions;
mod sizes;

use weir_types::Instant;

use crate::{hosts::Routing, record::FlowInfo};
pub(crate) use build::TrafficBuilder;
use finite::FiniteTraffic;
pub(crate) use finite::NewFlow;
pub(crate) use generator::Generated;
use generator::Generator;
pub use sizes::mean_size;

/// All traffic except bulk flows.
#[derive(Debug)]
pub(crate) struct Traffic {
    generators: Vec<Generator>,
    pub(crate) finite: FiniteTraffic,
}

impl Traffic {
    /// The traffic of `builder`, and the properties of the static flows.
    pub(crate) fn new(builder: TrafficBuilder<'_, '_>) -> (Self, Vec<FlowInfo>) {
        let TrafficBuilder { generators, mut finite, flows, .. } = builder;
        finite.begin_slots(flows.len() as u32);
        (Self { generators, finite }, flows)
    }

    /// Handles [`crate::engine::Event::Generate`]: what begins now, and when the generator continues.
    pub(crate) fn generate(&mut self, index: u32, now: Instant) -> (Generated, Option<Instant>) {
        self.generators[index as usize].step(index, now)
    }

    /// Handles the arrival of all data of `flow`, or of a duplicate afterwards. Returns the generator that
    /// continues, and when.
    #[cold]
    #[inline(never)]
    pub(crate) fn on_complete(
        &mut self,
        flow: u32,
        now: Instant,
        routing: &mut Routing,
    ) -> Option<(u32, Instant)> {
        let generator = self.finite.on_complete(flow, now, routing)?;
        let next = self.generators[generator as usize].on_complete(now)?;
        Some((generator, next))
    }
}
