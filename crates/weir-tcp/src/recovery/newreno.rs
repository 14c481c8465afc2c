//! `NewReno` fast recovery (RFC 6582). Three duplicate ACKs start it. A *partial* ACK, which covers a part of
//! what was outstanding then, shows the next hole; it deflates the window by what it covers, less one. A
//! *full* ACK ends recovery.

use weir_types::Instant;

use super::{FastRetransmit, FullAckWindow, NewRenoParameters, Recovery, TimerReset};
use crate::{Segment, congestion::Congestion, sender::Connection};

impl FastRetransmit {
    /// An ACK of new data in recovery.
    pub(super) fn on_new_data_of_newreno(
        &mut self,
        connection: &mut Connection,
        parameters: NewRenoParameters,
        ack: &Segment,
        covered: u32,
        echo: bool,
        now: Instant,
    ) {
        if self.point.is_full(connection.una) {
            self.end();
            match parameters.full_ack_window {
                FullAckWindow::Flight => {
                    let flight = self.flight(connection);
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
        self.repair = true;
        self.burst = parameters.max_burst.unwrap_or(u32::MAX);
        if first || parameters.timer_reset == TimerReset::EveryPartialAck {
            connection.restart_timer(now);
        }
    }

    /// A partial ACK of `covered` segments takes as many, less one, first off the inflation and then off the
    /// window.
    fn deflate(&mut self, covered: u32, cwnd: &mut f64) {
        if self.inflation > covered {
            self.inflation -= covered - 1;
        } else {
            *cwnd = (*cwnd - f64::from(covered - self.inflation)).max(1.0);
            self.inflation = 1;
        }
    }
}
