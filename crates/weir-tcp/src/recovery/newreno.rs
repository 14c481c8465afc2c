//! `NewReno` fast recovery (RFC 6582). Three duplicate ACKs start it. A *partial* ACK, which covers a part of
//! what was outstanding then, shows the next hole; it deflates the window by what it covers, less one. A
//! *full* ACK ends recovery.

use weir_types::Instant;

use super::{
    Blocks, NextSegment, Recovery,
    fast_retransmit::{FastRetransmit, as_fast_retransmit},
};
use crate::{
    Segment,
    congestion::{Ack, Congestion},
    sender::Connection,
};

/// Which partial ACKs restart the retransmission timer (RFC 6582, section 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum TimerReset {
    /// The first: with many losses a timeout ends the repair ("impatient").
    #[default]
    FirstPartialAck,
    /// Every one: one segment is repaired per round trip, however many ("slow but steady").
    EveryPartialAck,
}

/// The window after a full ACK (RFC 6582, section 3.2, step 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum FullAckWindow {
    /// `min(ssthresh, max(flight, 1) + 1)`: no burst.
    #[default]
    Flight,
    /// The halved window, less what partial ACKs took beyond the inflation (ns-2).
    Window,
}

/// Parameters of `NewReno` fast recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, default)
)]
pub struct NewRenoParameters {
    /// Which partial ACKs restart the retransmission timer.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "RFC 6582, section 4")))]
    pub timer_reset: TimerReset,
    /// The window after a full ACK.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "RFC 6582, section 3.2, step 3")))]
    pub full_ack_window: FullAckWindow,
    /// Segments sent per ACK at most while in recovery; 0 for no limit (ns-2: 2).
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "RFC 6582", "x-default" = "no limit")))]
    #[cfg_attr(
        feature = "serde",
        serde(skip_serializing_if = "Option::is_none", deserialize_with = "unless_zero")
    )]
    pub max_burst: Option<u32>,
}

/// Reads 0 as no limit, as ns-2 does, so that a file can take back the limit of a preset.
#[cfg(feature = "serde")]
fn unless_zero<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let limit: Option<u32> = serde::Deserialize::deserialize(deserializer)?;
    Ok(limit.filter(|limit| *limit > 0))
}

/// `NewReno` fast recovery.
#[derive(Clone, Debug)]
pub struct NewReno {
    fast: FastRetransmit,
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
