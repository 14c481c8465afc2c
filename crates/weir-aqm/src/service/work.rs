//! The unit of work of a transmitter.

/// Units of work in a bit: a rate of b bit/s does b units in a nanosecond, so nothing is rounded.
pub(super) const WORK_PER_BIT: u128 = 1_000_000_000;
