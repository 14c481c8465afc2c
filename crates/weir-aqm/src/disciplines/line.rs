use alloc::collections::VecDeque;

use weir_types::Instant;

use crate::{Backlog, Limit, Packet};

/// Waiting packets in order of arrival, with their arrival instants.
#[derive(Debug)]
pub struct Line<P> {
    waiting: VecDeque<(P, Instant)>,
    bytes: u64,
}

impl<P: Packet> Line<P> {
    /// An empty line.
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

    /// The packet with `index` others before it.
    pub fn get(&self, index: usize) -> Option<&P> {
        self.waiting.get(index).map(|(packet, _)| packet)
    }

    /// Takes out the packet with `index` others before it, with the instant it arrived. The
    /// shorter part of the line closes up.
    pub fn remove(&mut self, index: usize) -> Option<(P, Instant)> {
        let (packet, arrived) = self.waiting.remove(index)?;
        self.bytes -= u64::from(packet.info().bytes);
        Some((packet, arrived))
    }

    /// When the head arrived.
    #[inline]
    pub fn head_arrived(&self) -> Option<Instant> {
        self.waiting.front().map(|(_, arrived)| *arrived)
    }

    /// What waits here, before a buffer of `limit`.
    #[inline]
    pub fn backlog(&self, limit: Limit) -> Backlog {
        Backlog { packets: self.waiting.len() as u32, bytes: self.bytes, limit }
    }
}

impl<P: Packet> Default for Line<P> {
    fn default() -> Self {
        Self::new()
    }
}
