//! Fair queueing: a queue per flow, served by deficit round robin, each with its own AQM.
//!
//! T. Høiland-Jørgensen, P. McKenney, D. Täht, J. Gettys, E. Dumazet: *The Flow Queue CoDel Packet
//! Scheduler and Active Queue Management Algorithm*, RFC 8290, 2018. The scheduler is a deficit
//! round robin (Shreedhar and Varghese, 1996) with two lists:
//!
//! ```text
//! arrival    to queue hash(flow, salt); a queue on no list joins the new ones
//!            with a deficit of one quantum
//! departure  the first new queue, else the first old one
//!              deficit <= 0   deficit += quantum, to the end of the old ones, again
//!              empty          a new one becomes old, an old one leaves its list, again
//!              else           deficit -= bytes of the packet that its AQM passes
//! overflow   drop from the head of the queue with most bytes until half of them are gone,
//!            at most 64 packets; the arrival may be among them
//! ```
//!
//! A flow below its share is therefore always new and does not wait for flows with queues.
//!
//! Differences between RFC 8290, Linux, ns-3 and Weir: `docs/disciplines/fq.md`.

use alloc::{boxed::Box, vec::Vec};

use weir_types::{Duration, Instant, Rate};

use super::{
    carry_out,
    linked_list::{Index, List, ListNode, PacketPool},
    move_all,
    scheduler::{AqmBacklog, FlowHashing, OverflowPolicy, Scheduler},
};
use crate::{Aqm, Backlog, Discipline, FlowQueue, Limit, Mechanism, Observer, Packet, PacketInfo, Reason};

/// Deficit round robin over flows, new ones first, with an AQM for each.
///
/// All AQMs exist from the start: [`Discipline::next_update`] may change only inside
/// [`Discipline::update`].
#[derive(Debug)]
pub struct FairQueue<P, A> {
    waiting: PacketPool<P>,
    flows: Box<[Flow<A>]>,
    /// Waiting bytes of each queue, contiguous: the search for the longest queue reads all.
    bytes: Box<[u32]>,
    new: List,
    old: List,
    queue: Backlog,
    scheduler: Scheduler,
    quantum: i64,
    salt: u64,
    /// When the first of the AQMs is due.
    update_at: Option<Instant>,
}

/// One queue.
#[derive(Debug)]
struct Flow<A> {
    aqm: A,
    line: List,
    packets: u32,
    /// Bytes it may still send in this round.
    deficit: i64,
    /// Next on its list.
    next: Option<Index>,
    /// It is on a list.
    listed: bool,
    /// `on_idle` has been called.
    idle: bool,
}

impl<A> ListNode for Flow<A> {
    #[inline]
    fn next(&mut self) -> &mut Option<Index> {
        &mut self.next
    }
}

impl<P: Packet, A: Aqm> FairQueue<P, A> {
    /// Empty queues before a buffer of `limit`, each under the AQM that `aqm` makes for its number.
    pub fn new(scheduler: &Scheduler, limit: Limit, salt: u64, aqm: impl FnMut(u32) -> A) -> Self {
        let flow = |aqm| Flow {
            aqm,
            line: List::default(),
            packets: 0,
            deficit: 0,
            next: None,
            listed: false,
            idle: true,
        };
        let flows: Box<[_]> = (0..scheduler.flows).map(aqm).map(flow).collect();
        Self {
            waiting: PacketPool::new(),
            bytes: flows.iter().map(|_| 0).collect(),
            update_at: flows.iter().filter_map(|flow| flow.aqm.next_update()).min(),
            flows,
            new: List::default(),
            old: List::default(),
            queue: Backlog { packets: 0, bytes: 0, limit },
            scheduler: *scheduler,
            quantum: i64::from(scheduler.quantum.bytes()),
            salt,
        }
    }

    /// The queue of a flow.
    #[inline]
    pub fn place_of(&self, flow: u32) -> u32 {
        match self.scheduler.flow_hashing {
            FlowHashing::Modulo => flow % self.scheduler.flows,
            FlowHashing::Salted => {
                let hash = spread(u64::from(flow) ^ self.salt) >> 32;
                ((hash * u64::from(self.scheduler.flows)) >> 32) as u32
            }
        }
    }

    /// The AQM of one queue, to read its variables.
    pub fn aqm(&self, place: u32) -> &A {
        &self.flows[place as usize].aqm
    }

    /// The queues on a list.
    fn listed(&self, list: &List) -> impl Iterator<Item = Index> {
        core::iter::successors(list.first(), |place| self.flows[place.index()].next)
    }

    /// Backlog that an AQM sees. It has no limit, because an overflow drops from the longest queue,
    /// unless the arrival itself is dropped.
    #[inline]
    fn visible_backlog(&self, index: usize, room: bool) -> Backlog {
        let limit = if room { Limit::NONE } else { Limit::Packets(0) };
        match self.scheduler.aqm_backlog {
            AqmBacklog::Total => Backlog { limit, ..self.queue },
            AqmBacklog::Flow => {
                Backlog { packets: self.flows[index].packets, bytes: u64::from(self.bytes[index]), limit }
            }
        }
    }

    /// Returns true if a packet of `bytes` bytes does not fit.
    #[inline]
    fn overflows(&self, bytes: u32) -> bool {
        self.queue.overflows(bytes)
            || self.queue.bytes + u64::from(bytes) > u64::from(self.scheduler.memory_limit)
    }

    #[inline]
    fn is_over_limit(&self) -> bool {
        self.queue.is_over_limit() || self.queue.bytes > u64::from(self.scheduler.memory_limit)
    }

    /// The head of one queue, no longer counted.
    #[inline]
    fn pop(&mut self, index: usize) -> Option<(P, Instant)> {
        let flow = &mut self.flows[index];
        let (packet, arrived) = self.waiting.pop(&mut flow.line)?;
        let bytes = packet.info().bytes;
        flow.packets -= 1;
        self.bytes[index] -= bytes;
        self.queue.packets -= 1;
        self.queue.bytes -= u64::from(bytes);
        Some((packet, arrived))
    }

    /// Drops from the head of the longest queue until half of its bytes are gone.
    #[inline(never)]
    fn make_room(&mut self, now: Instant, observer: &mut impl Observer<P>) {
        let most = self.bytes.iter().copied().max().unwrap_or(0);
        let fattest = self.bytes.iter().position(|bytes| *bytes == most).expect("there is a queue");
        let mut dropped = 0;
        while dropped < self.scheduler.drop_batch && self.bytes[fattest] > most / 2 {
            let (packet, _) = self.pop(fattest).expect("there are bytes");
            observer.dropped(packet, Reason::Overflow, true, now);
            dropped += 1;
        }
        self.flows[fattest].aqm.on_overflow(dropped, now);
    }

    /// One more packet, of `bytes` bytes, waits in the queue `index`.
    #[inline]
    fn admit(&mut self, index: usize, bytes: u32) {
        let flow = &mut self.flows[index];
        flow.packets += 1;
        flow.idle = false;
        self.bytes[index] += bytes;
        self.queue.packets += 1;
        self.queue.bytes += u64::from(bytes);
        if !core::mem::replace(&mut flow.listed, true) {
            flow.deficit = self.quantum;
            self.new.push(&mut self.flows, Index::new(index));
        }
    }

    /// The next packet of one queue that its AQM passes.
    #[inline]
    fn take(&mut self, index: usize, now: Instant, observer: &mut impl Observer<P>) -> Option<(P, Duration)> {
        while let Some((packet, arrived)) = self.pop(index) {
            let (info, sojourn) = (packet.info(), now.since(arrived));
            let queue = self.visible_backlog(index, true);
            let verdict = self.flows[index].aqm.on_dequeue(info, sojourn, queue, now);
            let taken = carry_out(verdict, packet, true, now, observer, |packet| (packet, sojourn));
            if taken.is_some() {
                return taken;
            }
        }
        let flow = &mut self.flows[index];
        if !core::mem::replace(&mut flow.idle, true) {
            flow.aqm.on_idle(now);
        }
        None
    }
}

impl<P: Packet, A: Aqm> Discipline<P> for FairQueue<P, A> {
    #[inline(never)]
    fn enqueue(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) {
        let info = packet.info();
        let index = self.place_of(info.flow) as usize;
        let room = self.scheduler.overflow == OverflowPolicy::Fattest || !self.overflows(info.bytes);
        let queue = self.visible_backlog(index, room);
        let flow = &mut self.flows[index];
        let verdict = flow.aqm.on_enqueue(info, queue, now);
        let admitted = if room {
            let push = |packet| self.waiting.push(&mut flow.line, packet, now);
            carry_out(verdict, packet, false, now, observer, push)
        } else {
            observer.dropped(packet, Reason::Overflow, false, now);
            None
        };
        if admitted.is_none() {
            // No dequeue will find this queue empty.
            if !flow.listed {
                flow.aqm.on_idle(now);
            }
            return;
        }
        self.admit(index, info.bytes);
        // The arrival may be larger than the dropped packets.
        while self.is_over_limit() {
            self.make_room(now, observer);
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Instant, observer: &mut impl Observer<P>) -> Option<(P, Duration)> {
        loop {
            let is_new = self.new.first().is_some();
            let place = if is_new { self.new.first() } else { self.old.first() }?;
            let index = place.index();
            let exhausted = self.flows[index].deficit <= 0;
            if !exhausted && let Some((packet, sojourn)) = self.take(index, now, observer) {
                self.flows[index].deficit -= i64::from(packet.info().bytes);
                return Some((packet, sojourn));
            }
            let list = if is_new { &mut self.new } else { &mut self.old };
            list.pop(&mut self.flows);
            if exhausted {
                self.flows[index].deficit += self.quantum;
                self.old.push(&mut self.flows, place);
            } else if is_new {
                // Through the old list once: otherwise its next packet would make it new again.
                self.old.push(&mut self.flows, place);
            } else {
                self.flows[index].listed = false;
            }
        }
    }

    fn backlog(&self) -> Backlog {
        self.queue
    }

    fn drops_on_departure(&self) -> bool {
        self.flows.iter().any(|flow| flow.aqm.drops_on_departure())
    }

    fn next_update(&self) -> Option<Instant> {
        self.update_at
    }

    fn update(&mut self, now: Instant) {
        // One round: a thousand AQMs fill a cache.
        let mut first = Instant::MAX;
        for index in 0..self.flows.len() {
            if self.flows[index].aqm.next_update().is_some_and(|due| due <= now) {
                let queue = self.visible_backlog(index, true);
                self.flows[index].aqm.update(queue, now);
            }
            first = first.min(self.flows[index].aqm.next_update().unwrap_or(Instant::MAX));
        }
        self.update_at = (first < Instant::MAX).then_some(first);
    }

    fn drain(&mut self, into: &mut Vec<(P, Instant)>) {
        for index in 0..self.flows.len() {
            while let Some(waiting) = self.pop(index) {
                into.push(waiting);
            }
        }
        into.sort_by_key(|(_, arrived)| *arrived);
    }

    fn restore(&mut self, packet: P, arrived: Instant) {
        let PacketInfo { bytes, flow, .. } = packet.info();
        let index = self.place_of(flow) as usize;
        self.waiting.push(&mut self.flows[index].line, packet, arrived);
        self.admit(index, bytes);
    }

    /// Flows keep what their AQMs have learned, and their turns, if they keep their queues.
    fn take_over(&mut self, former: &mut Self, now: Instant) {
        self.salt = former.salt;
        let scheduling = |queue: &Self| (queue.flows.len(), queue.scheduler.flow_hashing);
        if scheduling(self) == scheduling(former) {
            for (flow, former) in self.flows.iter_mut().zip(&mut former.flows) {
                flow.aqm.take_over(&former.aqm);
                core::mem::swap(&mut flow.aqm, &mut former.aqm);
            }
            core::mem::swap(&mut self.flows, &mut former.flows);
            self.waiting = core::mem::replace(&mut former.waiting, PacketPool::new());
            self.bytes = former.bytes.clone();
            (self.new, self.old) = (core::mem::take(&mut former.new), core::mem::take(&mut former.old));
            self.queue = Backlog { limit: self.queue.limit, ..former.queue };
            self.update_at = self.flows.iter().filter_map(|flow| flow.aqm.next_update()).min();
        } else {
            self.begin(now);
            move_all(former, self);
        }
    }

    fn begin(&mut self, now: Instant) {
        for flow in &mut self.flows {
            flow.aqm.begin(now);
        }
        self.update_at = self.flows.iter().filter_map(|flow| flow.aqm.next_update()).min();
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        for flow in &mut self.flows {
            flow.aqm.on_rate(rate, now);
        }
    }

    fn mechanism(&self) -> Mechanism<'_> {
        let mut is_new = alloc::vec![false; self.flows.len()];
        for place in self.listed(&self.new) {
            is_new[place.index()] = true;
        }
        let queues = self.flows.iter().zip(is_new).filter_map(|(Flow { line, packets, .. }, is_new)| {
            let (_, head) = self.waiting.iter(line).next()?;
            Some(FlowQueue { class: 0, flow: head.info().flow, packets: *packets, is_new })
        });
        Mechanism { curve: None, queues: queues.collect() }
    }

    /// Numbers of new and old queues, bytes of the longest queue, and the AQMs' variables as means over
    /// listed queues.
    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("new_flows", self.listed(&self.new).count() as f64);
        record("old_flows", self.listed(&self.old).count() as f64);
        record("fattest", self.bytes.iter().copied().max().map_or(0.0, f64::from));
        let busy = self.flows.iter().filter(|flow| flow.listed).count();
        // All AQMs have the same variables.
        let mut place = 0;
        self.flows[0].aqm.probe(&mut |name, _| {
            let flows = self.flows.iter().filter(|flow| flow.listed);
            let values = flows.map(|flow| nth_variable(&flow.aqm, place));
            record(name, if busy == 0 { 0.0 } else { values.sum::<f64>() / busy as f64 });
            place += 1;
        });
    }
}

/// The value of the variable that an AQM shows after `place` others.
fn nth_variable(aqm: &impl Aqm, place: usize) -> f64 {
    let (mut value, mut shown) = (f64::NAN, 0);
    aqm.probe(&mut |_, shows| {
        if shown == place {
            value = shows;
        }
        shown += 1;
    });
    value
}

/// The finaliser of `SplitMix64` (Steele, Lea, Flood 2014): every bit of the result depends on
/// every bit of `value`.
#[inline]
pub(super) const fn spread(value: u64) -> u64 {
    let mut z = value;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
