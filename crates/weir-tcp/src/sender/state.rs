//! What can be read of a sender.

use weir_types::Duration;

use super::{Counters, Sender};
use crate::{congestion::Congestion, recovery::Sack};

impl Sender {
    /// The number of its first segment, which is the SYN where there is one.
    pub const fn first(&self) -> u32 {
        self.first
    }

    /// One past the last number there is to send; [`u32::MAX`] if there is no end.
    pub const fn end(&self) -> u32 {
        self.end
    }

    /// Bytes on the wire of the last segment there is to send.
    pub const fn last_bytes(&self) -> u32 {
        self.last_bytes
    }

    /// All that there was to send has been acknowledged.
    pub const fn is_done(&self) -> bool {
        self.una == self.end
    }

    /// The congestion window in segments, without the inflation of fast recovery.
    pub const fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    /// Where slow start ends, in segments.
    pub const fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    /// Shows the inner variables of its congestion control under their published names.
    pub fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.congestion.probe(record);
    }

    /// The smoothed round-trip time; `None` before the first sample.
    pub const fn srtt(&self) -> Option<Duration> {
        self.rtt.smoothed()
    }

    /// The number of segments acknowledged in order.
    pub const fn acked(&self) -> u32 {
        self.una
    }

    /// What selective acknowledgements have told it, where there are any.
    pub fn sack(&self) -> Option<&Sack> {
        self.sack.as_deref()
    }

    /// What it has done so far.
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }
}
