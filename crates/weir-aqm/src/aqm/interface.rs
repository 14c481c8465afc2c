//! The interface between a queue and its AQM.

use weir_types::{Duration, Instant, Rate};

use crate::{Backlog, Curve, Limit, PacketInfo, Verdict};

/// An AQM algorithm: decides which packets of a queue are marked or dropped. It owns its state and
/// its random stream, no packets, and reads no clock.
///
/// Calls may be late: an AQM uses the instants passed to it, not those it requested.
pub trait Aqm: Send {
    /// A packet has arrived; `queue` does not include it. A packet that does not fit is dropped
    /// with [`crate::Reason::Overflow`] in any case. An AQM whose paper tests the buffer first calls
    /// `queue.overflows(packet.bytes)`.
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        let _ = (packet, queue, now);
        Verdict::Pass
    }

    /// A packet leaves the queue after `sojourn`; `queue` does not include it.
    fn on_dequeue(&mut self, packet: PacketInfo, sojourn: Duration, queue: Backlog, now: Instant) -> Verdict {
        let _ = (packet, sojourn, queue, now);
        Verdict::Pass
    }

    /// Returns true if the AQM drops packets as they leave, not only as they arrive.
    fn drops_on_departure(&self) -> bool {
        false
    }

    /// A dequeue found the queue empty: the link falls idle. A packet that is dropped on arrival at
    /// an idle link causes another call.
    fn on_idle(&mut self, now: Instant) {
        let _ = now;
    }

    /// A discipline with several queues dropped `packets` waiting packets of this AQM on overflow.
    fn on_overflow(&mut self, packets: u32, now: Instant) {
        let _ = (packets, now);
    }

    /// The rate of the link is now `rate`.
    fn on_rate(&mut self, rate: Rate, now: Instant) {
        let _ = (rate, now);
    }

    /// When [`Aqm::update`] is next due. Changes only inside `update`.
    fn next_update(&self) -> Option<Instant> {
        None
    }

    /// Periodic work, due at `now`.
    fn update(&mut self, queue: Backlog, now: Instant) {
        let _ = (queue, now);
    }

    /// It has other parameters from now on than `former`, whose algorithm it is: keeps what that one has learned, its
    /// random stream and its timer. There is no default: an AQM that learns nothing says so.
    fn take_over(&mut self, former: &Self)
    where
        Self: Sized;

    /// It comes into use at `now`, in place of another algorithm, as if it had been idle until then.
    fn begin(&mut self, now: Instant) {
        if self.next_update().is_some_and(|due| due <= now) {
            self.update(Backlog { packets: 0, bytes: 0, limit: Limit::NONE }, now);
        }
    }

    /// The probability of a signal as a function of one variable, where there is such a curve; `queue` is what waits.
    fn curve(&self, queue: Backlog) -> Option<Curve<'_>> {
        let _ = queue;
        None
    }

    /// Reports the inner variables under their published names.
    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let _ = record;
    }
}
