//! How the RED family feeds congestion back: from a probability to spaced drops and marks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Probability, Rng};

use crate::{Backlog, PacketInfo, Reason, Verdict, parts};

/// How far apart signals are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spacing {
    /// Each packet independently with `p_b`; gaps are geometric (the paper's method 1).
    Geometric,
    /// `p_b / (1 - count p_b)`: gaps uniform on 1..1/p, about 2 p signals per packet (method 2).
    #[default]
    Uniform,
    /// ns-2's `wait_`: gaps uniform on 1/p..2/p, about 2/3 p signals per packet.
    Wait,
}

/// How the size of a packet scales its probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ByteMode {
    /// The paper: `p_b` times size over `max_packet_size`, then spaced.
    Paper,
    /// ns-2's `bytes_`: the count is bytes in whole mean packets; after spacing, times size over
    /// mean size, unless already 1.
    Ns2,
}

/// Zone of a congestion measure.
#[derive(Clone, Copy, Debug)]
pub(in crate::aqm) enum Zone {
    /// No signal.
    Below,
    /// A signal with probability `p_b`.
    Ramp(f64),
    /// A signal for certain.
    Above,
}

impl Zone {
    pub(in crate::aqm) const fn probability(self) -> f64 {
        match self {
            Self::Below => 0.0,
            Self::Ramp(p) => p,
            Self::Above => 1.0,
        }
    }
}

/// Spaces signals and chooses between mark and drop.
#[derive(Clone, Debug)]
pub(in crate::aqm) struct Signals {
    pub(in crate::aqm) spacing: Spacing,
    pub(in crate::aqm) ecn: bool,
    pub(in crate::aqm) harddrop: bool,
    pub(in crate::aqm) mark_p: Option<Probability>,
    pub(in crate::aqm) ns2_old: bool,
    pub(in crate::aqm) byte_mode: Option<ByteMode>,
    /// Bytes of the packet whose probability is not scaled.
    pub(in crate::aqm) whole_packet: u32,
    /// Packets since the last signal, or their bytes; `None` while the measure is below.
    pub(in crate::aqm) count: Option<u64>,
    /// `p_b`, reported by `probe`.
    pub(in crate::aqm) probability: f64,
    pub(in crate::aqm) rng: Rng,
}

impl Signals {
    /// [`crate::Aqm::take_over`]
    pub(in crate::aqm) fn take_over(&mut self, former: &Self) {
        self.count = former.count;
        self.probability = former.probability;
        self.rng = former.rng.clone();
    }

    #[inline]
    pub(in crate::aqm) fn verdict(&mut self, zone: Zone, packet: PacketInfo, queue: Backlog) -> Verdict {
        let verdict = match zone {
            Zone::Below => {
                self.probability = 0.0;
                self.count = None;
                Verdict::Pass
            }
            Zone::Ramp(p) => self.ramp(p, packet.bytes),
            Zone::Above => {
                self.probability = 1.0;
                self.count = Some(0);
                if self.ecn && !self.harddrop {
                    Verdict::Mark(Reason::Forced)
                } else {
                    Verdict::Drop(Reason::Forced)
                }
            }
        };
        // An overflow is a signal: the next one is spaced from it.
        if queue.overflows(packet.bytes) && self.count.is_some() {
            self.count = Some(0);
        }
        verdict
    }

    fn ramp(&mut self, p: f64, bytes: u32) -> Verdict {
        let whole_packet = f64::from(self.whole_packet);
        let of_size = |p: f64| p * (f64::from(bytes) / whole_packet);
        let (p, step) = match self.byte_mode {
            None => (p, 1),
            Some(ByteMode::Paper) => (of_size(p).min(1.0), 1),
            Some(ByteMode::Ns2) => (p, u64::from(bytes)),
        };
        self.probability = p;
        let count = match self.count {
            Some(count) => count + step,
            None if self.ns2_old => {
                self.count = Some(step);
                return Verdict::Pass;
            }
            None => 0,
        };
        self.count = Some(count);
        let spaced = match self.spacing {
            Spacing::Geometric => p,
            Spacing::Uniform => parts::spaced_uniformly(p, self.packets(count)),
            Spacing::Wait => parts::spaced_with_wait(p, self.packets(count)),
        };
        // ns-2 leaves a probability of 1 alone.
        let scales = self.byte_mode == Some(ByteMode::Ns2) && spaced < 1.0;
        if !self.rng.chance(if scales { of_size(spaced) } else { spaced }) {
            return Verdict::Pass;
        }
        self.count = Some(0);
        let marks = self.ecn && self.mark_p.is_none_or(|limit| p < limit.get());
        if marks { Verdict::Mark(Reason::Early) } else { Verdict::Drop(Reason::Early) }
    }

    /// A count in packets, whole ones where bytes are counted.
    fn packets(&self, count: u64) -> f64 {
        match self.byte_mode {
            Some(ByteMode::Ns2) => (count / u64::from(self.whole_packet)) as f64,
            _ => count as f64,
        }
    }

    pub(in crate::aqm) fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("probability", self.probability);
        record("count", self.count.map_or(-1.0, |count| self.packets(count)));
    }
}
