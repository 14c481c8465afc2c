//! Reno's fast recovery (RFC 5681, section 3.2): the first ACK of new data ends it. So several losses in one window
//! begin as many recoveries, each with a cut, or wait for the timer.

use weir_types::Instant;

use super::{FastRecovery, FastRetransmit, RecoveryConfig, RenoRecoveryParameters};
use crate::{Segment, connection::Connection};

/// Fast recovery that any ACK of new data ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reno;

impl Reno {
    /// The parameters of the scenario. [`crate::sender`] builds this recovery for its own choice alone, so that the
    /// defaults are never taken.
    fn parameters(connection: &Connection) -> RenoRecoveryParameters {
        match connection.parameters.recovery {
            RecoveryConfig::Reno(parameters) => parameters,
            _ => RenoRecoveryParameters::default(),
        }
    }
}

impl FastRecovery for Reno {
    fn cuts_once_per_window(connection: &Connection) -> bool {
        Self::parameters(connection).once_per_window
    }

    fn max_burst(_: &Connection) -> u32 {
        u32::MAX
    }

    /// The window is what the cut left (RFC 5681, section 3.2, step 6).
    fn on_new_data(
        fast: &mut FastRetransmit<Self>,
        connection: &mut Connection,
        ack: &Segment,
        covered: u32,
        echo: bool,
        now: Instant,
    ) {
        fast.end();
        if Self::parameters(connection).grow_on_exit && !echo {
            connection.grow(ack, covered, now);
        }
        connection.congestion.on_recovered(now, &mut connection.window);
        connection.restart_timer(now);
    }
}
