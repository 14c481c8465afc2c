//! Congestion control: how the window answers to ACKs, losses, marks and timeouts. One file
//! each; the header gives equations and source, the parameters their units, defaults and origin.

mod bbr;
mod bbr1;
mod bbr3;
mod cubic;
mod dctcp;
mod delay;
mod facts;
mod interface;
mod ledbat;
mod ledbat_plus_plus;
mod parts;
mod prague;
mod rate;
mod rem_host;
mod reno;
mod scalable;
mod slow_start;
mod tahoe;
mod vegas;
mod westwood_plus;
mod wireless;

use alloc::boxed::Box;

use weir_types::{Instant, Invalid, Rng};

use crate::{
    accecn::EcnMode,
    preset::{InPreset, TcpPreset},
};

pub use bbr1::{Bbr1, Bbr1Parameters};
pub use bbr3::{Bbr3, Bbr3EcnParameters, Bbr3Parameters};
pub use cubic::{Cubic, CubicParameters, FriendlyGrowth, TargetRtt};
pub use dctcp::{Dctcp, DctcpParameters, WindowEnd};
pub use facts::{Facts, Feedback, Marks};
pub use interface::{
    Ack, Congestion, Counts, Delivery, Pace, RateSample, RecoveryState, Repair, Signal, TailAnswer,
    Transmission, Window,
};
pub use ledbat::{Ledbat, LedbatParameters};
pub use ledbat_plus_plus::{LedbatPlusPlus, LedbatPlusPlusParameters};
pub use prague::{Prague, PragueParameters};
pub(crate) use rate::{check_ratio, tso_segments};
pub use rem_host::{RemHost, RemHostParameters, Utility};
pub use reno::{Reno, RenoParameters, SsthreshFrom};
pub use scalable::{Scalable, ScalableParameters};
pub use slow_start::{HystartParameters, HystartPlusParameters, SlowStartConfig};
pub use tahoe::{Tahoe, TahoeParameters};
pub use vegas::{Vegas, VegasParameters};
pub use westwood_plus::{WestwoodPlus, WestwoodPlusParameters};
pub use wireless::{AfterTimeout, Wireless, WirelessParameters};

/// The registry. A congestion control is one file and one entry below: its name in scenario files,
/// its variant, its parameters and where it is held: all but Reno elsewhere, so that a hundred thousand
/// senders stay small. From this come the configuration with its
/// schema and the closed set with its dispatch.
macro_rules! congestions {
    ($($(#[$doc:meta])* $name:literal $variant:ident($parameters:ident) in $held:ty),* $(,)?) => {
        /// A choice of congestion control with its parameters: `tcp.congestion.reno = {}`.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub enum CongestionConfig {
            $($(#[$doc])* #[serde(rename = $name)] $variant($parameters),)*
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

            /// The facts about the chosen control, whatever its parameters.
            const fn plain_facts(&self) -> Facts {
                match self { $(Self::$variant(_) => <$variant as Congestion>::FACTS,)* }
            }

            /// The chosen control with its values in a preset.
            pub(crate) fn in_preset(&self, preset: TcpPreset) -> Self {
                match self { $(Self::$variant(_) => Self::$variant($parameters::in_preset(preset)),)* }
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

        impl AnyCongestion {
            /// Returns true if [`Congestion::observe`] does anything.
            #[inline]
            pub const fn observes(&self) -> bool {
                match self { $(Self::$variant(_) => <$variant as Congestion>::OBSERVES,)* }
            }
        }

        /// Dispatches a call to the control at hand.
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
    "reno" Reno(RenoParameters) in Reno,
    /// Tahoe (Jacobson, 1988): every loss begins slow start anew.
    "tahoe" Tahoe(TahoeParameters) in Box<Tahoe>,
    /// CUBIC (RFC 9438): the window is a cubic function of the time since the last cut.
    "cubic" Cubic(CubicParameters) in Box<Cubic>,
    /// Scalable TCP (Kelly, 2003): the window grows by a fixed part of what is acknowledged.
    "scalable" Scalable(ScalableParameters) in Box<Scalable>,
    /// Vegas (Brakmo and Peterson, 1995): a few packets of each flow in the queue, told by the round
    /// trip.
    "vegas" Vegas(VegasParameters) in Box<Vegas>,
    /// DCTCP (RFC 8257): a mark cuts the window by as much as marks are frequent.
    "dctcp" Dctcp(DctcpParameters) in Box<Dctcp>,
    /// Prague (draft-briscoe-iccrg-prague-congestion-control-04): the sender of L4S.
    "prague" Prague(PragueParameters) in Box<Prague>,
    /// The host of the first REM paper (Lapsley and Low, 1999): estimates the price of its
    /// path from marks and sends what is worth it.
    "rem-host" RemHost(RemHostParameters) in Box<RemHost>,
    /// BBR version 1 (Cardwell and others, 2016): sends at the bottleneck's rate, which it measures.
    "bbr1" Bbr1(Bbr1Parameters) in Box<Bbr1>,
    /// LEDBAT (RFC 6817): background traffic that keeps the queue at a target and yields.
    "ledbat" Ledbat(LedbatParameters) in Box<Ledbat>,
    /// LEDBAT++ (draft-irtf-iccrg-ledbat-plus-plus): LEDBAT with slowdowns that show the base delay.
    "ledbat-plus-plus" LedbatPlusPlus(LedbatPlusPlusParameters) in Box<LedbatPlusPlus>,
    /// BBR version 3 (draft-ietf-ccwg-bbr): as version 1, and losses bound what is in flight.
    "bbr3" Bbr3(Bbr3Parameters) in Box<Bbr3>,
    /// Westwood+ (Grieco and Mascolo, 2004): a loss cuts the window to what the path has just carried.
    "westwood-plus" WestwoodPlus(WestwoodPlusParameters) in Box<WestwoodPlus>,
    /// `NewReno` that does not treat losses as congestion (the REM paper, 2001, section 5).
    "wireless" Wireless(WirelessParameters) in Box<Wireless>,
}

impl CongestionConfig {
    /// The facts about the chosen control, with its parameters.
    pub const fn facts(&self) -> Facts {
        let facts = self.plain_facts();
        if self.option_that_counts_marks().is_some() {
            Facts { marks: Marks::Counted, ..facts }
        } else {
            facts
        }
    }

    /// The parameter that makes a control count marks that would ignore them, below its name. It is set.
    pub(crate) const fn option_that_counts_marks(&self) -> Option<&'static str> {
        match self {
            Self::Bbr3(Bbr3Parameters { ecn: Some(_), .. }) => Some("ecn"),
            _ => None,
        }
    }

    /// Returns true if the control needs samples of the delivery rate, and sets the rate of pacing by them.
    #[inline]
    pub const fn samples(&self) -> bool {
        self.plain_facts().samples
    }

    /// Kind of feedback that the control needs.
    pub const fn feedback(&self) -> Feedback {
        self.plain_facts().feedback
    }

    /// Returns true if the control answers how many packets are marked: without accurate feedback it has no ECN.
    pub const fn counts_marks(&self) -> bool {
        matches!(self.facts().marks, Marks::Counted)
    }

    /// Returns true if the control belongs in the low-latency queue: its segments are ECT(1) (RFC 9331).
    pub const fn is_low_latency(&self) -> bool {
        self.counts_marks() && self.facts().scalable
    }
}

impl Default for CongestionConfig {
    fn default() -> Self {
        Self::Reno(RenoParameters::default())
    }
}

/// The calls of [`Congestion`], to the control at hand.
impl AnyCongestion {
    /// See [`Congestion::pace`].
    #[inline]
    pub fn pace(&self) -> Pace {
        each_control!(self, control => control.pace())
    }

    /// See [`Congestion::on_ecn`].
    pub fn on_ecn(&mut self, mode: EcnMode) {
        each_control!(self, control => control.on_ecn(mode));
    }

    /// See [`Congestion::set_random`].
    pub fn set_random(&mut self, random: Rng) {
        each_control!(self, control => control.set_random(random));
    }

    /// See [`Congestion::on_segment_lost`].
    pub fn on_segment_lost(&mut self, lost: &Transmission) {
        each_control!(self, control => control.on_segment_lost(lost));
    }

    /// See [`Congestion::on_expiry`].
    pub(crate) fn on_expiry(&mut self, counts: &Counts) {
        each_control!(self, control => control.on_expiry(counts));
    }

    /// See [`Congestion::on_restart`].
    pub(crate) fn on_restart(&mut self, counts: &Counts, window: &mut Window) {
        each_control!(self, control => control.on_restart(counts, window));
    }

    /// See [`Congestion::on_delivery`].
    pub fn on_delivery(&mut self, delivery: &Delivery, window: &mut Window) {
        each_control!(self, control => control.on_delivery(delivery, window));
    }

    /// See [`Congestion::observe`].
    pub fn observe(&mut self, ack: Ack, window: &mut Window) -> bool {
        each_control!(self, control => control.observe(ack, window))
    }

    /// See [`Congestion::on_ack`].
    pub fn on_ack(&mut self, ack: Ack, window: &mut Window) {
        each_control!(self, control => control.on_ack(ack, window));
    }

    /// See [`Congestion::on_loss`].
    pub fn on_loss(&mut self, signal: Signal, window: &mut Window) -> Repair {
        each_control!(self, control => control.on_loss(signal, window))
    }

    /// See [`Congestion::on_mark`].
    pub fn on_mark(&mut self, signal: Signal, window: &mut Window) {
        each_control!(self, control => control.on_mark(signal, window));
    }

    /// See [`Congestion::on_timeout`].
    pub fn on_timeout(&mut self, signal: Signal, window: &mut Window) {
        each_control!(self, control => control.on_timeout(signal, window));
    }

    /// See [`Congestion::on_recovered`].
    pub fn on_recovered(&mut self, now: Instant, window: &mut Window) {
        each_control!(self, control => control.on_recovered(now, window));
    }

    /// See [`Congestion::answers_marks`].
    #[inline]
    pub fn answers_marks(&self) -> bool {
        each_control!(self, control => control.answers_marks())
    }

    /// See [`Congestion::asks_routers`].
    pub fn asks_routers(&self) -> bool {
        each_control!(self, control => control.asks_routers())
    }

    /// See [`Congestion::is_plain`].
    #[inline]
    pub fn is_plain(&self) -> bool {
        each_control!(self, control => control.is_plain())
    }

    /// See [`Congestion::grow_plainly`].
    #[inline]
    pub fn grow_plainly(&mut self, counted: f64, window: &mut Window) -> bool {
        each_control!(self, control => control.grow_plainly(counted, window))
    }

    /// See [`Congestion::reads_little`].
    #[inline]
    pub fn reads_little(&self, window: &Window) -> bool {
        each_control!(self, control => control.reads_little(window))
    }

    /// See [`Congestion::observe_and_grow`].
    #[expect(clippy::inline_always, reason = "only what is read of the ACK is calculated")]
    #[inline(always)]
    pub fn observe_and_grow(&mut self, ack: Ack, grows: bool, window: &mut Window) {
        each_control!(self, control => control.observe_and_grow(ack, grows, window));
    }

    /// See [`Congestion::probe`].
    pub fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        each_control!(self, control => control.probe(record));
    }
}
