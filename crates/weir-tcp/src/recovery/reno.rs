//! Reno's fast recovery (RFC 5681, section 3.2). The first ACK of new data ends it. So several losses in one
//! window begin as many recoveries, each with a cut, or wait for the timer.

use weir_types::Instant;

use super::{
    Blocks, NextSegment, Recovery, RenoRecoveryParameters,
    fast_retransmit::{FastRetransmit, as_fast_retransmit},
};
use crate::{
    Segment,
    congestion::{Ack, Congestion},
    sender::Connection,
};

/// Reno's fast recovery.
#[derive(Clone, Debug)]
pub struct Reno {
    pub(super) fast: FastRetransmit,
    once_per_window: bool,
}

impl Reno {
    pub(super) fn new(parameters: RenoRecoveryParameters) -> Self {
        Self { fast: FastRetransmit::default(), once_per_window: parameters.once_per_window }
    }
}

impl Recovery for Reno {
    as_fast_retransmit!();

    #[inline]
    fn on_new_data(
        &mut self,
        connection: &mut Connection,
        ack: &Segment,
        covered: u32,
        echo: bool,
        (): &(),
        now: Instant,
    ) {
        if self.fast.point.active {
            // The window is what the cut left (RFC 5681, section 3.2, step 6).
            self.fast.leave();
            connection.congestion.on_recovered(now, &mut connection.window);
        } else if !echo && connection.may_grow() {
            connection.grow(ack, covered, now);
        }
        connection.restart_timer(now);
    }

    fn on_duplicate(&mut self, connection: &mut Connection, now: Instant) {
        self.fast.on_duplicate(connection, self.once_per_window, u32::MAX, now);
    }
}
