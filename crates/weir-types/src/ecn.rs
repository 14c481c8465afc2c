/// The two ECN bits of the IP header (RFC 3168, section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Ecn {
    /// Not ECN-capable: congestion is signalled by drops.
    #[default]
    NotEct = 0b00,
    /// ECN-capable transport, codepoint 1 (L4S identifier, RFC 9331).
    Ect1 = 0b01,
    /// ECN-capable transport, codepoint 0.
    Ect0 = 0b10,
    /// Congestion experienced: some queue on the path has marked the packet.
    Ce = 0b11,
}

impl Ecn {
    /// As they stand in the header.
    #[inline]
    pub const fn bits(self) -> u8 {
        self as u8
    }

    /// From the lowest two of `bits`.
    #[inline]
    pub const fn of_bits(bits: u8) -> Self {
        match bits & 0b11 {
            0b00 => Self::NotEct,
            0b01 => Self::Ect1,
            0b10 => Self::Ect0,
            _ => Self::Ce,
        }
    }

    /// As RFC 3168 writes it: `ECT(0)`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotEct => "Not-ECT",
            Self::Ect1 => "ECT(1)",
            Self::Ect0 => "ECT(0)",
            Self::Ce => "CE",
        }
    }

    /// Returns true if a queue may mark the packet instead of dropping it. A packet that is already CE counts: it stays
    /// CE and is accepted.
    #[inline]
    pub const fn is_markable(self) -> bool {
        !matches!(self, Self::NotEct)
    }
}
