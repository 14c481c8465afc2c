//! Which ACKs of segments out of order a receiver holds back: see [`super::compression`].

use weir_types::Instant;

use super::Receiver;
use crate::Segment;

impl Receiver {
    /// `segment` is here for the first time if it is `new`, and not all below it has arrived before. Whether its ACK
    /// is held back; else one leaves now, for all segments whose ACK was held.
    #[inline(never)]
    pub(super) fn compresses(&mut self, segment: &Segment, new: bool, now: Instant) -> bool {
        let hole = self.expected;
        let open = new && self.quick == 0 && segment.number > hole;
        let Some(compression) = self.log.as_mut().and_then(|log| log.compression.as_mut()) else {
            return false;
        };
        let was_held = compression.held > 0;
        if open && compression.holds(hole) {
            // The ACK is that of the latest: it tells when what has arrived left.
            self.stamp = segment.stamp;
            if !was_held {
                self.due = now + compression.delay;
            }
            return true;
        }
        compression.held = 0;
        if was_held {
            self.due = Instant::MAX;
        }
        false
    }

    /// An ACK leaves.
    pub(super) fn release_held(&mut self) {
        if let Some(compression) = self.log.as_mut().and_then(|log| log.compression.as_mut()) {
            compression.held = 0;
        }
    }
}
