//! The size of Prague's segments: full, unless fewer than two would fit into `V`.

/// Least data in a segment, in bytes (`MIN_MSS`).
const LEAST_PAYLOAD: u32 = 150;
/// Segments of `V` that are kept full (`MIN_CWND_VIRT`).
const FULL_PER_ROUND: f64 = 2.0;

/// Bytes of a segment on the wire.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Bytes of a full segment: MTU.
    pub(super) full: u32,
    /// At present: mtu.
    pub(super) now: u32,
    /// Bytes of the headers among them.
    pub(super) header: u32,
}

impl Sizes {
    /// Sizes over Ethernet, with timestamps: those of a connection of which no delivery has told another.
    pub(super) const ETHERNET: Self = Self { full: 1500, now: 1500, header: 52 };

    /// The size at present as a part of a full one.
    pub(super) fn of_full(&self) -> f64 {
        f64::from(self.now) / f64::from(self.full)
    }

    /// Sizes segments so that two fit into `in_v` bytes, what is sent in `V`. Returns how many of them make one of
    /// before.
    pub(super) fn fit(&mut self, in_v: f64) -> Option<f64> {
        let wanted = libm::ceil(libm::floor(in_v) / FULL_PER_ROUND) as u32;
        let size = wanted.clamp((LEAST_PAYLOAD + self.header).min(self.full), self.full);
        let before = core::mem::replace(&mut self.now, size);
        (before != size).then(|| f64::from(before) / f64::from(size))
    }
}
