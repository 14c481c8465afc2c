//! The disciplines: how packets wait and in which order they leave.

mod chain;
mod choke;
mod dual_pi2;
mod fair;
mod fifo;
mod fq;
mod line;

use weir_types::{Duration, Instant, Invalid, Rate, Streams};

pub use choke::{Candidate, Choke, ChokeParameters};
pub use dual_pi2::{DelayOf, DualPi2, DualPi2Parameters, LowLatency};
pub use fair::{FairQueue, Full, Places, Scheduler, Told};
pub use fifo::Fifo;
pub use fq::{FqCodelParameters, FqParameters, FqPieParameters};
pub use line::Line;

use crate::{
    Backlog, Discipline, Link, Observer, Packet, PacketInfo, Verdict,
    laws::{self, AnyAqm, AqmConfig, Codel, Hosted, Pie, PythonParameters, with_laws},
};

/// The registry of what may stand before a link: every law, which means one FIFO under it, and
/// the disciplines. From it come the configuration with its schema, the closed set with its
/// dispatch, and the list that is shown to people.
macro_rules! queues {
    (
        $($(#[$law_doc:meta])* $law_name:literal $law:ident($law_parameters:ident)),* $(,)?;
        $($(#[$doc:meta])* $name:literal $variant:ident($parameters:ident) -> $discipline:ty),* $(,)?
    ) => {
        /// A choice of queue discipline with its parameters: a law, which means one FIFO under it,
        /// `aqm.red = { max_th = "80 packets" }`, or a discipline, `aqm.fq-codel = { flows = 64 }`.
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
        pub enum QueueConfig {
            $($(#[$law_doc])* #[cfg_attr(feature = "serde", serde(rename = $law_name))]
            $law(laws::$law_parameters),)*
            $($(#[$doc])* #[cfg_attr(feature = "serde", serde(rename = $name))] $variant($parameters),)*
            /// A law of one's own, in Python: `aqm.python = { class = "package.module:Class" }`.
            #[cfg_attr(feature = "serde", serde(rename = "python"))]
            Python(PythonParameters),
        }

        impl QueueConfig {
            /// The names of all that are ready to use, in the order of the registry: the laws, then
            /// the disciplines.
            pub const NAMES: &[&str] = &[$($law_name,)* $($name,)*];

            /// The name of the choice.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$law(_) => $law_name,)*
                    $(Self::$variant(_) => $name,)*
                    Self::Python(_) => "python",
                }
            }

            /// The one called `name` with its defaults.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($law_name => Some(Self::$law(Default::default())),)*
                    $($name => Some(Self::$variant(Default::default())),)*
                    _ => None,
                }
            }

            /// The law, where the choice is one.
            pub fn law(&self) -> Option<AqmConfig> {
                match self {
                    $(Self::$law(parameters) => Some(AqmConfig::$law(parameters.clone())),)*
                    Self::Python(parameters) => Some(AqmConfig::Python(parameters.clone())),
                    _ => None,
                }
            }

            /// Whether the parameters go together.
            ///
            /// # Errors
            /// Names the parameter that does not, and what to do.
            pub fn check(&self) -> Result<(), Invalid> {
                match self {
                    $(Self::$law(parameters) => AqmConfig::$law(parameters.clone()).check(),)*
                    $(Self::$variant(parameters) => parameters.check(),)*
                    Self::Python(parameters) => AqmConfig::Python(parameters.clone()).check(),
                }
            }

            /// The discipline, before `link`. A law draws from the stream at `path`, whatever a
            /// discipline has besides from streams below it. Call [`QueueConfig::check`] first.
            pub fn build<P: Packet>(&self, link: Link, streams: Streams, path: &str) -> AnyDiscipline<P> {
                match self {
                    $(Self::$law(parameters) => {
                        AnyDiscipline::$law(Fifo::new(parameters.build(link, streams.at(path)), link.limit))
                    })*
                    $(Self::$variant(parameters) => {
                        AnyDiscipline::$variant(parameters.build(link, streams, path))
                    })*
                    Self::Python(parameters) => {
                        AnyDiscipline::Python(Fifo::new(parameters.build(link, streams.at(path)), link.limit))
                    }
                }
            }
        }

        impl From<AqmConfig> for QueueConfig {
            fn from(law: AqmConfig) -> Self {
                match law {
                    $(AqmConfig::$law(parameters) => Self::$law(parameters),)*
                    AqmConfig::Python(parameters) => Self::Python(parameters),
                }
            }
        }

        /// Any discipline of the registry, dispatched by a match. A law and its FIFO are one: as
        /// fast as if there were no other, but for a jump.
        #[derive(Debug)]
        pub enum AnyDiscipline<P> {
            $(#[doc = concat!("One line under `", $law_name, "`.")] $law(Fifo<P, laws::$law>),)*
            $(#[doc = concat!("`", $name, "`")] $variant($discipline),)*
            /// One line under a law of one's own.
            Python(Fifo<P, Hosted>),
        }

        /// The same of every discipline.
        macro_rules! each {
            ($any:expr, $one:ident => $call:expr) => {
                match $any {
                    $(AnyDiscipline::$law($one) => $call,)*
                    $(AnyDiscipline::$variant($one) => $call,)*
                    AnyDiscipline::Python($one) => $call,
                }
            };
        }
    };
}

with_laws! { queues
    /// CHOKe (Pan, Prabhakar and Psounis, 2000): an arrival is compared with a random waiting
    /// packet, and both are dropped if they are of one flow; otherwise RED.
    "choke" Choke(ChokeParameters) -> Choke<P>,
    /// Fair queueing (the scheduler of RFC 8290): a queue for each flow, served in turns by bytes,
    /// under any law.
    "fq" Fq(FqParameters) -> FairQueue<P, AnyAqm>,
    /// FQ-CoDel (RFC 8290): fair queueing with CoDel for each flow.
    "fq-codel" FqCodel(FqCodelParameters) -> FairQueue<P, Codel>,
    /// FQ-PIE (Linux, ns-3): fair queueing with PIE for each flow.
    "fq-pie" FqPie(FqPieParameters) -> FairQueue<P, Pie>,
    /// DualPI2 (RFC 9332): low-latency packets in a line of their own, coupled by one PI core with
    /// the classic ones.
    "dualpi2" DualPi2(DualPi2Parameters) -> DualPi2<P>,
}

impl QueueConfig {
    /// Whether what is computed from the link can be.
    ///
    /// # Errors
    /// Names the parameter that does not suit it, and what to do.
    pub fn check_before(&self, link: Link) -> Result<(), Invalid> {
        match self {
            Self::Pi(pi) => pi.check_before(link),
            Self::Fq(FqParameters { law: AqmConfig::Pi(pi), .. }) => {
                pi.check_before(link).map_err(|invalid| invalid.below("law.pi"))
            }
            _ => Ok(()),
        }
    }

    /// The law of one's own that is somewhere in it.
    pub const fn python(&self) -> Option<&PythonParameters> {
        match self {
            Self::Python(parameters) | Self::Fq(FqParameters { law: AqmConfig::Python(parameters), .. }) => {
                Some(parameters)
            }
            _ => None,
        }
    }

    /// The same, to be changed, and its dotted path.
    pub const fn python_mut(&mut self) -> Option<(&'static str, &mut PythonParameters)> {
        match self {
            Self::Python(parameters) => Some(("python", parameters)),
            Self::Fq(FqParameters { law: AqmConfig::Python(parameters), .. }) => {
                Some(("fq.law.python", parameters))
            }
            _ => None,
        }
    }
}

impl<P: Packet> Discipline<P> for AnyDiscipline<P> {
    #[inline]
    fn enqueue(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) {
        each!(self, discipline => enqueue(discipline, packet, now, observer));
    }

    #[inline]
    fn dequeue(&mut self, now: Instant, observer: &mut impl Observer<P>) -> Option<(P, Duration)> {
        each!(self, discipline => dequeue(discipline, now, observer))
    }

    #[inline]
    fn pass(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) -> Option<P> {
        each!(self, discipline => pass(discipline, packet, now, observer))
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        each!(self, discipline => discipline.backlog())
    }

    fn classes(&self) -> &'static [&'static str] {
        each!(self, discipline => discipline.classes())
    }

    fn class_backlog(&self, class: usize) -> Backlog {
        each!(self, discipline => discipline.class_backlog(class))
    }

    #[inline]
    fn next_update(&self) -> Option<Instant> {
        each!(self, discipline => discipline.next_update())
    }

    fn update(&mut self, now: Instant) {
        each!(self, discipline => discipline.update(now));
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        each!(self, discipline => discipline.on_rate(rate, now));
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        each!(self, discipline => discipline.probe(record));
    }
}

#[inline(never)]
fn enqueue<P>(discipline: &mut impl Discipline<P>, packet: P, now: Instant, observer: &mut impl Observer<P>) {
    discipline.enqueue(packet, now, observer);
}

#[inline(never)]
fn dequeue<P>(
    discipline: &mut impl Discipline<P>,
    now: Instant,
    observer: &mut impl Observer<P>,
) -> Option<(P, Duration)> {
    discipline.dequeue(now, observer)
}

#[inline(never)]
fn pass<P>(
    discipline: &mut impl Discipline<P>,
    packet: P,
    now: Instant,
    observer: &mut impl Observer<P>,
) -> Option<P> {
    discipline.pass(packet, now, observer)
}

/// Makes a verdict happen and goes on with what is left of the packet. One that passes is not
/// moved before that.
#[expect(clippy::inline_always, reason = "most packets pass, and pass several callers")]
#[inline(always)]
fn carry_out<P: Packet, R>(
    verdict: Verdict,
    packet: P,
    info: PacketInfo,
    waited: bool,
    now: Instant,
    observer: &mut impl Observer<P>,
    then: impl FnOnce(P) -> R,
) -> Option<R> {
    if verdict == Verdict::Pass {
        return Some(then(packet));
    }
    signal(verdict, packet, info, waited, now, observer).map(then)
}

/// Marks or drops a packet; what is left of it.
#[inline(never)]
fn signal<P: Packet>(
    verdict: Verdict,
    mut packet: P,
    info: PacketInfo,
    waited: bool,
    now: Instant,
    observer: &mut impl Observer<P>,
) -> Option<P> {
    match verdict {
        Verdict::Pass => {}
        Verdict::Mark(reason) if info.ecn.is_markable() => {
            packet.mark();
            observer.marked(&packet, reason, now);
        }
        Verdict::Mark(reason) | Verdict::Drop(reason) => {
            observer.dropped(packet, reason, waited, now);
            return None;
        }
    }
    Some(packet)
}
