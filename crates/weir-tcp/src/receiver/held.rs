//! Which ACKs of segments out of order a receiver holds back: see [`super::compression`].

use weir_types::Instant;

use super::{Receiver, compression::Compression};
use crate::Segment;

impl Receiver {
    /// `segment` is here for the first time if it is `new`, and not all below it has arrived before. Whether its ACK
    /// is held back; else one leaves now, for all segments whose ACK was held.
    #[inline(never)]
    pub(super) fn compresses(&mut self, segment: &Segment, new: bool, now: Instant) -> bool {
        let hole = self.expected;
        let open = new && self.quick == 0 && segment.number > hole;
        let Some(compression) = self.compression() else { return false };
        let (was_held, due) = (compression.held > 0, now + compression.delay);
        if open && compression.holds(hole) {
            // The ACK is that of the latest: it tells when what has arrived left.
            self.stamp = segment.stamp;
            if !was_held {
                self.due = due;
            }
            return true;
        }
        compression.held = 0;
        if was_held {
            self.due = Instant::MAX;
        }
        false
    }

    fn compression(&mut self) -> Option<&mut Compression> {
        self.reporter.as_deref_mut()?.compression.as_mut()
    }

    /// An ACK leaves.
    pub(super) fn release_held(&mut self) {
        if let Some(compression) = self.compression() {
            compression.held = 0;
        }
    }
}
