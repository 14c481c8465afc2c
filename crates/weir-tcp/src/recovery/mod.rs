//! Loss recovery: how lost segments are found and sent again. One file or folder each. The sender tells a
//! recovery of ACKs, marks and timeouts, and asks it what to send next; the recovery works on the
//! `sender::Connection` that all of them share.

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
pub(crate) use sack::Report;
pub use sack::{NextSegment, Probe, Prr, Rack, Ranges, Sack, Scoreboard};

pub use crate::sender::RttEstimator;
use crate::{TcpParameters, sender::Extended};

impl AnyRecovery {
    /// The recovery of a connection that has just begun. Call [`TcpParameters::check`] first.
    pub(crate) fn new(parameters: &TcpParameters) -> Self {
        match &parameters.recovery {
            RecoveryConfig::NewReno(_) | RecoveryConfig::Reno(_) => Self::Fast(FastRetransmit::default()),
            RecoveryConfig::Sack(_) if parameters.is_extended() => {
                Self::Extended(Box::new(Extended::new(parameters)))
            }
            RecoveryConfig::Sack(parameters) => Self::Sack(Box::new(Sack::new(parameters))),
        }
    }
}

/// Any recovery. SACK is boxed, so that senders without it stay small.
#[derive(Clone, Debug)]
pub(crate) enum AnyRecovery {
    Fast(FastRetransmit),
    Sack(Box<Sack>),
    /// SACK in a sender that also paces: see [`crate::sender::Extended`].
    Extended(Box<Extended>),
}

/// Dispatches a call to the recovery at hand: the compiler makes one copy of the call for each, so that nothing is
/// dispatched within.
macro_rules! each_recovery {
    (mut $any:expr, $one:ident => $call:expr) => {
        match &mut $any {
            $crate::recovery::AnyRecovery::Fast($one) => $call,
            $crate::recovery::AnyRecovery::Sack($one) => {
                let $one = $one.as_mut();
                $call
            }
            $crate::recovery::AnyRecovery::Extended($one) => {
                let $one = $one.as_mut();
                $crate::recovery::apart(|| $call)
            }
        }
    };
    ($any:expr, $one:ident => $call:expr) => {
        match &$any {
            $crate::recovery::AnyRecovery::Fast($one) => $call,
            $crate::recovery::AnyRecovery::Sack($one) => {
                let $one = $one.as_ref();
                $call
            }
            $crate::recovery::AnyRecovery::Extended($one) => {
                let $one = $one.as_ref();
                $crate::recovery::apart(|| $call)
            }
        }
    };
}
pub(crate) use each_recovery;

/// Calls what only extended senders need, outside of what the others run through.
#[inline(never)]
pub(crate) fn apart<T>(call: impl FnOnce() -> T) -> T {
    call()
}
