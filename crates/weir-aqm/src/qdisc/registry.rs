//! The list of all queue disciplines, and what is generated from it.

use alloc::{borrow::ToOwned as _, format, string::String, vec::Vec};

use weir_types::{Duration, Instant, Invalid, Level, Rate, Streams};

use super::{
    AckFilter, AckFilterParameters, Cake, CakeParameters, Choke, ChokeParameters, Discipline, DualPi2,
    DualPi2Parameters, FairQueue, Fifo, FqCodelParameters, FqParameters, FqPieParameters, Observer, move_all,
};
use crate::{
    Backlog, Link, Mechanism, Packet,
    aqm::{
        self, AnyAqm, AqmConfig, Codel, NoLevels as _, Pie, PythonAqm, PythonParameters, thresholds,
        with_aqms,
    },
};

/// The registry of queue disciplines: every AQM with a FIFO, and the schedulers. Generates the
/// configuration with its schema, and the closed enum with its dispatch.
macro_rules! queues {
    (
        $($(#[$aqm_doc:meta])* $aqm_name:literal $aqm:ident($aqm_parameters:ident)),* $(,)?;
        $($(#[$doc:meta])* $name:literal $variant:ident($parameters:ident) -> $discipline:ty),* $(,)?
    ) => {
        /// A choice of queue discipline with its parameters: an AQM, which means one FIFO under it,
        /// `queue.red = { max_th = "80 packets" }`, or a discipline, `queue.fq-codel = { flows = 64 }`.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub enum QueueConfig {
            $($(#[$aqm_doc])* #[serde(rename = $aqm_name)]
            $aqm(aqm::$aqm_parameters),)*
            $($(#[$doc])* #[serde(rename = $name)] $variant($parameters),)*
            /// A user's AQM in Python: `queue.python = { class = "package.module:Class" }`.
            #[serde(rename = "python")]
            Python(PythonParameters),
        }

        impl QueueConfig {
            /// All names in the order of the registry: AQMs, then schedulers.
            pub const NAMES: &[&str] = &[$($aqm_name,)* $($name,)*];

            /// The name of the choice.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$aqm(_) => $aqm_name,)*
                    $(Self::$variant(_) => $name,)*
                    Self::Python(_) => "python",
                }
            }

            /// The one called `name` with its defaults.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($aqm_name => Some(Self::$aqm(Default::default())),)*
                    $($name => Some(Self::$variant(Default::default())),)*
                    _ => None,
                }
            }

            /// The AQM, where the choice is one.
            pub fn aqm(&self) -> Option<AqmConfig> {
                match self {
                    $(Self::$aqm(parameters) => Some(AqmConfig::$aqm(parameters.clone())),)*
                    Self::Python(parameters) => Some(AqmConfig::Python(parameters.clone())),
                    _ => None,
                }
            }

            /// Checks the parameters.
            ///
            /// # Errors
            /// Names the wrong parameter and says what to write.
            pub fn check(&self) -> Result<(), Invalid> {
                match self {
                    $(Self::$aqm(parameters) => AqmConfig::$aqm(parameters.clone()).check(),)*
                    $(Self::$variant(parameters) => parameters.check(),)*
                    Self::Python(parameters) => AqmConfig::Python(parameters.clone()).check(),
                }
            }

            /// The queue lengths among the parameters.
            fn levels(&mut self) -> Vec<&mut Level> {
                match self {
                    $(Self::$aqm(parameters) => parameters.levels(),)*
                    $(Self::$variant(parameters) => parameters.levels(),)*
                    Self::Python(_) => Vec::new(),
                }
            }

            /// The discipline for `link`. An AQM draws from the stream at `path`, other parts of a
            /// discipline from streams below it. Call [`QueueConfig::check`] and [`QueueConfig::complete`] first.
            pub fn build<P: Packet>(&self, link: Link, streams: Streams, path: &str) -> AnyDiscipline<P> {
                match self {
                    $(Self::$aqm(parameters) => {
                        AnyDiscipline::$aqm(Fifo::new(parameters.build(link, streams.at(path)), link.limit))
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
            fn from(aqm: AqmConfig) -> Self {
                match aqm {
                    $(AqmConfig::$aqm(parameters) => Self::$aqm(parameters),)*
                    AqmConfig::Python(parameters) => Self::Python(parameters),
                }
            }
        }

        /// Any discipline of the registry, dispatched by a match.
        #[derive(Debug)]
        pub enum AnyDiscipline<P> {
            $(#[doc = concat!("One line under `", $aqm_name, "`.")] $aqm(Fifo<P, aqm::$aqm>),)*
            $(#[doc = concat!("`", $name, "`")] $variant($discipline),)*
            /// A FIFO with a user's AQM.
            Python(Fifo<P, PythonAqm>),
        }

        /// [`Discipline::take_over`], where both are of one kind.
        fn take_over<P: Packet>(discipline: &mut AnyDiscipline<P>, former: &mut AnyDiscipline<P>, now: Instant) {
            match (discipline, former) {
                $((AnyDiscipline::$aqm(one), AnyDiscipline::$aqm(former)) => one.take_over(former, now),)*
                $((AnyDiscipline::$variant(one), AnyDiscipline::$variant(former)) => one.take_over(former, now),)*
                (one, former) => move_all(former, one),
            }
        }

        /// Evaluates an expression with the discipline, compiled for each type.
        macro_rules! each {
            ($any:expr, $one:ident => $call:expr) => {
                match $any {
                    $(AnyDiscipline::$aqm($one) => $call,)*
                    $(AnyDiscipline::$variant($one) => $call,)*
                    AnyDiscipline::Python($one) => $call,
                }
            };
        }
    };
}

with_aqms! { queues
    /// CHOKe (Pan, Prabhakar and Psounis, 2000): an arrival is compared with a random waiting
    /// packet, and both are dropped if they are of one flow; otherwise RED.
    "choke" Choke(ChokeParameters) -> Choke<P>,
    /// Fair queueing (the scheduler of RFC 8290): a queue for each flow, served by deficit round
    /// robin, with any AQM.
    "fq" Fq(FqParameters) -> FairQueue<P, AnyAqm>,
    /// FQ-CoDel (RFC 8290): fair queueing with CoDel for each flow.
    "fq-codel" FqCodel(FqCodelParameters) -> FairQueue<P, Codel>,
    /// FQ-PIE (Linux, ns-3): fair queueing with PIE for each flow.
    "fq-pie" FqPie(FqPieParameters) -> FairQueue<P, Pie>,
    /// DualPI2 (RFC 9332): a low-latency queue and a Classic queue, coupled by one PI controller.
    "dualpi2" DualPi2(DualPi2Parameters) -> DualPi2<P>,
    /// CAKE (Linux): a shaper, tins by Diffserv codepoint, fair queueing among hosts and their flows,
    /// and COBALT for each flow.
    "cake" Cake(CakeParameters) -> Cake<P>,
    /// An ACK filter (RFC 3449; Linux): a FIFO with any AQM that takes ACKs away which a later one makes
    /// redundant.
    "ack-filter" AckFilter(AckFilterParameters) -> AckFilter<P>,
}

impl QueueConfig {
    /// The AQM within a scheduler that takes any, with the scheduler's name.
    pub const fn inner(&self) -> Option<(&'static str, &AqmConfig)> {
        match self {
            Self::Fq(FqParameters { aqm, .. }) | Self::AckFilter(AckFilterParameters { aqm, .. }) => {
                Some((self.name(), aqm))
            }
            _ => None,
        }
    }

    /// [`QueueConfig::inner`], to be changed.
    const fn inner_mut(&mut self) -> Option<(&'static str, &mut AqmConfig)> {
        let name = self.name();
        match self {
            Self::Fq(FqParameters { aqm, .. }) | Self::AckFilter(AckFilterParameters { aqm, .. }) => {
                Some((name, aqm))
            }
            _ => None,
        }
    }

    /// Checks the parameters that depend on the link.
    ///
    /// # Errors
    /// Names the wrong parameter and says what to write.
    pub fn check_before(&self, link: Link) -> Result<(), Invalid> {
        match (self, self.inner()) {
            (Self::Pi(pi), _) => pi.check_before(link),
            (_, Some((_, AqmConfig::Pi(pi)))) => {
                pi.check_before(link).map_err(|invalid| invalid.below("aqm.pi"))
            }
            _ => Ok(()),
        }
    }

    /// Returns true if a shaper of its own may hold packets back although the link is free.
    pub fn shapes(&self) -> bool {
        matches!(self, Self::Cake(cake) if cake.shapes())
    }

    /// Names of the classes of packets that results have rows for: see [`Discipline::classes`].
    pub const fn classes(&self) -> &'static [&'static str] {
        match self {
            Self::DualPi2(_) => super::dual_pi2::CLASSES,
            Self::Cake(cake) => cake.tins.names(),
            _ => &[],
        }
    }

    /// Key of the parameter by which it takes ACKs away, if it does: see [`Observer::filtered`].
    pub const fn ack_filter(&self) -> Option<&'static str> {
        match self {
            Self::Cake(cake) if !cake.ack_filter.is_off() => Some("ack_filter"),
            Self::AckFilter(filter) if !filter.mode.is_off() => Some("mode"),
            _ => None,
        }
    }

    /// Turns times into lengths of the queue before `link`, and writes out what RED and its kin derive from it.
    pub fn complete(&mut self, link: Link) {
        for level in self.levels() {
            *level = link.length(*level);
        }
        let (min_th, max_th) = match self {
            Self::Choke(choke) => (&mut choke.min_th, &mut choke.max_th),
            Self::Red(red) => (&mut red.min_th, &mut red.max_th),
            Self::Nlred(red) => (&mut red.min_th, &mut red.max_th),
            Self::FengRed(red) => (&mut red.min_th, &mut red.max_th),
            _ => match self.inner_mut() {
                Some((_, AqmConfig::Red(red))) => (&mut red.min_th, &mut red.max_th),
                Some((_, AqmConfig::Nlred(red))) => (&mut red.min_th, &mut red.max_th),
                Some((_, AqmConfig::FengRed(red))) => (&mut red.min_th, &mut red.max_th),
                _ => return,
            },
        };
        let (low, high) = thresholds::before(link, *min_th, *max_th);
        (*min_th, *max_th) = (Some(low), Some(high));
    }

    /// The contained Python AQM, if any.
    pub const fn python(&self) -> Option<&PythonParameters> {
        match (self, self.inner()) {
            (Self::Python(parameters), _) | (_, Some((_, AqmConfig::Python(parameters)))) => Some(parameters),
            _ => None,
        }
    }

    /// The contained Python AQM, if any, to be changed, with its dotted path.
    pub fn python_mut(&mut self) -> Option<(String, &mut PythonParameters)> {
        match self {
            Self::Python(parameters) => Some(("python".to_owned(), parameters)),
            _ => match self.inner_mut() {
                Some((name, AqmConfig::Python(parameters))) => {
                    Some((format!("{name}.aqm.python"), parameters))
                }
                _ => None,
            },
        }
    }
}

/// Something to do with a discipline, compiled for each of them.
pub trait DisciplineVisitor<P> {
    /// Result of the visit.
    type Output;

    /// Visits the discipline.
    fn visit<D: Discipline<P>>(self, discipline: &mut D) -> Self::Output;
}

impl<P: Packet> AnyDiscipline<P> {
    /// Calls `visitor` with the type of the discipline.
    #[inline]
    pub fn visit<V: DisciplineVisitor<P>>(&mut self, visitor: V) -> V::Output {
        each!(self, discipline => visitor.visit(discipline))
    }

    /// Returns true if both disciplines are of one kind.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        core::mem::discriminant(self) == core::mem::discriminant(other)
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
    fn upcoming(&self, others: usize) -> Option<&P> {
        each!(self, discipline => discipline.upcoming(others))
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        each!(self, discipline => discipline.backlog())
    }

    #[inline]
    fn packets(&self) -> u32 {
        each!(self, discipline => discipline.packets())
    }

    fn drops_on_departure(&self) -> bool {
        each!(self, discipline => discipline.drops_on_departure())
    }

    fn classes(&self) -> &'static [&'static str] {
        each!(self, discipline => discipline.classes())
    }

    fn class_backlog(&self, class: usize) -> Backlog {
        each!(self, discipline => discipline.class_backlog(class))
    }

    #[inline]
    fn ready_at(&self) -> Instant {
        each!(self, discipline => discipline.ready_at())
    }

    #[inline]
    fn next_update(&self) -> Option<Instant> {
        each!(self, discipline => discipline.next_update())
    }

    fn update(&mut self, now: Instant) {
        each!(self, discipline => discipline.update(now));
    }

    fn drain(&mut self, into: &mut Vec<(P, Instant)>) {
        each!(self, discipline => discipline.drain(into));
    }

    fn restore(&mut self, packet: P, arrived: Instant) {
        each!(self, discipline => discipline.restore(packet, arrived));
    }

    fn take_over(&mut self, former: &mut Self, now: Instant) {
        take_over(self, former, now);
    }

    fn begin(&mut self, now: Instant) {
        each!(self, discipline => discipline.begin(now));
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        each!(self, discipline => discipline.on_rate(rate, now));
    }

    fn mechanism(&self) -> Mechanism<'_> {
        each!(self, discipline => discipline.mechanism())
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
