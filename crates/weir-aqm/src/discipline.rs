//! What a discipline is: the owner of waiting packets and of their order.

use weir_types::{Duration, Instant, Rate};

use crate::{Backlog, Reason};

/// Owns packets and the order in which they leave.
///
/// Contracts, tested over every discipline: offered = delivered + dropped + waiting;
/// `dequeue` returns `None` only when nothing waits; `next_update` is strictly later
/// after `update`; a late `update` is legal; no allocation in steady state; the same
/// seed gives the same trace.
pub trait Discipline<P> {
    /// Takes a packet in, or hands it to `observer.dropped`.
    fn enqueue(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>);

    /// The next packet to send and how long it waited. Packets that are dropped on the
    /// way to it go to `observer.dropped`.
    fn dequeue(&mut self, now: Instant, observer: &mut impl Observer<P>) -> Option<(P, Duration)>;

    /// A packet that arrives while nothing waits and the line is idle: in and out again at
    /// once. The same as `enqueue` and `dequeue`, which a discipline may do in one step.
    fn pass(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) -> Option<P> {
        self.enqueue(packet, now, observer);
        self.dequeue(now, observer).map(|(packet, _)| packet)
    }

    /// What waits.
    fn backlog(&self) -> Backlog;

    /// The names of the classes that packets are kept apart by, in the order of their numbers:
    /// results have rows for each. None where all packets are treated alike, or each flow apart.
    fn classes(&self) -> &'static [&'static str] {
        &[]
    }

    /// What waits of one class.
    fn class_backlog(&self, class: usize) -> Backlog {
        let _ = class;
        self.backlog()
    }

    /// When [`Discipline::update`] is next due. Changes only inside `update`.
    fn next_update(&self) -> Option<Instant>;

    /// Periodic work, due at `now`.
    fn update(&mut self, now: Instant);

    /// The link's rate is `rate` from now on.
    fn on_rate(&mut self, rate: Rate, now: Instant);

    /// Shows the inner variables of the law under their published names.
    fn probe(&self, record: &mut dyn FnMut(&'static str, f64));
}

/// Told of every packet that does not leave as it came; receives the dropped ones, so
/// that a live relay gets its buffers back.
pub trait Observer<P> {
    /// What follows is about packets of this class of [`Discipline::classes`]: drops, marks and,
    /// from a port, packets that leave. Told with every arrival and every departure by disciplines
    /// that have classes, never by others.
    fn class(&mut self, class: usize) {
        let _ = class;
    }

    /// `packet` is gone. `waited` tells a packet dropped out of the queue from one that
    /// was never let in.
    fn dropped(&mut self, packet: P, reason: Reason, waited: bool, now: Instant);

    /// `packet` has been marked and goes on.
    fn marked(&mut self, packet: &P, reason: Reason, now: Instant);
}
