//! Between the ends of one direction: the ports of a scenario in virtual time, or a queue of the kernel.

use std::{io, os::fd::BorrowedFd};

use weir_line::Totals;
use weir_types::Instant;

use crate::{
    around::Around,
    chain::{Chain, LinkName},
    counts::Counts,
    frame::Frame,
    kernel::{KernelQueue, Passed},
};

/// State of a link while the relay runs.
#[derive(Clone, Debug)]
pub struct LinkState {
    /// Name and direction of the link.
    pub name: LinkName,
    /// Its rate now, in bit/s.
    pub rate: f64,
    /// Waiting packets.
    pub waiting: u32,
    /// Totals since the start.
    pub totals: Totals,
    /// Median and 99th percentile of the sojourn times since the last state, in nanoseconds; NaN without any.
    pub sojourn_ns: [f64; 2],
}

#[derive(Debug)]
pub(crate) enum Between {
    Ports(Chain),
    Kernel(Box<KernelQueue>),
}

impl Between {
    /// A packet came at `now`, which is later than any before.
    #[inline]
    pub(crate) fn offer(&mut self, frame: Frame, now: Instant) {
        match self {
            Self::Ports(chain) => chain.offer(frame, now),
            Self::Kernel(queue) => queue.offer(frame, now),
        }
    }

    /// Does what was due up to and including `now`.
    pub(crate) fn advance(&mut self, now: Instant, around: &mut Around<'_>) -> io::Result<()> {
        match self {
            Self::Ports(chain) => {
                chain.advance(now, around.flows, around.gone);
                Ok(())
            }
            Self::Kernel(queue) => queue.advance(now, around),
        }
    }

    /// The next packet that is out by `now`, and when it came out. Call [`Between::advance`] before.
    #[inline]
    pub(crate) fn take(&mut self, now: Instant) -> Option<(Instant, Frame)> {
        match self {
            Self::Ports(chain) => chain.take(now),
            Self::Kernel(queue) => queue.take(now),
        }
    }

    /// Before this instant nothing has to be done; `None` if nothing is on the way.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        match self {
            Self::Ports(chain) => chain.next_exit(),
            Self::Kernel(queue) => queue.next_due(),
        }
    }

    /// A device from which packets come back; none of ports.
    pub(crate) fn returns(&self) -> Option<BorrowedFd<'_>> {
        match self {
            Self::Ports(_) => None,
            Self::Kernel(queue) => Some(queue.returns()),
        }
    }

    /// The links as they are now. Sojourn times are those since the last call.
    pub(crate) fn states(&mut self) -> Vec<LinkState> {
        let state = |(name, counts, rate, waiting): (&LinkName, &mut Counts, f64, u32)| {
            let sojourn_ns = [0.5, 0.99].map(|share| counts.recent.quantile(share));
            counts.recent.clear();
            LinkState { name: name.clone(), rate, waiting, totals: counts.totals, sojourn_ns }
        };
        match self {
            Self::Ports(chain) => chain.links().map(state).collect(),
            Self::Kernel(queue) => vec![state(queue.link())],
        }
    }

    /// The links, what they did, and the packets that a queue of the kernel had.
    pub(crate) fn finish(self) -> (Vec<(LinkName, Totals)>, Vec<Passed>) {
        match self {
            Self::Ports(mut chain) => {
                (chain.links().map(|(name, counts, ..)| (name.clone(), counts.totals)).collect(), Vec::new())
            }
            Self::Kernel(queue) => queue.finish(),
        }
    }
}
