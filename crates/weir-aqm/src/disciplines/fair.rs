//! Fair queueing: a queue for each of many flows, served in turns by bytes, each under a law of
//! its own.
//!
//! T. Høiland-Jørgensen, P. McKenney, D. Täht, J. Gettys, E. Dumazet: *The Flow Queue CoDel Packet
//! Scheduler and Active Queue Management Algorithm*, RFC 8290, 2018. The scheduler is a deficit
//! round robin (Shreedhar and Varghese, 1996) with two lists:
//!
//! ```text
//! arrival    to the queue that hash(flow, salt) names; a queue on no list joins the new ones
//!            with a deficit of one quantum
//! departure  the first new queue, else the first old one
//!              deficit <= 0   deficit += quantum, to the end of the old ones, again
//!              empty          a new one becomes old, an old one leaves its list, again
//!              else           deficit -= bytes of the packet that its law lets through
//! no room    drop from the head of the queue with most bytes until half of them are gone,
//!            at most 64 packets; the arrival may be among them
//! ```
//!
//! A flow that sends less than its share is therefore new again and again, and never waits for
//! those that build queues.
//!
//! | | RFC 8290 | Linux | ns-3 | Weir |
//! | --- | --- | --- | --- | --- |
//! | backlog that a law is told | | of all flows | of its own | of its own; of all for FQ-CoDel; `backlog` chooses |
//! | a new queue that is found empty | becomes old | only if there are old ones | becomes old | becomes old |
//! | full, under PIE | | arrival dropped | fattest flow | fattest flow, `full` chooses |
//! | drops for room in CoDel's count | | added | no | added |

use alloc::boxed::Box;

use weir_types::{Duration, Instant, PacketSize, Rate};

use super::{
    carry_out,
    chain::{Chain, Linked, Place, Store},
};
use crate::{Aqm, Backlog, Discipline, Limit, Observer, Packet, Reason};

/// What the law of one flow is told of the backlog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Told {
    /// What waits in all queues (Linux's FQ-CoDel).
    #[default]
    Whole,
    /// What waits in its own (FQ-PIE; ns-3).
    Own,
}

/// Who is dropped when the buffer is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Full {
    /// The flow with most bytes, from its head (RFC 8290).
    #[default]
    Fattest,
    /// The packet that arrives (Linux's FQ-PIE).
    Arrival,
}

/// How flows come to queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Places {
    /// By a hash with a random salt: two flows may share a queue.
    #[default]
    Hashed,
    /// One after the other: flows share a queue only if there are more flows than queues.
    Numbered,
}

/// How a [`FairQueue`] shares the link.
#[derive(Clone, Copy, Debug)]
pub struct Scheduler {
    /// Queues.
    pub flows: u32,
    /// What a flow may send in its turn.
    pub quantum: PacketSize,
    /// Bytes that may wait, whatever the buffer of the link.
    pub memory: u32,
    /// Packets that are dropped at once for want of room, at most.
    pub drop_batch: u32,
    /// What laws are told of the backlog.
    pub backlog: Told,
    /// Who is dropped for want of room.
    pub full: Full,
    /// How flows come to queues.
    pub places: Places,
}

/// Deficit round robin over flows, new ones first, under a law of any kind for each.
///
/// All laws are there from the start: a law that came with its flow would bring a timer that
/// changes when a packet arrives, not inside [`Discipline::update`].
#[derive(Debug)]
pub struct FairQueue<P, A> {
    waiting: Store<P>,
    flows: Box<[Flow<A>]>,
    /// Waiting bytes of each flow, side by side: whoever looks for the fattest reads them all.
    bytes: Box<[u32]>,
    new: Chain,
    old: Chain,
    queue: Backlog,
    scheduler: Scheduler,
    quantum: i64,
    salt: u64,
    /// When the first of the laws is due.
    update_at: Option<Instant>,
}

/// One queue.
#[derive(Debug)]
struct Flow<A> {
    law: A,
    line: Chain,
    packets: u32,
    /// Bytes it may still send before others have their turn.
    deficit: i64,
    /// Who comes after it on its list.
    next: Option<Place>,
    /// It is on a list.
    listed: bool,
    /// The law has been told that nothing waits.
    idle: bool,
}

impl<A> Linked for Flow<A> {
    #[inline]
    fn next(&mut self) -> &mut Option<Place> {
        &mut self.next
    }
}

impl<P: Packet, A: Aqm> FairQueue<P, A> {
    /// Empty queues before a buffer of `limit`, each under the law that `law` makes for its number.
    pub fn new(scheduler: &Scheduler, limit: Limit, salt: u64, law: impl FnMut(u32) -> A) -> Self {
        let flow = |law| Flow {
            law,
            line: Chain::default(),
            packets: 0,
            deficit: 0,
            next: None,
            listed: false,
            idle: true,
        };
        let flows: Box<[_]> = (0..scheduler.flows).map(law).map(flow).collect();
        Self {
            waiting: Store::new(),
            bytes: flows.iter().map(|_| 0).collect(),
            update_at: flows.iter().filter_map(|flow| flow.law.next_update()).min(),
            flows,
            new: Chain::default(),
            old: Chain::default(),
            queue: Backlog { packets: 0, bytes: 0, limit },
            scheduler: *scheduler,
            quantum: i64::from(scheduler.quantum.bytes()),
            salt,
        }
    }

    /// The queue that a flow's packets wait in.
    #[inline]
    pub fn place_of(&self, flow: u32) -> u32 {
        match self.scheduler.places {
            Places::Numbered => flow % self.scheduler.flows,
            Places::Hashed => {
                let hash = spread(u64::from(flow) ^ self.salt) >> 32;
                ((hash * u64::from(self.scheduler.flows)) >> 32) as u32
            }
        }
    }

    /// The law of one queue, to read its variables.
    pub fn law(&self, place: u32) -> &A {
        &self.flows[place as usize].law
    }

    /// What a law may know of the backlog. A full buffer does not reject the packet that
    /// arrives, so there is room for it, unless the arrival is the one to be dropped.
    #[inline]
    fn told(&self, index: usize, room: bool) -> Backlog {
        let limit = if room { Limit::NONE } else { Limit::Packets(0) };
        match self.scheduler.backlog {
            Told::Whole => Backlog { limit, ..self.queue },
            Told::Own => {
                Backlog { packets: self.flows[index].packets, bytes: u64::from(self.bytes[index]), limit }
            }
        }
    }

    /// Whether a packet of so many bytes finds no room.
    #[inline]
    fn overflows(&self, bytes: u32) -> bool {
        self.queue.overflows(bytes) || self.queue.bytes + u64::from(bytes) > u64::from(self.scheduler.memory)
    }

    #[inline]
    fn is_over_limit(&self) -> bool {
        let over = match self.queue.limit {
            Limit::Packets(limit) => self.queue.packets > limit,
            Limit::Bytes(limit) => self.queue.bytes > limit,
        };
        over || self.queue.bytes > u64::from(self.scheduler.memory)
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

    /// Drops from the head of the fattest queue until half of its bytes are gone.
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
        self.flows[fattest].law.on_overflow(dropped, now);
    }

    /// The next packet of one queue that its law lets through.
    #[inline]
    fn take(&mut self, index: usize, now: Instant, observer: &mut impl Observer<P>) -> Option<(P, Duration)> {
        while let Some((packet, arrived)) = self.pop(index) {
            let (info, sojourn) = (packet.info(), now.since(arrived));
            let queue = self.told(index, true);
            let verdict = self.flows[index].law.on_dequeue(info, sojourn, queue, now);
            let taken = carry_out(verdict, packet, info, true, now, observer, |packet| (packet, sojourn));
            if taken.is_some() {
                return taken;
            }
        }
        let flow = &mut self.flows[index];
        if !core::mem::replace(&mut flow.idle, true) {
            flow.law.on_idle(now);
        }
        None
    }
}

impl<P: Packet, A: Aqm> Discipline<P> for FairQueue<P, A> {
    #[inline(never)]
    fn enqueue(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) {
        let info = packet.info();
        let index = self.place_of(info.flow) as usize;
        let room = self.scheduler.full == Full::Fattest || !self.overflows(info.bytes);
        let queue = self.told(index, room);
        let flow = &mut self.flows[index];
        let verdict = flow.law.on_enqueue(info, queue, now);
        let admitted = if room {
            let push = |packet| self.waiting.push(&mut flow.line, packet, now);
            carry_out(verdict, packet, info, false, now, observer, push)
        } else {
            observer.dropped(packet, Reason::Overflow, false, now);
            None
        };
        if admitted.is_none() {
            // Nobody will ask this queue for a packet and find it empty.
            if !flow.listed {
                flow.law.on_idle(now);
            }
            return;
        }
        flow.packets += 1;
        flow.idle = false;
        self.bytes[index] += info.bytes;
        self.queue.packets += 1;
        self.queue.bytes += u64::from(info.bytes);
        if !core::mem::replace(&mut flow.listed, true) {
            flow.deficit = self.quantum;
            self.new.push(&mut self.flows, Place::new(index));
        }
        // A packet may be larger than what was dropped for it.
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
                // It goes once through the old ones, or it would be new again with its next
                // packet and never wait for the others.
                self.old.push(&mut self.flows, place);
            } else {
                self.flows[index].listed = false;
            }
        }
    }

    fn backlog(&self) -> Backlog {
        self.queue
    }

    fn next_update(&self) -> Option<Instant> {
        self.update_at
    }

    fn update(&mut self, now: Instant) {
        // One round: a thousand laws fill a cache.
        let mut first = Instant::MAX;
        for index in 0..self.flows.len() {
            if self.flows[index].law.next_update().is_some_and(|due| due <= now) {
                let queue = self.told(index, true);
                self.flows[index].law.update(queue, now);
            }
            first = first.min(self.flows[index].law.next_update().unwrap_or(Instant::MAX));
        }
        self.update_at = (first < Instant::MAX).then_some(first);
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        for flow in &mut self.flows {
            flow.law.on_rate(rate, now);
        }
    }

    /// How many queues are on each list, what waits in the fattest, and the variables of the
    /// laws, each as the mean over the queues on a list.
    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let listed = |list: &Chain| {
            let places = core::iter::successors(list.first(), |place| self.flows[place.index()].next);
            places.count() as f64
        };
        record("new_flows", listed(&self.new));
        record("old_flows", listed(&self.old));
        record("fattest", self.bytes.iter().copied().max().map_or(0.0, f64::from));
        let busy = self.flows.iter().filter(|flow| flow.listed).count();
        // The first law says which variables there are.
        let mut place = 0;
        self.flows[0].law.probe(&mut |name, _| {
            let flows = self.flows.iter().filter(|flow| flow.listed);
            let values = flows.map(|flow| nth_variable(&flow.law, place));
            record(name, if busy == 0 { 0.0 } else { values.sum::<f64>() / busy as f64 });
            place += 1;
        });
    }
}

/// The value of the variable that a law shows after `place` others.
fn nth_variable(law: &impl Aqm, place: usize) -> f64 {
    let (mut value, mut shown) = (f64::NAN, 0);
    law.probe(&mut |_, shows| {
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
const fn spread(value: u64) -> u64 {
    let mut z = value;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
