//! One queue, and the flows over it.

use serde::{Deserialize, Serialize};

use crate::Aqm;

/// A queue and the flows over it. Packets, seconds, packets per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct System {
    /// The flows that answer signals.
    pub groups: Vec<Group>,
    /// C.
    pub capacity: f64,
    /// The AQM of the queue, which makes the signals.
    pub aqm: Aqm,
    /// u: the packets per second that do not answer signals.
    #[serde(default)]
    pub unresponsive: f64,
    /// B.
    #[serde(default = "unbounded", skip_serializing_if = "is_unbounded")]
    pub buffer: f64,
}

/// How windows answer signals, with increase a and cut b.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WindowModel {
    /// W' = a / R(t) - b W(t) W(t-R) / R(t-R) p(t-R) (Misra, Gong and Towsley, SIGCOMM 2000).
    Reno,
    /// W' = a / R(t) - b p(t-R) W(t-R) / R(t-R) (De Schepper and others, CoNEXT 2016, appendix B).
    Scalable,
    /// CUBIC by Vardoyan, Hollot and Towsley (INFOCOM 2018), with the Reno-friendly region of RFC 9438.
    Cubic,
    /// DCTCP under a step (Alizadeh, Javanmard and Prabhakar, SIGMETRICS 2011).
    Dctcp,
}

/// Flows of one kind with one propagation round trip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Its name; several groups may share one.
    pub name: String,
    /// N.
    pub flows: f64,
    /// d, without queues.
    pub delay: f64,
    /// How windows answer.
    pub kind: WindowModel,
    /// a, packets per round trip.
    pub increase: f64,
    /// b, the share of the window that a signal takes.
    pub cut: f64,
    /// Signals are marks; otherwise packets are dropped, and the increase is a (1 - p) / R.
    pub marked: bool,
    /// The packets of the group wait in the queue. Packets of DualPI2's low-latency queue do not.
    pub waits: bool,
    /// The receiver's window, packets.
    #[serde(default = "unbounded", skip_serializing_if = "is_unbounded")]
    pub most: f64,
    /// Below this round trip Prague grows as if it had it: a = (R / max(R, this))². Zero for the others.
    pub target_rtt: f64,
    /// C of CUBIC, packets per second cubed.
    pub cubic_c: f64,
    /// CUBIC's beta: the factor of a window at a cut.
    pub beta: f64,
    /// CUBIC has its Reno-friendly region.
    pub friendly: bool,
    /// g of DCTCP: the weight of the newest window in alpha.
    pub gain: f64,
}

impl System {
    /// Returns true if signals are drops, for any of the flows.
    pub(crate) fn drops(&self) -> bool {
        self.groups.iter().any(|group| !group.marked)
    }

    /// The shortest round trip that there can be.
    pub(crate) fn shortest(&self) -> f64 {
        self.groups.iter().map(|group| group.delay).fold(f64::INFINITY, f64::min)
    }
}

impl Group {
    /// R with so many packets in the queue.
    pub(crate) fn round_trip(&self, queue: f64, capacity: f64) -> f64 {
        if self.waits { self.delay + queue / capacity } else { self.delay }
    }

    /// a at this round trip, packets.
    pub(crate) fn grows(&self, rtt: f64) -> f64 {
        if self.target_rtt > 0.0 {
            self.increase * (rtt / self.target_rtt).min(1.0).powi(2)
        } else {
            self.increase
        }
    }

    /// Increase of CUBIC in its Reno-friendly region, packets per round trip:
    /// a = 3 (1 - beta) / (1 + beta), where a / b = 3/2.
    pub(crate) fn friend(&self) -> f64 {
        3.0 * (1.0 - self.beta) / (1.0 + self.beta)
    }

    /// Time of CUBIC from a cut to the plateau, seconds: there the window is again as before the cut.
    pub(crate) fn plateau(&self, window: f64) -> f64 {
        (window * (1.0 - self.beta) / self.cubic_c).cbrt()
    }
}

impl Default for Group {
    /// One flow of Reno's that answers marks as packets do: `W² p = 1.5`.
    fn default() -> Self {
        Self {
            name: "flows".to_owned(),
            flows: 1.0,
            delay: 0.0,
            kind: WindowModel::Reno,
            increase: 1.0,
            cut: 2.0 / 3.0,
            marked: true,
            waits: true,
            most: f64::INFINITY,
            target_rtt: 0.0,
            // RFC 9438, section 4.1 and 4.6.
            cubic_c: 0.4,
            beta: 0.7,
            friendly: true,
            gain: 1.0 / 16.0,
        }
    }
}

fn unbounded() -> f64 {
    f64::INFINITY
}

/// JSON has no infinity: what has no bound is left out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
pub(crate) fn is_unbounded(value: &f64) -> bool {
    *value == f64::INFINITY
}
