//! `DualPI2`, the coupled dual-queue discipline for low latency, low loss and scalable throughput
//! (L4S).
//!
//! K. De Schepper, B. Briscoe, G. White: *Dual-Queue Coupled Active Queue Management (AQM) for
//! Low Latency, Low Loss, and Scalable Throughput (L4S)*, RFC 9332, 2023. ECT(1) and CE packets enter
//! queue L, all others queue C. Every `interval`, with `cur` the longer of the sojourn times of both heads
//! and `prev` its value at the previous update:
//!
//! ```text
//! p'   <- p' + alpha (cur - target) + beta (cur - prev)     in [0, 1]
//! p_C   = p'^2                                              C: drop, or mark ECT(0)
//! p_CL  = k p'                                              L: mark, or with L's own ramp
//! p'_L  = (sojourn - min_th) / range  in [0, 1]     if more than `th_len` wait in L
//! p_L   = max(p'_L, p_CL)
//! ```
//!
//! The square of `p'` makes the rates of a Classic and a Scalable flow equal. A weighted round robin
//! by credit prefers L and leaves C a tenth (Linux; one of the RFC's examples). While k p' is above 1,
//! packets of L are dropped with `p_C` and marked otherwise, and ECN-capable packets of C are dropped.
//! With less than two MTUs left in both queues, only the ramp signals.
//!
//! Differences between RFC 9332, Linux, ns-3 and Weir: `docs/disciplines/dualpi2.md`.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Ecn, Instant, Invalid, PacketSize, Probability, Rate, Rng, Streams};

use super::{PacketFifo, move_all};
use crate::{
    Backlog, Discipline, Limit, Link, Observer, Packet, PacketInfo, Reason, Verdict,
    aqm::{check_gain, check_interval},
    parts,
    qdisc::carry_out,
};

/// Packets that enter the low-latency queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LowLatency {
    /// ECT(1) and CE (RFC 9331).
    #[default]
    Ect1,
    /// All ECN-capable packets (Linux's `ecn_mask` 3), for DCTCP alone.
    AnyEct,
}

/// Sojourn time that the controller uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DelayOf {
    /// The sojourn time of C's head (RFC 9332, A.1). Packets that do not answer marks then fill L, where nothing drops
    /// them: drops in overload depend on p'.
    Classic,
    /// The longer sojourn time of both heads (RFC 9332, A.2, which has the rule of overload; Linux).
    #[default]
    Longer,
}

/// Parameters of `DualPI2`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("x-default-source" = "RFC 9332, appendix A.1"))]
pub struct DualPi2Parameters {
    /// Target delay of Classic packets.
    #[schemars(extend("x-tunable" = { "from": "1 ms", "to": "50 ms", "source": "Weir: around 10 ms (RFC 8034) and 15 ms (RFC 8033)" }))]
    #[schemars(extend("x-role" = "delay"))]
    pub target: Duration,
    /// Time between two updates of the probability.
    #[schemars(extend("x-role" = "timer"))]
    pub interval: Duration,
    /// Integral gain, in 1/s.
    pub alpha: f64,
    /// Proportional gain, in 1/s.
    pub beta: f64,
    /// k, the coupling factor: L is marked with probability k p'.
    pub coupling: f64,
    /// Sojourn time from which L's ramp marks (`minTh`); Linux has a step at 1 ms.
    #[schemars(extend("x-tunable" = { "from": "0.2 ms", "to": "5 ms", "source": "Weir: around 800 us (RFC 9332) and 1 ms (Linux)" }))]
    pub min_th: Duration,
    /// Width of L's ramp: at `min_th + range` every packet is marked. 0 s makes a step, as in
    /// Linux.
    pub range: Duration,
    /// L's ramp marks only while more than this many packets are in L, the departing one included
    /// (`Th_len`).
    #[schemars(extend("x-default-source" = "RFC 9332; Linux: 0"))]
    pub th_len: u32,
    /// Fraction of the link for C while both queues are backlogged.
    #[schemars(extend("x-default-source" = "Linux"))]
    pub classic_protection: Probability,
    /// With less than two MTUs left in both queues, only the ramp signals. Also scales the
    /// scheduler's initial credit.
    #[schemars(extend("x-default-source" = "Linux"))]
    pub mtu: PacketSize,
    /// Sojourn time that the controller uses.
    #[schemars(extend("x-default-source" = "RFC 9332, appendix A.2; Linux"))]
    pub delay: DelayOf,
    /// Packets that enter L.
    pub low_latency: LowLatency,
}

impl Default for DualPi2Parameters {
    fn default() -> Self {
        Self {
            target: Duration::from_millis(15),
            interval: Duration::from_millis(16),
            alpha: 0.16,
            beta: 3.2,
            coupling: 2.0,
            min_th: Duration::from_micros(800),
            range: Duration::from_micros(400),
            th_len: 1,
            classic_protection: Probability::constant(0.1),
            mtu: PacketSize::new(1514).expect("above zero"),
            delay: DelayOf::default(),
            low_latency: LowLatency::default(),
        }
    }
}

impl DualPi2Parameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        check_interval(self.interval, "RFC 9332 has 16 ms")?;
        let published = Self::default();
        check_gain(self.alpha, "alpha", published.alpha)?;
        check_gain(self.beta, "beta", published.beta)?;
        check_gain(self.coupling, "coupling", published.coupling)?;
        Invalid::unless(
            self.classic_protection.get() < 1.0,
            "classic_protection",
            "the low-latency line would never be served beside the classic one",
            "write a share below 1; the RFC's is 0.1",
        )
    }

    /// `DualPI2` before `link`, drawing from the stream at `path`. The first update comes after one interval.
    pub fn build<P: Packet>(&self, link: Link, streams: Streams, path: &str) -> DualPi2<P> {
        let share = self.classic_protection.get();
        let percent = (100.0 * share, 100.0 * (1.0 - share));
        let first_credit = f64::from(self.mtu.bytes()) * (percent.0 - percent.1);
        DualPi2 {
            parameters: self.clone(),
            low_latency: PacketFifo::new(),
            classic: PacketFifo::new(),
            limit: link.limit,
            base: 0.0,
            previous: Duration::ZERO,
            percent,
            first_credit,
            credit: first_credit,
            update_at: Instant::ZERO + self.interval,
            rng: streams.at(path),
        }
    }
}

/// Two queues coupled by one PI controller.
#[derive(Debug)]
pub struct DualPi2<P> {
    parameters: DualPi2Parameters,
    low_latency: PacketFifo<P>,
    classic: PacketFifo<P>,
    limit: Limit,
    /// `p'`.
    base: f64,
    /// The delay at the last update.
    previous: Duration,
    /// Shares of the link of C and L.
    percent: (f64, f64),
    first_credit: f64,
    /// Bytes times percent; above zero it is C's turn.
    credit: f64,
    update_at: Instant,
    rng: Rng,
}

/// [`Discipline::classes`]: low latency and Classic.
pub(super) const CLASSES: &[&str] = &["L", "C"];

/// The numbers of the classes in [`CLASSES`].
const LOW_LATENCY: usize = 0;
const CLASSIC: usize = 1;

impl<P: Packet> DualPi2<P> {
    const fn class_of(&self, ecn: Ecn) -> usize {
        match (ecn, self.parameters.low_latency) {
            (Ecn::Ect1 | Ecn::Ce, _) | (Ecn::Ect0, LowLatency::AnyEct) => LOW_LATENCY,
            _ => CLASSIC,
        }
    }

    /// `p_CL`.
    fn coupled(&self) -> f64 {
        self.parameters.coupling * self.base
    }

    /// True with probability `p_C`: two draws of `p'`.
    fn draws_twice(&mut self) -> bool {
        self.base > 0.0 && self.rng.chance(self.base) && self.rng.chance(self.base)
    }

    /// `p'_L`.
    fn ramp(&self, sojourn: Duration) -> f64 {
        let DualPi2Parameters { min_th, range, th_len, .. } = self.parameters;
        let in_line = self.low_latency.backlog(self.limit).packets + 1;
        if sojourn <= min_th || in_line <= th_len {
            return 0.0;
        }
        let excess = sojourn.saturating_sub(min_th);
        if excess >= range { 1.0 } else { excess.as_secs_f64() / range.as_secs_f64() }
    }

    /// Verdict on a packet that leaves L.
    fn judge_low_latency(&mut self, sojourn: Duration) -> Verdict {
        let short = self.is_short();
        if !short && self.coupled() > 1.0 {
            let drops = self.draws_twice();
            return if drops { Verdict::Drop(Reason::Early) } else { Verdict::Mark(Reason::Early) };
        }
        let coupled = if short { 0.0 } else { self.coupled() };
        let p = self.ramp(sojourn).max(coupled);
        if p > 0.0 && self.rng.chance(p) { Verdict::Mark(Reason::Early) } else { Verdict::Pass }
    }

    /// Verdict on a packet that leaves C.
    fn judge_classic(&mut self) -> Verdict {
        if self.is_short() || !self.draws_twice() {
            Verdict::Pass
        } else if self.coupled() > 1.0 {
            Verdict::Drop(Reason::Early)
        } else {
            Verdict::Mark(Reason::Early)
        }
    }

    /// Less than two MTUs are left.
    fn is_short(&self) -> bool {
        self.backlog().bytes < 2 * u64::from(self.parameters.mtu.bytes())
    }
}

impl<P: Packet> Discipline<P> for DualPi2<P> {
    #[inline(never)]
    fn enqueue(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) {
        let PacketInfo { bytes, ecn, .. } = packet.info();
        let class = self.class_of(ecn);
        observer.class(class);
        if self.backlog().overflows(bytes) {
            return observer.dropped(packet, Reason::Overflow, false, now);
        }
        let line = if class == LOW_LATENCY { &mut self.low_latency } else { &mut self.classic };
        line.push(packet, now);
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Instant, observer: &mut impl Observer<P>) -> Option<(P, Duration)> {
        loop {
            let classic_waits = self.classic.head().is_some();
            let low_latency = self.low_latency.head().is_some() && (!classic_waits || self.credit <= 0.0);
            let line = if low_latency { &mut self.low_latency } else { &mut self.classic };
            let Some((packet, arrived)) = line.pop() else {
                self.credit = self.first_credit;
                return None;
            };
            observer.class(if low_latency { LOW_LATENCY } else { CLASSIC });
            let (info, sojourn) = (packet.info(), now.since(arrived));
            let verdict = if low_latency { self.judge_low_latency(sojourn) } else { self.judge_classic() };
            let taken = carry_out(verdict, packet, true, now, observer, |packet| (packet, sojourn));
            if taken.is_none() {
                // A dropped packet costs no credit.
                continue;
            }
            let bytes = f64::from(info.bytes);
            if low_latency && self.classic.head().is_some() {
                self.credit += self.percent.0 * bytes;
            } else if !low_latency && self.low_latency.head().is_some() {
                self.credit -= self.percent.1 * bytes;
            }
            return taken;
        }
    }

    fn backlog(&self) -> Backlog {
        let (low_latency, classic) = (self.class_backlog(LOW_LATENCY), self.class_backlog(CLASSIC));
        Backlog {
            packets: low_latency.packets + classic.packets,
            bytes: low_latency.bytes + classic.bytes,
            limit: self.limit,
        }
    }

    fn drops_on_departure(&self) -> bool {
        true
    }

    fn classes(&self) -> &'static [&'static str] {
        CLASSES
    }

    fn class_backlog(&self, class: usize) -> Backlog {
        let line = if class == LOW_LATENCY { &self.low_latency } else { &self.classic };
        line.backlog(self.limit)
    }

    fn next_update(&self) -> Option<Instant> {
        Some(self.update_at)
    }

    fn update(&mut self, now: Instant) {
        let DualPi2Parameters { target, alpha, beta, .. } = self.parameters;
        let waited =
            |line: &PacketFifo<P>| line.head().map_or(Duration::ZERO, |(_, arrived)| now.since(arrived));
        let delay = match self.parameters.delay {
            DelayOf::Classic => waited(&self.classic),
            DelayOf::Longer => waited(&self.classic).max(waited(&self.low_latency)),
        };
        let step = parts::proportional_integral(delay, self.previous, target, alpha, beta);
        self.base = (self.base + step).clamp(0.0, 1.0);
        self.previous = delay;
        self.update_at = now + self.parameters.interval;
    }

    fn drain(&mut self, into: &mut Vec<(P, Instant)>) {
        self.low_latency.drain(into);
        self.classic.drain(into);
        into.sort_by_key(|(_, arrived)| *arrived);
    }

    fn restore(&mut self, packet: P, arrived: Instant) {
        let class = self.class_of(packet.info().ecn);
        let line = if class == LOW_LATENCY { &mut self.low_latency } else { &mut self.classic };
        line.push(packet, arrived);
    }

    fn take_over(&mut self, former: &mut Self, _: Instant) {
        if self.parameters.low_latency == former.parameters.low_latency {
            self.low_latency = core::mem::take(&mut former.low_latency);
            self.classic = core::mem::take(&mut former.classic);
        } else {
            move_all(former, self);
        }
        self.base = former.base;
        self.previous = former.previous;
        self.credit = former.credit;
        self.update_at = former.update_at;
        self.rng = former.rng.clone();
    }

    fn begin(&mut self, now: Instant) {
        if self.update_at <= now {
            self.update(now);
        }
    }

    fn on_rate(&mut self, _: Rate, _: Instant) {}

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("p'", self.base);
        record("p_C", self.base * self.base);
        record("p_CL", self.coupled().min(1.0));
        record("credit", self.credit / 100.0);
        record("L", f64::from(self.class_backlog(LOW_LATENCY).packets));
        record("C", f64::from(self.class_backlog(CLASSIC).packets));
    }
}
