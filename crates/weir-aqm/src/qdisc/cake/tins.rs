//! Tins: classes of packets by their Diffserv codepoint, each with a share of the rate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Dscp, Rate};

/// How packets are sorted into tins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Tins {
    /// Bulk, best effort and latency-sensitive.
    #[default]
    #[serde(rename = "diffserv3")]
    Diffserv3,
    /// Bulk, best effort, streaming and latency-sensitive.
    #[serde(rename = "diffserv4")]
    Diffserv4,
    /// Eight classes of typical applications.
    #[serde(rename = "diffserv8")]
    Diffserv8,
    /// The upper three bits of the codepoint (RFC 791).
    #[serde(rename = "precedence")]
    Precedence,
    /// One for all.
    #[serde(rename = "besteffort")]
    BestEffort,
}

/// The most tins.
pub(super) const MOST: usize = 8;

impl Tins {
    /// Names of the tins, in the order of their numbers; none where there is one.
    pub(crate) const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Diffserv3 => &["best-effort", "bulk", "voice"],
            Self::Diffserv4 => &["best-effort", "bulk", "video", "voice"],
            Self::Diffserv8 | Self::Precedence => {
                &["tin-0", "tin-1", "tin-2", "tin-3", "tin-4", "tin-5", "tin-6", "tin-7"]
            }
            Self::BestEffort => &[],
        }
    }

    /// How many there are.
    pub(super) const fn number(self) -> usize {
        match self {
            Self::Diffserv3 => 3,
            Self::Diffserv4 => 4,
            Self::Diffserv8 | Self::Precedence => MOST,
            Self::BestEffort => 1,
        }
    }

    /// Number of the tin for packets with the codepoint `dscp`. 2 and 4 are values of the former TOS octet, high
    /// throughput and low delay.
    pub(super) const fn of(self, dscp: Dscp) -> usize {
        let dscp = dscp.bits();
        match self {
            Self::BestEffort => 0,
            Self::Precedence => (dscp >> 3) as usize,
            Self::Diffserv3 => match dscp {
                // LE, CS1.
                1 | 8 => 1,
                // VA, EF, CS6, CS7.
                4 | 44 | 46 | 48 | 56 => 2,
                _ => 0,
            },
            Self::Diffserv4 => match dscp {
                1 | 8 => 1,
                // CS2, AF2x, CS3, AF3x, AF4x.
                4 | 16 | 18 | 20 | 22 | 24 | 26 | 28 | 30 | 34 | 36 | 38 => 2,
                // CS4, CS5, VA, EF, CS6, CS7.
                32 | 40 | 44 | 46 | 48 | 56 => 3,
                _ => 0,
            },
            Self::Diffserv8 => match dscp {
                1 => 0,
                // CS1 and AF1x.
                2 | 8 | 10 | 12 | 14 => 1,
                // CS3, AF3x, AF4x.
                24 | 26 | 28 | 30 | 34 | 36 | 38 => 3,
                // AF2x.
                4 | 18 | 20 | 22 => 4,
                // CS2.
                16 => 5,
                // CS4, CS5, VA, EF.
                32 | 40 | 44 | 46 => 6,
                // CS6, CS7.
                48 | 56 => 7,
                _ => 2,
            },
        }
    }

    /// The rate up to which the tin `number` goes before the others, of a shaper of `rate`.
    pub(super) fn threshold(self, number: usize, rate: Rate) -> Rate {
        let bits = rate.bits_per_second();
        let share = match self {
            Self::BestEffort => bits,
            Self::Diffserv3 => [bits, bits >> 4, bits >> 2][number],
            Self::Diffserv4 => [bits, bits >> 4, bits >> 1, bits >> 2][number],
            // Each has seven eighths of the one before.
            Self::Diffserv8 | Self::Precedence => (0..number).fold(bits, |bits, _| (bits * 7) >> 3),
        };
        Rate::from_bits_per_second(share.max(LEAST)).expect("above zero")
    }

    /// Bytes that the tin `number` may send in one round, where no shaper says whose turn it is.
    pub(super) const fn quantum(self, number: usize) -> i64 {
        match self {
            Self::BestEffort => 65_535,
            Self::Diffserv3 => [1024, 64, 256][number],
            Self::Diffserv4 => [1024, 64, 512, 256][number],
            // 256, each with seven eighths of the one before.
            Self::Diffserv8 | Self::Precedence => [256, 224, 196, 171, 149, 130, 113, 98][number],
        }
    }
}

/// Linux takes no tin to be slower, in bit/s.
const LEAST: u64 = 64 * 8;
