//! Turns in the queue. An ACK may have that of one before it, which began to wait earlier.

use weir_types::Instant;

use crate::{Ack, Label, Observer, Packet, PacketInfo, Reason};

/// A waiting packet with its own arrival. The AQM is told since when its turn waits: an ACK that has just taken a
/// turn near the head has hardly waited.
#[derive(Debug)]
pub(super) struct InTurn<P> {
    pub(super) packet: P,
    pub(super) arrived: Instant,
}

impl<P: Packet> Packet for InTurn<P> {
    #[inline]
    fn info(&self) -> PacketInfo {
        self.packet.info()
    }

    fn label(&self) -> Label {
        self.packet.label()
    }

    fn mark(&mut self) {
        self.packet.mark();
    }
}

/// An observer of packets, told of packets in turns.
pub(super) struct Turns<'a, O>(pub(super) &'a mut O);

impl<P, O: Observer<P>> Observer<InTurn<P>> for Turns<'_, O> {
    fn dropped(&mut self, turn: InTurn<P>, reason: Reason, waited: bool, now: Instant) {
        self.0.dropped(turn.packet, reason, waited, now);
    }

    fn marked(&mut self, turn: &InTurn<P>, reason: Reason, now: Instant) {
        self.0.marked(&turn.packet, reason, now);
    }

    fn ack(&self, turn: &InTurn<P>) -> Option<Ack> {
        self.0.ack(&turn.packet)
    }

    fn filtered(&mut self, turn: InTurn<P>, now: Instant) {
        self.0.filtered(turn.packet, now);
    }
}
