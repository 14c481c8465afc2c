//! Finite flows: each occupies a slot, which the next flow reuses.

use std::sync::Arc;

use weir_tcp::TcpParameters;
use weir_types::{Duration, Instant, Rate, Streams};

use super::path_delay::TimedWay;
use crate::{
    hosts::{Access, Flow, Hosts, Routing, SendJitter},
    record::{Completions, FiniteGroup, FlowArrivals, FlowCounts, QueueGauge, TransferRecord},
};

/// Beyond this segment number a slot is not reused, so that numbers never overflow.
const LAST_NUMBER: u32 = 1 << 31;

/// A slot for a finite flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowSlot {
    /// Index of the group among the groups of finite flows.
    group: u32,
    state: SlotState,
    /// The session to notify when all data has arrived.
    session: Option<u32>,
    /// When its first packet left.
    begun: Instant,
    /// The least possible time of its transfer.
    ideal: Duration,
    /// Size of the transfer, and its bytes on the wire without the SYN.
    bytes: u64,
    wire: u64,
    packet: u32,
    /// Index among the records of its group, of a transfer of a list.
    record: Option<u32>,
}

/// State of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlotState {
    /// No flow.
    Free,
    /// Not all data has arrived.
    Live,
    /// All data has arrived; the sender does not know yet.
    Arrived,
}

/// A group of finite flows.
#[derive(Debug)]
pub(crate) struct FiniteFlows {
    /// Index among all groups.
    pub(super) group: usize,
    pub(super) name: String,
    pub(super) tcp: Arc<TcpParameters>,
    pub(super) routes: Vec<TimedWay>,
    /// Rate of access links, if there are any.
    pub(super) access: Option<Rate>,
    pub(super) send_jitter: Duration,
    /// Slots without a flow.
    free: Vec<u32>,
    /// Flows so far.
    flows: u64,
    /// Flows in progress.
    live: QueueGauge,
    /// Counts of the flows that have ended.
    ended: FlowCounts,
    completions: Completions,
    /// Records of the transfers of a list, in the order of their starts.
    transfers: Vec<TransferRecord>,
    /// Closed intervals. The counts of flows are since the start.
    closed: Vec<FlowArrivals>,
}

impl FiniteFlows {
    pub(super) fn new(
        group: usize,
        name: &str,
        tcp: Arc<TcpParameters>,
        routes: Vec<TimedWay>,
        access: Option<Rate>,
        send_jitter: Duration,
    ) -> Self {
        Self {
            group,
            name: name.to_owned(),
            tcp,
            routes,
            access,
            send_jitter,
            free: Vec::new(),
            flows: 0,
            live: QueueGauge::default(),
            ended: FlowCounts::default(),
            completions: Completions::default(),
            transfers: Vec::new(),
            closed: Vec::new(),
        }
    }

    fn finish(self) -> FiniteGroup {
        let mut counts = self.closed;
        // From counts since the start to counts per interval.
        for later in (1..counts.len()).rev() {
            counts[later].flows = counts[later].flows.since(&counts[later - 1].flows);
        }
        let delays = self.routes.iter().map(|route| route.delay.forward + route.delay.backward);
        let sum: f64 = delays.map(|delay| delay.as_nanos() as f64).sum();
        let mean_rtt = sum / self.routes.len() as f64;
        FiniteGroup { group: self.group, mean_rtt, intervals: counts, transfers: self.transfers }
    }
}

/// All groups of finite flows.
#[derive(Debug)]
pub(crate) struct FiniteTraffic {
    streams: Streams,
    groups: Vec<FiniteFlows>,
    /// The id of the first slot, which is the number of static flows.
    first_slot: u32,
    slots: Vec<FlowSlot>,
}

/// A finite flow that begins.
pub(crate) struct NewFlow {
    /// Index of its group among the groups of finite flows.
    pub(super) group: u32,
    /// The session to notify when all data has arrived.
    pub(super) session: Option<u32>,
    /// Bytes to transfer.
    pub(super) bytes: u64,
    /// Index among the routes of its group.
    pub(super) route: u32,
    /// Bytes of a full packet on the wire, and how many of them are headers that `bytes` does not include.
    pub(super) packet: u32,
    pub(super) headers: u32,
    /// Its line in the list that it is of.
    pub(super) line: Option<u32>,
}

impl FiniteTraffic {
    pub(super) const fn new(streams: Streams) -> Self {
        Self { streams, groups: Vec::new(), first_slot: 0, slots: Vec::new() }
    }

    /// Adds a group and returns its index among the groups of finite flows.
    pub(super) fn add(&mut self, group: FiniteFlows) -> u32 {
        self.groups.push(group);
        self.groups.len() as u32 - 1
    }

    /// The routes of a group.
    pub(super) fn routes(&self, group: u32) -> &[TimedWay] {
        &self.groups[group as usize].routes
    }

    /// Places the slots behind so many static flows.
    pub(super) const fn begin_slots(&mut self, static_flows: u32) {
        self.first_slot = static_flows;
    }

    /// Begins a flow and returns its id; its sender may send.
    pub(crate) fn open(&mut self, new: &NewFlow, now: Instant, hosts: &mut Hosts) -> u32 {
        let NewFlow { group: index, session, bytes, route, packet, headers, line } = *new;
        let group = &mut self.groups[index as usize];
        let payload = u64::from(packet - headers);
        let segments = bytes.div_ceil(payload).clamp(1, u64::from(LAST_NUMBER / 2));
        let last = (bytes - (segments - 1) * payload).min(payload) as u32 + headers;
        let wire = (segments - 1) * u64::from(packet) + u64::from(last);
        let TimedWay { way, delay } = &group.routes[route as usize];
        let ideal = delay.ideal(wire, group.tcp.handshake, now);
        let record = line.map(|line| {
            group.transfers.push(TransferRecord { line, bytes, begun: now, end: None, ideal });
            group.transfers.len() as u32 - 1
        });
        let serial = group.flows;
        group.flows += 1;
        let jitter = (!group.send_jitter.is_zero()).then(|| {
            let rng = self.streams.at(&format!("flows.{}.{serial}.send", group.name));
            Box::new(SendJitter::new(group.send_jitter, rng))
        });
        let access = group.access.map(|rate| Access::new(rate, packet, group.tcp.ack_size.bytes()));
        let slot = FlowSlot {
            group: index,
            state: SlotState::Live,
            session,
            begun: now,
            ideal,
            bytes,
            wire,
            packet,
            record,
        };
        // The flow counts its segments from where the former flow of the slot ended: late segments of that
        // flow have lower numbers and are ignored.
        let (flow, first) = if let Some(flow) = group.free.pop() {
            self.slots[(flow - self.first_slot) as usize] = slot;
            (flow, hosts.flow(flow).sender.end() + 1)
        } else {
            self.slots.push(slot);
            (hosts.flows().len() as u32, 0)
        };
        let mut ends = Flow::endless(flow, packet, &group.tcp, jitter, Instant::MAX, way).behind(access);
        if group.tcp.congestion.samples() {
            let path = format!("flows.{}.{serial}.congestion", group.name);
            ends.sender.set_random(self.streams.at(&path));
        }
        hosts.put(flow, ends.transfer(first, segments as u32, last), now);
        group.live.set(hosts.routing.begin_flow(group.group, now), now);
        flow
    }

    /// Notes that `flow` sends now. A delayed flow begins with its first packet.
    pub(crate) fn note_sending(&mut self, flow: u32, now: Instant, hosts: &Hosts) {
        if let Some(slot) = flow.checked_sub(self.first_slot)
            && hosts.flow(flow).sender.sent() == 0
        {
            let slot = &mut self.slots[slot as usize];
            slot.begun = now;
            if let Some(record) = slot.record {
                self.groups[slot.group as usize].transfers[record as usize].begun = now;
            }
        }
    }

    /// Handles the arrival of all data of `flow`, or of a duplicate afterwards. Returns the session to notify.
    #[cold]
    #[inline(never)]
    pub(crate) fn on_complete(&mut self, flow: u32, now: Instant, routing: &mut Routing) -> Option<u32> {
        let index = flow.checked_sub(self.first_slot)?;
        let slot = &mut self.slots[index as usize];
        if slot.state != SlotState::Live {
            return None;
        }
        slot.state = SlotState::Arrived;
        let FlowSlot { group, session, begun, ideal, bytes, record, .. } = *slot;
        let group = &mut self.groups[group as usize];
        group.completions.record(bytes, now.since(begun), ideal);
        if let Some(record) = record {
            group.transfers[record as usize].end = Some(now);
        }
        group.live.set(routing.end_flow(group.group, now), now);
        session
    }

    /// Handles the acknowledgement of all data of `flow`: its slot becomes free.
    #[cold]
    #[inline(never)]
    pub(crate) fn on_acknowledged(&mut self, flow: u32, hosts: &Hosts) {
        let Some(index) = flow.checked_sub(self.first_slot) else { return };
        let slot = &mut self.slots[index as usize];
        if slot.state != SlotState::Arrived {
            return;
        }
        slot.state = SlotState::Free;
        let counts = slot.counts(flow, hosts);
        let group = &mut self.groups[slot.group as usize];
        group.ended.add(&counts);
        if hosts.flow(flow).sender.end() < LAST_NUMBER {
            group.free.push(flow);
        }
    }

    /// Ends a measuring interval of the groups of finite flows.
    pub(crate) fn close_interval(&mut self, now: Instant, hosts: &Hosts) {
        let sums = self.sums(hosts);
        for slot in &self.slots {
            if slot.state == SlotState::Live {
                self.groups[slot.group as usize].completions.leave_unfinished(slot.bytes);
            }
        }
        for (group, flows) in self.groups.iter_mut().zip(sums) {
            let next = group.live.begin(now);
            let mut live = std::mem::replace(&mut group.live, next);
            live.close(now);
            let mut completions = std::mem::take(&mut group.completions);
            completions.close();
            group.closed.push(FlowArrivals { flows, live, completions });
        }
    }

    /// Counts of each group since the start.
    fn sums(&self, hosts: &Hosts) -> Vec<FlowCounts> {
        let mut sums: Vec<FlowCounts> = self.groups.iter().map(|group| group.ended).collect();
        for (flow, slot) in (self.first_slot..).zip(&self.slots) {
            if slot.state != SlotState::Free {
                sums[slot.group as usize].add(&slot.counts(flow, hosts));
            }
        }
        sums
    }

    /// The groups of finite flows: the index of each among all groups, and its counts since the start.
    pub(crate) fn counts(&self, hosts: &Hosts) -> impl Iterator<Item = (usize, FlowCounts)> {
        self.groups.iter().map(|group| group.group).zip(self.sums(hosts))
    }

    /// The names of the groups of finite flows, and their indices among all groups.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&str, usize)> {
        self.groups.iter().map(|group| (&*group.name, group.group))
    }

    /// The number of slots, and the counts of each group of finite flows.
    pub(crate) fn finish(self) -> (usize, Vec<FiniteGroup>) {
        (self.slots.len(), self.groups.into_iter().map(FiniteFlows::finish).collect())
    }
}

impl FlowSlot {
    /// Counts of the flow in this slot.
    fn counts(&self, flow: u32, hosts: &Hosts) -> FlowCounts {
        let flow = hosts.flow(flow);
        let counts = FlowCounts::of(&flow.sender, &flow.receiver, self.packet);
        let packet = u64::from(self.packet);
        let bytes = match (flow.is_complete(), flow.receiver.has(flow.sender.end() - 1)) {
            (true, _) => self.wire,
            // The last segment is shorter.
            (false, true) => counts.bytes - (self.wire.next_multiple_of(packet) - self.wire),
            (false, false) => counts.bytes,
        };
        FlowCounts { bytes, ..counts }
    }
}
