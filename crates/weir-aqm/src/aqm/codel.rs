//! CoDel, Controlled Delay.
//!
//! K. Nichols, V. Jacobson, A. McGregor, J. Iyengar: *Controlled Delay Active Queue
//! Management*, RFC 8289, 2018. Nothing happens on arrival. For each packet at the head:
//!
//! ```text
//! ok_to_drop   the sojourn has been at least target, and more than an MTU behind the packet,
//!              for an interval
//! drop_next    t + interval / sqrt(count): the next signal if it stays so, count so far
//! ```
//!
//! Signals start with the first packet that is ok to drop and end with the first that is not. If
//! they start again within 16 intervals, `count` continues from its last increase.
//!
//! The RFC's `deque` drops, fetches the next packet and tests it. Here the queue discipline passes
//! one head at a time. After a drop, `drop_next` therefore advances only when the next head is ok
//! to drop too (`State::Dropped`). `tests/it/vectors/codel_loop.rs` compares every decision with
//! the RFC's loop.
//!
//! Linux and ns-3 compute 1/sqrt(count) by one 16-bit Newton step per change of `count`, so that the
//! second interval is 50 ms instead of 70.7: `invsqrt = "newton16"`. Weir does not follow their
//! strict `now > first_above_time`, nor their `first_above_time` after an empty dequeue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Ecn, Instant, Invalid, PacketSize, Rng};

use crate::{Aqm, Backlog, Link, PacketInfo, Reason, Verdict};

/// How 1/sqrt(count) is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InvSqrt {
    /// Exactly.
    #[default]
    Exact,
    /// Linux and ns-3: one step of Newton's iteration per change of count, on 16 bits.
    Newton16,
}

/// Parameters of CoDel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("x-default-source" = "RFC 8289"))]
#[schemars(extend("x-draws" = false))]
pub struct CodelParameters {
    /// Acceptable sojourn time.
    #[schemars(extend("x-published" = { "from": 0.05, "to": 0.1, "of": "interval", "source": "RFC 8289, sections 3.2 and 4.3: of the round trip, about one interval" }))]
    #[schemars(extend("x-tunable" = { "from": "0.5 ms", "to": "100 ms", "source": "RFC 8289, sections 3.2 and 4.3: 5% to 10% of a round trip of 10 ms to 1 s" }))]
    #[schemars(extend("x-role" = "delay"))]
    pub target: Duration,
    /// Time above `target` before the first signal; about the longest round-trip time.
    #[schemars(extend("x-tunable" = { "from": "10 ms", "to": "1000 ms", "source": "RFC 8289, section 4.3: round trips of 10 ms to 1 s" }))]
    pub interval: Duration,
    /// A backlog of at most this size is never signalled; the RFC's `maxpacket`.
    #[schemars(extend("x-default-source" = "Linux: an Ethernet frame"))]
    pub mtu: PacketSize,
    /// How 1/sqrt(count) is computed.
    pub invsqrt: InvSqrt,
    /// Mark ECN-capable packets instead of dropping them.
    #[schemars(extend("x-default-source" = "Linux"))]
    pub ecn: bool,
    /// Mark every ECN-capable packet with a longer sojourn time, independently of `ecn` (Linux, for
    /// DCTCP).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "no threshold"))]
    pub ce_threshold: Option<Duration>,
    /// `ce_threshold` holds for ECT(1) packets only, which are L4S (Linux's `ce_threshold_selector 0x1/0x3`).
    #[schemars(extend("x-default-source" = "Linux"))]
    pub ce_threshold_ect1: bool,
}

impl Default for CodelParameters {
    fn default() -> Self {
        Self {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            mtu: PacketSize::new(1514).expect("above zero"),
            invsqrt: InvSqrt::default(),
            ecn: false,
            ce_threshold: None,
            ce_threshold_ect1: false,
        }
    }
}

impl CodelParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        super::check_interval(self.interval, "RFC 8289 has 100 ms")?;
        super::check_target(self.target, self.interval)
    }

    /// CoDel. It needs neither link nor randomness.
    pub fn build(&self, _link: Link, _rng: Rng) -> Codel {
        Codel {
            parameters: self.clone(),
            state: State::Calm,
            first_above_time: None,
            drop_next: Instant::ZERO,
            count: 0,
            lastcount: 0,
            rec_inv_sqrt: 1.0,
        }
    }
}

/// Controlled Delay.
#[derive(Clone, Debug)]
pub struct Codel {
    parameters: CodelParameters,
    state: State,
    /// When the sojourn time will have exceeded the target for an interval; `None` below target.
    first_above_time: Option<Instant>,
    /// When the next signal is due in the dropping state.
    drop_next: Instant,
    /// Signals in this dropping state.
    count: u32,
    /// `count` on entry.
    lastcount: u32,
    /// 1/sqrt(count).
    rec_inv_sqrt: f64,
}

/// The RFC's `dropping`, and whether `drop_next` must still advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not in the dropping state.
    Calm,
    /// Dropping.
    Dropping,
    /// Dropping; the last head was dropped, and `drop_next` has not advanced yet.
    Dropped,
}

impl Codel {
    /// The RFC's `ok_to_drop`.
    fn ok_to_drop(&mut self, sojourn: Duration, queue: Backlog, now: Instant) -> bool {
        if sojourn < self.parameters.target || queue.bytes <= u64::from(self.parameters.mtu.bytes()) {
            self.first_above_time = None;
            return false;
        }
        now >= *self.first_above_time.get_or_insert(now + self.parameters.interval)
    }

    /// Enters the dropping state.
    fn enter(&mut self, now: Instant) {
        let delta = self.count - self.lastcount;
        let recent = now.since(self.drop_next) < self.parameters.interval * 16;
        self.set_count(if delta > 1 && recent { delta } else { 1 });
        self.lastcount = self.count;
        self.drop_next = self.control_law(now);
        self.state = State::Dropping;
    }

    /// The RFC's `control_law`: the signal after the one at `t`.
    fn control_law(&self, t: Instant) -> Instant {
        t + self.parameters.interval.mul_f64(self.rec_inv_sqrt)
    }

    fn set_count(&mut self, count: u32) {
        self.count = count;
        self.rec_inv_sqrt = match self.parameters.invsqrt {
            InvSqrt::Exact => 1.0 / libm::sqrt(f64::from(count)),
            InvSqrt::Newton16 if count == 1 => 65_535.0 / 65_536.0,
            InvSqrt::Newton16 => newton16(self.rec_inv_sqrt, count),
        };
    }

    /// Verdict on a head, without the CE threshold.
    fn judge(&mut self, markable: bool, sojourn: Duration, queue: Backlog, now: Instant) -> Verdict {
        if !self.ok_to_drop(sojourn, queue, now) {
            self.state = State::Calm;
            return Verdict::Pass;
        }
        let marks = self.parameters.ecn && markable;
        let signal = if marks { Verdict::Mark(Reason::Early) } else { Verdict::Drop(Reason::Early) };
        match self.state {
            State::Calm => {
                self.enter(now);
                return signal;
            }
            State::Dropping => {}
            State::Dropped => {
                self.drop_next = self.control_law(self.drop_next);
                self.state = State::Dropping;
            }
        }
        if now < self.drop_next {
            return Verdict::Pass;
        }
        self.set_count(self.count.saturating_add(1));
        if marks {
            self.drop_next = self.control_law(self.drop_next);
        } else {
            self.state = State::Dropped;
        }
        signal
    }
}

/// One step of Newton's iteration for 1/sqrt(count), `y (3 - count y^2) / 2`, in integers as
/// Linux does it: `y` in units of 2^-16, two bits cut off on the way.
fn newton16(y: f64, count: u32) -> f64 {
    let y = (y * 65_536.0) as u64;
    let rest = (3_u64 << 32) - u64::from(count) * y * y;
    ((rest / 4 * y) >> 31) as f64 / 65_536.0
}

impl Aqm for Codel {
    #[inline]
    fn on_dequeue(&mut self, packet: PacketInfo, sojourn: Duration, queue: Backlog, now: Instant) -> Verdict {
        let markable = packet.ecn.is_markable();
        let verdict = self.judge(markable, sojourn, queue, now);
        let CodelParameters { ce_threshold, ce_threshold_ect1, .. } = self.parameters;
        let late = ce_threshold.is_some_and(|threshold| sojourn > threshold);
        if late && markable && verdict == Verdict::Pass && (!ce_threshold_ect1 || packet.ecn == Ecn::Ect1) {
            return Verdict::Mark(Reason::Forced);
        }
        verdict
    }

    fn drops_on_departure(&self) -> bool {
        true
    }

    fn on_idle(&mut self, _now: Instant) {
        self.first_above_time = None;
        self.state = State::Calm;
    }

    /// Overflow drops count as signals (Linux, `fq_codel`). One Newton step is too inaccurate for a
    /// large increase, so the exact value is stored.
    fn on_overflow(&mut self, packets: u32, _now: Instant) {
        self.count = self.count.saturating_add(packets);
        self.rec_inv_sqrt = 1.0 / libm::sqrt(f64::from(self.count));
    }

    fn take_over(&mut self, former: &Self) {
        let parameters = self.parameters.clone();
        *self = Self { parameters, ..former.clone() };
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("dropping", f64::from(u8::from(self.state != State::Calm)));
        record("count", f64::from(self.count));
        record("lastcount", f64::from(self.lastcount));
        record("drop_next", self.drop_next.as_secs_f64());
        record("first_above_time", self.first_above_time.map_or(0.0, Instant::as_secs_f64));
    }
}
