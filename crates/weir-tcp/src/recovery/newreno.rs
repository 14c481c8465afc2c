//! `NewReno` fast recovery (RFC 6582). Three duplicate ACKs start it. A *partial* ACK, which covers a part of what
//! was outstanding then, shows the next hole. It deflates the window by what it covers, less one. A *full* ACK ends
//! recovery.

use weir_types::Instant;

use super::{
    FastRecovery, FastRetransmit, FullAckWindow, NewRenoParameters, Recovery, RecoveryConfig, TimerReset,
};
use crate::{Segment, connection::Connection};

/// Fast recovery that ends when all that was outstanding at its beginning is acknowledged.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewReno {
    /// A partial ACK has been seen in this recovery.
    partial: bool,
}

impl NewReno {
    /// The parameters of the scenario. [`crate::sender`] builds this recovery for its own choice alone, so that the
    /// defaults are never taken.
    fn parameters(connection: &Connection) -> NewRenoParameters {
        match connection.parameters.recovery {
            RecoveryConfig::NewReno(parameters) => parameters,
            _ => NewRenoParameters::default(),
        }
    }
}

impl FastRecovery for NewReno {
    fn cuts_once_per_window(_: &Connection) -> bool {
        true
    }

    fn max_burst(connection: &Connection) -> u32 {
        Self::parameters(connection).max_burst.unwrap_or(u32::MAX)
    }

    fn on_new_data(
        fast: &mut FastRetransmit<Self>,
        connection: &mut Connection,
        ack: &Segment,
        covered: u32,
        echo: bool,
        now: Instant,
    ) {
        let NewRenoParameters { full_ack_window, timer_reset, .. } = Self::parameters(connection);
        if fast.point.is_full(connection.una) {
            fast.end();
            match full_ack_window {
                FullAckWindow::Flight => {
                    let flight = fast.flight(connection);
                    connection.window.cwnd = connection.window.ssthresh.min(flight.max(1.0) + 1.0);
                }
                FullAckWindow::Window if echo => {}
                FullAckWindow::Window => connection.grow(ack, covered, now),
            }
            connection.congestion.on_recovered(now, &mut connection.window);
            return connection.restart_timer(now);
        }
        fast.deflate(covered, &mut connection.window.cwnd);
        let first = !core::mem::replace(&mut fast.fast_recovery.partial, true);
        fast.repair = true;
        fast.burst = Self::max_burst(connection);
        if first || timer_reset == TimerReset::EveryPartialAck {
            connection.restart_timer(now);
        }
    }
}

impl FastRetransmit<NewReno> {
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
