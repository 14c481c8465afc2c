//! Accurate ECN feedback: how many packets arrived with a mark, not only whether one did.
//!
//! B. Briscoe, M. Kühlewind, R. Scheffenegger: *More Accurate Explicit Congestion Notification (`AccECN`) Feedback
//! in TCP*, RFC 9768. The choice between likely and safe counts is that of Linux 7.2.
//!
//! ```text
//! receiver   r.cep += 1 for every CE packet, from 5;  r.ceb, r.e0b, r.e1b += payload
//!            every ACK bears ACE = r.cep mod 8 in AE, CWR, ECE
//! sender     delta = (ACE - 5 - s.ce) mod 8              n packets newly delivered, mss bytes each
//!            safe  = n - (n - delta) mod 8               the most that ACE allows
//!            n <= 7                  delta
//!            with the option         0 CE bytes: delta
//!              n >= 16               min(safe, delta + 8 floor(ceil(n CE bytes / bytes) / 8));
//!                                    safe if all bytes are CE
//!              else                  safe if CE bytes > delta mss, delta if < safe mss / 2
//!            else                    delta if ACKs cover more than 4 packets on average, else safe
//! ```
//!
//! Negotiation (table 2): the SYN bears AE, CWR and ECE. A SYN/ACK of 010, 011, 100 or 110 agrees, and says which ECN
//! bits the SYN arrived with. 001 is an RFC 3168 server. 101 is one with the ECN nonce (RFC 3540), which is read as
//! the former. 000 has no ECN, and 111 has returned the bits unread.
//!
//! Not modelled: counters of the other direction (data flows one way), and middleboxes that
//! change the header.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Ecn, Instant};

use crate::Flags;

/// Where the counter of packets begins, so that a field that is always zero is noticed.
pub const FIRST_CEP: u32 = 5;
/// The ACE field has three bits.
const ACE: u32 = 7;
/// The byte counters of the option have 24 bits.
const BYTES: u32 = (1 << 24) - 1;
/// Its fields for ECT(0) and ECT(1) begin at 1, so that bleached ones are noticed; that of CE at 0.
const FIRST_BYTES: u32 = 1;
/// The share of `safe mss` below which the likely count is taken, as a shift.
const SAFETY: u32 = 1;
/// ACKs that cover more on average are thinned or compressed.
const PER_ACK: u32 = 4;
/// Weight of an ACK in that average, and its fractional bits.
const WEIGHT: u32 = 6;

/// ECN capability of the receiver of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReceiverEcn {
    /// Accurate ECN (RFC 9768).
    #[default]
    Accecn,
    /// ECN as in RFC 3168.
    Classic,
    /// No ECN.
    None,
}

/// ECN feedback that both ends have agreed upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnMode {
    /// Accurate feedback.
    Accurate,
    /// RFC 3168.
    Classic,
    /// No ECN: nothing may be marked.
    Off,
}

impl ReceiverEcn {
    /// The ACE field of the SYN/ACK, for a SYN that arrived with these ECN bits.
    pub const fn answer(self, syn: Ecn) -> u8 {
        match self {
            Self::Accecn => match syn {
                Ecn::NotEct => 0b010,
                Ecn::Ect1 => 0b011,
                Ecn::Ect0 => 0b100,
                Ecn::Ce => 0b110,
            },
            Self::Classic => 0b001,
            Self::None => 0b000,
        }
    }
}

impl EcnMode {
    /// Returns the mode that the ACE field of a SYN/ACK agrees to.
    pub const fn agreed(ace: u8) -> Self {
        match ace {
            0b010 | 0b011 | 0b100 | 0b110 => Self::Accurate,
            0b001 | 0b101 => Self::Classic,
            _ => Self::Off,
        }
    }
}

impl Flags {
    /// The field of three bits that AE, CWR and ECE are together.
    #[inline]
    pub const fn ace(self) -> u8 {
        (self.has(Self::AE) as u8) << 2 | (self.has(Self::CWR) as u8) << 1 | self.has(Self::ECE) as u8
    }

    /// These flags with that field.
    #[inline]
    #[must_use]
    pub const fn with_ace(self, ace: u8) -> Self {
        self.without(Self::ACE)
            .with(Self::AE, ace & 0b100 != 0)
            .with(Self::CWR, ace & 0b010 != 0)
            .with(Self::ECE, ace & 0b001 != 0)
    }
}

/// Option of an ACK for accurate ECN: bytes of payload that arrived with CE and with the other codepoint in use,
/// modulo 2^24.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccEcnOption {
    /// Bytes with ECT(1) if any arrived, else with ECT(0).
    pub ect: u32,
    /// Bytes with CE.
    pub ce: u32,
}

impl AccEcnOption {
    /// Bytes of an ACK that bears it: three fields, padded.
    pub const SIZE: u32 = 12;
}

/// The counters of a receiver.
#[derive(Clone, Copy, Debug)]
pub struct EcnCounters {
    /// `r.cep`: packets with CE.
    cep: u32,
    /// `r.ceb`, `r.e0b` and `r.e1b`: payload with CE, ECT(0) and ECT(1).
    ceb: u32,
    e0b: u32,
    e1b: u32,
    /// The ECN bits of the last packet.
    last: Ecn,
}

impl Default for EcnCounters {
    fn default() -> Self {
        Self { cep: FIRST_CEP, ceb: 0, e0b: FIRST_BYTES, e1b: FIRST_BYTES, last: Ecn::NotEct }
    }
}

impl EcnCounters {
    /// A packet arrived. Returns whether its ECN bits differ from those of the one before: then it is acknowledged at
    /// once.
    pub fn count(&mut self, ecn: Ecn, payload: u32) -> bool {
        let bytes = match ecn {
            Ecn::NotEct => None,
            Ecn::Ect0 => Some(&mut self.e0b),
            Ecn::Ect1 => Some(&mut self.e1b),
            Ecn::Ce => {
                self.cep = self.cep.wrapping_add(1);
                Some(&mut self.ceb)
            }
        };
        if let Some(bytes) = bytes {
            *bytes = bytes.wrapping_add(payload) & BYTES;
        }
        core::mem::replace(&mut self.last, ecn) != ecn
    }

    /// The field of an ACK.
    pub const fn ace(&self) -> u8 {
        (self.cep & ACE) as u8
    }

    /// The option of an ACK.
    pub const fn option(&self) -> AccEcnOption {
        let ect = if self.e1b == FIRST_BYTES { self.e0b } else { self.e1b };
        AccEcnOption { ect, ce: self.ceb }
    }
}

/// An ACK, as far as marks are concerned.
#[derive(Clone, Copy, Debug)]
pub struct EcnReport {
    /// Its field.
    pub ace: u8,
    /// Its option, if it bears one.
    pub option: Option<AccEcnOption>,
    /// Packets whose arrival it is the first to report.
    pub delivered: u32,
    /// Payload of a packet, in bytes.
    pub mss: u32,
    /// When the segment that caused it was sent.
    pub stamp: Instant,
}

/// Marks that the receiver has counted, as far as the sender knows.
#[derive(Clone, Copy, Debug, Default)]
pub struct EcnFeedback {
    /// `s.ce`: marked packets so far.
    marked: u32,
    /// The CE bytes of the last option.
    ce_bytes: u32,
    /// The latest stamp of an ACK.
    newest: Instant,
    /// Packets per ACK on average, with [`WEIGHT`] fractional bits; 0 before the first.
    per_ack: u32,
}

impl EcnFeedback {
    /// Marked packets so far.
    pub const fn marked(&self) -> u32 {
        self.marked
    }

    /// Reads an ACK. Returns how many packets it is the first to report as marked.
    pub fn read(&mut self, report: &EcnReport) -> u32 {
        let EcnReport { ace, option, delivered, stamp, .. } = *report;
        // An ACK that was overtaken tells nothing new.
        if delivered == 0 && stamp <= self.newest {
            return 0;
        }
        self.newest = self.newest.max(stamp);
        if delivered > 0 {
            let packets = delivered << WEIGHT;
            let ewma = ((self.per_ack << WEIGHT) - self.per_ack + packets) >> WEIGHT;
            self.per_ack = if self.per_ack == 0 { packets } else { ewma };
        }
        let ce_bytes = option.map(|option| option.ce.wrapping_sub(self.ce_bytes) & BYTES);
        self.ce_bytes = option.map_or(self.ce_bytes, |option| option.ce);
        let delta = u32::from(ace).wrapping_sub(FIRST_CEP).wrapping_sub(self.marked) & ACE;
        let new = if delivered <= ACE { delta } else { self.resolve(delta, ce_bytes, report) };
        self.marked = self.marked.wrapping_add(new);
        new
    }

    /// The field may have wrapped: `delta` is the count but for a multiple of eight.
    fn resolve(&self, delta: u32, ce_bytes: Option<u32>, report: &EcnReport) -> u32 {
        let EcnReport { delivered, mss, .. } = *report;
        let safe = delivered - ((delivered - delta) & ACE);
        let Some(ce_bytes) = ce_bytes else {
            return if self.per_ack > PER_ACK << WEIGHT { delta } else { safe };
        };
        if ce_bytes == 0 {
            return delta;
        }
        if delivered >= 2 * (ACE + 1) {
            let bytes = u64::from(delivered) * u64::from(mss);
            if bytes <= u64::from(ce_bytes) {
                return safe;
            }
            let likely = (u64::from(ce_bytes) * u64::from(delivered)).div_ceil(bytes) as u32;
            return safe.min(delta + (likely & !ACE));
        }
        if ce_bytes <= delta * mss && ce_bytes < (safe * mss) >> SAFETY { delta } else { safe }
    }
}
