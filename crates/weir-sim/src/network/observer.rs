use std::fmt;

use weir_tcp::{Receiver, Sender};
use weir_types::Instant;

use crate::packet::Packet;

/// Follows the packets at the ports that it observes.
pub(crate) trait PacketObserver: fmt::Debug {
    /// Returns true if the observer follows packets at `port`.
    fn observes(&self, port: u32) -> bool;

    /// A packet of `flow` arrived at `port` at `at`, before its queue decides.
    fn arrived(&mut self, port: u32, packet: &Packet, at: Instant, flow: &ObservedFlow<'_>);

    /// The last bit of a packet of `flow` left `port` at `at`.
    fn departed(&mut self, port: u32, packet: &Packet, at: Instant, flow: &ObservedFlow<'_>);

    /// The queue of `port` dropped a packet, or its filter took an ACK away.
    fn dropped(&mut self, port: u32);

    /// Simulated time has reached `now`.
    fn advance(&mut self, now: Instant);

    /// Returns true if the run may continue.
    fn is_ok(&self) -> bool;
}

/// The flow of an observed packet, at the time of the observation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObservedFlow<'a> {
    /// Its group.
    pub(crate) group: usize,
    pub(crate) sender: &'a Sender,
    pub(crate) receiver: &'a Receiver,
}

/// An event at an observed port.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PacketEvent {
    Arrived(Packet, Instant),
    /// It was sent from the first instant to the second.
    Departed(Packet, Instant, Instant),
    Marked(Packet, Instant),
    /// Or taken away by a filter of ACKs.
    Dropped(Packet, Instant),
}
