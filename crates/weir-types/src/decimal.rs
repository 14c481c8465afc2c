//! Exact decimals.

use core::fmt;

/// `value / scale` as an exact decimal, without trailing zeros; `scale` is a power of ten.
pub(crate) fn write_decimal(f: &mut fmt::Formatter<'_>, value: u64, scale: u64) -> fmt::Result {
    let (whole, mut rest) = (value / scale, value % scale);
    if rest == 0 {
        return write!(f, "{whole}");
    }
    let mut width = scale.ilog10() as usize;
    while rest.is_multiple_of(10) {
        rest /= 10;
        width -= 1;
    }
    write!(f, "{whole}.{rest:0width$}")
}
