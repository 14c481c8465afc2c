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
//! An unresponsive flow drives all its bins to 1. Responsive flows rarely share all of them. Flows with `p_min = 1` enter the *penalty box*: together they pass one packet per
//! `penalty_gap`, in bursts of `penalty_burst`.
//!
//! *Moving hash.* Every `rehash`, a second set of bins with another hash takes over, so two flows do
//! not share all bins for long. It counts packets from `warm_up` before. Meanwhile every packet of a
//! flow in the penalty box adds `d1` to its bins there.
//!
//! Defaults and three rules are those of Linux: `>=` instead of the paper's `>`; drops above `max`
//! instead of `bin_size`; above `p_min` = 1/2, an increasing share of the signals are drops. Linux
//! differs in three points: probabilities have 16 bits; its second set counts only packets that pass
//! the penalty box and keeps old content; its penalty box loses fractions of tokens.

use alloc::{boxed::Box, format, vec};

use weir_types::{Duration, Instant, Invalid, Probability, Rng};

use crate::{Aqm, Backlog, Link, PacketInfo, Reason, Verdict, parts};

/// Parameters of SFB.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, default)
)]
#[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "Linux")))]
pub struct SfbParameters {
    /// L, number of levels, 1 to 8.
    #[cfg_attr(feature = "serde", schemars(range(min = 1, max = 8)))]
    pub levels: u32,
    /// N, bins per level, a power of two up to 256.
    #[cfg_attr(feature = "serde", schemars(range(min = 1, max = 256)))]
    pub bins: u32,
    /// Packets in a bin from which its probability increases.
    #[cfg_attr(feature = "serde", schemars(range(min = 1)))]
    pub bin_size: u32,
    /// Packets in the emptiest bin of a flow from which all its packets are dropped.
    pub max: u32,
    /// Increment of the probability.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "the kernel; tc sets 0.0005")))]
    pub d1: Probability,
    /// Decrement of the probability.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "the kernel; tc sets 0.00005")))]
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
        let step = |step| Probability::new(step).expect("a constant in [0, 1]");
        Self {
            levels: 8,
            bins: 16,
            bin_size: 20,
            max: 25,
            d1: step(0.001),
            d2: step(1.0 / 6000.0),
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
        let set = |hash, counts_since| {
            let bins = vec![Bin::default(); (self.levels * self.bins) as usize].into_boxed_slice();
            Set { salt: parts::spread(hash), counts_since, per_level: self.bins as usize, bins }
        };
        Sfb {
            parameters: self.clone(),
            sets: [set(seed, Some(Instant::ZERO)), set(seed + 1, None)],
            active: 0,
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

/// The bins of all levels under one hash.
#[derive(Clone, Debug)]
struct Set {
    salt: u64,
    /// Packets that arrived from then on are counted; `None` while the set is not in use.
    counts_since: Option<Instant>,
    /// A power of two.
    per_level: usize,
    /// Level by level.
    bins: Box<[Bin]>,
}

impl Set {
    /// The bins of `flow`, one in each level: a byte of the hash for each.
    #[inline]
    fn of(&mut self, flow: u32) -> impl Iterator<Item = &mut Bin> {
        let mut hash = parts::spread(u64::from(flow) ^ self.salt);
        let mut levels = &mut *self.bins;
        let per_level = self.per_level;
        core::iter::from_fn(move || {
            let (level, others) = core::mem::take(&mut levels).split_at_mut_checked(per_level)?;
            levels = others;
            let place = hash as usize & (per_level - 1);
            hash >>= 8;
            level.get_mut(place)
        })
    }
}

/// Stochastic Fair Blue.
#[derive(Clone, Debug)]
pub struct Sfb {
    parameters: SfbParameters,
    sets: [Set; 2],
    /// Which set decides.
    active: usize,
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
        self.sets[1 - self.active].counts_since.get_or_insert(now);
        if age > rehash {
            let old = &mut self.sets[self.active];
            old.bins.fill(Bin::default());
            old.counts_since = None;
            old.salt = parts::spread(self.next_hash);
            self.next_hash += 1;
            self.active = 1 - self.active;
            self.hashed_at = now;
        }
    }

    /// Whether the penalty box passes a packet.
    fn passes_box(&mut self, now: Instant) -> bool {
        let SfbParameters { penalty_gap: gap, penalty_burst: burst, .. } = self.parameters;
        let passes = burst > 0 && self.refilled_at.since(now) <= gap * u64::from(burst - 1);
        if passes {
            self.refilled_at = self.refilled_at.max(now) + gap;
        }
        passes
    }

    fn judge(&mut self, flow: u32, now: Instant) -> Verdict {
        let SfbParameters { bin_size, max, d1, d2, ecn, .. } = self.parameters;
        // By load: empty, some packets, too many. A table, because a branch would be mispredicted
        // often.
        let steps = [-d2.get(), 0.0, d1.get()];
        let (mut p_min, mut least) = (1.0, u32::MAX);
        for bin in self.sets[self.active].of(flow) {
            let load = usize::from(bin.waiting > 0) + usize::from(bin.waiting >= bin_size);
            bin.probability = (bin.probability + steps[load]).clamp(0.0, 1.0);
            p_min = if bin.probability < p_min { bin.probability } else { p_min };
            least = bin.waiting.min(least);
        }
        self.probability = p_min;
        if least >= max {
            return Verdict::Drop(Reason::Forced);
        }
        if p_min >= 1.0 {
            let next = &mut self.sets[1 - self.active];
            if next.counts_since.is_some() {
                next.of(flow).for_each(|bin| bin.probability = (bin.probability + d1.get()).min(1.0));
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
}

impl Aqm for Sfb {
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        // A full buffer draws nothing and changes nothing.
        if queue.overflows(packet.bytes) {
            return Verdict::Pass;
        }
        self.move_hash(now);
        let verdict = self.judge(packet.flow, now);
        let enters = match verdict {
            Verdict::Pass => true,
            Verdict::Mark(_) => packet.ecn.is_markable(),
            Verdict::Drop(_) => false,
        };
        if enters {
            for set in self.sets.iter_mut().filter(|set| set.counts_since.is_some()) {
                set.of(packet.flow).for_each(|bin| bin.waiting += 1);
            }
        }
        verdict
    }

    fn on_dequeue(&mut self, packet: PacketInfo, sojourn: Duration, _: Backlog, now: Instant) -> Verdict {
        // A hash changes at an arrival, and this packet is the first that it counts.
        let arrived = Instant::from_nanos(now.as_nanos().saturating_sub(sojourn.as_nanos()));
        let counted = |set: &&mut Set| set.counts_since.is_some_and(|since| arrived >= since);
        for set in self.sets.iter_mut().filter(counted) {
            set.of(packet.flow).for_each(|bin| bin.waiting = bin.waiting.saturating_sub(1));
        }
        Verdict::Pass
    }

    fn on_overflow(&mut self, _packets: u32, _now: Instant) {
        self.miscounted = true;
    }

    fn on_idle(&mut self, _now: Instant) {
        // With an empty queue, all bins are empty.
        if self.miscounted {
            let bins = self.sets.iter_mut().flat_map(|set| set.bins.iter_mut());
            bins.for_each(|bin| bin.waiting = 0);
            self.miscounted = false;
        }
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let bins = &self.sets[self.active].bins;
        record("probability", self.probability);
        record("highest", bins.iter().map(|bin| bin.probability).fold(0.0, f64::max));
        record("fullest", bins.iter().map(|bin| bin.waiting).max().map_or(0.0, f64::from));
    }
}
