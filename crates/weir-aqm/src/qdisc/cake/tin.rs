//! One tin: its queues under deficit round robin, sparse ones first, each with COBALT.
//!
//! ```text
//! on a list    sparse    one that had nothing to send: first, for one quantum
//!              bulk      one that has spent a quantum and still has packets
//!              decaying  one that has run empty, but whose COBALT has not come to rest
//! ```

use alloc::boxed::Box;

use weir_types::{Duration, Instant, Rate, Rng};

use super::{
    super::linked_list::List,
    flow::{Flow, Links, Set},
    isolation::{Hashes, Isolation, Places, QUEUES},
    turns::Turns,
};
use crate::aqm::{CobaltSettings, CobaltState};

/// Bytes of a full Ethernet frame, to which times and quanta are scaled.
const MTU: u32 = 1514;

/// A list of queues that waits for its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Decaying,
    New,
    Old,
}

/// Rates and times of a tin, which follow from the rate of the shaper.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) cobalt: CobaltSettings,
    /// The rate up to which the tin goes before the others; `None` without a shaper.
    pub(super) threshold: Option<Rate>,
    /// Time that a full frame takes at that rate.
    mtu_time: Duration,
    /// Bytes of a queue in one round, if no host has two of them.
    quantum: u32,
    /// Bytes of the tin in one round of tins.
    pub(super) tin_quantum: i64,
}

impl Scale {
    /// The scale of a tin with this threshold. `interval` and `target` hold where a frame takes little time: the
    /// target is at least one and a half frames, and the interval grows as the target does (`cake_set_rate`).
    pub(super) fn new(
        threshold: Option<Rate>,
        interval: Duration,
        target: Duration,
        increment: f64,
        decrement: f64,
        tin_quantum: i64,
    ) -> Self {
        let mtu_time = threshold.map_or(Duration::ZERO, |rate| rate.time_to_send(MTU));
        // What the rate sends in 1/4096 s.
        let sent = |rate: Rate| (rate.bits_per_second() / 8) >> 12;
        let least = Duration::from_nanos(mtu_time.as_nanos() * 3 / 2);
        let scaled = least.max(target);
        let cobalt = CobaltSettings {
            target: scaled,
            interval: (interval + scaled.saturating_sub(target)).max(scaled * 2),
            increment,
            decrement,
        };
        let quantum = threshold.map_or(MTU, |rate| sent(rate).clamp(300, u64::from(MTU)) as u32);
        Self { cobalt, threshold, mtu_time, quantum, tin_quantum }
    }

    /// A sojourn time above it is too long. Four frames are never too much, nor are two for each of `flows`.
    #[inline]
    pub(super) fn too_long(&self, flows: u32) -> Duration {
        self.cobalt.target.max(self.mtu_time * u64::from(flows.saturating_mul(2).max(4)))
    }
}

/// One tin.
#[derive(Debug)]
pub(super) struct Tin {
    pub(super) scale: Scale,
    pub(super) flows: Box<[Flow]>,
    /// Waiting bytes of each queue.
    pub(super) bytes: Box<[u32]>,
    places: Places,
    decaying: Turns,
    new: Turns,
    old: Turns,
    pub(super) sparse_flows: u32,
    pub(super) bulk_flows: u32,
    pub(super) decaying_flows: u32,
    pub(super) waiting: (u32, u64),
    /// The instant until which it has had its share.
    pub(super) served_until: Instant,
    /// Bytes it may still send in this round of tins.
    pub(super) deficit: i64,
}

impl Tin {
    pub(super) fn new(scale: Scale, isolation: Isolation) -> Self {
        let flow = |_| Flow {
            cobalt: CobaltState::as_in_linux(),
            line: List::default(),
            deficit: 0,
            links: Links::default(),
            set: Set::None,
            from: 0,
            to: 0,
        };
        Self {
            scale,
            flows: (0..QUEUES).map(flow).collect(),
            bytes: [0; QUEUES].into(),
            places: Places::new(isolation),
            decaying: Turns::default(),
            new: Turns::default(),
            old: Turns::default(),
            sparse_flows: 0,
            bulk_flows: 0,
            decaying_flows: 0,
            waiting: (0, 0),
            served_until: Instant::ZERO,
            deficit: 0,
        }
    }

    /// Returns true if a queue of it has its turn.
    #[inline]
    pub(super) const fn is_busy(&self) -> bool {
        self.sparse_flows + self.bulk_flows > 0
    }

    /// The queue for a packet with these hashes.
    #[inline]
    pub(super) fn queue_for(&mut self, hashes: Hashes) -> usize {
        self.places.queue_for(hashes, &mut self.flows)
    }

    /// Bytes that a queue may send in a round: a quantum, divided among the bulk flows of its busier host. A random
    /// part of a byte is added, so that what is cut off does not add up.
    fn share(&self, queue: usize, rng: &mut Rng) -> i64 {
        let part = 65_535 / u64::from(self.places.load(&self.flows[queue]));
        let dither = (rng.uniform() * 65_536.0) as u64;
        ((u64::from(self.scale.quantum) * part + dither) >> 16).cast_signed()
    }

    /// A packet has come to `queue`: it gets its turn.
    #[inline]
    pub(super) fn activate(&mut self, queue: usize, rng: &mut Rng) {
        match self.flows[queue].set {
            Set::Sparse | Set::Bulk => return,
            Set::SparseWait => return self.becomes_bulk(queue),
            Set::None => {}
            Set::Decaying => {
                self.decaying.remove(&mut self.flows, queue);
                self.decaying_flows -= 1;
            }
        }
        self.flows[queue].set = Set::Sparse;
        self.sparse_flows += 1;
        self.flows[queue].deficit = self.share(queue, rng);
        self.new.push(&mut self.flows, queue);
    }

    fn becomes_bulk(&mut self, queue: usize) {
        self.flows[queue].set = Set::Bulk;
        self.sparse_flows -= 1;
        self.bulk_flows += 1;
        self.places.add_bulk(&self.flows[queue]);
    }

    /// The next queue and the list it is first on. Decaying queues come first if they are asked for.
    pub(super) fn first(&self, decaying: bool) -> Option<(Turn, usize)> {
        let of = |turn, list: &Turns| list.first().map(|queue| (turn, queue));
        let decaying = if decaying { of(Turn::Decaying, &self.decaying) } else { None };
        let others = || of(Turn::New, &self.new).or_else(|| of(Turn::Old, &self.old));
        decaying.or_else(others).or_else(|| of(Turn::Decaying, &self.decaying))
    }

    /// The list on which a queue has its `turn`, and all queues.
    const fn list(&mut self, turn: Turn) -> (&mut Turns, &mut [Flow]) {
        let list = match turn {
            Turn::Decaying => &mut self.decaying,
            Turn::New => &mut self.new,
            Turn::Old => &mut self.old,
        };
        (list, &mut self.flows)
    }

    /// `queue`, whose `turn` it was, has spent its quantum: it goes to the end of the old ones with another.
    pub(super) fn spent(&mut self, queue: usize, turn: Turn, rng: &mut Rng) {
        // No queue with a debt is sparse, and none with packets decays.
        if self.flows[queue].set == Set::Sparse {
            if self.bytes[queue] > 0 {
                self.becomes_bulk(queue);
            } else {
                self.flows[queue].set = Set::SparseWait;
            }
        }
        self.flows[queue].deficit += self.share(queue, rng);
        self.moves(queue, turn, Some(Turn::Old));
    }

    /// `queue`, whose `turn` it was at `now`, is empty. It stays on a list until its COBALT has come to rest.
    pub(super) fn emptied(&mut self, queue: usize, turn: Turn, now: Instant) {
        let flow = &mut self.flows[queue];
        flow.cobalt.ran_empty(&self.scale.cobalt, now);
        let rests = flow.cobalt.is_at_rest(now);
        let former = core::mem::replace(&mut flow.set, if rests { Set::None } else { Set::Decaying });
        match former {
            Set::Bulk => {
                self.bulk_flows -= 1;
                self.places.remove_bulk(&self.flows[queue]);
            }
            Set::Sparse | Set::SparseWait => self.sparse_flows -= 1,
            Set::Decaying => self.decaying_flows -= 1,
            Set::None => {}
        }
        self.decaying_flows += u32::from(!rests);
        self.moves(queue, turn, (!rests).then_some(Turn::Decaying));
    }

    /// `queue`, the first of the list `from`, leaves it, for the end of the list `to` if there is one.
    fn moves(&mut self, queue: usize, from: Turn, to: Option<Turn>) {
        let (list, flows) = self.list(from);
        list.remove(flows, queue);
        if let Some(to) = to {
            let (list, flows) = self.list(to);
            list.push(flows, queue);
        }
    }

    /// Charges `bytes` bytes on the wire, taken at `now`, to the tin's share of the rate.
    pub(super) fn charge(&mut self, bytes: u32, now: Instant) {
        let Some(threshold) = self.scale.threshold else { return };
        let time = threshold.time_to_send(bytes);
        if self.served_until < now {
            self.served_until += time;
        } else {
            self.served_until = self.served_until.max(now + time);
        }
    }

    /// The queue with most bytes, the last of several.
    pub(super) fn longest(&self) -> Option<(u32, usize)> {
        if self.waiting.0 == 0 {
            return None;
        }
        // Two searches of one array: the lists would lead through all queues.
        let most = self.bytes.iter().copied().max()?;
        self.bytes.iter().rposition(|bytes| *bytes == most).map(|queue| (most, queue))
    }
}
