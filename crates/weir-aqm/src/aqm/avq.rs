//! AVQ, the Adaptive Virtual Queue.
//!
//! S. Kunniyur, R. Srikant: *Analysis and Design of an Adaptive Virtual Queue (AVQ) Algorithm for
//! Active Queue Management*, ACM SIGCOMM 2001. A virtual queue has the same buffer B and a capacity
//! `C~` below the real C. When `b` bytes arrive at `t`, with the last arrival at `s`:
//!
//! ```text
//! VQ <- max(0, VQ - C~ (t - s))
//! signal the packet if VQ + b > B, otherwise VQ <- VQ + b
//! C~ <- max(0, min(C~ + alpha gamma C (t - s), C) - alpha b)
//! ```
//!
//! In equilibrium bytes arrive at `gamma C`: AVQ regulates the utilisation, not the queue.
//!
//! No draw, no timer. `C~` follows every arrival, signalled or not; with dropping, the authors'
//! ns-2 code counts accepted packets only: `adapts_to = "accepted"`. That code holds `C~` below C
//! after the subtraction instead of before. It passes packets that cannot be marked. It can count
//! packets; Weir always counts bytes.

use alloc::boxed::Box;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Instant, Invalid, Probability, Rate, Rng};

use crate::{Aqm, Backlog, Curve, Link, PacketInfo, Reason, Verdict};

/// Packets that the virtual capacity adapts to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AdaptsTo {
    /// The paper: all that arrive.
    #[default]
    Arrivals,
    /// ns-2: those that the AQM does not drop.
    Accepted,
}

/// Parameters of AVQ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("x-default-source" = "the authors' ns-2 code"))]
#[schemars(extend("x-draws" = false))]
pub struct AvqParameters {
    /// Target utilisation.
    #[schemars(extend("x-tunable" = { "from": 0.8, "to": 1, "source": "Weir: from 80% of the capacity on" }))]
    pub gamma: Probability,
    /// Adaptation speed of the virtual capacity, per second.
    pub alpha: f64,
    /// Virtual buffer as a multiple of the real one.
    #[schemars(extend("x-default-source" = "ns-2, `buflim_`"))]
    pub buffer: f64,
    /// Initial virtual capacity as a fraction of the link's.
    #[schemars(extend("x-default-source" = "ns-2, `ecnlim_`"))]
    pub start: Probability,
    /// Packets that the virtual capacity adapts to.
    #[schemars(extend("x-default-source" = "the paper"))]
    pub adapts_to: AdaptsTo,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
}

impl Default for AvqParameters {
    fn default() -> Self {
        Self {
            gamma: Probability::constant(0.98),
            alpha: 0.15,
            buffer: 1.0,
            start: Probability::constant(0.8),
            adapts_to: AdaptsTo::default(),
            ecn: false,
        }
    }
}

impl AvqParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless_positive(self.gamma.get(), "gamma")?;
        let published = Self::default();
        super::check_gain(self.alpha, "alpha", published.alpha)?;
        super::check_gain(self.buffer, "buffer", published.buffer)
    }

    /// AVQ before `link`. The first arrival starts the clock. It draws nothing.
    pub fn build(&self, link: Link, _rng: Rng) -> Avq {
        let capacity = bytes_per_second(link.rate);
        Avq {
            parameters: self.clone(),
            buffer: self.buffer * link.limit.in_bytes(link.mean_packet),
            mean_packet: link.mean_packet,
            capacity,
            virtual_capacity: self.start.get() * capacity,
            virtual_queue: 0.0,
            drained_at: None,
            adapted_at: Instant::ZERO,
        }
    }
}

/// The Adaptive Virtual Queue.
#[derive(Clone, Debug)]
pub struct Avq {
    parameters: AvqParameters,
    /// B, in bytes.
    buffer: f64,
    mean_packet: u32,
    /// C, in bytes per second.
    capacity: f64,
    /// `C~`, in bytes per second.
    virtual_capacity: f64,
    /// VQ, in bytes.
    virtual_queue: f64,
    /// End of the drained time; `None` before the first arrival.
    drained_at: Option<Instant>,
    /// `s`: the last arrival that `C~` was adapted to.
    adapted_at: Instant,
}

impl Avq {
    /// Drains VQ up to `now`.
    fn drain(&mut self, now: Instant) {
        let since = *self.drained_at.get_or_insert_with(|| {
            self.adapted_at = now;
            now
        });
        let sent = self.virtual_capacity * now.since(since).as_secs_f64();
        self.virtual_queue = (self.virtual_queue - sent).max(0.0);
        self.drained_at = Some(now);
    }

    /// Returns true if a packet of `bytes` finds no room in a VQ of this length.
    #[inline]
    fn overflows(&self, virtual_queue: f64, bytes: f64) -> bool {
        virtual_queue + bytes > self.buffer
    }

    /// Adapts `C~` to the arrival of `bytes` at `now`.
    fn adapt(&mut self, bytes: f64, now: Instant) {
        let AvqParameters { gamma, alpha, .. } = &self.parameters;
        let grown = alpha * gamma.get() * self.capacity * now.since(self.adapted_at).as_secs_f64();
        let grown = (self.virtual_capacity + grown).min(self.capacity);
        self.virtual_capacity = (grown - alpha * bytes).max(0.0);
        self.adapted_at = now;
    }
}

impl Aqm for Avq {
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, _queue: Backlog, now: Instant) -> Verdict {
        let bytes = f64::from(packet.bytes);
        self.drain(now);
        let overflows = self.overflows(self.virtual_queue, bytes);
        let verdict = match (overflows, self.parameters.ecn) {
            (false, _) => Verdict::Pass,
            (true, true) => Verdict::Mark(Reason::Early),
            (true, false) => Verdict::Drop(Reason::Early),
        };
        if !overflows {
            self.virtual_queue += bytes;
        }
        // A packet that cannot be marked is dropped.
        let dropped = overflows && !(self.parameters.ecn && packet.ecn.is_markable());
        if !dropped || self.parameters.adapts_to == AdaptsTo::Arrivals {
            self.adapt(bytes, now);
        }
        verdict
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        let capacity = bytes_per_second(rate);
        if self.drained_at.is_some() {
            // Until now the old rates applied.
            self.drain(now);
            self.adapt(0.0, now);
            self.virtual_capacity = self.virtual_capacity.min(capacity);
        } else {
            self.virtual_capacity = self.parameters.start.get() * capacity;
        }
        self.capacity = capacity;
    }

    fn take_over(&mut self, former: &Self) {
        self.virtual_capacity = former.virtual_capacity;
        self.virtual_queue = former.virtual_queue;
        self.drained_at = former.drained_at;
        self.adapted_at = former.adapted_at;
    }

    /// For a mean packet.
    fn curve(&self, _queue: Backlog) -> Option<Curve<'_>> {
        let at = |queue| f64::from(u8::from(self.overflows(queue, f64::from(self.mean_packet))));
        Some(Curve {
            variable: "virtual_queue",
            value: self.virtual_queue,
            end: 1.2 * self.buffer,
            at: Box::new(at),
        })
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("virtual_queue", self.virtual_queue);
        record("virtual_capacity", self.virtual_capacity);
    }
}

/// The rate in bytes per second.
fn bytes_per_second(rate: Rate) -> f64 {
    rate.bits_per_second() as f64 / 8.0
}
