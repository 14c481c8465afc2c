//! Sources of datagrams.

use std::sync::Arc;

use weir_scenario::Trace;
use weir_tcp::{Flags, Segment};
use weir_types::{Duration, Ecn, Instant, Rng, TransmitClock};

use super::{draw::pareto, exponential};

/// A source of datagrams.
#[derive(Debug)]
pub(crate) struct Datagrams {
    pub(crate) flow: u32,
    /// Of each packet; of a trace, they have their own.
    pub(crate) bytes: u32,
    pub(crate) ecn: Ecn,
    pub(crate) stop: Instant,
    pub(crate) number: u32,
    pub(crate) pace: Pace,
}

/// When packets leave.
#[derive(Debug)]
pub(crate) enum Pace {
    /// At a constant bit rate, the remainder of a nanosecond carried along.
    Constant(TransmitClock),
    /// After exponential times.
    Random { gap: Duration, rng: Rng },
    /// While the source is on.
    OnOff {
        gap: Duration,
        on: Duration,
        off: Duration,
        /// Of Pareto times; exponential without.
        shape: Option<f64>,
        rng: Rng,
        /// How long it is still on.
        left: Duration,
    },
    /// As in a trace, from `start` on. The flow ids of the trace's flows follow on that of the source.
    Trace { trace: Arc<Trace>, start: Instant, at: usize },
}

impl Datagrams {
    /// The packet that leaves now, and when the next does.
    pub(crate) fn step(&mut self, now: Instant) -> (Segment, Option<Instant>) {
        let mut segment = Segment {
            stamp: now,
            flow: self.flow,
            number: self.number,
            bytes: self.bytes,
            ecn: self.ecn,
            flags: Flags::DATAGRAM,
            blocks: 0,
        };
        self.number = self.number.wrapping_add(1);
        let next = match &mut self.pace {
            Pace::Constant(clock) => Some(clock.finish(now, self.bytes)),
            Pace::Random { gap, rng } => Some(now + exponential(*gap, rng)),
            Pace::OnOff { gap, on, off, shape, rng, left } => {
                let mut draw = |mean: Duration| match shape {
                    Some(shape) => pareto(mean, *shape, rng),
                    None => exponential(mean, rng),
                };
                let (mut at, mut wait) = (now, *gap);
                while wait > *left {
                    wait = wait.saturating_sub(*left);
                    at = at + *left + draw(*off);
                    *left = draw(*on);
                }
                *left = left.saturating_sub(wait);
                Some(at + wait)
            }
            Pace::Trace { trace, start, at } => {
                let packet = trace.packets[*at];
                segment.flow += packet.flow;
                segment.bytes = packet.bytes;
                *at += 1;
                trace.packets.get(*at).map(|next| *start + next.at)
            }
        };
        (segment, next.filter(|at| *at < self.stop))
    }

    /// When the first packet leaves, of a source that begins at `start`.
    pub(crate) fn begin(&mut self, start: Instant) -> Option<Instant> {
        let first = match &mut self.pace {
            Pace::Constant(_) | Pace::Trace { .. } => start,
            Pace::Random { gap, rng } => start + exponential(*gap, rng),
            Pace::OnOff { on, shape, rng, left, .. } => {
                *left = match shape {
                    Some(shape) => pareto(*on, *shape, rng),
                    None => exponential(*on, rng),
                };
                start
            }
        };
        (first < self.stop).then_some(first)
    }
}
