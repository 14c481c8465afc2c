//! State of a direction that its ports and queues use: the time of the run, memory for packets.

use std::time;

use weir_types::Instant;

use crate::{flows::Flows, frame::Frame, slots::Slots};

/// The time of a run: zero when the relay starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(pub(crate) time::Instant);

impl Clock {
    #[inline]
    pub(crate) fn now(self) -> Instant {
        Instant::from_nanos(self.0.elapsed().as_nanos() as u64)
    }
}

/// State of the thread that ports and queues use.
pub(crate) struct Around<'a> {
    pub(crate) clock: Clock,
    pub(crate) slots: &'a mut Slots,
    pub(crate) flows: &'a mut Flows,
    /// Lost and dropped packets, whose slots are to be freed.
    pub(crate) gone: &'a mut Vec<Frame>,
}
