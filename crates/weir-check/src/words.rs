//! Quantities for people, three significant digits and a unit; and lists in words.

/// The value with the unit of these, each a thousand times the one before, that suits it: `340 kB`.
pub fn scaled(mut value: f64, units: &[&str]) -> String {
    let Some((last, smaller)) = units.split_last() else { return general(value, 4) };
    for unit in smaller {
        if value < 999.5 {
            return format!("{} {unit}", general(value, 3));
        }
        value /= 1000.0;
    }
    format!("{} {last}", general(value, 4))
}

/// `10 Mbit/s`.
pub fn rate(bps: f64) -> String {
    scaled(bps, &["bit/s", "kbit/s", "Mbit/s", "Gbit/s"])
}

/// `15 ms`.
pub fn time(seconds: f64) -> String {
    if seconds == 0.0 { "0 s".to_owned() } else { scaled(seconds * 1e9, &["ns", "us", "ms", "s"]) }
}

/// `75 packets`.
pub fn packets(number: f64) -> String {
    let text = if number >= 100.0 { grouped(&format!("{number:.0}")) } else { general(number, 3) };
    let ending = if text == "1" { "" } else { "s" };
    format!("{text} packet{ending}")
}

/// `1280 packets`: as a scenario takes it, without commas.
pub fn level(number: f64) -> String {
    packets(number).replace(',', "")
}

/// `31.25 kB`: of a threshold in bytes, as a scenario takes it.
pub fn size(number: f64) -> String {
    if number >= 1000.0 {
        format!("{} kB", general(number / 1000.0, 6))
    } else {
        format!("{} B", general(number, 6))
    }
}

/// `1,280`.
pub(crate) fn count(number: usize) -> String {
    grouped(&number.to_string())
}

/// `rate, delay and buffer`.
pub(crate) fn listed<T: AsRef<str>>(words: &[T]) -> String {
    let words: Vec<_> = words.iter().map(AsRef::as_ref).collect();
    match &words[..] {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

/// A whole number with a comma before each three digits.
fn grouped(digits: &str) -> String {
    if !digits.bytes().all(|one| one.is_ascii_digit()) {
        return digits.to_owned();
    }
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// As `%g` of C writes it: so many significant digits at most, and an exponent for what is very large or small.
pub(crate) fn general(value: f64, digits: i32) -> String {
    if !value.is_finite() {
        return if value.is_nan() { "nan".to_owned() } else { value.to_string() };
    }
    let exact = format!("{value:.*e}", (digits - 1) as usize);
    let (mantissa, exponent) = exact.split_once('e').expect("written with an exponent");
    let exponent: i32 = exponent.parse().expect("a whole number");
    let plain = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    if (-4..digits).contains(&exponent) {
        return plain(&format!("{value:.*}", (digits - 1 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", plain(mantissa), exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(rate(10e6), "10 Mbit/s");
        assert_eq!(rate(999_499.0), "999 kbit/s");
        assert_eq!(rate(2.5e15), "2.5e+06 Gbit/s");
        assert_eq!(time(0.0), "0 s");
        assert_eq!(time(0.015), "15 ms");
        assert_eq!(time(1234.0), "1234 s");
        assert_eq!(time(1e-14), "1e-05 ns");
        assert_eq!(packets(1.0), "1 packet");
        assert_eq!(packets(0.5), "0.5 packets");
        assert_eq!(packets(1280.0), "1,280 packets");
        assert_eq!(packets(99.99), "100 packets");
        assert_eq!(level(1_000_000.0), "1000000 packets");
        assert_eq!(size(31_250.0), "31.25 kB");
        assert_eq!(size(12.0), "12 B");
        assert_eq!(scaled(f64::INFINITY, &["B", "kB"]), "inf kB");
    }

    #[test]
    fn lists_end_in_and() {
        assert_eq!(listed(&["rate"]), "rate");
        assert_eq!(listed(&["rate", "delay", "buffer"]), "rate, delay and buffer");
    }
}
