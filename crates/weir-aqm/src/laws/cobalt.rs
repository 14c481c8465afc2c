//! COBALT, CoDel and Blue alternate: the law of CAKE.
//!
//! T. Høiland-Jørgensen, D. Täht, J. Morton: *Piece of CAKE: A Comprehensive Queue Management
//! Solution for Home Gateways*, IEEE LANMAN 2018; J. Morton's `sch_cake` in Linux, which is the
//! definition in detail. CoDel looks at the packet at the head:
//!
//! ```text
//! sojourn > target          dropping; the first signal an interval later
//! at drop_next, dropping    signal; count up;   drop_next += interval / sqrt(count)
//! at drop_next, not         count down;         drop_next += interval / sqrt(count)
//! ```
//!
//! so that a new bad time begins at the pace which ended the last one. Blue is for traffic that
//! does not answer: `p_drop` rises when the buffer overflows and falls when the queue is found
//! empty, and packets are dropped with it, whether or not they could be marked.
//!
//! While nothing is counted, `drop_next` stands an interval after the last packet. A packet over
//! target that comes in time waits out an interval before the first signal, as in CoDel. One
//! that comes after a longer silence finds `drop_next` passed, and the next packet is signalled.
//! So it is in `sch_cake`, which compares the `now - drop_next` it stored on entry even where
//! `drop_next` has been set since: with the new one, half of the drops would be missing.
//!
//! Not followed: `sch_cake` does not call a packet late that waited less than the time for 4 MTUs
//! or 2 for each bulk flow, always marks what can be marked, and has no `blue_threshold`, which
//! is from ns-3.

use weir_types::{Duration, Instant, Invalid, Probability, Rng};

use crate::{Aqm, Backlog, Link, PacketInfo, Reason, Verdict};

/// Parameters of COBALT. Defaults: Linux, `sch_cake`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, default)
)]
pub struct CobaltParameters {
    /// The sojourn that may stand; also the shortest time between two steps of `p_drop`.
    /// Default 5 ms (CAKE).
    pub target: Duration,
    /// How long it may be exceeded before the first signal. Default 100 ms (CAKE).
    pub interval: Duration,
    /// Mark packets that are ECN-capable where CoDel would drop them; Blue drops all the same.
    /// Default off (ns-3; CAKE always marks).
    pub ecn: bool,
    /// Step of `p_drop` when the buffer overflows. Default 1/256 (CAKE).
    pub increment: Probability,
    /// Step of `p_drop` when the queue is found empty. Default 1/4096 (CAKE).
    pub decrement: Probability,
    /// Let `p_drop` rise also for a packet that has waited longer than this (ns-3: 400 ms).
    /// Default: no such threshold (CAKE).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub blue_threshold: Option<Duration>,
}

impl Default for CobaltParameters {
    fn default() -> Self {
        let probability = |p| Probability::new(p).expect("a constant in [0, 1]");
        Self {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            ecn: false,
            increment: probability(1.0 / 256.0),
            decrement: probability(1.0 / 4096.0),
            blue_threshold: None,
        }
    }
}

impl CobaltParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        super::check_interval(self.interval, "CAKE has 100 ms")?;
        super::check_target(self.target, self.interval)
    }

    /// COBALT. It does not need to know the link.
    pub fn build(&self, _link: Link, rng: Rng) -> Cobalt {
        Cobalt {
            parameters: self.clone(),
            dropping: false,
            count: 0,
            drop_next: Instant::ZERO,
            p_drop: 0.0,
            blue_timer: Instant::ZERO,
            rng,
        }
    }
}

/// CoDel and Blue alternate.
#[derive(Clone, Debug)]
pub struct Cobalt {
    parameters: CobaltParameters,
    /// The last head waited too long.
    dropping: bool,
    /// How fast signals come: so many, less those that have been forgotten since.
    count: u32,
    /// When the next signal, or the next step back, is due.
    drop_next: Instant,
    /// Blue's probability.
    p_drop: f64,
    /// When it last changed.
    blue_timer: Instant,
    rng: Rng,
}

impl Cobalt {
    /// `interval / sqrt(count)`; an interval while nothing has been counted.
    fn spacing(&self) -> Duration {
        self.parameters.interval.mul_f64(1.0 / libm::sqrt(f64::from(self.count.max(1))))
    }

    /// Blue's probability goes up, no more than once in a target.
    fn blue_up(&mut self, now: Instant) {
        if now.since(self.blue_timer) > self.parameters.target {
            self.p_drop = (self.p_drop + self.parameters.increment.get()).min(1.0);
            self.blue_timer = now;
        }
    }

    /// CoDel's part: whether to signal with this head, and whether `drop_next` has passed, as
    /// it was last calculated from.
    fn codel(&mut self, sojourn: Duration, now: Instant) -> (bool, bool) {
        // As they are on entry, before `drop_next` is touched.
        let mut due = self.count > 0 && now >= self.drop_next;
        let mut passed = now > self.drop_next;
        if sojourn <= self.parameters.target {
            self.dropping = false;
        } else {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = now + self.spacing();
            }
            self.count = self.count.max(1);
        }
        if due && self.dropping {
            self.count = self.count.saturating_add(1);
            self.drop_next += self.spacing();
            return (true, now > self.drop_next);
        }
        while due {
            self.count -= 1;
            self.drop_next += self.spacing();
            passed = now > self.drop_next;
            due = self.count > 0 && now >= self.drop_next;
        }
        (false, passed)
    }
}

impl Aqm for Cobalt {
    /// Nothing is refused here; Blue hears of a buffer that is full.
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        if queue.overflows(packet.bytes) {
            self.on_overflow(1, now);
        }
        Verdict::Pass
    }

    #[inline]
    fn on_dequeue(&mut self, packet: PacketInfo, sojourn: Duration, _: Backlog, now: Instant) -> Verdict {
        let (signal, passed) = self.codel(sojourn, now);
        let mark = signal && self.parameters.ecn && packet.ecn.is_markable();
        if self.parameters.blue_threshold.is_some_and(|threshold| sojourn > threshold) {
            self.blue_up(now);
        }
        let mut drop = signal && !mark;
        if self.p_drop > 0.0 {
            // What does not answer to drops does not answer to marks either.
            drop |= self.rng.chance(self.p_drop);
        }
        if self.count == 0 {
            self.drop_next = now + self.parameters.interval;
        } else if passed && !drop {
            self.drop_next = now;
        }
        match (drop, mark) {
            (true, _) => Verdict::Drop(Reason::Early),
            (false, true) => Verdict::Mark(Reason::Early),
            (false, false) => Verdict::Pass,
        }
    }

    fn on_idle(&mut self, now: Instant) {
        if self.p_drop > 0.0 && now.since(self.blue_timer) > self.parameters.target {
            self.p_drop = (self.p_drop - self.parameters.decrement.get()).max(0.0);
            self.blue_timer = now;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.drop_next += self.spacing();
        }
    }

    fn on_overflow(&mut self, _packets: u32, now: Instant) {
        self.blue_up(now);
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("dropping", f64::from(u8::from(self.dropping)));
        record("count", f64::from(self.count));
        record("drop_next", self.drop_next.as_secs_f64());
        record("p_drop", self.p_drop);
        record("blue_timer", self.blue_timer.as_secs_f64());
    }
}
