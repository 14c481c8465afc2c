/// Decision on a packet. A mark on a packet that is not ECN-capable is a drop (RFC 3168, section 5;
/// RFC 7567, section 4.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Pass the packet.
    Pass,
    /// Set CE, or drop it if it cannot be marked.
    Mark(Reason),
    /// Drop it.
    Drop(Reason),
}

/// Why a packet was marked or dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// By the AQM's probability.
    Early,
    /// Above a threshold where the AQM signals every packet.
    Forced,
    /// Buffer full.
    Overflow,
}

impl Reason {
    /// The name used in results: `early`, `forced`, `overflow`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Early => "early",
            Self::Forced => "forced",
            Self::Overflow => "overflow",
        }
    }
}
