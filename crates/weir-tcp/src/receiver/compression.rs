//! ACKs of segments out of order that are held back, so that one tells of several (Linux 7.2, `__tcp_ack_snd_check`).

use weir_types::Duration;

/// ACKs for each hole that leave at once: they let the sender find the loss (`TCP_FASTRETRANS_THRESH`).
const AT_ONCE: u32 = 3;
/// Segments that one ACK may stand for (`tcp_comp_sack_nr`).
const MOST: u32 = 44;

/// State of a receiver that holds back ACKs of segments out of order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compression {
    /// How long the first one waits (`tcp_comp_sack_delay_ns`).
    pub(super) delay: Duration,
    /// The lowest number that had not arrived at the last segment, and the ACKs that left at once meanwhile.
    hole: u32,
    at_once: u32,
    /// Segments whose ACK is being held.
    pub(super) held: u32,
}

impl Compression {
    pub(super) const fn new(delay: Duration) -> Self {
        Self { delay, hole: 0, at_once: 0, held: 0 }
    }

    /// A segment has arrived beyond `hole`: whether its ACK is held back.
    pub(super) const fn holds(&mut self, hole: u32) -> bool {
        if self.hole != hole {
            (self.hole, self.at_once) = (hole, 0);
        }
        let holds = self.at_once >= AT_ONCE && self.held < MOST;
        if holds {
            self.held += 1;
        } else if self.at_once < AT_ONCE {
            self.at_once += 1;
        }
        holds
    }
}
