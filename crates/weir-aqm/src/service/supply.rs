//! Capacity of a transmitter that does not have one rate for all the time.

use super::work::WORK_PER_BIT;

/// Work of a transmitter at one instant, in bits times [`Service::WORK_PER_BIT`](super::Service::WORK_PER_BIT).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Supply {
    /// Work offered since the start of time: the integral of the rate, the tokens of a bucket, opportunities.
    pub come: u128,
    /// Work at hand beyond what comes later: the tokens in the bucket, and those that `unsent` has taken.
    pub stored: u128,
    /// Bound that the peak of a bucket sets to the work since the start of time; `None` without a peak.
    pub peak: Option<u128>,
    /// Rest of the packet that was last reported as sent: it leaves later.
    pub unsent: u128,
}

/// Work that a transmitter could have sent in an interval, in the unit of [`Supply`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capacity {
    stored: u128,
    come: u128,
    peak: Option<u128>,
}

impl Supply {
    /// Between `earlier` and this instant.
    pub fn since(self, earlier: Self) -> Capacity {
        let peak = self.peak.zip(earlier.peak).map(|(now, then)| now - then);
        Capacity { stored: earlier.stored, come: self.come - earlier.come, peak }
    }
}

impl Capacity {
    /// The capacity of this interval and the `next`, which begins where this one ends.
    #[must_use]
    pub fn and(self, next: Self) -> Self {
        let peak = self.peak.zip(next.peak).map(|(one, other)| one + other);
        Self { stored: self.stored, come: self.come + next.come, peak }
    }

    /// In the unit of [`Supply`].
    pub fn work(self) -> u128 {
        let at_hand = self.stored + self.come;
        self.peak.map_or(at_hand, |peak| at_hand.min(peak))
    }

    /// In bits.
    pub fn bits(self) -> f64 {
        self.work() as f64 / WORK_PER_BIT as f64
    }
}
