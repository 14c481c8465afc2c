//! SFB, Stochastic Fair Blue: a Blue for every bin of a hash of flows.
//!
//! W. Feng, D. Kandlur, D. Saha, K. Shin: *Stochastic Fair Blue: A Queue Management Algorithm for
//! Enforcing Fairness*, IEEE Infocom 2001. There are L levels of N bins. A hash maps every flow
//! to one bin of each level; a bin counts its waiting packets and has a probability `p_m`. On
//! each arrival:
//!
//! ```text
//! in each of the flow's bins:   none waits:              p_m <- max(0, p_m - d2)
//!                               bin_size or more wait:   p_m <- min(1, p_m + d1)
//! p_min = the least p_m of the flow's bins; signal with probability p_min
//! ```
//!
//! An unresponsive flow drives all its bins to 1. Responsive flows rarely share all of them. Flows with `p_min = 1`
//! enter the *penalty box*: together they pass one packet per `penalty_gap`, in bursts of `penalty_burst`.
//!
//! *Moving hash.* Every `rehash`, a second set of bins with another hash takes over, so two flows do
//! not share all bins for long. It counts packets from `warm_up` before. Meanwhile every packet of a
//! flow in the penalty box adds `d1` to its bins there.
//!
//! Defaults and three rules are those of Linux: `>=` instead of the paper's `>`; drops above `max` instead of
//! `bin_size`; above `p_min` = 1/2, an increasing share of the signals are drops. Linux differs in three points. Its
//! probabilities have 16 bits. Its second set counts only packets that pass the penalty box, and keeps old content.
//! Its penalty box loses fractions of tokens.

use alloc::{boxed::Box, format, vec};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid, Probability, Rng};

use crate::{Aqm, Backlog, Link, PacketInfo, Reason, Verdict, parts};

/// A hash of 64 bits has a byte for each level.
const MAX_LEVELS: usize = 8;

/// A level has a bin for each value of its byte, at most.
const MAX_BINS: usize = 256;

/// Parameters of SFB.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("x-default-source" = "Linux"))]
pub struct SfbParameters {
    /// L, number of levels, 1 to 8.
    #[schemars(range(min = 1, max = 8))]
    pub levels: u32,
    /// N, bins per level, a power of two up to 256.
    #[schemars(range(min = 1, max = 256))]
    pub bins: u32,
    /// Packets in a bin from which its probability increases.
    #[schemars(range(min = 1))]
    #[schemars(extend("x-tunable" = { "from": 1, "to": 25, "source": "Weir: up to the default of max" }))]
    pub bin_size: u32,
    /// Packets in the emptiest bin of a flow from which all its packets are dropped.
    pub max: u32,
    /// Increment of the probability.
    #[schemars(extend("x-default-source" = "the kernel; tc sets 0.0005"))]
    pub d1: Probability,
    /// Decrement of the probability.
    #[schemars(extend("x-default-source" = "the kernel; tc sets 0.00005"))]
    pub d2: Probability,
    /// The penalty box passes one packet per this time.
    pub penalty_gap: Duration,
    /// Packets that the penalty box passes at once.
    pub penalty_burst: u32,
    /// Lifetime of a hash.
    pub rehash: Duration,
    /// Time before a rehash at which the next set of bins starts to count.
    pub warm_up: Duration,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
}

impl Default for SfbParameters {
    fn default() -> Self {
        Self {
            levels: 8,
            bins: 16,
            bin_size: 20,
            max: 25,
            d1: Probability::constant(0.001),
            d2: Probability::constant(1.0 / 6000.0),
            penalty_gap: Duration::from_millis(100),
            penalty_burst: 20,
            rehash: Duration::from_secs(600),
            warm_up: Duration::from_secs(60),
            ecn: false,
        }
    }
}

impl SfbParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless(
            (1..=8).contains(&self.levels),
            "levels",
            format!("{} levels", self.levels),
            "write 1 to 8 levels",
        )?;
        Invalid::unless(
            self.bins.is_power_of_two() && self.bins <= 256,
            "bins",
            format!("{} bins per level", self.bins),
            "write a power of two up to 256: one hash serves all levels",
        )?;
        Invalid::unless(self.bin_size > 0, "bin_size", "no packet may wait in a bin", "write 1 or more")?;
        Invalid::unless(
            self.max >= self.bin_size,
            "max",
            format!("max ({}) is below bin_size ({})", self.max, self.bin_size),
            "probabilities would never grow; exchange the two",
        )?;
        Invalid::unless(
            self.warm_up < self.rehash,
            "warm_up",
            format!("the warm-up of {} is not shorter than {}", self.warm_up, self.rehash),
            "write less than rehash",
        )
    }

    /// SFB before any link. All bins are empty, their probabilities 0, the penalty box is unused.
    pub fn build(&self, _link: Link, mut rng: Rng) -> Sfb {
        // All 53 random bits.
        let seed = (rng.uniform() * (1_u64 << 53) as f64) as u64;
        let set = |hash, counts_since| Set {
            salt: parts::spread(hash),
            counts_since,
            levels: self.levels as usize,
            mask: (self.bins - 1) as u8,
            rows: vec![Row::default(); MAX_BINS].into_boxed_slice().try_into().expect("as many rows"),
        };
        Sfb {
            parameters: self.clone(),
            active: set(seed, Instant::ZERO),
            next: set(seed + 1, Instant::MAX),
            next_hash: seed + 2,
            hashed_at: Instant::ZERO,
            refilled_at: Instant::ZERO,
            miscounted: false,
            probability: 0.0,
            rng,
        }
    }
}

/// One bin: the waiting packets of its flows, and their probability.
#[derive(Clone, Debug, Default)]
struct Bin {
    waiting: u32,
    /// `p_m`.
    probability: f64,
}

/// One bin of each level.
type Row = [Bin; MAX_LEVELS];

/// The bins of all levels under one hash.
#[derive(Clone, Debug)]
struct Set {
    salt: u64,
    /// Packets that arrived from then on are counted.
    counts_since: Instant,
    levels: usize,
    /// The bits of a byte that choose a bin.
    mask: u8,
    /// Rows of bins; `mask` gives those in use. The array has a row for every value of a byte, so that no bounds are
    /// checked.
    rows: Box<[Row; MAX_BINS]>,
}

impl Set {
    #[inline]
    fn hash(&self, flow: u32) -> u64 {
        parts::spread(u64::from(flow) ^ self.salt)
    }

    /// Calls `visit` with the bins of a flow, one in each level: a byte of `hash` for each.
    #[inline]
    fn for_each(&mut self, hash: u64, mut visit: impl FnMut(&mut Bin)) {
        for level in (0..MAX_LEVELS).take(self.levels) {
            let bin = (hash >> (8 * level)) as u8 & self.mask;
            visit(&mut self.rows[usize::from(bin)][level]);
        }
    }

    /// The bins in use.
    fn bins(&self) -> impl Iterator<Item = &Bin> + Clone {
        self.rows[..=usize::from(self.mask)].iter().flatten()
    }
}

/// Stochastic Fair Blue.
#[derive(Clone, Debug)]
pub struct Sfb {
    parameters: SfbParameters,
    /// The set that decides.
    active: Set,
    /// The set that takes over.
    next: Set,
    /// The seed of the third hash.
    next_hash: u64,
    /// Since when the active set decides.
    hashed_at: Instant,
    /// When the unused penalty box will have all its tokens.
    refilled_at: Instant,
    /// Counted packets were dropped on overflow; their flows are unknown.
    miscounted: bool,
    /// `p_min` of the last arrival, reported by `probe`.
    probability: f64,
    rng: Rng,
}

impl Sfb {
    /// Prepares the next hash, or activates it, when due.
    fn move_hash(&mut self, now: Instant) {
        let SfbParameters { rehash, warm_up, .. } = self.parameters;
        let age = now.since(self.hashed_at);
        if age + warm_up <= rehash {
            return;
        }
        self.next.counts_since = self.next.counts_since.min(now);
        if age > rehash {
            core::mem::swap(&mut self.active, &mut self.next);
            self.next.rows.fill(Row::default());
            self.next.counts_since = Instant::MAX;
            self.next.salt = parts::spread(self.next_hash);
            self.next_hash += 1;
            self.hashed_at = now;
        }
    }

    /// Returns true if the penalty box passes a packet.
    fn passes_box(&mut self, now: Instant) -> bool {
        let SfbParameters { penalty_gap: gap, penalty_burst: burst, .. } = self.parameters;
        let passes = burst > 0 && self.refilled_at.since(now) <= gap * u64::from(burst - 1);
        if passes {
            self.refilled_at = self.refilled_at.max(now) + gap;
        }
        passes
    }

    /// Decides on an arrival, and counts it in the bins of the active set.
    fn judge(&mut self, flow: u32, hash: u64, now: Instant) -> Verdict {
        let SfbParameters { bin_size, max, d1, d2, ecn, .. } = self.parameters;
        // By load: empty, some packets, too many. A table, because a branch would be mispredicted
        // often.
        let steps = [-d2.get(), 0.0, d1.get()];
        let (mut p_min, mut least) = (1.0, u32::MAX);
        self.active.for_each(hash, |bin| {
            let load = usize::from(bin.waiting > 0) + usize::from(bin.waiting >= bin_size);
            let moved = bin.probability + steps[load];
            // As `clamp`, which also asks for what is not a number.
            let moved = if moved > 0.0 { moved } else { 0.0 };
            bin.probability = if moved < 1.0 { moved } else { 1.0 };
            p_min = if bin.probability < p_min { bin.probability } else { p_min };
            least = bin.waiting.min(least);
            bin.waiting += 1;
        });
        self.probability = p_min;
        if least >= max {
            return Verdict::Drop(Reason::Forced);
        }
        if p_min >= 1.0 {
            if self.next.counts_since <= now {
                let hash = self.next.hash(flow);
                self.next.for_each(hash, |bin| bin.probability = (bin.probability + d1.get()).min(1.0));
            }
            return if self.passes_box(now) { Verdict::Pass } else { Verdict::Drop(Reason::Forced) };
        }
        let draw = self.rng.uniform();
        if draw >= p_min {
            Verdict::Pass
        } else if ecn && draw >= 2.0 * (p_min - 0.5) {
            Verdict::Mark(Reason::Early)
        } else {
            Verdict::Drop(Reason::Early)
        }
    }

    /// An arrival that fits into the buffer.
    #[inline(never)]
    fn admit(&mut self, flow: u32, is_markable: bool, now: Instant) -> Verdict {
        self.move_hash(now);
        let hash = self.active.hash(flow);
        let verdict = self.judge(flow, hash, now);
        let enters = match verdict {
            Verdict::Pass => true,
            Verdict::Mark(_) => is_markable,
            Verdict::Drop(_) => false,
        };
        if !enters {
            self.active.for_each(hash, |bin| bin.waiting -= 1);
        } else if self.next.counts_since <= now {
            self.next.for_each(self.next.hash(flow), |bin| bin.waiting += 1);
        }
        verdict
    }

    /// A departure of a packet that arrived at `arrived`.
    #[inline(never)]
    fn release(&mut self, flow: u32, arrived: Instant) {
        for set in [&mut self.active, &mut self.next] {
            if set.counts_since <= arrived {
                set.for_each(set.hash(flow), |bin| bin.waiting = bin.waiting.saturating_sub(1));
            }
        }
    }
}

impl Aqm for Sfb {
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        // A full buffer draws nothing and changes nothing.
        if queue.overflows(packet.bytes) {
            Verdict::Pass
        } else {
            self.admit(packet.flow, packet.ecn.is_markable(), now)
        }
    }

    #[inline]
    fn on_dequeue(&mut self, packet: PacketInfo, sojourn: Duration, _: Backlog, now: Instant) -> Verdict {
        // A hash changes at an arrival, and this packet is the first that it counts.
        let arrived = Instant::from_nanos(now.as_nanos().saturating_sub(sojourn.as_nanos()));
        self.release(packet.flow, arrived);
        Verdict::Pass
    }

    fn on_overflow(&mut self, _packets: u32, _now: Instant) {
        self.miscounted = true;
    }

    fn on_idle(&mut self, _now: Instant) {
        // With an empty queue, all bins are empty.
        if self.miscounted {
            for set in [&mut self.active, &mut self.next] {
                set.rows.iter_mut().flatten().for_each(|bin| bin.waiting = 0);
            }
            self.miscounted = false;
        }
    }

    fn take_over(&mut self, former: &Self) {
        let shape = |sfb: &Self| (sfb.active.levels, sfb.active.mask);
        if shape(self) == shape(former) {
            let parameters = self.parameters.clone();
            *self = Self { parameters, ..former.clone() };
        } else {
            self.miscounted = true;
        }
    }

    fn begin(&mut self, _: Instant) {
        // What waits already was not counted.
        self.miscounted = true;
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let bins = self.active.bins();
        record("probability", self.probability);
        record("highest", bins.clone().map(|bin| bin.probability).fold(0.0, f64::max));
        record("fullest", bins.map(|bin| bin.waiting).max().map_or(0.0, f64::from));
    }
}
