//! COBALT (CoDel and BLUE Alternate), the AQM of CAKE.
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
//! so a new congestion episode resumes at the last signalling rate. Blue handles unresponsive
//! traffic: `p_drop` rises on overflow, falls on an empty queue, and drops packets even if they are
//! ECN-capable.
//!
//! While `count` is 0, `drop_next` is one interval after the last packet. The next packet above
//! target within that time starts an interval without signals, as in CoDel. After a longer pause
//! `drop_next` has passed, and the following packet is signalled. `sch_cake` does the same: it
//! compares the `now - drop_next` stored on entry, even if `drop_next` has changed since. With the
//! new value, half of the drops would be missing.
//!
//! Differences: in `sch_cake`, a sojourn time below 4 MTUs, or 2 MTUs per bulk flow, is never too
//! long. `sch_cake` always marks ECN-capable packets, and has no `blue_threshold` (ns-3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid, Probability, Rng};

use crate::{Aqm, Backlog, Link, PacketInfo, Reason, Verdict};

/// Parameters of COBALT.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("x-default-source" = "CAKE (Linux `sch_cake`)"))]
pub struct CobaltParameters {
    /// Acceptable sojourn time; also the minimum time between two steps of `p_drop`.
    #[schemars(extend("x-tunable" = { "from": "0.5 ms", "to": "100 ms", "source": "RFC 8289, sections 3.2 and 4.3: 5% to 10% of a round trip of 10 ms to 1 s" }))]
    #[schemars(extend("x-role" = "delay"))]
    pub target: Duration,
    /// Time above `target` before the first signal.
    #[schemars(extend("x-tunable" = { "from": "10 ms", "to": "1000 ms", "source": "RFC 8289, section 4.3: round trips of 10 ms to 1 s" }))]
    pub interval: Duration,
    /// Mark ECN-capable packets where CoDel would drop them. Blue still drops them.
    #[schemars(extend("x-default-source" = "ns-3; CAKE always marks"))]
    pub ecn: bool,
    /// Increment of `p_drop` when the buffer overflows.
    pub increment: Probability,
    /// Decrement of `p_drop` when the queue is empty.
    pub decrement: Probability,
    /// Sojourn time above which `p_drop` also increases; ns-3 has 400 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "no threshold, as CAKE"))]
    pub blue_threshold: Option<Duration>,
}

impl Default for CobaltParameters {
    fn default() -> Self {
        Self {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            ecn: false,
            increment: Probability::constant(1.0 / 256.0),
            decrement: Probability::constant(1.0 / 4096.0),
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

/// CoDel and BLUE Alternate.
#[derive(Clone, Debug)]
pub struct Cobalt {
    parameters: CobaltParameters,
    /// The last sojourn time exceeded the target.
    dropping: bool,
    /// Number of signals, minus decrements since.
    count: u32,
    /// When the next signal or decrement is due.
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

    /// Raises Blue's probability, at most once per target.
    fn blue_up(&mut self, now: Instant) {
        if now.since(self.blue_timer) > self.parameters.target {
            self.p_drop = (self.p_drop + self.parameters.increment.get()).min(1.0);
            self.blue_timer = now;
        }
    }

    /// CoDel's part: whether to signal this head, and whether the stored `drop_next` has passed.
    fn codel(&mut self, sojourn: Duration, now: Instant) -> (bool, bool) {
        // Values on entry, before `drop_next` changes.
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
    /// Never signals; an overflow raises Blue's probability.
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
            // Traffic that ignores drops ignores marks too.
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

    fn drops_on_departure(&self) -> bool {
        true
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

    fn take_over(&mut self, former: &Self) {
        let parameters = self.parameters.clone();
        *self = Self { parameters, ..former.clone() };
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("dropping", f64::from(u8::from(self.dropping)));
        record("count", f64::from(self.count));
        record("drop_next", self.drop_next.as_secs_f64());
        record("p_drop", self.p_drop);
        record("blue_timer", self.blue_timer.as_secs_f64());
    }
}
