//! How the RED family measures congestion: the average queue, with its rule for idle time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Level, Probability, Rate};

use crate::{Backlog, Link, parts};

/// How an idle time enters the average: m is the number of mean packets that the link could have
/// sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdleM {
    /// The paper: m is real, and the arrival itself is no sample.
    #[default]
    Real,
    /// ns-2: the integer part of m, plus one sample for the arrival.
    Ns2,
}

/// `avg`: each arrival samples the queue before it. The first arrival after an idle time accounts
/// for it. The link starts idle.
#[derive(Clone, Debug)]
pub(in crate::aqm) struct Average {
    /// In the unit of the thresholds.
    value: f64,
    weight: f64,
    in_bytes: bool,
    steps: IdleM,
    /// Start of the idle time.
    idle_since: Option<Instant>,
    /// Packet size of the idle rule, in bytes.
    mean_packet: u32,
    /// `s`: seconds to send a mean packet.
    sample_time: f64,
}

impl Average {
    /// An average of zero that counts what `unit` counts.
    pub(in crate::aqm) fn new(unit: Level, weight: Probability, steps: IdleM, link: Link) -> Self {
        Self {
            value: 0.0,
            weight: weight.get(),
            in_bytes: unit.in_bytes(),
            steps,
            idle_since: Some(Instant::ZERO),
            mean_packet: link.mean_packet,
            sample_time: sample_time(link.rate, link.mean_packet),
        }
    }

    /// [`crate::Aqm::take_over`]
    pub(in crate::aqm) fn take_over(&mut self, former: &Self) {
        let size = f64::from(self.mean_packet);
        self.value = match (former.in_bytes, self.in_bytes) {
            (true, false) => former.value / size,
            (false, true) => former.value * size,
            _ => former.value,
        };
        self.idle_since = former.idle_since;
    }

    pub(in crate::aqm) const fn get(&self) -> f64 {
        self.value
    }

    /// Samples the queue before an arrival.
    #[inline]
    pub(in crate::aqm) fn update(&mut self, queue: Backlog, now: Instant) {
        let sample = measure(queue, self.in_bytes);
        match self.idle_since.take() {
            None => self.value = parts::ewma(self.value, self.weight, sample),
            Some(since) => self.account_for_idle(now.since(since), sample),
        }
    }

    /// Out of the way of the packets that find the link busy.
    #[inline(never)]
    fn account_for_idle(&mut self, idle: Duration, sample: f64) {
        let m = idle.as_secs_f64() / self.sample_time;
        self.value = match self.steps {
            IdleM::Real => parts::ewma_idle(self.value, self.weight, m),
            IdleM::Ns2 => {
                // Guards against rounding: a time of exactly m packets counts m.
                let m = libm::floor(m + 1e-9);
                parts::ewma_idle(self.value, self.weight, m + 1.0) + self.weight * sample
            }
        };
    }

    /// The link falls idle; may repeat.
    pub(in crate::aqm) fn on_idle(&mut self, now: Instant) {
        self.idle_since.get_or_insert(now);
    }

    pub(in crate::aqm) fn on_rate(&mut self, rate: Rate) {
        self.sample_time = sample_time(rate, self.mean_packet);
    }

    /// `w_q`.
    pub(super) const fn weight(&self) -> f64 {
        self.weight
    }

    /// Sets `w_q`.
    pub(super) const fn set_weight(&mut self, weight: f64) {
        self.weight = weight;
    }
}

/// The queue, in bytes or packets.
pub(in crate::aqm) fn measure(queue: Backlog, in_bytes: bool) -> f64 {
    if in_bytes { queue.bytes as f64 } else { f64::from(queue.packets) }
}

/// `s`: seconds to send one mean packet.
fn sample_time(rate: Rate, mean_packet: u32) -> f64 {
    1.0 / rate.packets_per_second(mean_packet)
}
