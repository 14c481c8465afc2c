//! The Internet checksum (RFC 1071). Sums are in the byte order of the machine: section 2(B) says that the order does
//! not matter, as long as the result is stored in the same one.

/// The sum of 16-bit words, not yet folded. An odd byte at the end is padded with zero.
#[inline]
pub(crate) fn sum(bytes: &[u8]) -> u64 {
    let mut words = bytes.chunks_exact(4);
    let mut sum: u64 =
        words.by_ref().map(|word| u64::from(u32::from_ne_bytes(word.try_into().expect("four bytes")))).sum();
    let mut last = [0; 4];
    let rest = words.remainder();
    last[..rest.len()].copy_from_slice(rest);
    sum += u64::from(u32::from_ne_bytes(last));
    sum
}

/// The one's complement of the folded sum, as it is stored.
#[inline]
pub(crate) const fn finish(mut sum: u64) -> [u8; 2] {
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    (!(sum as u16)).to_ne_bytes()
}

/// Puts the checksum of `header` where it stands, at `place`.
pub(crate) fn fill(header: &mut [u8], place: usize) {
    header[place..place + 2].fill(0);
    let found = finish(sum(header));
    header[place..place + 2].copy_from_slice(&found);
}

/// The checksum `old` of a header in which the 16-bit word `before` becomes `after` (RFC 1624, equation 3).
pub(crate) const fn updated(old: [u8; 2], before: [u8; 2], after: [u8; 2]) -> [u8; 2] {
    let (old, before) = (u16::from_ne_bytes(old), u16::from_ne_bytes(before));
    finish(!old as u64 + !before as u64 + u16::from_ne_bytes(after) as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// RFC 1071, section 3: the sum of these words is ddf2.
    #[test]
    fn the_example_of_the_rfc() {
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(finish(sum(&bytes)), [!0xdd, !0xf2]);
    }

    proptest! {
        #[test]
        fn a_header_with_its_checksum_sums_to_zero(mut bytes in prop::collection::vec(any::<u8>(), 12..80), place in 0..5_usize) {
            fill(&mut bytes, 2 * place);
            prop_assert_eq!(finish(sum(&bytes)), [0, 0]);
        }

        #[test]
        fn an_update_gives_what_a_new_sum_gives(mut bytes in prop::collection::vec(1_u8.., 20), after in any::<[u8; 2]>()) {
            fill(&mut bytes, 10);
            let old = [bytes[10], bytes[11]];
            let before = [bytes[0], bytes[1]];
            bytes[..2].copy_from_slice(&after);
            let found = updated(old, before, after);
            fill(&mut bytes, 10);
            prop_assert_eq!(found, [bytes[10], bytes[11]]);
        }
    }
}
