//! Prefetching. With 100,000 flows, the state of the next packet's flow is in no cache, and the processor
//! waits for it several times per packet. A queue knows its next packets, so their states can be loaded while
//! other packets are handled.

/// Loads `value` into the caches of the processor. It has no other effect.
#[inline]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of::<T>()).step_by(CACHE_LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = std::ptr::from_ref(value).cast::<i8>().wrapping_add(line);
        // SAFETY: a prefetch is a hint: it reads nothing and cannot fault, whatever the address.
        #[expect(unsafe_code, reason = "the processor's hint has no safe name")]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(address);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Bytes.
#[cfg(target_arch = "x86_64")]
const CACHE_LINE: usize = 64;
