//! How slow start ends, if not by a loss or a mark. One file each.

mod hystart;
mod hystart_plus;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::Invalid;

pub use hystart::HystartParameters;
pub use hystart_plus::HystartPlusParameters;

use self::{hystart::Hystart, hystart_plus::HystartPlus};
use super::{Ack, Window};

/// How slow start finds its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SlowStartConfig {
    /// By a loss, a mark, or the threshold (RFC 5681).
    #[default]
    Standard,
    /// Also by round trips that grow; then a slower phase decides (RFC 9406).
    #[serde(rename = "hystart++")]
    HystartPlus(HystartPlusParameters),
    /// Also by trains of ACKs as long as half the round trip, or by round trips that grow. Either ends slow start
    /// at once (Ha and Rhee, 2011, as Linux has it).
    Hystart(HystartParameters),
}

impl SlowStartConfig {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        match self {
            Self::Standard => Ok(()),
            Self::HystartPlus(parameters) => parameters.check().map_err(|it| it.below("hystart++")),
            Self::Hystart(parameters) => parameters.check().map_err(|it| it.below("hystart")),
        }
        .map_err(|invalid| invalid.below("slow_start"))
    }

    pub(super) const fn build(&self) -> SlowStart {
        match self {
            Self::Standard => SlowStart::Standard,
            Self::HystartPlus(parameters) => SlowStart::HystartPlus(HystartPlus::new(*parameters)),
            Self::Hystart(parameters) => SlowStart::Hystart(Hystart::new(*parameters)),
        }
    }
}

/// Where a connection stands in slow start.
#[derive(Clone, Debug)]
pub(super) enum SlowStart {
    Standard,
    HystartPlus(HystartPlus),
    Hystart(Hystart),
}

impl SlowStart {
    /// An ACK lets the window grow; call it only below the threshold.
    #[inline]
    pub(super) fn grow(&mut self, ack: Ack, window: &mut Window) {
        match self {
            Self::Standard => window.cwnd += ack.counted,
            Self::HystartPlus(state) => state.grow(ack, window),
            Self::Hystart(state) => state.grow(ack, window),
        }
    }

    /// Grows up to the threshold and no further. Returns what is left over for congestion avoidance; all of it from
    /// the threshold on.
    #[inline]
    pub(super) fn grow_whole(&mut self, ack: Ack, window: &mut Window) -> f64 {
        if window.cwnd >= window.ssthresh { ack.counted } else { self.grow_to_threshold(ack, window) }
    }

    #[inline(never)]
    fn grow_to_threshold(&mut self, ack: Ack, window: &mut Window) -> f64 {
        let before = window.cwnd;
        self.grow(ack, window);
        // It may have found its end here and set the threshold.
        let cwnd = window.cwnd.min(window.ssthresh.max(before));
        let beyond = window.cwnd - cwnd;
        window.cwnd = cwnd;
        beyond
    }

    /// The window was cut, by a timeout or else.
    pub(super) const fn on_cut(&mut self, timeout: bool) {
        match self {
            // Of use only while the threshold is unknown (RFC 9406, section 4.3).
            Self::HystartPlus(_) => *self = Self::Standard,
            Self::Hystart(state) => state.on_cut(timeout),
            Self::Standard => {}
        }
    }
}
