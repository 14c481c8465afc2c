//! PI2, the PI controller whose output is squared.
//!
//! K. De Schepper, O. Bondarenko, I.-J. Tsang, B. Briscoe: *PI2: A Linearized AQM for both Classic
//! and Scalable TCP*, ACM CoNEXT 2016. Every `interval` T, with `qdelay` the delay now and
//! `old` that of T ago:
//!
//! ```text
//! p' <- p' + alpha (qdelay - target) + beta (qdelay - old)
//! p   = p'^2
//! ```
//!
//! An arriving packet is signalled with probability `p`. The rate of a Classic TCP is proportional to
//! 1/sqrt(p), so `p'` is linear in the load, and one pair of gains serves all loads. PIE's table
//! approximates this in steps. PIE's safeguards are not needed.
//!
//! The delay is the sojourn time of the last departure, 0 if the queue is empty. The paper applies `p'`
//! to Scalable TCP; here DualPI2 does.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid, Rng};

use crate::{Aqm, Backlog, Link, PacketInfo, Reason, Verdict, parts};

/// Parameters of PI2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("x-default-source" = "RFC 9332, appendix A.1; Linux"))]
pub struct Pi2Parameters {
    /// Target queueing delay.
    #[schemars(extend("x-tunable" = { "from": "1 ms", "to": "50 ms", "source": "Weir: around 10 ms (RFC 8034) and 15 ms (RFC 8033)" }))]
    #[schemars(extend("x-role" = "delay"))]
    pub target: Duration,
    /// T, time between two updates.
    #[schemars(extend("x-role" = "timer"))]
    pub interval: Duration,
    /// Integral gain, in 1/s.
    pub alpha: f64,
    /// Proportional gain, in 1/s.
    pub beta: f64,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
}

impl Default for Pi2Parameters {
    fn default() -> Self {
        Self {
            target: Duration::from_millis(15),
            interval: Duration::from_millis(16),
            alpha: 0.16,
            beta: 3.2,
            ecn: false,
        }
    }
}

impl Pi2Parameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        super::check_interval(self.interval, "RFC 9332 has 16 ms")?;
        let published = Self::default();
        super::check_gain(self.alpha, "alpha", published.alpha)?;
        super::check_gain(self.beta, "beta", published.beta)
    }

    /// PI2. It does not need to know the link. The first update comes after one interval.
    pub fn build(&self, _link: Link, rng: Rng) -> Pi2 {
        Pi2 {
            parameters: self.clone(),
            base: 0.0,
            sojourn: Duration::ZERO,
            qdelay_old: Duration::ZERO,
            update_at: Instant::ZERO + self.interval,
            rng,
        }
    }
}

/// The PI controller whose output is squared.
#[derive(Clone, Debug)]
pub struct Pi2 {
    parameters: Pi2Parameters,
    /// `p'`.
    base: f64,
    /// Sojourn time of the last departure; 0 if the queue is empty.
    sojourn: Duration,
    /// The delay at the last update.
    qdelay_old: Duration,
    update_at: Instant,
    rng: Rng,
}

impl Aqm for Pi2 {
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, _now: Instant) -> Verdict {
        // A full buffer draws nothing.
        if queue.overflows(packet.bytes) || !self.rng.chance(self.base * self.base) {
            return Verdict::Pass;
        }
        if self.parameters.ecn { Verdict::Mark(Reason::Early) } else { Verdict::Drop(Reason::Early) }
    }

    #[inline]
    fn on_dequeue(&mut self, _: PacketInfo, sojourn: Duration, queue: Backlog, _: Instant) -> Verdict {
        self.sojourn = if queue.packets == 0 { Duration::ZERO } else { sojourn };
        Verdict::Pass
    }

    #[inline]
    fn next_update(&self) -> Option<Instant> {
        Some(self.update_at)
    }

    fn update(&mut self, queue: Backlog, now: Instant) {
        let Pi2Parameters { target, alpha, beta, .. } = self.parameters;
        let qdelay = if queue.packets == 0 { Duration::ZERO } else { self.sojourn };
        let step = parts::proportional_integral(qdelay, self.qdelay_old, target, alpha, beta);
        self.base = (self.base + step).clamp(0.0, 1.0);
        self.qdelay_old = qdelay;
        self.update_at = now + self.parameters.interval;
    }

    fn take_over(&mut self, former: &Self) {
        self.base = former.base;
        self.sojourn = former.sojourn;
        self.qdelay_old = former.qdelay_old;
        self.update_at = former.update_at;
        self.rng = former.rng.clone();
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("probability", self.base * self.base);
        record("p'", self.base);
        record("qdelay_old", self.qdelay_old.as_secs_f64());
    }
}
