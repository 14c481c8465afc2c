//! ACK filter: a FIFO with an AQM that takes ACKs away which a later one makes redundant.
//!
//! H. Balakrishnan, V. Padmanabhan, G. Fairhurst, M. Sooriyabandara: *TCP Performance Implications of Network Path
//! Asymmetry*, RFC 3449, 2002, section 5.2.1; `cake_ack_filter` of Linux, whose rule this is.
//!
//! ```text
//! arrival of an ACK   among the waiting ACKs of its flow, from the head on:
//!   candidate           it is pure, its number is not higher, the arrival repeats its SACK blocks,
//!                       and tells more: a higher number or more in SACK blocks
//!   two candidates      the first is taken away
//!   one                 it is taken away in the aggressive mode, if it is the last ACK of the flow,
//!                       and ECE and CWR are those of the arrival
//!   ECE or CWR change   between ACKs: no candidate from before
//! ```
//!
//! An ACK is pure if nothing is lost with it: no SYN, no flag but ECE and CWR, no option but SACK and timestamp. An
//! arrival that the AQM drops, or that has no room even so, takes nothing away.
//!
//! Linux has the filter in CAKE, where each flow has a queue and its own turns. There the arrival goes to the end. Here
//! flows share one queue, and an ACK that went to its end would be replaced before its turn came. So the one that is
//! taken away leaves its turn: later ACKs of its flow move up, and the arrival takes the turn of the last. The AQM
//! sees how long a turn has waited, results how long a packet has.

mod rule;
mod turn;

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid, Level, Rate, Streams};

use super::{Fifo, PacketFifo};
use crate::{
    Aqm as _, Backlog, Discipline, Link, Mechanism, Observer, Packet,
    aqm::{AnyAqm, AqmConfig, DropTailParameters},
};
pub use rule::Filtering;
use turn::{InTurn, Turns};

/// A FIFO with a filter of ACKs and any AQM: `queue.ack-filter = { aqm.codel = {} }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AckFilterParameters {
    /// How many ACKs are taken away.
    #[schemars(extend("x-default-source" = "Linux: `ack-filter` of `tc-cake(8)`"))]
    pub mode: Filtering,
    /// AQM of the queue.
    #[schemars(extend("x-default-source" = "Weir"))]
    pub aqm: AqmConfig,
}

impl Default for AckFilterParameters {
    fn default() -> Self {
        Self { mode: Filtering::Conservative, aqm: AqmConfig::DropTail(DropTailParameters {}) }
    }
}

impl AckFilterParameters {
    /// The queue lengths among the parameters: those of the AQM.
    pub(crate) fn levels(&mut self) -> Vec<&mut Level> {
        self.aqm.levels()
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        self.aqm.check().map_err(|invalid| invalid.below(self.aqm.name()).below("aqm"))
    }

    /// The filter before `link`. Its AQM draws from the stream at `path`.
    pub fn build<P: Packet>(&self, link: Link, streams: Streams, path: &str) -> AckFilter<P> {
        let aqm = self.aqm.build(link, streams.at(path));
        AckFilter { fifo: Fifo::new(aqm, link.limit), mode: self.mode }
    }
}

/// A FIFO with a filter of ACKs.
#[derive(Debug)]
pub struct AckFilter<P> {
    fifo: Fifo<InTurn<P>, AnyAqm>,
    mode: Filtering,
}

/// The place in `waiting` of the ACK that `newest` makes redundant.
fn redundant<P: Packet>(
    mode: Filtering,
    waiting: &PacketFifo<P>,
    newest: &P,
    observer: &impl Observer<P>,
) -> Option<usize> {
    let ack = observer.ack(newest)?;
    let flow = newest.info().flow;
    let of_flow = waiting.iter().enumerate().filter(|(_, packet)| packet.info().flow == flow);
    mode.redundant(&ack, of_flow.map(|(place, packet)| (place, observer.ack(packet))))
}

impl<P: Packet> Discipline<P> for AckFilter<P> {
    #[inline(never)]
    fn enqueue(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) {
        let mode = self.mode;
        let turn = InTurn { packet, arrived: now };
        self.fifo.enqueue_instead(turn, now, &mut Turns(observer), |waiting, newest, observer| {
            redundant(mode, waiting, newest, observer)
        });
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Instant, observer: &mut impl Observer<P>) -> Option<(P, Duration)> {
        let (turn, _) = self.fifo.dequeue(now, &mut Turns(observer))?;
        Some((turn.packet, now.since(turn.arrived)))
    }

    /// Nothing waits that could be taken away.
    #[inline(never)]
    fn pass(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) -> Option<P> {
        let turn = InTurn { packet, arrived: now };
        self.fifo.pass(turn, now, &mut Turns(observer)).map(|turn| turn.packet)
    }

    #[inline]
    fn upcoming(&self, others: usize) -> Option<&P> {
        self.fifo.upcoming(others).map(|turn| &turn.packet)
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }

    #[inline]
    fn packets(&self) -> u32 {
        self.fifo.packets()
    }

    fn drops_on_departure(&self) -> bool {
        self.fifo.drops_on_departure()
    }

    #[inline]
    fn next_update(&self) -> Option<Instant> {
        self.fifo.next_update()
    }

    fn update(&mut self, now: Instant) {
        self.fifo.update(now);
    }

    fn drain(&mut self, into: &mut Vec<(P, Instant)>) {
        let mut turns = Vec::new();
        self.fifo.drain(&mut turns);
        into.extend(turns.into_iter().map(|(turn, _)| (turn.packet, turn.arrived)));
        // Some have the turn of others that arrived before.
        into.sort_by_key(|(_, arrived)| *arrived);
    }

    fn restore(&mut self, packet: P, arrived: Instant) {
        self.fifo.restore(InTurn { packet, arrived }, arrived);
    }

    fn take_over(&mut self, former: &mut Self, now: Instant) {
        self.fifo.take_over(&mut former.fifo, now);
    }

    fn begin(&mut self, now: Instant) {
        self.fifo.begin(now);
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        self.fifo.on_rate(rate, now);
    }

    fn mechanism(&self) -> Mechanism<'_> {
        self.fifo.mechanism()
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.fifo.aqm().probe(record);
    }
}
