use alloc::{collections::VecDeque, vec::Vec};

use weir_types::Instant;

use crate::{Backlog, Limit, Packet, PacketInfo};

/// Waiting packets in order of arrival, with their arrival instants.
#[derive(Debug)]
pub struct PacketFifo<P> {
    waiting: VecDeque<(P, Instant)>,
    bytes: u64,
}

impl<P: Packet> PacketFifo<P> {
    /// An empty queue.
    pub const fn new() -> Self {
        Self { waiting: VecDeque::new(), bytes: 0 }
    }

    /// Appends a packet that arrived at `now`.
    #[inline]
    pub fn push(&mut self, packet: P, now: Instant) {
        self.bytes += u64::from(packet.info().bytes);
        self.waiting.push_back((packet, now));
    }

    /// Takes the head, with the instant it arrived.
    #[inline]
    pub fn pop(&mut self) -> Option<(P, Instant)> {
        let (packet, arrived) = self.waiting.pop_front()?;
        self.bytes -= u64::from(packet.info().bytes);
        Some((packet, arrived))
    }

    /// [`crate::Discipline::drain`]
    pub(super) fn drain(&mut self, into: &mut Vec<(P, Instant)>) {
        into.extend(self.waiting.drain(..));
        self.bytes = 0;
    }

    /// The packet at `index`, counted from the head.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&P> {
        self.waiting.get(index).map(|(packet, _)| packet)
    }

    /// All packets, from the head on.
    pub fn iter(&self) -> impl Iterator<Item = &P> {
        self.waiting.iter().map(|(packet, _)| packet)
    }

    /// Removes the packet at `index` and returns it with its arrival instant.
    pub fn remove(&mut self, index: usize) -> Option<(P, Instant)> {
        let (packet, arrived) = self.waiting.remove(index)?;
        self.bytes -= u64::from(packet.info().bytes);
        Some((packet, arrived))
    }

    /// Takes the packet at `index` out, which leaves its turn to its flow. Later packets of the flow move up, each to
    /// the turn of the one before, and `packet` takes the turn of the last. A turn keeps its instant. Returns the
    /// packet that was taken out.
    ///
    /// # Panics
    /// If there are fewer packets.
    pub fn succeed(&mut self, index: usize, packet: P) -> P {
        let flow = packet.info().flow;
        self.bytes += u64::from(packet.info().bytes);
        let mut moving = packet;
        for (waiting, _) in self.waiting.range_mut(index..).rev() {
            if waiting.info().flow == flow {
                core::mem::swap(waiting, &mut moving);
            }
        }
        self.bytes -= u64::from(moving.info().bytes);
        moving
    }

    /// The number of packets.
    #[inline]
    pub fn packets(&self) -> u32 {
        self.waiting.len() as u32
    }

    /// Size, ECN and flow of the head, with its arrival instant.
    #[inline]
    pub fn head(&self) -> Option<(PacketInfo, Instant)> {
        self.waiting.front().map(|(packet, arrived)| (packet.info(), *arrived))
    }

    /// Backlog, with a buffer of `limit`.
    #[inline]
    pub fn backlog(&self, limit: Limit) -> Backlog {
        Backlog { packets: self.waiting.len() as u32, bytes: self.bytes, limit }
    }
}

impl<P: Packet> Default for PacketFifo<P> {
    fn default() -> Self {
        Self::new()
    }
}
