//! Use of the window by a sender that may also be held back by pacing.

use crate::connection::Connection;

/// Use of the window, by Linux's rule: the window limits the sender if it was full at any moment since a window of
/// data began. A window in which pacing alone held the sender back does not count.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WindowUsage {
    /// Something has left since it was last judged.
    pub(super) sent: bool,
    pub(super) full: bool,
    /// The greatest number outstanding.
    most: u32,
    /// The window of data ends when all below is acknowledged.
    until: u32,
}

impl WindowUsage {
    /// Nothing may leave now, perhaps since the window is `full`. In slow start the window also limits if it is not
    /// twice what was outstanding.
    pub(super) fn classify(&mut self, connection: &Connection, full: bool) -> bool {
        let outstanding = connection.high - connection.una;
        if core::mem::take(&mut self.sent) || full {
            let new_window = connection.una >= self.until;
            if new_window || full || !self.full && outstanding > self.most {
                *self = Self { sent: false, full, most: outstanding, until: connection.next };
            }
        }
        let window = connection.window;
        self.full || window.cwnd < window.ssthresh && window.cwnd < 2.0 * f64::from(self.most)
    }
}
