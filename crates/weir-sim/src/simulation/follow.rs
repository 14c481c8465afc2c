//! Steps of each packet at one queue, from one pause of the run to the next.
//!
//! Endpoints then act with the clock, as under an observer; the results are the same.

use weir_tcp::Segment;
use weir_types::Instant;

use super::Simulation;
use crate::{
    hosts::AckEvent,
    network::{PacketEvent, Unseen},
};

/// The kind of a step of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It arrives at the queue.
    Arrived,
    /// The queue marks it.
    Marked,
    /// The queue drops it, as it arrives or later, or its filter takes an ACK away.
    Dropped,
    /// It leaves the queue, and its last bit the port at [`Followed::until`].
    Sent,
    /// An ACK leaves the receiver, or the last queue on its way, and comes to the sender at [`Followed::until`].
    AckSent,
    /// An ACK reaches the sender.
    AckArrived,
}

/// A step of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Followed {
    /// When it happens.
    pub at: Instant,
    /// The kind of step.
    pub step: Step,
    /// When it is over, if that is known and later.
    pub until: Option<Instant>,
    /// The group of flows.
    pub group: usize,
    /// The flow.
    pub flow: u32,
    /// Number of a data packet; for an ACK, the next number that the receiver expects.
    pub number: u32,
}

impl Simulation<'_> {
    /// Follows the packets of queue `port`, and all ACKs, from this pause on, or no more. The results stay the same.
    ///
    /// # Panics
    /// If there are fewer queues.
    pub fn follow(&mut self, port: usize, on: bool) {
        self.network.follow(port as u32, on);
    }

    /// The steps at queue `port` since the last call, in the order of their instants.
    ///
    /// # Panics
    /// If there are fewer queues.
    pub fn followed(&mut self, port: usize) -> Vec<Followed> {
        self.now = self.until;
        self.catch_up();
        let acks = self.network.hosts.take_acks();
        let (events, hosts) = self.network.unseen(Unseen(port as u32));
        let step = |Segment { flow, number, .. }: Segment, at, step, until| {
            let group = hosts.flow(flow).group();
            Followed { at, step, until, group, flow, number }
        };
        let packets = events.into_iter().flat_map(|events| events.drain(..)).map(|event| match event {
            PacketEvent::Arrived(packet, at) => step(packet.0, at, Step::Arrived, None),
            PacketEvent::Marked(packet, at) => step(packet.0, at, Step::Marked, None),
            PacketEvent::Dropped(packet, at) => step(packet.0, at, Step::Dropped, None),
            PacketEvent::Departed(packet, start, end) => step(packet.0, start, Step::Sent, Some(end)),
        });
        let acks = acks.into_iter().map(|event| match event {
            AckEvent::Sent(ack, at, due) => step(ack, at, Step::AckSent, Some(due)),
            AckEvent::Arrived(ack, at) => step(ack, at, Step::AckArrived, None),
        });
        let mut steps: Vec<_> = packets.chain(acks).collect();
        steps.sort_by_key(|step| step.at);
        steps
    }
}
