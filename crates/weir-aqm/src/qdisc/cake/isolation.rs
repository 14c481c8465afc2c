//! Isolation: which packets share a queue, and which queues share a host's part of the rate.
//!
//! A set-associative hash keeps flows apart: a queue has eight places to be, and only nine flows whose hashes fall
//! into one set of eight must share one.

use alloc::boxed::Box;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::flow::{Flow, Set};

/// Whom the rate is shared among.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Isolation {
    /// One queue for all packets.
    #[serde(rename = "flowblind")]
    FlowBlind,
    /// A queue for each host that sends.
    #[serde(rename = "srchost")]
    Sender,
    /// A queue for each host that receives.
    #[serde(rename = "dsthost")]
    Receiver,
    /// A queue for each pair of hosts.
    #[serde(rename = "hosts")]
    Pair,
    /// A queue for each flow, whatever its hosts.
    #[serde(rename = "flows")]
    Flows,
    /// Hosts that send have equal parts, and their flows equal parts of these.
    #[serde(rename = "dual-srchost")]
    DualSender,
    /// Hosts that receive have equal parts, and their flows equal parts of these.
    #[serde(rename = "dual-dsthost")]
    DualReceiver,
    /// As both: a flow has the part that the busier one of its two hosts leaves it.
    #[default]
    #[serde(rename = "triple-isolate")]
    Triple,
}

impl Isolation {
    /// Flows are divided by the load of the host that sends them.
    pub(super) const fn by_sender(self) -> bool {
        matches!(self, Self::DualSender | Self::Triple)
    }

    /// Flows are divided by the load of the host that receives them.
    pub(super) const fn by_receiver(self) -> bool {
        matches!(self, Self::DualReceiver | Self::Triple)
    }

    /// The key of the queue.
    const fn key(self, hashes: Hashes) -> u32 {
        match self {
            Self::FlowBlind => 0,
            Self::Sender => hashes.from,
            Self::Receiver => hashes.to,
            Self::Pair => hashes.from ^ hashes.to,
            Self::Flows | Self::DualSender | Self::DualReceiver | Self::Triple => hashes.flow,
        }
    }
}

/// Hashes of a packet's flow and of its two hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hashes {
    pub(super) flow: u32,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// Queues of a tin (`CAKE_QUEUES`), and those in one set (`CAKE_SET_WAYS`).
pub(super) const QUEUES: usize = 1024;
const WAYS: usize = 8;

/// The places of the set to which `hash` belongs, its own first.
fn ways(hash: u32) -> impl Iterator<Item = usize> {
    let own = hash as usize % QUEUES;
    (0..WAYS).map(move |step| own - own % WAYS + (own + step) % WAYS)
}

/// Hosts on one side, with the number of their bulk flows.
#[derive(Debug)]
pub(super) struct Hosts {
    /// The hash of the host at each place.
    tags: Box<[u32]>,
    bulk: Box<[u16]>,
}

impl Hosts {
    fn new() -> Self {
        Self { tags: [0; QUEUES].into(), bulk: [0; QUEUES].into() }
    }

    /// The place of the host `hash`.
    fn place(&mut self, hash: u32) -> u16 {
        let known = ways(hash).find(|place| self.tags[*place] == hash);
        let free = || ways(hash).find(|place| self.bulk[*place] == 0);
        let place = known.or_else(free).unwrap_or(hash as usize % QUEUES);
        self.tags[place] = hash;
        place as u16
    }
}

/// Where flows and hosts have their places.
#[derive(Debug)]
pub(super) struct Places {
    isolation: Isolation,
    /// The key of the flow that a queue is kept for.
    tags: Box<[u32]>,
    senders: Hosts,
    receivers: Hosts,
}

impl Places {
    pub(super) fn new(isolation: Isolation) -> Self {
        Self { isolation, tags: [0; QUEUES].into(), senders: Hosts::new(), receivers: Hosts::new() }
    }

    /// The queue for a packet with these hashes.
    #[inline]
    pub(super) fn queue_for(&mut self, hashes: Hashes, flows: &mut [Flow]) -> usize {
        let key = self.isolation.key(hashes);
        let own = key as usize % QUEUES;
        if self.tags[own] == key && flows[own].set != Set::None {
            return own;
        }
        self.search(key, hashes, flows)
    }

    #[inline(never)]
    fn search(&mut self, key: u32, hashes: Hashes, flows: &mut [Flow]) -> usize {
        let own = key as usize % QUEUES;
        let kept = ways(key).find(|place| self.tags[*place] == key);
        let free = || ways(key).find(|place| flows[*place].set == Set::None);
        let queue = kept.or_else(free).unwrap_or(own);
        // It belongs to other hosts from now on if it is not on a list, or if two flows must share it.
        if flows[queue].set == Set::None || self.tags[queue] != key {
            if flows[queue].set == Set::Bulk {
                self.remove_bulk(&flows[queue]);
            }
            if self.isolation.by_sender() {
                flows[queue].from = self.senders.place(hashes.from);
            }
            if self.isolation.by_receiver() {
                flows[queue].to = self.receivers.place(hashes.to);
            }
            if flows[queue].set == Set::Bulk {
                self.add_bulk(&flows[queue]);
            }
        }
        self.tags[queue] = key;
        queue
    }

    /// `flow` becomes a bulk flow of its hosts.
    pub(super) fn add_bulk(&mut self, flow: &Flow) {
        self.senders.bulk[usize::from(flow.from)] += u16::from(self.isolation.by_sender());
        self.receivers.bulk[usize::from(flow.to)] += u16::from(self.isolation.by_receiver());
    }

    /// `flow` is no longer a bulk flow of its hosts.
    pub(super) fn remove_bulk(&mut self, flow: &Flow) {
        self.senders.bulk[usize::from(flow.from)] -= u16::from(self.isolation.by_sender());
        self.receivers.bulk[usize::from(flow.to)] -= u16::from(self.isolation.by_receiver());
    }

    /// Bulk flows of the busier one of the flow's hosts, and at least 1.
    #[inline]
    pub(super) fn load(&self, flow: &Flow) -> u16 {
        // Those that do not count have none.
        let senders = self.senders.bulk[usize::from(flow.from)];
        senders.max(self.receivers.bulk[usize::from(flow.to)]).max(1)
    }
}
