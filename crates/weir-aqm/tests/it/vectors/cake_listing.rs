//! CAKE a second time, from the order of steps in `sch_cake.c` of Linux: one list per queue, nothing shared with Weir
//! but the stream of random numbers. Three choices are Weir's own. A tie between queues of one length goes to the
//! highest number. Spacings are exact roots. A call that has begun does not look at the shaper again.

mod departures;
mod vars;

use std::collections::VecDeque;

use weir_types::Rng;

use super::cake::{Labelled, What};
use vars::{Times, Vars, time};

const QUEUES: usize = 1024;
const WAYS: usize = 8;

/// Bits of the flow mode.
pub(super) const SENDER: u8 = 1;
pub(super) const RECEIVER: u8 = 2;
pub(super) const FLOWS: u8 = 4;

/// How packets are carried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Line {
    Plain,
    Atm,
    Ptm,
}

/// Everything that `tc` may say.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    /// In bit/s; `None` for `unlimited`.
    pub(super) rate: Option<u64>,
    /// The shaper holds packets.
    pub(super) shaped: bool,
    /// The tin of each codepoint.
    pub(super) table: [usize; 64],
    /// Part of the rate of each tin, as numerator and denominator, and its quantum.
    pub(super) tins: Vec<(u64, u64, i64)>,
    pub(super) mode: u8,
    pub(super) rtt: i64,
    pub(super) overhead: u32,
    pub(super) mpu: u32,
    pub(super) line: Line,
    pub(super) ingress: bool,
    pub(super) packets: usize,
    pub(super) memory: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Set {
    None,
    Sparse,
    SparseWait,
    Bulk,
    Decaying,
}

#[derive(Debug)]
struct Flow {
    packets: VecDeque<(Labelled, i64)>,
    deficit: i64,
    vars: Vars,
    hosts: [usize; 2],
    set: Set,
}

impl Flow {
    fn bytes(&self) -> u64 {
        self.packets.iter().map(|(packet, _)| u64::from(packet.info.bytes)).sum()
    }
}

#[derive(Debug)]
struct Tin {
    times: Times,
    flows: Vec<Flow>,
    tags: Vec<u32>,
    /// Hashes of hosts on one side, with the bulk flows of each.
    hosts: [Vec<(u32, i64)>; 2],
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    decaying: VecDeque<usize>,
    sparse: i64,
    bulk: i64,
    next: i64,
    deficit: i64,
}

impl Tin {
    fn count_bulk(&mut self, flow: usize, sides: [bool; 2], change: i64) {
        for side in [0, 1] {
            if sides[side] {
                let count = &mut self.hosts[side][self.flows[flow].hosts[side]].1;
                *count += change;
                assert!((0..=1024).contains(count), "Linux would have to guard the count");
            }
        }
    }

    fn quantum(&self, flow: usize, sides: [bool; 2], rng: &mut Rng) -> i64 {
        let loads =
            [0, 1].map(|side| if sides[side] { self.hosts[side][self.flows[flow].hosts[side]].1 } else { 0 });
        let load = loads[0].max(loads[1]).max(1);
        (self.times.quantum * (65_535 / load) + (rng.uniform() * 65_536.0) as i64) >> 16
    }

    fn place_host(&mut self, side: usize, hash: u32) -> usize {
        let (inner, hosts) = (hash as usize % WAYS, &mut self.hosts[side]);
        let outer = hash as usize % QUEUES - inner;
        let places = || (0..WAYS).map(|way| outer + (inner + way) % WAYS);
        let known = places().find(|place| hosts[*place].0 == hash);
        let place =
            known.unwrap_or_else(|| places().find(|place| hosts[*place].1 == 0).unwrap_or(outer + inner));
        hosts[place].0 = hash;
        place
    }
}

/// The whole discipline.
#[derive(Debug)]
pub(super) struct Listing {
    setup: Setup,
    tins: Vec<Tin>,
    current: usize,
    next: i64,
    failsafe: i64,
    pub(super) waiting: usize,
    bytes: u64,
    salt: u64,
    rng: Rng,
    /// Arrivals that had to share a queue with another flow.
    pub(super) collisions: u32,
}

impl Listing {
    pub(super) fn new(setup: Setup, salt: u64, rng: Rng) -> Self {
        let tin = |(part, of, tin_quantum): (u64, u64, i64)| {
            let rate = setup.rate.map(|rate| (u128::from(rate) * u128::from(part) / u128::from(of)) as u64);
            let vars =
                || Vars { count: 0, inverse: 0.0, drop_next: 0, blue_timer: 0, p_drop: 0.0, dropping: false };
            let flow = |_| Flow {
                packets: VecDeque::new(),
                deficit: 0,
                vars: vars(),
                hosts: [0, 0],
                set: Set::None,
            };
            Tin {
                times: Times::new(rate, setup.rtt, tin_quantum),
                flows: (0..QUEUES).map(flow).collect(),
                tags: vec![0; QUEUES],
                hosts: [vec![(0, 0); QUEUES], vec![(0, 0); QUEUES]],
                new: VecDeque::new(),
                old: VecDeque::new(),
                decaying: VecDeque::new(),
                sparse: 0,
                bulk: 0,
                next: 0,
                deficit: 0,
            }
        };
        let tins = setup.tins.iter().copied().map(tin).collect();
        let (current, next, failsafe, waiting, bytes) = (0, 0, 0, 0, 0);
        Self { setup, tins, current, next, failsafe, waiting, bytes, salt, rng, collisions: 0 }
    }

    /// Senders and receivers count.
    const fn sides(&self) -> [bool; 2] {
        let mode = self.setup.mode;
        [mode & (FLOWS | SENDER) == FLOWS | SENDER, mode & (FLOWS | RECEIVER) == FLOWS | RECEIVER]
    }

    /// The shaper lets a packet go from this instant on.
    pub(super) fn ready_at(&self) -> i64 {
        if self.setup.shaped { self.next.min(self.failsafe) } else { 0 }
    }

    /// Sparse, bulk and decaying flows, and the sum of `count`.
    pub(super) fn numbers(&self) -> [f64; 4] {
        let of = |tin: &Tin, set| tin.flows.iter().filter(|flow| flow.set == set).map(|_| 1).sum();
        let listed = |tin: &Tin| {
            tin.flows
                .iter()
                .filter(|flow| flow.set != Set::None)
                .map(|flow| i64::from(flow.vars.count))
                .sum::<i64>()
        };
        let sum = |number: &dyn Fn(&Tin) -> i64| self.tins.iter().map(number).sum::<i64>() as f64;
        [sum(&|tin| tin.sparse), sum(&|tin| tin.bulk), sum(&|tin| of(tin, Set::Decaying)), sum(&listed)]
    }

    fn queue(&mut self, tin: usize, packet: &Labelled) -> usize {
        let (mode, sides) = (self.setup.mode, self.sides());
        if mode == 0 {
            return 0;
        }
        let hashes = packet.hashes(self.salt);
        let mut key = if mode & FLOWS == 0 { 0 } else { hashes[0] };
        if mode & FLOWS == 0 {
            key ^= if mode & SENDER == 0 { 0 } else { hashes[1] };
            key ^= if mode & RECEIVER == 0 { 0 } else { hashes[2] };
        }
        let tin = &mut self.tins[tin];
        let inner = key as usize % WAYS;
        let outer = key as usize % QUEUES - inner;
        if tin.tags[outer + inner] == key && tin.flows[outer + inner].set != Set::None {
            return outer + inner;
        }
        let places = || (0..WAYS).map(|way| outer + (inner + way) % WAYS);
        let (place, settle) = if let Some(place) = places().find(|place| tin.tags[*place] == key) {
            (place, tin.flows[place].set == Set::None)
        } else if let Some(place) = places().find(|place| tin.flows[*place].set == Set::None) {
            (place, true)
        } else {
            self.collisions += 1;
            if tin.flows[outer + inner].set == Set::Bulk {
                tin.count_bulk(outer + inner, sides, -1);
            }
            (outer + inner, true)
        };
        tin.tags[place] = key;
        for side in [0, 1] {
            if settle && sides[side] {
                tin.flows[place].hosts[side] = tin.place_host(side, hashes[side + 1]);
                if tin.flows[place].set == Set::Bulk {
                    tin.count_bulk(place, [side == 0, side == 1], 1);
                }
            }
        }
        place
    }

    pub(super) fn enqueue(&mut self, packet: Labelled, now: i64, log: &mut Vec<What>) {
        let number = self.setup.table[usize::from(packet.label.dscp.bits())];
        let (queue, sides) = (self.queue(number, &packet), self.sides());
        let tin = &mut self.tins[number];
        if tin.flows.iter().all(|flow| flow.packets.is_empty()) {
            tin.next = tin.next.max(now);
            if self.waiting == 0 && self.next < now {
                (self.next, self.failsafe) = (now, now);
            }
        }
        self.waiting += 1;
        self.bytes += u64::from(packet.info.bytes);
        tin.flows[queue].packets.push_back((packet, now));
        match tin.flows[queue].set {
            Set::None | Set::Decaying => {
                tin.decaying.retain(|other| *other != queue);
                tin.new.push_back(queue);
                tin.flows[queue].set = Set::Sparse;
                tin.sparse += 1;
                tin.flows[queue].deficit = tin.quantum(queue, sides, &mut self.rng);
            }
            Set::SparseWait => {
                tin.flows[queue].set = Set::Bulk;
                tin.sparse -= 1;
                tin.bulk += 1;
                tin.count_bulk(queue, sides, 1);
            }
            Set::Sparse | Set::Bulk => {}
        }
        while self.bytes > self.setup.memory || self.waiting > self.setup.packets {
            self.drop_longest(now, log);
        }
    }
}
