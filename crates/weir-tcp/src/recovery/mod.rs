//! Loss recovery: how lost segments are found and sent again. One file or folder each. The sender tells a
//! recovery of ACKs, marks and timeouts, and asks it what to send next; the recovery works on the
//! [`crate::sender::Connection`] that all of them share.

mod fast_retransmit;
mod interface;
mod newreno;
mod parameters;
mod sack;

use alloc::boxed::Box;

pub(crate) use fast_retransmit::FastRetransmit;
pub(crate) use interface::{Recovery, RecoveryPoint};
pub use parameters::{
    FullAckWindow, LossDetection, NewRenoParameters, PrrBound, RecoveryConfig, RenoRecoveryParameters,
    SackParameters, TimerReset,
};
pub use sack::{BLOCKS, Blocks, NextSegment, Probe, Prr, Rack, Ranges, Sack, SackLog, Scoreboard};

pub use crate::sender::RttEstimator;

impl RecoveryConfig {
    /// The recovery of a connection that has just begun. Call [`RecoveryConfig::check`] first.
    pub(crate) fn build(&self) -> AnyRecovery {
        match self {
            Self::NewReno(_) | Self::Reno(_) => AnyRecovery::Fast(FastRetransmit::default()),
            Self::Sack(parameters) => AnyRecovery::Sack(Box::new(Sack::new(parameters))),
        }
    }
}

/// Any recovery. SACK is boxed, so that senders without it stay small.
#[derive(Clone, Debug)]
pub(crate) enum AnyRecovery {
    Fast(FastRetransmit),
    Sack(Box<Sack>),
}

/// The same for every recovery: the compiler makes one copy of the call for each, so that nothing is
/// dispatched within.
macro_rules! each_recovery {
    (mut $any:expr, $one:ident => $call:expr) => {
        each_recovery!(&mut $any, &mut $crate::recovery::Sack, $one => $call)
    };
    ($any:expr, $one:ident => $call:expr) => {
        each_recovery!(&$any, &$crate::recovery::Sack, $one => $call)
    };
    ($any:expr, $sack:ty, $one:ident => $call:expr) => {
        match $any {
            $crate::recovery::AnyRecovery::Fast($one) => $call,
            $crate::recovery::AnyRecovery::Sack($one) => {
                let $one: $sack = $one;
                $call
            }
        }
    };
}
pub(crate) use each_recovery;
