//! Queue disciplines: they hold packets and decide the order of departure.

mod ack_filter;
mod band;
mod cake;
mod choke;
mod dual_pi2;
mod fair;
mod fifo;
mod fq;
mod linked_list;
mod packet_fifo;
mod registry;
mod scheduler;

use alloc::vec::Vec;

use weir_types::{Duration, Instant, Rate};

pub use ack_filter::{AckFilter, AckFilterParameters, Filtering};
pub use cake::{Cake, CakeParameters, Carrier, Isolation, Tins};
pub use choke::{Candidate, Choke, ChokeParameters};
pub use dual_pi2::{DelayOf, DualPi2, DualPi2Parameters, LowLatency};
pub use fair::FairQueue;
pub use fifo::Fifo;
pub use fq::{FqCodelParameters, FqParameters, FqPieParameters};
pub use packet_fifo::PacketFifo;
pub use registry::{AnyDiscipline, DisciplineVisitor, QueueConfig};
pub use scheduler::{AqmBacklog, FlowHashing, OverflowPolicy, Scheduler};

use crate::{Ack, Backlog, Mechanism, Packet, Reason, Verdict};

/// A queue discipline: owns the waiting packets and decides the order of departure.
///
/// Contracts, tested over every discipline:
/// - offered = delivered + dropped + filtered + waiting;
/// - `dequeue` returns `None` only when nothing waits;
/// - `next_update` is strictly later after `update`;
/// - a late `update` is legal;
/// - no allocation in steady state;
/// - the same seed gives the same trace.
pub trait Discipline<P> {
    /// Queues a packet or passes it to `observer.dropped`.
    fn enqueue(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>);

    /// The next packet to send and its sojourn time. Packets dropped before it go to
    /// `observer.dropped`.
    fn dequeue(&mut self, now: Instant, observer: &mut impl Observer<P>) -> Option<(P, Duration)>;

    /// A packet arrives at an empty queue of an idle link. Equivalent to `enqueue` and `dequeue`; a
    /// discipline may do both in one step.
    fn pass(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) -> Option<P> {
        self.enqueue(packet, now, observer);
        self.dequeue(now, observer).map(|(packet, _)| packet)
    }

    /// The packet that leaves after so many others, if that is known.
    fn upcoming(&self, others: usize) -> Option<&P> {
        let _ = others;
        None
    }

    /// Waiting packets.
    fn backlog(&self) -> Backlog;

    /// The number of waiting packets.
    #[inline]
    fn packets(&self) -> u32 {
        self.backlog().packets
    }

    /// Returns true if the discipline drops packets as they leave, not only as they arrive.
    fn drops_on_departure(&self) -> bool {
        false
    }

    /// Names of the classes of packets, in the order of their numbers; results have rows for each.
    /// Empty for a discipline without classes, and for one queue per flow.
    fn classes(&self) -> &'static [&'static str] {
        &[]
    }

    /// Waiting packets of one class.
    fn class_backlog(&self, class: usize) -> Backlog {
        let _ = class;
        self.backlog()
    }

    /// No packet is taken before this instant, although the link is free: a shaper of its own. Changes only inside
    /// `enqueue` and `dequeue`.
    #[inline]
    fn ready_at(&self) -> Instant {
        Instant::ZERO
    }

    /// When [`Discipline::update`] is next due. Changes only inside `update`.
    fn next_update(&self) -> Option<Instant>;

    /// Periodic work, due at `now`.
    fn update(&mut self, now: Instant);

    /// All waiting packets leave without a verdict, each with the instant at which it arrived, in that order.
    fn drain(&mut self, into: &mut Vec<(P, Instant)>);

    /// A packet that has waited elsewhere since `arrived` waits here, whatever the limit and without a verdict.
    fn restore(&mut self, packet: P, arrived: Instant);

    /// From `now` on it has other parameters than `former`, which is of its kind: keeps the packets that wait, and
    /// what its AQM has learned.
    fn take_over(&mut self, former: &mut Self, now: Instant)
    where
        Self: Sized;

    /// It comes into use at `now`, in place of a discipline of another kind, as if it had been idle until then.
    fn begin(&mut self, now: Instant);

    /// The rate of the link is now `rate`.
    fn on_rate(&mut self, rate: Rate, now: Instant);

    /// How it decides, beside the variables of [`Discipline::probe`].
    fn mechanism(&self) -> Mechanism<'_> {
        Mechanism::default()
    }

    /// Reports the inner variables of the AQM under their published names.
    fn probe(&self, record: &mut dyn FnMut(&'static str, f64));
}

/// Receives marks and drops. Dropped packets are passed by value, so a live relay can reuse their
/// buffers.
pub trait Observer<P> {
    /// The class in [`Discipline::classes`] of the following drops, marks and departures.
    /// Disciplines with classes call it at every arrival and departure, others never.
    fn class(&mut self, class: usize) {
        let _ = class;
    }

    /// `packet` was dropped. `waited` is false for a packet dropped on arrival.
    fn dropped(&mut self, packet: P, reason: Reason, waited: bool, now: Instant);

    /// `packet` was marked.
    fn marked(&mut self, packet: &P, reason: Reason, now: Instant);

    /// The ACK that `packet` is. `None` for other packets, and where nobody reads the headers of transport: filters of
    /// ACKs then do nothing.
    fn ack(&self, packet: &P) -> Option<Ack> {
        let _ = packet;
        None
    }

    /// `packet`, a waiting ACK, was taken away, since a later one tells all that it does. This is no drop. It happens
    /// only where [`Observer::ack`] tells ACKs.
    fn filtered(&mut self, packet: P, now: Instant) {
        let _ = (packet, now);
    }
}

/// Moves all waiting packets of `from` to `to`.
pub(crate) fn move_all<P>(from: &mut impl Discipline<P>, to: &mut impl Discipline<P>) {
    let mut waiting = Vec::new();
    from.drain(&mut waiting);
    for (packet, arrived) in waiting {
        to.restore(packet, arrived);
    }
}

/// Executes a verdict, then calls `then` with a packet that remains. A packet that passes is not
/// moved before.
#[expect(clippy::inline_always, reason = "most packets pass, and pass several callers")]
#[inline(always)]
fn carry_out<P: Packet, R>(
    verdict: Verdict,
    packet: P,
    waited: bool,
    now: Instant,
    observer: &mut impl Observer<P>,
    then: impl FnOnce(P) -> R,
) -> Option<R> {
    if verdict == Verdict::Pass {
        return Some(then(packet));
    }
    signal(verdict, packet, waited, now, observer).map(then)
}

/// Marks or drops a packet; returns it unless dropped.
#[inline(never)]
fn signal<P: Packet>(
    verdict: Verdict,
    mut packet: P,
    waited: bool,
    now: Instant,
    observer: &mut impl Observer<P>,
) -> Option<P> {
    match verdict {
        Verdict::Pass => {}
        Verdict::Mark(reason) if packet.info().ecn.is_markable() => {
            packet.mark();
            observer.marked(&packet, reason, now);
        }
        Verdict::Mark(reason) | Verdict::Drop(reason) => {
            observer.dropped(packet, reason, waited, now);
            return None;
        }
    }
    Some(packet)
}
