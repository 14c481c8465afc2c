//! A trace: packets, when and as large as they were.

use weir_types::{Duration, Ecn};

/// Packets in the order of their times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The packets.
    pub packets: Vec<TracePacket>,
    /// Flows they belong to.
    pub flows: u32,
}

/// A packet of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracePacket {
    /// Since the start of the trace; of a file, since its first packet.
    pub at: Duration,
    /// Bytes of the IP packet.
    pub bytes: u32,
    /// Number of its flow, in the order of their first packets.
    pub flow: u32,
    /// Its ECN bits. Those of a file are [`Ecn::NotEct`]: [`super::Replay::ecn`] says what they are.
    pub ecn: Ecn,
}
