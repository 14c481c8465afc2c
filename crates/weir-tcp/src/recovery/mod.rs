//! Loss recovery: how lost segments are found and sent again. One file or folder each. The sender tells a
//! recovery of ACKs, marks and timeouts, and asks it what to send next. The recovery works on the
//! `Connection` that all of them share.

mod fast_retransmit;
mod interface;
mod newreno;
mod reno;
mod sack;

pub use self::interface::NextSegment;
pub use self::sack::{Probe, Prr, Rack, Ranges, Sack, Scoreboard};
pub(crate) use self::{
    fast_retransmit::{FastRecovery, FastRetransmit},
    interface::{Recovery, RecoveryPoint},
    newreno::NewReno,
    reno::Reno,
    sack::{Report, ToldOfTail},
};
pub use crate::{
    connection::RttEstimator,
    parameters::{
        FullAckWindow, LossDetection, NewRenoParameters, PrrBound, RecoveryConfig, RenoRecoveryParameters,
        SackParameters, TimerReset,
    },
};
