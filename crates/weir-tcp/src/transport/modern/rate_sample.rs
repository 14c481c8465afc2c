//! Samples of the delivery rate, one per ACK.
//!
//! Y. Cheng, N. Cardwell, S. Hassas Yeganeh, V. Jacobson: *Delivery Rate Estimation*,
//! draft-cheng-iccrg-delivery-rate-estimation-02; Linux 7.2, `net/ipv4/tcp_rate.c`.
//!
//! ```text
//! a segment leaves    P = (sent, delivered, delivered_at, first_sent, is_app_limited)
//! an ACK arrives      of the newly delivered segments the one that was sent last gives P:
//!                     delivered - P.delivered segments in max(P.sent - P.first_sent, now - P.delivered_at)
//! ```
//!
//! A sample over less than the least round trip is no sample: it can only be due to compressed ACKs. Samples are
//! application-limited while something sent after the data had run out is in flight. Times are whole microseconds, as
//! on Linux's clock (`tcp_mstamp`): equal round trips are equal, and do not renew a minimum.

use alloc::collections::VecDeque;

use weir_types::{Duration, Instant};

use crate::{
    congestion::{RateSample, TailAnswer, Transmission},
    recovery::ToldOfTail,
};

/// A segment that is outstanding, as it was last sent: 32 bytes, since a path has thousands of them.
#[derive(Clone, Copy, Debug)]
struct SentSegment {
    sent: Instant,
    /// Microseconds since what was sent first in its interval left, and since the last delivery before it left.
    since_first: u32,
    since_delivery: u32,
    /// Delivered before it left, modulo 2^32.
    delivered: u32,
    /// Found lost before it left, modulo 2^32.
    lost: u32,
    /// In the network when it left, itself included.
    flight: u32,
    app_limited: bool,
    /// It was sent more than once: its ACK may be that of an earlier transmission (Karn).
    again: bool,
    /// Its loss has been counted.
    is_lost: bool,
}

/// State from which samples of the delivery rate are made.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    /// The outstanding segments from number `base` on.
    records: VecDeque<SentSegment>,
    base: u32,
    /// When the last delivery was, and when what was sent first in the interval left, in microseconds.
    delivered_at: u64,
    first_sent: u64,
    /// Samples are limited by the application until more than this is delivered.
    app_limited: Option<u64>,
    /// Found lost so far, modulo 2^32.
    lost: u32,
    /// Samples were limited by the application when the segment that was last sent again had left before. That is a
    /// tail, if a probe has repeated it (`tlp_orig_data_app_limited`).
    again_limited: bool,
    /// The segment that was sent last among those of the ACK being handled.
    last: Option<SentSegment>,
}

impl Sampler {
    /// Nothing sent; segments count from `first`.
    pub(super) const fn new(first: u32) -> Self {
        Self {
            records: VecDeque::new(),
            base: first,
            delivered_at: 0,
            first_sent: 0,
            app_limited: None,
            lost: 0,
            again_limited: false,
            last: None,
        }
    }

    /// Segment `number` leaves, with `flight` in the network, itself included; `delivered` have been delivered.
    /// `idle`: nothing else is outstanding.
    #[inline]
    pub(super) fn sent(&mut self, number: u32, flight: u32, idle: bool, delivered: u64, now: Instant) {
        let micros = now.as_nanos() / 1000;
        if idle {
            (self.first_sent, self.delivered_at) = (micros, micros);
        }
        let at = (number - self.base) as usize;
        let record = SentSegment {
            sent: now,
            since_first: short(micros - self.first_sent),
            since_delivery: short(micros - self.delivered_at),
            delivered: delivered as u32,
            lost: self.lost,
            flight,
            app_limited: self.app_limited.is_some(),
            again: at < self.records.len(),
            is_lost: false,
        };
        if at < self.records.len() {
            self.again_limited = self.records[at].app_limited;
            self.records[at] = record;
        } else {
            self.records.push_back(record);
        }
    }

    /// Segment `number` is newly delivered.
    #[inline]
    pub(super) fn arrived(&mut self, number: u32) {
        let Some(record) = self.records.get((number - self.base) as usize) else { return };
        if self.last.is_none_or(|last| record.sent >= last.sent) {
            self.last = Some(*record);
        }
    }

    /// All below `number` is acknowledged; `is_known` says of which segments a SACK block has told.
    #[inline]
    pub(super) fn advance(&mut self, number: u32, is_known: impl Fn(u32) -> bool) {
        while self.base < number {
            if !is_known(self.base) {
                self.arrived(self.base);
            }
            self.records.pop_front();
            self.base += 1;
        }
    }

    /// [`Sampler::advance`] where each was sent once, in the order of numbers, and no block has told of any.
    #[inline]
    pub(super) fn advance_in_order(&mut self, number: u32) {
        self.arrived(number - 1);
        while self.base < number {
            self.records.pop_front();
            self.base += 1;
        }
    }

    /// Segment `number` is lost. The first time that it is called for a transmission, returns what is known of it.
    pub(super) fn lost(&mut self, number: u32, delivered: u64, now: Instant) -> Option<Transmission> {
        let record = self.records.get_mut(number.checked_sub(self.base)? as usize)?;
        if core::mem::replace(&mut record.is_lost, true) {
            return None;
        }
        self.lost = self.lost.wrapping_add(1);
        Some(Transmission {
            flight: record.flight,
            lost: self.lost.wrapping_sub(record.lost).into(),
            delivered,
            app_limited: record.app_limited,
            now,
        })
    }

    /// There is no data left to fill the window with: `delivered` and `flight` segments later, there may be.
    pub(super) fn limit_by_application(&mut self, delivered: u64, flight: u32) {
        self.app_limited = Some((delivered + u64::from(flight)).max(1));
    }

    /// Samples of what leaves now are limited by the application.
    pub(super) const fn is_limited(&self) -> bool {
        self.app_limited.is_some()
    }

    /// When the last delivery was; if nothing was outstanding since, when the next segment left.
    pub(super) const fn delivered_at(&self) -> Instant {
        Instant::from_nanos(self.delivered_at * 1000)
    }

    /// The sample of an ACK after which `delivered` segments have been delivered, over a path whose least round trip
    /// is `min_rtt`. Also the round trip of the segment that was sent last. The ACK may have `told_of_tail`.
    #[inline]
    pub(super) fn take(
        &mut self,
        delivered: u64,
        min_rtt: Duration,
        told_of_tail: Option<ToldOfTail>,
        now: Instant,
    ) -> Option<RateSample> {
        if self.app_limited.is_some_and(|limited| delivered > limited) {
            self.app_limited = None;
        }
        let record = self.last.take()?;
        self.delivered_at = now.as_nanos() / 1000;
        self.first_sent = record.sent.as_nanos() / 1000;
        let round_trip = micros(record.sent, now);
        // Whole microseconds add up.
        let since_delivery = Duration::from_micros(record.since_delivery.into()) + round_trip;
        let interval = Duration::from_micros(record.since_first.into()).max(since_delivery);
        let rtt = (!record.again).then_some(round_trip);
        let least = rtt.map_or(min_rtt, |rtt| min_rtt.min(rtt));
        let since: u64 = (delivered as u32).wrapping_sub(record.delivered).into();
        Some(RateSample {
            interval: (!interval.is_zero() && interval >= least).then_some(interval),
            delivered: since,
            prior_delivered: delivered - since,
            app_limited: record.app_limited,
            rtt,
            flight: record.flight,
            lost: self.lost.wrapping_sub(record.lost).into(),
            tail: told_of_tail.map(|told| match told {
                ToldOfTail::Arrived => TailAnswer::Open,
                ToldOfTail::Lost => TailAnswer::Repaired { app_limited: self.again_limited },
            }),
        })
    }
}

/// From one instant to another, in whole microseconds.
#[inline]
pub(super) fn micros(from: Instant, to: Instant) -> Duration {
    Duration::from_nanos((to.as_nanos() / 1000).saturating_sub(from.as_nanos() / 1000) * 1000)
}

/// Microseconds in 32 bits: at most 71 minutes.
#[inline]
fn short(micros: u64) -> u32 {
    micros.min(u32::MAX.into()) as u32
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn at(millis: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(millis)
    }

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// By hand, from the draft: which segment counts, and the longer of the two intervals.
    #[test]
    fn a_trace() {
        let mut sampler = Sampler::new(0);
        // Four leave at 0, 1, 2 and 3 ms into an idle network.
        for (number, millis) in [(0, 0), (1, 1), (2, 2), (3, 3)] {
            sampler.sent(number, number + 1, number == 0, 0, at(millis));
        }
        // The first arrives: one segment in a round trip of 20 ms.
        sampler.advance(1, |_| false);
        let first = sampler.take(1, MS(20), None, at(20)).unwrap();
        assert_eq!((first.delivered, first.prior_delivered, first.interval), (1, 0, Some(MS(20))));
        // Two more in one ACK: the later counts. Delivered since: 3 in max(2 ms, 24 ms).
        sampler.advance(3, |_| false);
        let second = sampler.take(3, MS(20), None, at(24)).unwrap();
        assert_eq!((second.delivered, second.interval, second.rtt), (3, Some(MS(24)), Some(MS(22))));
        // 4 leaves at 24 ms, the next at 25: of the interval that began when 2 left, at 2 ms.
        sampler.sent(4, 2, false, 3, at(24));
        sampler.sent(5, 3, false, 3, at(25));
        // A block tells of 4 at 44 ms: 1 in max(24 - 2, 44 - 24) ms.
        sampler.arrived(4);
        let third = sampler.take(4, MS(20), None, at(44)).unwrap();
        assert_eq!((third.delivered, third.prior_delivered, third.interval), (1, 3, Some(MS(22))));
        // 3 is lost; one was lost since it left. It leaves again at 46 ms, when four were delivered.
        let lost = sampler.lost(3, 4, at(45)).unwrap();
        assert_eq!((lost.flight, lost.lost, lost.delivered), (4, 1, 4));
        assert!(sampler.lost(3, 4, at(45)).is_none(), "it is lost once");
        sampler.sent(3, 2, false, 4, at(46));
        // 5 and 3 arrive at 66 ms: 3 left last, though its number is lower.
        sampler.advance(6, |number| number == 4);
        let fourth = sampler.take(6, MS(20), None, at(66)).unwrap();
        assert_eq!((fourth.delivered, fourth.rtt, fourth.interval), (2, None, Some(MS(22))));
        assert_eq!(fourth.lost, 0, "lost since it left");
        // An ACK of nothing new is no sample.
        assert!(sampler.take(6, MS(20), None, at(67)).is_none());
    }

    /// Samples are application-limited until all that was sent while there was no data to fill the window has arrived.
    #[test]
    fn the_application_limits_samples_for_a_flight() {
        let mut sampler = Sampler::new(0);
        sampler.sent(0, 1, true, 0, at(0));
        sampler.limit_by_application(0, 1);
        sampler.sent(1, 2, false, 0, at(1));
        let mut limited = Vec::new();
        for number in 0..3 {
            sampler.advance(number + 1, |_| false);
            let sample =
                sampler.take(u64::from(number) + 1, MS(20), None, at(20 + u64::from(number))).unwrap();
            limited.push(sample.app_limited);
            if number == 1 {
                sampler.sent(2, 1, true, 2, at(21));
            }
        }
        // The first left before, the second within; more than one has arrived when the third leaves.
        assert_eq!(limited, [false, true, false]);
    }

    /// A sample over less than the least round trip is none: the first transmission arrived after all.
    #[test]
    fn an_ack_of_an_earlier_transmission_is_no_rate() {
        let mut sampler = Sampler::new(0);
        sampler.sent(0, 1, true, 0, at(0));
        sampler.lost(0, 0, at(30));
        sampler.sent(0, 1, false, 0, at(30));
        sampler.sent(1, 2, false, 0, at(31));
        sampler.delivered_at = 29_000;
        (sampler.records[0].since_first, sampler.records[0].since_delivery) = (1000, 1000);
        sampler.advance(1, |_| false);
        let sample = sampler.take(1, MS(20), None, at(32)).unwrap();
        assert_eq!((sample.rate(), sample.rtt), (None, None));
    }
}
