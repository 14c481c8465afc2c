use alloc::collections::VecDeque;

use weir_types::Instant;

use crate::{Backlog, Limit, Packet, PacketInfo};

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
        // Asked where it is: to read from a packet that has just been moved is to wait for it.
        let (info, _) = self.head()?;
        self.bytes -= u64::from(info.bytes);
        self.waiting.pop_front()
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

    /// What may be known of the head, and when it arrived.
    #[inline]
    pub fn head(&self) -> Option<(PacketInfo, Instant)> {
        self.waiting.front().map(|(packet, arrived)| (packet.info(), *arrived))
    }

    /// What waits behind the head, before a buffer of `limit`.
    #[inline]
    pub fn behind(&self, head: PacketInfo, limit: Limit) -> Backlog {
        Backlog { packets: self.waiting.len() as u32 - 1, bytes: self.bytes - u64::from(head.bytes), limit }
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
