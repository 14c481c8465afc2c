//! Flows that come and go: each takes a slot, and leaves it to the next.

use std::sync::Arc;

use weir_tcp::{Receiver, Sender, TcpParameters};
use weir_types::{Duration, Instant, Rate};

use super::{Generator, Order, Way};
use crate::{
    World,
    measure::{Completions, FlowCounts, QueueGauge},
    network::Access,
    world::{Jitter, Sink, Source},
};

/// Beyond this number of segments a slot is left empty for good, so that numbers never overflow.
const LAST: u32 = 1 << 31;

/// A place for a flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// Whose.
    pub(crate) coming: u32,
    pub(crate) state: State,
    /// The generator that wants to know when its flow has arrived.
    owner: Option<u32>,
    /// When its first packet left.
    begun: Instant,
    /// The least time that its transfer could take.
    ideal: Duration,
    /// Size of the transfer, and its bytes on the wire without the SYN.
    pub(crate) bytes: u64,
    wire: u64,
    packet: u32,
}

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// No flow.
    Free,
    /// A flow of which not all has arrived.
    Live,
    /// A flow of which all has arrived; its sender does not know yet.
    Arrived,
}

/// A group whose flows come and go.
#[derive(Debug)]
pub(crate) struct Coming {
    /// Its place among all groups, and its name.
    pub(crate) group: u32,
    pub(crate) name: String,
    pub(crate) tcp: Arc<TcpParameters>,
    pub(crate) ways: Vec<Way>,
    /// Rate of access links, if there are any.
    pub(crate) access: Option<Rate>,
    pub(crate) send_jitter: Duration,
    /// Slots without a flow.
    pub(crate) free: Vec<u32>,
    /// Flows so far.
    pub(crate) flows: u64,
    /// Flows that are there.
    pub(crate) live: QueueGauge,
    /// What flows that have ended did.
    pub(crate) past: FlowCounts,
    pub(crate) completions: Completions,
    pub(crate) closed: Vec<ComingCounts>,
}

/// What a group whose flows come and go did in one interval.
#[derive(Clone, Debug, Default)]
pub(crate) struct ComingCounts {
    pub(crate) flows: FlowCounts,
    pub(crate) live: QueueGauge,
    pub(crate) completions: Completions,
}

impl World {
    /// A flow begins.
    pub(crate) fn open(&mut self, coming: u32, owner: Option<u32>, order: Order) {
        let now = self.now;
        let group = &mut self.traffic.coming[coming as usize];
        let Order { bytes, way, packet, headers } = order;
        let payload = u64::from(packet - headers);
        let segments = bytes.div_ceil(payload).clamp(1, u64::from(LAST / 2));
        let last = (bytes - (segments - 1) * payload).min(payload) as u32 + headers;
        let wire = (segments - 1) * u64::from(packet) + u64::from(last);
        let Way { forward, backward, leg } = group.ways[way as usize];
        let ideal = leg.ideal(wire, group.tcp.handshake);
        let slot = Slot { coming, state: State::Live, owner, begun: now, ideal, bytes, wire, packet };
        let serial = group.flows;
        group.flows += 1;
        let path = (!group.send_jitter.is_zero()).then(|| format!("flows.{}.{serial}.send", group.name));
        let rng = path.map(|path| self.streams.at(&path));
        let access = group.access.map(|rate| Access::new(rate, packet, group.tcp.ack_size.bytes()));
        let flow = if let Some(flow) = group.free.pop() {
            flow
        } else {
            let flow = self.sources.len() as u32;
            self.sources.push(Source {
                sender: Sender::new(flow, packet, Arc::clone(&group.tcp)),
                timer_at: Instant::MAX,
                jitter: None,
            });
            self.sinks.push(Sink {
                receiver: Receiver::new(flow, &group.tcp),
                timer_at: Instant::MAX,
                end: u32::MAX,
            });
            self.ways.group.push(group.group);
            self.ways.forward.push(forward);
            self.ways.backward.push(backward);
            self.traffic.slots.push(slot);
            flow
        };
        let at = flow as usize;
        self.traffic.slots[at - self.traffic.first as usize] = slot;
        self.ways.forward[at] = forward;
        self.ways.backward[at] = backward;
        if access.is_some() {
            self.ways.access.resize_with(self.ways.access.len().max(at + 1), || None);
            self.ways.access[at] = access;
        }
        // Entries of the calendar stay valid: they may be earlier than what they stand for.
        let source = &mut self.sources[at];
        let first = match source.sender.end() {
            // Never used.
            0 => 0,
            end => end + 1,
        };
        source.sender = Sender::new(flow, packet, Arc::clone(&group.tcp)).counting_from(first);
        source.sender.start_with(segments as u32, last);
        source.jitter = rng.map(|rng| Box::new(Jitter { width: group.send_jitter, rng, pending: false }));
        let sink = &mut self.sinks[at];
        sink.receiver = Receiver::new(flow, &group.tcp).counting_from(first);
        sink.end = source.sender.end();
        let live = &mut self.ways.live[group.group as usize];
        *live += 1;
        group.live.set(*live, now);
        self.send(flow);
    }

    /// The first packet of a flow that its jitter held back leaves only now.
    pub(crate) fn note_begin(&mut self, flow: u32) {
        if let Some(slot) = flow.checked_sub(self.traffic.first)
            && self.sources[flow as usize].sender.counters().sent == 0
        {
            self.traffic.slots[slot as usize].begun = self.now;
        }
    }

    /// All of a flow has arrived, perhaps once more.
    #[cold]
    #[inline(never)]
    pub(crate) fn flow_arrived(&mut self, flow: u32) {
        let now = self.now;
        let Some(index) = flow.checked_sub(self.traffic.first) else { return };
        let slot = &mut self.traffic.slots[index as usize];
        if slot.state != State::Live {
            return;
        }
        slot.state = State::Arrived;
        let Slot { coming, owner, begun, ideal, bytes, .. } = *slot;
        let group = &mut self.traffic.coming[coming as usize];
        group.completions.record(bytes, now.since(begun), ideal);
        let live = &mut self.ways.live[group.group as usize];
        *live -= 1;
        group.live.set(*live, now);
        if let Some(owner) = owner
            && let Generator::Session(session) = &mut self.traffic.generators[owner as usize]
        {
            let next = session.arrived(now);
            self.await_generator(owner, next);
        }
    }

    /// A sender knows that all has arrived: its slot is free.
    #[cold]
    #[inline(never)]
    pub(crate) fn flow_done(&mut self, flow: u32) {
        let Some(index) = flow.checked_sub(self.traffic.first) else { return };
        let slot = &mut self.traffic.slots[index as usize];
        if slot.state != State::Arrived {
            return;
        }
        slot.state = State::Free;
        let counts = self.counts_of(flow);
        let coming = self.traffic.slots[index as usize].coming;
        let group = &mut self.traffic.coming[coming as usize];
        group.past.add(&counts);
        if self.sources[flow as usize].sender.end() < LAST {
            group.free.push(flow);
        }
    }

    /// What the flow in a slot has done.
    fn counts_of(&self, flow: u32) -> FlowCounts {
        let (source, sink) = (&self.sources[flow as usize], &self.sinks[flow as usize]);
        let slot = &self.traffic.slots[(flow - self.traffic.first) as usize];
        let delivered = u64::from(sink.receiver.delivered());
        let all = sink.receiver.expected() == sink.end;
        FlowCounts {
            bytes: if all { slot.wire } else { delivered * u64::from(slot.packet) },
            ..FlowCounts::of(&source.sender, &sink.receiver)
        }
    }

    /// Closes a measuring interval of the groups whose flows come and go.
    pub(crate) fn cut_coming(&mut self) {
        let now = self.now;
        let mut sums: Vec<FlowCounts> = self.traffic.coming.iter().map(|group| group.past).collect();
        for (index, slot) in (0..).zip(&self.traffic.slots) {
            if slot.state != State::Free {
                sums[slot.coming as usize].add(&self.counts_of(self.traffic.first + index));
            }
            if slot.state == State::Live {
                self.traffic.coming[slot.coming as usize].completions.leave_unfinished(slot.bytes);
            }
        }
        for (group, flows) in self.traffic.coming.iter_mut().zip(sums) {
            let next = group.live.begin(now);
            let mut live = std::mem::replace(&mut group.live, next);
            live.close(now);
            let mut completions = std::mem::take(&mut group.completions);
            completions.close();
            group.closed.push(ComingCounts { flows, live, completions });
        }
    }
}
