//! Packets that were captured twice: a router hears what it forwards where it comes in and where it leaves
//! (`tcpdump -i any`, or captures of several interfaces in one file).
//!
//! The first counts: it came before the queue of the router. A packet that comes again to the same place was sent
//! again.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use super::frame::{IpPacket, Place};

/// For how long copies are awaited: longer than a queue delays packets.
const NANOS: i128 = 1_000_000_000;

/// How many packets are remembered before the old ones are forgotten.
const FEW: usize = 1024;

/// Packets that were seen, and where.
#[derive(Default)]
pub(super) struct Copies {
    /// When and where a packet was seen first.
    seen: HashMap<u64, (i128, u32, Place)>,
    /// Packets remembered when the old ones were forgotten last.
    kept: usize,
    /// Packets that had been seen elsewhere.
    pub(super) found: u64,
}

impl Copies {
    /// Returns true if the next packet, in the order of times, was seen elsewhere.
    pub(super) fn has(&mut self, nanos: i128, interface: u32, ip: &IpPacket) -> bool {
        let Some(content) = ip.content else { return false };
        let mut hasher = DefaultHasher::new();
        (ip.endpoints, ip.bytes, content).hash(&mut hasher);
        let name = hasher.finish();
        let before = self.seen.get(&name).filter(|(first, ..)| nanos - first <= NANOS);
        if before.is_some_and(|(_, at, place)| (*at, *place) != (interface, ip.place)) {
            self.found += 1;
            return true;
        }
        if self.seen.len() >= FEW.max(2 * self.kept) {
            self.seen.retain(|_, (first, ..)| nanos - *first <= NANOS);
            self.kept = self.seen.len();
        }
        self.seen.insert(name, (nanos, interface, ip.place));
        false
    }
}
