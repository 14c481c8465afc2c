//! Pacing: segments leave one after the other, as in Linux 7.2 (`net/ipv4/tcp_output.c`, `tcp_input.c`).
//!
//! ```text
//! a segment leaves at t >= next:  next = t + L - min(L / 2, t - next),   L = 1 / rate
//! rate = ratio max(cwnd, outstanding) / srtt,  or that of the congestion control
//! ratio = slow_start_ratio while cwnd < ssthresh / 2, else avoidance_ratio
//! ```
//!
//! So what leaves late, because an ACK was awaited, gains up to half an interval. Retransmissions are paced too. The
//! first segments of a connection leave at once, and so do all before the first round trip is known.
//!
//! With TSO, segments leave in bursts of what the rate sends in 1 ms. On paths of less than 512 us a burst has
//! 64 KiB more, halved for each further 512 us (`tcp_tso_rtt_log`). Each burst waits as long as its segments would
//! have.

use weir_types::{Duration, Instant};

use crate::{PacingParameters, congestion::tso_segments, connection::Connection, recovery::NextSegment};

/// Says when the next segment may leave.
#[derive(Clone, Debug)]
pub(super) struct Pacer {
    parameters: PacingParameters,
    /// A congestion control without a rate of its own is paced too.
    paces: bool,
    /// The rate that the congestion control gave last, in segments per second.
    rate: f64,
    /// Time between two segments; zero before a rate is known.
    interval: Duration,
    /// When the next segment may leave (`tcp_wstamp_ns`).
    next: Instant,
    /// When it will, if one waits; [`Instant::MAX`] if none does.
    due: Instant,
    /// Segments that still leave unpaced.
    unpaced: u32,
    burst: Burst,
}

/// Segments that leave together.
#[derive(Clone, Copy, Debug)]
struct Burst {
    /// In one burst.
    size: u32,
    /// That may still follow in the present one.
    left: u32,
    began: Instant,
    /// Time that the present burst may still gain for having waited.
    credit: Duration,
}

impl Pacer {
    pub(super) fn new(parameters: Option<PacingParameters>) -> Self {
        let (paces, parameters) = (parameters.is_some(), parameters.unwrap_or_default());
        let burst = Burst { size: 1, left: 0, began: Instant::ZERO, credit: Duration::ZERO };
        let unpaced = parameters.initial_burst.saturating_sub(1);
        Self {
            parameters,
            paces,
            rate: 0.0,
            interval: Duration::ZERO,
            next: Instant::ZERO,
            due: Instant::MAX,
            unpaced,
            burst,
        }
    }

    /// When a segment that waits will leave.
    #[inline]
    pub(super) const fn due(&self) -> Instant {
        self.due
    }

    /// When the next segment may leave.
    pub(super) const fn next(&self) -> Instant {
        self.next
    }

    /// The clock has reached [`Pacer::due`].
    pub(super) const fn wake(&mut self) {
        self.due = Instant::MAX;
    }

    pub(super) fn segments_per_second(&self) -> Option<f64> {
        (!self.interval.is_zero()).then(|| 1.0 / self.interval.as_secs_f64())
    }

    /// Returns true if a segment may leave at `now`.
    #[inline]
    pub(super) fn is_free(&self, now: Instant) -> bool {
        self.next <= now || self.burst.left > 0 && self.burst.began == now
    }

    /// The window allows `segment` to leave: it does, or waits.
    #[inline]
    pub(super) fn release(&mut self, segment: Option<NextSegment>, now: Instant) -> Option<NextSegment> {
        let free = self.is_free(now);
        if free && segment.is_some() {
            self.due = Instant::MAX;
        } else {
            self.wait(segment.is_some());
        }
        segment.filter(|_| free)
    }

    /// Nothing leaves now; a segment `waits` for its time, or none does.
    #[inline]
    pub(super) const fn wait(&mut self, waits: bool) {
        if waits {
            self.due = self.next;
        } else {
            self.due = Instant::MAX;
            self.end_burst();
        }
    }

    /// Nothing more leaves now: what may leave later does not join this burst.
    #[inline]
    pub(super) const fn end_burst(&mut self) {
        self.burst.left = 0;
    }

    /// A segment leaves; the `syn` is not paced.
    #[inline]
    pub(super) fn sent(&mut self, now: Instant, syn: bool) {
        if self.burst.left > 0 && self.burst.began == now {
            self.burst.left -= 1;
        } else {
            self.burst.credit = now.since(self.next);
            self.burst.began = now;
            self.burst.left = self.burst.size - 1;
        }
        self.next = self.next.max(now);
        if syn {
            return;
        }
        if self.unpaced > 0 {
            self.unpaced -= 1;
            return;
        }
        let gained = self.burst.credit.min(self.interval / 2);
        self.burst.credit = self.burst.credit - gained;
        self.next += self.interval - gained;
    }

    /// Takes over the `rate` that the congestion control has after an ACK, if it has one, over a path whose least round
    /// trip is `min_rtt`.
    #[inline]
    pub(super) fn follow(&mut self, connection: &Connection, rate: Option<f64>, min_rtt: Duration) {
        let nanos = match rate {
            // Most ACKs leave the rate as it is.
            Some(rate) if rate.to_bits() == self.rate.to_bits() && !self.parameters.tso => return,
            Some(rate) => {
                self.rate = rate;
                1e9 / rate
            }
            None if !self.paces => return,
            None => match connection.rtt.smoothed() {
                Some(smoothed) => smoothed.as_nanos() as f64 / self.in_a_round_trip(connection),
                None => return,
            },
        };
        // To the nearest nanosecond.
        self.interval = Duration::from_nanos((nanos + 0.5) as u64);
        if self.parameters.tso {
            self.burst.size = tso_segments(1e9 / nanos, min_rtt, connection.payload()).max(2);
        }
    }

    /// Segments that may leave in a smoothed round trip.
    fn in_a_round_trip(&self, connection: &Connection) -> f64 {
        let window = connection.window;
        let slow_start = window.cwnd < window.ssthresh / 2.0;
        let PacingParameters { slow_start_ratio, avoidance_ratio, .. } = self.parameters;
        let ratio = if slow_start { slow_start_ratio } else { avoidance_ratio };
        ratio * f64::from((window.cwnd as u32).max(connection.high - connection.una))
    }
}
