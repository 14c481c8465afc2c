//! The flows of one direction, numbered in the order of their first packets, and their counts.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, RandomState},
};

use crate::frame::FlowKey;

/// Flows that have numbers of their own. Whoever opens more shares those that there are: packets from outside must not
/// fill the memory.
const MOST: usize = 1 << 16;

/// Counts of the packets of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowCounts {
    /// The flow.
    pub key: FlowKey,
    /// Packets that came.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets that queues dropped.
    pub drops: u64,
    /// Packets that queues marked.
    pub marks: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Flows {
    numbers: HashMap<FlowKey, u32>,
    counts: Vec<FlowCounts>,
    /// The last flow: most packets belong to the flow of the packet before.
    last: Option<(FlowKey, u32)>,
    hashes: RandomState,
}

impl Flows {
    /// The number of the flow of a packet of so many bytes, which has come.
    #[inline]
    pub(crate) fn count(&mut self, key: FlowKey, bytes: u32) -> u32 {
        let flow = match self.last {
            Some((last, flow)) if last == key => flow,
            _ => self.number(key),
        };
        self.last = Some((key, flow));
        let counts = &mut self.counts[flow as usize];
        counts.packets += 1;
        counts.bytes += u64::from(bytes);
        flow
    }

    fn number(&mut self, key: FlowKey) -> u32 {
        if let Some(flow) = self.numbers.get(&key) {
            return *flow;
        }
        if self.counts.len() == MOST {
            return (self.hashes.hash_one(key) % MOST as u64) as u32;
        }
        let flow = self.counts.len() as u32;
        self.numbers.insert(key, flow);
        self.counts.push(FlowCounts { key, packets: 0, bytes: 0, drops: 0, marks: 0 });
        flow
    }

    /// The first flow with this number.
    pub(crate) fn key(&self, flow: u32) -> Option<FlowKey> {
        self.counts.get(flow as usize).map(|counts| counts.key)
    }

    pub(crate) fn dropped(&mut self, flow: u32) {
        self.counts[flow as usize].drops += 1;
    }

    pub(crate) fn marked(&mut self, flow: u32) {
        self.counts[flow as usize].marks += 1;
    }

    /// All flows.
    pub(crate) fn all(&self) -> &[FlowCounts] {
        &self.counts
    }
}
