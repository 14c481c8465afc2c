//! Congestion control: how the window answers to ACKs, losses, marks and timeouts. One file
//! each; the header gives equations and source, the parameters their units, defaults and origin.

mod cubic;
mod dctcp;
mod parts;
mod rem_host;
mod reno;
mod scalable;
mod slow_start;
mod tahoe;
mod vegas;
mod wireless;

use alloc::boxed::Box;

use weir_types::{Duration, Instant, Invalid, Rate};

pub use cubic::{Cubic, CubicParameters, FriendlyGrowth, TargetRtt};
pub use dctcp::{Dctcp, DctcpParameters, WindowEnd};
pub use rem_host::{RemHost, RemHostParameters, Utility};
pub use reno::{Reno, RenoParameters, SsthreshFrom};
pub use scalable::{Scalable, ScalableParameters};
pub use slow_start::{HystartParameters, HystartPlusParameters, SlowStartConfig};
pub use tahoe::{Tahoe, TahoeParameters};
pub use vegas::{Vegas, VegasParameters};
pub use wireless::{AfterTimeout, Wireless, WirelessParameters};

/// What bounds the segments in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The congestion window in segments; the sender uses the whole part.
    pub cwnd: f64,
    /// Below it the window grows exponentially, in segments.
    pub ssthresh: f64,
    /// Greatest number of segments in flight: what the receiver allows, or what a control with a window
    /// of its own sets. Infinite if there is no limit.
    pub bound: f64,
}

/// An ACK, as a congestion control sees it. Numbers are those after it was taken in. Passed by value,
/// so that a control that reads little of it costs as little.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack {
    /// When it arrived.
    pub now: Instant,
    /// From sending the segment that caused it until now.
    pub rtt: Duration,
    /// The smoothed round trip; that of this ACK before there is one.
    pub smoothed: Duration,
    /// Segments that it acknowledges for the first time; none if it is a duplicate.
    pub acked: u32,
    /// For how many segments the window may grow: `acked`, or one per ACK, as
    /// [`crate::TcpParameters::abc`] has it.
    pub counted: f64,
    /// It carries an echo of a mark; [`Feedback`] says of which segments.
    pub echo: bool,
    /// All routers on the path of the segment that caused it understand ECN. Valid only if the control
    /// asks for it ([`CongestionConfig::asks_routers`]).
    pub all_capable: bool,
    /// Lowest number not yet acknowledged.
    pub una: u32,
    /// Number to be sent next.
    pub next: u32,
    /// One past the highest number sent: a round is over when `una` exceeds what this was at its start.
    pub high: u32,
    /// Segments in the network.
    pub flight: f64,
    /// The window is what limits the sender.
    pub limited: bool,
}

/// A signal of congestion: a loss, a mark, a timeout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// When it was noticed.
    pub now: Instant,
    /// Segments that were in the network.
    pub flight: f64,
}

/// What the echo of marks means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Feedback {
    /// Some segment was marked since the sender last said that it cut its window (RFC 3168).
    #[default]
    Latched,
    /// All segments that this ACK acknowledges for the first time were marked, or none; of a
    /// duplicate, the segment that caused it (RFC 8257, section 3.2).
    Exact,
}

/// How the sender repairs a loss that a control was told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// As its loss recovery has it.
    Recover,
    /// The same, but the window was not cut.
    Uncut,
    /// It sends again everything from the lost segment on, as after a timeout.
    StartOver,
}

/// A congestion control. The sender tells it of segments sent, of ACKs, losses, marks and timeouts, and of
/// the end of loss recovery. It answers with a window, which the calls change, and with a rate.
///
/// A control that needs samples of the delivery rate (draft-cheng-iccrg-delivery-rate-estimation) keeps what
/// they take itself: [`Congestion::on_sent`] and [`Congestion::observe`] give the number and the time of each
/// transmission and each ACK. No control of the registry does, so that nobody pays for them.
pub trait Congestion {
    /// Segment `number` leaves, for the first time or again.
    #[inline]
    fn on_sent(&mut self, number: u32, now: Instant) {
        let _ = (number, now);
    }

    /// The rate at which segments should leave; `None` if they leave as soon as the window lets them.
    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// An ACK arrived, of any kind but that of the SYN. Called before all else that the ACK causes.
    /// Returns whether it cut the window for a mark, as controls do that have no
    /// [`Congestion::on_mark`].
    #[inline]
    fn observe(&mut self, ack: Ack, window: &mut Window) -> bool {
        let _ = (ack, window);
        false
    }

    /// The window may grow: an ACK of new data arrived, outside of loss recovery and without an echo
    /// to answer, while the window is what limits the sender.
    fn on_ack(&mut self, ack: Ack, window: &mut Window);

    /// Segments were found lost by duplicate ACKs, for the first time in this window of data.
    fn on_loss(&mut self, signal: Signal, window: &mut Window) -> Repair;

    /// The receiver echoed a mark, for the first time in this window of data.
    fn on_mark(&mut self, signal: Signal, window: &mut Window);

    /// The retransmission timer expired.
    fn on_timeout(&mut self, signal: Signal, window: &mut Window);

    /// Loss recovery has ended and has set the window after its own rule.
    #[inline]
    fn on_recovered(&mut self, now: Instant, window: &mut Window) {
        let _ = (now, window);
    }

    /// Whether echoes of marks are answered by [`Congestion::on_mark`] once per window of data. If
    /// not, only [`Congestion::observe`] learns of them.
    #[inline]
    fn answers_marks(&self) -> bool {
        true
    }

    /// Shows the inner variables under their published names.
    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let _ = record;
    }
}

/// The registry. A congestion control is one file and one entry below: its name in scenario files,
/// its variant, its parameters, what echoes mean to it and where it is held: all but Reno elsewhere, so
/// that a hundred thousand senders stay small. From this come the configuration with its
/// schema and the closed set with its dispatch.
macro_rules! congestions {
    ($($(#[$doc:meta])* $name:literal $variant:ident($parameters:ident) $feedback:ident in $held:ty),* $(,)?) => {
        /// A choice of congestion control with its parameters: `tcp.congestion.reno = {}`.
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
        pub enum CongestionConfig {
            $($(#[$doc])* #[cfg_attr(feature = "serde", serde(rename = $name))] $variant($parameters),)*
        }

        impl CongestionConfig {
            /// The names of all controls, in the order of the registry.
            pub const NAMES: &[&str] = &[$($name),*];

            /// The name of the chosen control.
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }

            /// The control called `name` with its defaults.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant(Default::default())),)* _ => None }
            }

            /// What an echo has to tell the chosen control.
            pub const fn feedback(&self) -> Feedback {
                match self { $(Self::$variant(_) => Feedback::$feedback,)* }
            }

            /// Checks that the parameters are consistent.
            ///
            /// # Errors
            /// Names the parameter that is not, and what to do.
            pub fn check(&self) -> Result<(), Invalid> {
                match self { $(Self::$variant(parameters) => parameters.check(),)* }
            }

            /// The control, for a connection that has just begun. Call [`CongestionConfig::check`]
            /// first.
            pub fn build(&self) -> AnyCongestion {
                match self { $(Self::$variant(parameters) => AnyCongestion::$variant($variant::new(parameters).into()),)* }
            }
        }

        /// Any congestion control of the registry, dispatched by a match.
        #[derive(Clone, Debug)]
        pub enum AnyCongestion {
            $(#[doc = concat!("`", $name, "`")] $variant($held),)*
        }

        /// The same of every control.
        macro_rules! each_control {
            ($any:expr, $one:ident => $call:expr) => {
                match $any { $(AnyCongestion::$variant($one) => $call,)* }
            };
        }
    };
}

congestions! {
    /// Slow start and additive increase, multiplicative decrease (RFC 5681); with ABE (RFC 8511) as
    /// an option.
    "reno" Reno(RenoParameters) Latched in Reno,
    /// Tahoe (Jacobson, 1988): every loss begins slow start anew.
    "tahoe" Tahoe(TahoeParameters) Latched in Box<Tahoe>,
    /// CUBIC (RFC 9438): the window is a cubic function of the time since the last cut.
    "cubic" Cubic(CubicParameters) Latched in Box<Cubic>,
    /// Scalable TCP (Kelly, 2003): the window grows by a fixed part of what is acknowledged.
    "scalable" Scalable(ScalableParameters) Latched in Box<Scalable>,
    /// Vegas (Brakmo and Peterson, 1995): a few packets of each flow in the queue, told by the round
    /// trip.
    "vegas" Vegas(VegasParameters) Latched in Box<Vegas>,
    /// DCTCP (RFC 8257): a mark cuts the window by as much as marks are frequent.
    "dctcp" Dctcp(DctcpParameters) Exact in Box<Dctcp>,
    /// The host of the first REM paper (Lapsley and Low, 1999): estimates the price of its
    /// path from marks and sends what is worth it.
    "rem-host" RemHost(RemHostParameters) Exact in Box<RemHost>,
    /// `NewReno` that does not treat losses as congestion (the REM paper, 2001, section 5).
    "wireless" Wireless(WirelessParameters) Latched in Box<Wireless>,
}

impl CongestionConfig {
    /// Whether the control wants to know if all routers of its path understand ECN.
    #[inline]
    pub const fn asks_routers(&self) -> bool {
        matches!(self, Self::Wireless(WirelessParameters { mixed_path: true, .. }))
    }
}

impl Default for CongestionConfig {
    fn default() -> Self {
        Self::Reno(RenoParameters::default())
    }
}

impl AnyCongestion {
    /// Whether [`Congestion::observe`] does anything. One comparison tells Reno apart, which most
    /// senders use.
    #[inline]
    pub const fn observes(&self) -> bool {
        !matches!(self, Self::Reno(_))
    }

    /// Does what [`Congestion::on_ack`] would do for `counted` segments and returns true, if the control
    /// needs to know no more of an ACK, as plain Reno.
    #[inline]
    pub fn grow_plainly(&mut self, counted: f64, window: &mut Window) -> bool {
        match self {
            Self::Reno(reno) => reno.grow(counted, window),
            _ => false,
        }
    }
}

impl Congestion for AnyCongestion {
    #[inline]
    fn on_sent(&mut self, number: u32, now: Instant) {
        each_control!(self, control => control.on_sent(number, now));
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        each_control!(self, control => control.pacing_rate())
    }

    fn observe(&mut self, ack: Ack, window: &mut Window) -> bool {
        each_control!(self, control => control.observe(ack, window))
    }

    fn on_ack(&mut self, ack: Ack, window: &mut Window) {
        each_control!(self, control => control.on_ack(ack, window));
    }

    fn on_loss(&mut self, signal: Signal, window: &mut Window) -> Repair {
        each_control!(self, control => control.on_loss(signal, window))
    }

    fn on_mark(&mut self, signal: Signal, window: &mut Window) {
        each_control!(self, control => control.on_mark(signal, window));
    }

    fn on_timeout(&mut self, signal: Signal, window: &mut Window) {
        each_control!(self, control => control.on_timeout(signal, window));
    }

    fn on_recovered(&mut self, now: Instant, window: &mut Window) {
        each_control!(self, control => control.on_recovered(now, window));
    }

    #[inline]
    fn answers_marks(&self) -> bool {
        each_control!(self, control => control.answers_marks())
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        each_control!(self, control => control.probe(record));
    }
}
