//! Random streams. Every component owns one, named by its path, so that adding or
//! changing one component leaves the draws of every other as they were.

use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// One random stream per component path.
///
/// ```
/// use weir_types::Streams;
///
/// let streams = Streams::new(7);
/// let mut aqm = streams.at("links.bottleneck.aqm");
/// let again = streams.at("links.bottleneck.aqm").uniform();
/// assert_eq!(aqm.uniform(), again);
/// assert_ne!(streams.at("flows.ftp").uniform(), again);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Streams {
    seed: u64,
}

impl Streams {
    /// The streams of one run.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The stream of the component at `path`. A seed and a path always give the same stream, in any
    /// order of calls.
    pub fn at(&self, path: &str) -> Rng {
        Rng(Xoshiro256PlusPlus::seed_from_u64(self.seed_of(path)))
    }

    /// The numbered draws of the component at `path`.
    pub fn draws_at(&self, path: &str) -> Draws {
        Draws(self.seed_of(path))
    }

    /// FNV-1a over the path, then `SplitMix64` to spread seed and path over all bits.
    fn seed_of(self, path: &str) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in path.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        mix(mix(self.seed) ^ hash)
    }
}

/// Draws with numbers: each is what it is, whichever of the others are taken. Draw n is output n of `SplitMix64`.
///
/// ```
/// let draws = weir_types::Streams::new(7).draws_at("links.cable.reverse.docsis");
/// assert_eq!(draws.uniform(3), draws.uniform(3));
/// assert_ne!(draws.uniform(3), draws.uniform(4));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Draws(u64);

impl Draws {
    /// Draw `number`: uniform on [0, 1), with 53 random bits.
    pub fn uniform(self, number: u64) -> f64 {
        to_unit(mix(self.0.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15))))
    }
}

/// A number of [0, 1) from the upper 53 bits.
#[inline]
const fn to_unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// One random stream: xoshiro256++.
#[derive(Clone, Debug)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// Uniform on [0, 1), with 53 random bits.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        to_unit(self.0.next_u64())
    }

    /// True with probability `p`: `p <= 0` is never, `p >= 1` is always.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }
}

impl rand_core::TryRng for Rng {
    type Error = core::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.0.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.0.try_fill_bytes(bytes)
    }
}

/// The finaliser of `SplitMix64` (Steele, Lea, Flood 2014).
const fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
