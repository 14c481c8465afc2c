use weir_types::{Dscp, Ecn, Instant};

/// A segment on the wire: data in one direction, ACKs in the other. 24 bytes, so that the packets
/// in flight of a whole simulation stay in the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Segment {
    /// When data was sent. An ACK returns the stamp of the segment that caused it.
    pub stamp: Instant,
    /// Which connection.
    pub flow: u32,
    /// Number of the data, from 0. In an ACK: the next number the receiver expects.
    pub number: u32,
    /// Size, ECN bits, flags and the place of its options.
    pub header: Header,
}

const _: () = assert!(size_of::<Segment>() == 24);

impl Segment {
    /// Bytes on the wire.
    #[inline]
    pub const fn bytes(&self) -> u32 {
        self.header.bytes()
    }

    /// The ECN bits of the IP header.
    #[inline]
    pub const fn ecn(&self) -> Ecn {
        Ecn::of_bits((self.header.0 >> ECN) as u8)
    }

    /// The Diffserv codepoint of the IP header.
    #[inline]
    pub const fn dscp(&self) -> Dscp {
        Dscp::of_bits((self.header.0 >> DSCP) as u8)
    }

    /// Number of the host that sent it; 0 for one that has this flow alone.
    #[inline]
    pub const fn from_host(&self) -> u8 {
        (self.header.0 >> FROM) as u8 & Label::LAST_HOST
    }

    /// Number of the host that it goes to; 0 for one that has this flow alone.
    #[inline]
    pub const fn to_host(&self) -> u8 {
        (self.header.0 >> TO) as u8 & Label::LAST_HOST
    }

    /// Flags of the TCP header.
    #[inline]
    pub const fn flags(&self) -> Flags {
        Flags((self.header.0 >> FLAGS) as u8)
    }

    /// Returns true if data has no flag and is neither [`Ecn::Ce`] nor [`Ecn::Ect1`]: a receiver answers to its
    /// number alone.
    #[inline]
    pub const fn is_silent(&self) -> bool {
        self.header.0 & (0xff << FLAGS | 1 << ECN) == 0
    }

    /// Place of an ACK's options in the log of its receiver ([`crate::Receiver::options_of`]); 0 if it has none.
    #[inline]
    pub const fn options(&self) -> u16 {
        (self.header.0 >> OPTIONS) as u16
    }

    /// Returns the segment, which has no label, with this one.
    #[inline]
    #[must_use]
    pub const fn with_label(self, label: Label) -> Self {
        Self { header: self.header.with_label(label), ..self }
    }

    /// Makes data a row that `next` ends, if it differs in its number alone, which follows. What leaves at once
    /// travels as one. How many follow the first stands where ACKs have the place of their options.
    #[inline]
    #[must_use]
    pub fn append(&mut self, next: &Self) -> bool {
        let more = self.options();
        let end =
            Self { number: self.number + u32::from(more) + 1, header: self.header.with_options(0), ..*self };
        let fits = end == *next && more < u16::MAX;
        if fits {
            self.header = self.header.with_options(more + 1);
        }
        fits
    }

    /// How many it stands for: more than one if it is a row.
    pub const fn segments(&self) -> u64 {
        if self.flags().has(Flags::ACK) { 1 } else { 1 + self.options() as u64 }
    }

    /// Returns true if it is neither a row nor an ACK with options.
    #[inline]
    pub const fn is_single(&self) -> bool {
        self.header.0 >> OPTIONS == 0
    }

    /// Takes the first off a row; `None` of a single segment.
    #[inline]
    pub fn split_first(&mut self) -> Option<Self> {
        let more = self.options().checked_sub(1).filter(|_| !self.flags().has(Flags::ACK))?;
        let first = Self { header: self.header.with_options(0), ..*self };
        self.header = self.header.with_options(more);
        self.number += 1;
        Some(first)
    }
}

/// Headers of a segment, except for its numbers: its size, its label, its ECN bits, its flags and where its options
/// stand. One word, since every queue and pipe on the way copies it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Header(u64);

/// Where the fields begin in the word. The size is below them.
const FROM: u32 = 16;
const TO: u32 = 23;
const ECN: u32 = 32;
const DSCP: u32 = 34;
const FLAGS: u32 = 40;
const OPTIONS: u32 = 48;

impl Header {
    /// The most bytes on the wire: those of an IP packet.
    pub const MOST_BYTES: u32 = (1 << FROM) - 1;

    /// Header of a segment of so many bytes on the wire, without label and options.
    #[inline]
    pub const fn new(bytes: u32, ecn: Ecn, flags: Flags) -> Self {
        debug_assert!(bytes <= Self::MOST_BYTES);
        Self(bytes as u64 | (ecn.bits() as u64) << ECN | (flags.0 as u64) << FLAGS)
    }

    /// Bytes on the wire.
    #[inline]
    pub const fn bytes(self) -> u32 {
        self.0 as u16 as u32
    }

    /// Returns the header, which has no label, with this one.
    #[inline]
    #[must_use]
    pub const fn with_label(self, label: Label) -> Self {
        Self(self.0 | label.0)
    }

    /// Returns the header with these ECN bits.
    #[inline]
    #[must_use]
    pub const fn with_ecn(self, ecn: Ecn) -> Self {
        Self(self.0 & !(0b11 << ECN) | (ecn.bits() as u64) << ECN)
    }

    /// Returns the header with these flags.
    #[inline]
    #[must_use]
    pub const fn with_flags(self, flags: Flags) -> Self {
        Self(self.0 & !(0xff << FLAGS) | (flags.0 as u64) << FLAGS)
    }

    /// Returns the header with this size, in bytes on the wire.
    #[inline]
    #[must_use]
    pub const fn with_bytes(self, bytes: u32) -> Self {
        debug_assert!(bytes <= Self::MOST_BYTES);
        Self(self.0 >> FROM << FROM | bytes as u64)
    }

    /// Returns the header with its options at `place` in the log of its receiver.
    #[inline]
    #[must_use]
    pub const fn with_options(self, place: u16) -> Self {
        Self(self.0 & !(0xffff << OPTIONS) | (place as u64) << OPTIONS)
    }
}

/// Diffserv codepoint and hosts of a segment, by which queues may sort it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Label(u64);

impl Label {
    /// The last number of a host.
    pub const LAST_HOST: u8 = (1 << (TO - FROM)) - 1;

    /// Packets from host number `from` to number `to`, up to [`Label::LAST_HOST`]; 0 for a host that has the flow
    /// alone.
    pub const fn new(dscp: Dscp, from: u8, to: u8) -> Self {
        debug_assert!(from <= Self::LAST_HOST && to <= Self::LAST_HOST);
        Self((dscp.bits() as u64) << DSCP | (from as u64) << FROM | (to as u64) << TO)
    }
}

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
    /// Accurate ECN: the highest bit of the ACE field, above CWR and ECE (RFC 9768).
    pub const AE: Self = Self(1 << 7);
    /// The ACE field.
    pub const ACE: Self = Self(1 << 7 | 1 << 4 | 1 << 3);

    /// Returns true if every bit of `other` is set.
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
