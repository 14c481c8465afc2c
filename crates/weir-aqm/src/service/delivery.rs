//! Opportunities to deliver, as Mahimahi records them (Netravali et al., USENIX ATC 2015, section 4):
//! one line for each, with the millisecond at which [`DeliveryTrace::BYTES`] bytes may leave.
//!
//! Several lines of one millisecond are several opportunities. After the last line the trace
//! repeats. Small packets share an opportunity, a large packet continues in the next one, and
//! unused bytes are lost.

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use weir_types::{Duration, Instant, Rate};

use super::work::WORK_PER_BIT;

const NANOS: u64 = 1_000_000;

/// A trace of delivery opportunities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryTrace {
    /// Milliseconds since the beginning of the cycle, in order.
    at: Box<[u32]>,
}

impl DeliveryTrace {
    /// Bytes that one opportunity carries: an Ethernet frame as Mahimahi counts it.
    pub const BYTES: u32 = 1504;

    /// Opportunities at these milliseconds, the last of which ends the cycle. `None` if there are
    /// none, they are not in order, or all of them are at 0.
    pub fn new(at: Vec<u32>) -> Option<Self> {
        let sound = at.is_sorted() && at.last().is_some_and(|last| *last > 0);
        sound.then(|| Self { at: at.into() })
    }

    /// Period of the trace.
    pub fn period(&self) -> Duration {
        Duration::from_millis(self.period_ms())
    }

    /// Opportunities in one period.
    pub const fn opportunities(&self) -> usize {
        self.at.len()
    }

    /// Bits of a period by its length.
    pub fn mean_rate(&self) -> Rate {
        let bits = self.at.len() as u64 * u64::from(Self::BYTES) * 8 * 1000 / self.period_ms();
        Rate::from_bits_per_second(bits.max(1)).unwrap_or_else(|| unreachable!("above zero"))
    }

    fn period_ms(&self) -> u64 {
        u64::from(self.at.last().copied().unwrap_or(1))
    }

    /// Opportunities until `at`, those at that instant among them.
    pub fn until(&self, at: Instant) -> u64 {
        let (cycles, within) =
            (at.as_nanos() / NANOS / self.period_ms(), at.as_nanos() / NANOS % self.period_ms());
        cycles * self.at.len() as u64 + self.at.partition_point(|ms| u64::from(*ms) <= within) as u64
    }

    /// Opportunities before `at`, those at that instant not among them.
    fn before(&self, at: Instant) -> u64 {
        at.as_nanos().checked_sub(1).map_or(0, |nanos| self.until(Instant::from_nanos(nanos)))
    }

    /// When `bytes` bytes that arrive at `from` have left at the earliest.
    pub(super) fn earliest(&self, from: Instant, bytes: u64) -> Instant {
        let needed = bytes.div_ceil(u64::from(Self::BYTES));
        if needed == 0 { from } else { self.time(self.until(from) + needed - 1) }
    }

    /// When opportunity `number` comes, from 0.
    fn time(&self, number: u64) -> Instant {
        let (cycle, place) = (number / self.at.len() as u64, number % self.at.len() as u64);
        Instant::from_nanos((cycle * self.period_ms() + u64::from(self.at[place as usize])) * NANOS)
    }
}

/// Serves packets from a trace.
#[derive(Debug)]
pub(crate) struct Deliverer {
    trace: Arc<DeliveryTrace>,
    rate: Rate,
    /// The opportunity after the one in use.
    next: u64,
    /// Bytes left of the one in use.
    left: u32,
}

impl Deliverer {
    pub(crate) fn new(trace: Arc<DeliveryTrace>) -> Self {
        Self { rate: trace.mean_rate(), trace, next: 0, left: 0 }
    }

    /// The first opportunity after `now`. Bytes left of the opportunity in use are lost.
    pub(crate) fn after(&mut self, now: Instant) -> Instant {
        self.next = self.trace.until(now);
        self.left = 0;
        self.trace.time(self.next)
    }

    /// A packet is taken at `start`, at the opportunity in use or at the next one if nothing is left of it: when its
    /// last byte leaves, and when there is something left for another. Opportunities before `start` have passed.
    pub(crate) fn serve(&mut self, start: Instant, bytes: u32) -> (Instant, Instant) {
        if self.left > 0 && start > self.trace.time(self.next - 1) {
            self.left = 0;
        }
        if start > self.trace.time(self.next) {
            self.next = self.trace.before(start);
        }
        if bytes > self.left {
            let excess = bytes - self.left;
            let more = excess.div_ceil(DeliveryTrace::BYTES);
            self.next += u64::from(more);
            self.left = more * DeliveryTrace::BYTES - excess;
        } else {
            self.left -= bytes;
        }
        let end = self.trace.time(self.next - 1);
        (end, if self.left > 0 { end } else { self.trace.time(self.next) })
    }

    pub(crate) const fn rate(&self) -> Rate {
        self.rate
    }

    pub(crate) fn offered(&self, now: Instant) -> u128 {
        u128::from(self.trace.until(now) * u64::from(DeliveryTrace::BYTES) * 8) * WORK_PER_BIT
    }

    /// Work on the packet taken last that is done after `now`. A packet that leaves later than it was taken
    /// has its last opportunity for itself, or shares it with those after it.
    pub(crate) fn unsent(&self, now: Instant) -> u128 {
        let over = self.trace.until(now);
        if self.next <= over {
            return 0;
        }
        let whole = (self.next - 1 - over) * u64::from(DeliveryTrace::BYTES);
        u128::from((whole + u64::from(DeliveryTrace::BYTES - self.left)) * 8) * WORK_PER_BIT
    }
}
