use weir_types::{Ecn, Instant};

/// A segment on the wire: data in one direction, ACKs in the other. 24 bytes, so that the packets
/// in flight of a whole simulation stay in the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Of data: when it was sent. Of an ACK: that of the segment that caused it, returned.
    pub stamp: Instant,
    /// Which connection.
    pub flow: u32,
    /// Of data: its number, from 0. Of an ACK: the next number the receiver expects.
    pub number: u32,
    /// Bytes on the wire.
    pub bytes: u32,
    /// The ECN bits of the IP header.
    pub ecn: Ecn,
    /// What else the header says.
    pub flags: Flags,
    /// Of an ACK: where its SACK blocks stand in the receiver's log, 0 if it has none. See
    /// [`crate::recovery::SackLog`] for why they do not stand here.
    pub blocks: u16,
}

const _: () = assert!(size_of::<Segment>() == 24);

/// Header bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// No bit set: ordinary data.
    pub const NONE: Self = Self(0);
    /// An acknowledgement.
    pub const ACK: Self = Self(1);
    /// The first segment of a connection, and its acknowledgement.
    pub const SYN: Self = Self(1 << 1);
    /// Data that has been sent before.
    pub const RETRANSMISSION: Self = Self(1 << 2);
    /// ECN echo, from the receiver (RFC 3168).
    pub const ECE: Self = Self(1 << 3);
    /// Congestion window reduced, from the sender (RFC 3168).
    pub const CWR: Self = Self(1 << 4);
    /// Asks for no acknowledgement: UDP.
    pub const DATAGRAM: Self = Self(1 << 5);
    /// Every router on the path so far understands ECN (REM 2001, section 5); returned by ACKs.
    pub const ALL_CAPABLE: Self = Self(1 << 6);

    /// Whether every bit of `other` is set.
    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// These bits without those of `other`.
    #[inline]
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// These bits and those of `other`, if `set`.
    #[inline]
    #[must_use]
    pub const fn with(self, other: Self, set: bool) -> Self {
        if set { Self(self.0 | other.0) } else { self }
    }
}
