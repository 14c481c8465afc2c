//! Checks that several AQMs share.

use weir_types::{Duration, Invalid};

/// Rejects an interval below 10 us, which would dominate the run time.
pub(crate) fn check_interval(interval: Duration, published: &str) -> Result<(), Invalid> {
    Invalid::unless(
        interval >= Duration::from_micros(10),
        "interval",
        alloc::format!("an interval of {interval} is too short"),
        alloc::format!("write at least \"10 us\"; {published}"),
    )
}

/// Rejects gains of zero or less, and gains above a million times the `published` value, which
/// could overflow.
pub(crate) fn check_gain(gain: f64, parameter: &'static str, published: f64) -> Result<(), Invalid> {
    Invalid::unless_positive(gain, parameter)?;
    Invalid::unless(
        gain <= published * 1e6,
        parameter,
        alloc::format!("{gain:e} is far too much"),
        alloc::format!("the published value is {published}; write at most a million times that"),
    )
}

/// Rejects an interval that is not longer than the target.
pub(crate) fn check_target(target: Duration, interval: Duration) -> Result<(), Invalid> {
    Invalid::unless(
        target < interval,
        "target",
        alloc::format!("a target of {target} is not below the interval of {interval}"),
        "the interval is a round trip, and the target 5 to 10% of it (RFC 8289, sections 3.2 and 4.3)",
    )
}
