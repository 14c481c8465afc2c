//! Sources of datagrams.

use std::sync::Arc;

use weir_scenario::Trace;
use weir_tcp::{Flags, Header, Segment};
use weir_types::{Duration, Ecn, Instant, Rng, TransmitClock};

use super::draw::{exponential, pareto};

/// A source of datagrams.
#[derive(Debug)]
pub(crate) struct Datagrams {
    pub(crate) flow: u32,
    /// Packet size. The packets of a trace have their own sizes.
    pub(crate) bytes: u32,
    pub(crate) ecn: Ecn,
    pub(crate) stop: Instant,
    pub(crate) number: u32,
    pub(crate) timing: DatagramTiming,
}

/// Decides when packets leave.
#[derive(Debug)]
pub(crate) enum DatagramTiming {
    /// Constant bit rate, exact to fractions of a nanosecond.
    Constant(TransmitClock),
    /// Exponential gaps.
    Random { gap: Duration, rng: Rng },
    /// Constant gaps while the source is on.
    OnOff {
        gap: Duration,
        on: Duration,
        off: Duration,
        /// Shape of Pareto times; `None` for exponential times.
        shape: Option<f64>,
        rng: Rng,
        /// Remaining time on.
        left: Duration,
    },
    /// As in a trace, which begins at `start`. The ids of the trace's flows begin with that of the source.
    Trace { trace: Arc<Trace>, start: Instant, at: usize },
}

impl Datagrams {
    /// The packet that leaves now, and the instant of the next.
    pub(crate) fn step(&mut self, now: Instant) -> (Segment, Option<Instant>) {
        let mut segment = Segment {
            stamp: now,
            flow: self.flow,
            number: self.number,
            header: Header::new(self.bytes, self.ecn, Flags::DATAGRAM),
        };
        self.number = self.number.wrapping_add(1);
        let next = match &mut self.timing {
            DatagramTiming::Constant(clock) => Some(clock.finish(now, self.bytes)),
            DatagramTiming::Random { gap, rng } => Some(now + exponential(*gap, rng)),
            DatagramTiming::OnOff { gap, on, off, shape, rng, left } => {
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
            DatagramTiming::Trace { trace, start, at } => {
                let packet = trace.packets[*at];
                segment.flow += packet.flow;
                let ecn = if packet.ecn == Ecn::NotEct { self.ecn } else { packet.ecn };
                segment.header = segment.header.with_bytes(packet.bytes).with_ecn(ecn);
                *at += 1;
                trace.packets.get(*at).map(|next| *start + next.at)
            }
        };
        (segment, next.filter(|at| *at < self.stop))
    }

    /// The instant of the first packet of a source that begins at `start`.
    pub(crate) fn begin(&mut self, start: Instant) -> Option<Instant> {
        let first = match &mut self.timing {
            DatagramTiming::Constant(_) => start,
            DatagramTiming::Trace { trace, .. } => start + trace.packets.first()?.at,
            DatagramTiming::Random { gap, rng } => start + exponential(*gap, rng),
            DatagramTiming::OnOff { on, shape, rng, left, .. } => {
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
