//! Loss recovery: how lost segments are found and sent again. One file or folder each. The sender tells a
//! recovery of ACKs, marks and timeouts, and asks it what to send next; the recovery works on the
//! [`Connection`] that all of them share.

mod fast_retransmit;
mod newreno;
mod reno;
mod sack;

use alloc::boxed::Box;

use weir_types::{Instant, Invalid};

pub use newreno::{FullAckWindow, NewReno, NewRenoParameters, TimerReset};
pub use reno::{Reno, RenoRecoveryParameters};
pub use sack::{
    BLOCKS, Blocks, LossDetection, NextSegment, Probe, Prr, PrrBound, Rack, Ranges, Sack, SackLog,
    SackParameters, Scoreboard,
};

pub use crate::sender::RttEstimator;
use crate::{Segment, congestion::Ack, sender::Connection};

/// A loss recovery, as the sender sees it. The calls for one ACK come in this order: `take_in`, `event`,
/// `on_mark`, `on_advance` and `on_new_data` or `on_duplicate`, `after_ack`.
pub(crate) trait Recovery {
    /// What an ACK reports besides its number.
    type News;

    /// Segments count from `first`.
    fn count_from(&mut self, first: u32);

    /// Takes in what an ACK reports. `None` if the ACK is to be ignored.
    fn take_in(
        &mut self,
        connection: &Connection,
        ack: &Segment,
        blocks: &Blocks,
        now: Instant,
    ) -> Option<Self::News>;

    /// The ACK as the congestion control sees it.
    fn event(&self, connection: &Connection, ack: &Segment, news: &Self::News, now: Instant) -> Ack;

    /// Whether an ACK up to `acked` covers more than was outstanding at the last cut: only then may a
    /// mark cut the window again.
    fn covers_more(&self, acked: u32) -> bool;

    /// The receiver echoed a mark, for the first time in this window of data. The ACK covers all that was
    /// outstanding at the last cut, so it also ends a recovery that began there.
    fn on_mark(&mut self, connection: &mut Connection, news: &Self::News, now: Instant);

    /// The cumulative ACK advances.
    fn on_advance(&mut self);

    /// An ACK of `covered` new segments after the handshake; with `echo` the window must not grow.
    fn on_new_data(
        &mut self,
        connection: &mut Connection,
        ack: &Segment,
        covered: u32,
        echo: bool,
        news: &Self::News,
        now: Instant,
    );

    /// A duplicate ACK while something is outstanding.
    fn on_duplicate(&mut self, connection: &mut Connection, now: Instant);

    /// The last call for an ACK, which may have advanced the cumulative ACK.
    fn after_ack(&mut self, connection: &mut Connection, advances: bool, news: &Self::News, now: Instant);

    /// Ends recovery after a timeout; `high` is one past the highest number sent.
    fn leave(&mut self, high: u32);

    /// The retransmission timer expired: what is outstanding is to be sent again.
    fn on_timeout(&mut self, connection: &mut Connection, now: Instant);

    /// The instant of [`Recovery::due`] has passed, before the retransmission timer expires.
    fn on_wake(&mut self, connection: &mut Connection, now: Instant);

    /// When the recovery must be called without an ACK; [`Instant::MAX`] if not at all.
    fn due(&self) -> Instant;

    /// Segments in the network, for a cut of the window.
    fn flight(&self, connection: &Connection) -> f64;

    /// What may leave now.
    fn next_segment(&self, connection: &Connection) -> Option<NextSegment>;

    /// What may leave now, if it is a retransmission.
    fn next_repair(&self, connection: &Connection) -> Option<NextSegment>;

    /// Whether the window lets a segment leave.
    fn has_room(&self, connection: &Connection) -> bool;

    /// Whether the window is what stopped the sender, when nothing may leave.
    fn is_window_limited(&self, connection: &Connection) -> bool;

    /// Sends what [`Recovery::next_segment`] chose.
    fn send(&mut self, connection: &mut Connection, next: NextSegment, now: Instant) -> Segment;
}

/// How far recovery has come, the same for all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RecoveryPoint {
    /// One past the highest segment sent when the window was last cut; `None` before that, so that the
    /// loss of the very first segment is repaired.
    recover: Option<u32>,
    /// Recovery is under way.
    active: bool,
}

impl RecoveryPoint {
    /// Whether an ACK up to `acked` covers more than was outstanding at the last cut.
    #[inline]
    fn covers_more(self, acked: u32) -> bool {
        self.recover.is_none_or(|recover| acked > recover)
    }

    /// Whether an ACK up to `acked` ends recovery.
    #[inline]
    fn is_full(self, acked: u32) -> bool {
        self.recover.is_none_or(|recover| acked >= recover)
    }

    /// The window was cut, `high` being one past the highest segment sent.
    const fn cut(&mut self, high: u32) {
        self.recover = Some(high);
    }
}

/// A choice of loss recovery with its parameters.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "lowercase")
)]
pub enum RecoveryConfig {
    /// Fast recovery that survives several losses in one window (RFC 6582).
    NewReno(NewRenoParameters),
    /// Fast recovery that the first ACK of new data ends (RFC 5681, section 3.2).
    Reno(RenoRecoveryParameters),
    /// Recovery with selective acknowledgements (RFC 6675).
    Sack(SackParameters),
}

impl RecoveryConfig {
    /// The names of all recoveries.
    pub const NAMES: &[&str] = &["newreno", "reno", "sack"];

    /// The recovery called `name` with its defaults.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "newreno" => Some(Self::NewReno(NewRenoParameters::default())),
            "reno" => Some(Self::Reno(RenoRecoveryParameters::default())),
            "sack" => Some(Self::Sack(SackParameters::default())),
            _ => None,
        }
    }

    /// Its name in scenario files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NewReno(_) => "newreno",
            Self::Reno(_) => "reno",
            Self::Sack(_) => "sack",
        }
    }

    /// The recovery of a connection that has just begun. Call [`RecoveryConfig::check`] first.
    pub(crate) fn build(&self) -> AnyRecovery {
        match self {
            Self::NewReno(parameters) => AnyRecovery::NewReno(NewReno::new(parameters)),
            Self::Reno(parameters) => AnyRecovery::Reno(Reno::new(*parameters)),
            Self::Sack(parameters) => AnyRecovery::Sack(Box::new(Sack::new(parameters))),
        }
    }

    /// Checks that the parameters are consistent.
    ///
    /// # Errors
    /// Names the parameter that is not, and what to do.
    pub fn check(&self) -> Result<(), Invalid> {
        match self {
            Self::Sack(parameters) => parameters.check(),
            Self::NewReno(_) | Self::Reno(_) => Ok(()),
        }
    }
}

impl Default for RecoveryConfig {
    fn default() -> Self {
        Self::NewReno(NewRenoParameters::default())
    }
}

/// Any recovery. SACK is boxed, so that senders without it stay small.
#[derive(Clone, Debug)]
pub(crate) enum AnyRecovery {
    NewReno(NewReno),
    Reno(Reno),
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
            $crate::recovery::AnyRecovery::NewReno($one) => $call,
            $crate::recovery::AnyRecovery::Reno($one) => $call,
            $crate::recovery::AnyRecovery::Sack($one) => {
                let $one: $sack = $one;
                $call
            }
        }
    };
}
pub(crate) use each_recovery;
