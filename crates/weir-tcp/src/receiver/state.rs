//! Counters and state of a receiver, for statistics and measurements.

use alloc::vec::Vec;

use weir_types::Instant;

use super::{Receiver, Reporter, accecn::AccEcn};

impl Receiver {
    /// Where what arrived beyond [`Receiver::expected`] stands, to be prefetched.
    #[inline]
    pub fn beyond_expected(&self) -> Option<&Vec<(u32, u32)>> {
        self.beyond.place()
    }

    /// When [`Receiver::on_timeout`] is due; [`Instant::MAX`] if no ACK is delayed.
    #[inline]
    pub const fn timeout(&self) -> Instant {
        self.due
    }

    /// Distinct data segments received, in order or not.
    pub const fn delivered(&self) -> u32 {
        self.delivered
    }

    /// Returns true if data segment `number` has arrived, in order or not.
    pub fn has(&self, number: u32) -> bool {
        number < self.expected || self.beyond.has(number)
    }

    /// Bytes on the wire by which its data segments fall short of as many full ones: a sender may have made them
    /// smaller.
    pub fn short(&self) -> u64 {
        self.reporter.as_deref().and_then(|reporter| reporter.accecn.as_ref()).map_or(0, AccEcn::short)
    }

    /// State from which options of its ACKs come, to be prefetched; `None` if its ACKs have no options.
    #[inline]
    pub fn reporter(&self) -> Option<&Reporter> {
        self.reporter.as_deref()
    }

    /// Segments received, the SYN and those that came twice among them.
    pub const fn arrived(&self) -> u32 {
        self.arrived
    }

    /// Segments received that a queue on the way had marked.
    pub const fn marked(&self) -> u32 {
        self.marked
    }
}
