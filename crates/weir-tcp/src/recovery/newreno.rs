//! `NewReno` fast recovery (RFC 6582). Three duplicate ACKs start it. A *partial* ACK, which covers a part of
//! what was outstanding then, shows the next hole; it deflates the window by what it covers, less one. A
//! *full* ACK ends recovery.

use weir_types::Instant;

use super::{
    Blocks, FullAckWindow, NewRenoParameters, NextSegment, Recovery, TimerReset,
    fast_retransmit::{FastRetransmit, as_fast_retransmit},
};
use crate::{
    Segment,
    congestion::{Ack, Congestion},
    sender::Connection,
};

/// `NewReno` fast recovery.
#[derive(Clone, Debug)]
pub struct NewReno {
    pub(super) fast: FastRetransmit,
    /// A partial ACK has been seen in this recovery.
    partial: bool,
    timer_reset: TimerReset,
    full_ack_window: FullAckWindow,
    max_burst: u32,
}

impl NewReno {
    pub(super) fn new(parameters: &NewRenoParameters) -> Self {
        Self {
            fast: FastRetransmit::default(),
            partial: false,
            timer_reset: parameters.timer_reset,
            full_ack_window: parameters.full_ack_window,
            max_burst: parameters.max_burst.unwrap_or(u32::MAX),
        }
    }

    /// An ACK of new data in recovery.
    fn on_new_data_in_recovery(
        &mut self,
        connection: &mut Connection,
        ack: &Segment,
        covered: u32,
        echo: bool,
        now: Instant,
    ) {
        if self.fast.point.is_full(connection.una) {
            self.fast.leave();
            match self.full_ack_window {
                FullAckWindow::Flight => {
                    let flight = self.fast.flight(connection);
                    connection.window.cwnd = connection.window.ssthresh.min(flight.max(1.0) + 1.0);
                }
                FullAckWindow::Window if echo => {}
                FullAckWindow::Window => connection.grow(ack, covered, now),
            }
            connection.congestion.on_recovered(now, &mut connection.window);
            return connection.restart_timer(now);
        }
        self.deflate(covered, &mut connection.window.cwnd);
        let first = !core::mem::replace(&mut self.partial, true);
        self.fast.repair = true;
        self.fast.burst = self.max_burst;
        if first || self.timer_reset == TimerReset::EveryPartialAck {
            connection.restart_timer(now);
        }
    }

    /// A partial ACK of `covered` segments takes as many, less one, first off the inflation and then off the
    /// window.
    fn deflate(&mut self, covered: u32, cwnd: &mut f64) {
        let inflation = &mut self.fast.inflation;
        if *inflation > covered {
            *inflation -= covered - 1;
        } else {
            *cwnd = (*cwnd - f64::from(covered - *inflation)).max(1.0);
            *inflation = 1;
        }
    }
}

impl Recovery for NewReno {
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
            return self.on_new_data_in_recovery(connection, ack, covered, echo, now);
        }
        if !echo && connection.may_grow() {
            connection.grow(ack, covered, now);
        }
        connection.restart_timer(now);
    }

    fn on_duplicate(&mut self, connection: &mut Connection, now: Instant) {
        if self.fast.on_duplicate(connection, true, self.max_burst, now) {
            self.partial = false;
        }
    }
}
