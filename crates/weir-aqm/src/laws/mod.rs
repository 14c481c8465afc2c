//! The laws: what decides. One file each; the header gives equation and source, the
//! parameters their units, defaults and origin.

mod adaptive_red;
mod avq;
mod blue;
mod cobalt;
mod codel;
mod drop_tail;
mod feng_red;
mod hosted;
mod hred;
mod modular;
mod nlred;
mod op_red;
mod pi;
mod pi2;
mod pie;
mod red;
mod rem;
mod sfb;
mod step;

use weir_types::{Duration, Instant, Invalid, Rate, Rng};

pub use adaptive_red::{AdaptiveRed, AdaptiveRedParameters};
pub use avq::{AdaptsTo, Avq, AvqParameters};
pub use blue::{Blue, BlueParameters};
pub use cobalt::{Cobalt, CobaltParameters};
pub use codel::{Codel, CodelParameters, InvSqrt};
pub use drop_tail::{DropTail, DropTailParameters};
pub use feng_red::{FengRed, FengRedParameters};
pub use hosted::{Found, Host, Hosted, PythonParameters, Setting};
pub use hred::{Hred, HredParameters};
pub use modular::{Measure, Modular, ModularParameters, Profile, SignalAt};
pub use nlred::{Nlred, NlredParameters};
pub use op_red::{Counts, OpRed, OpRedParameters, Progress, Retarget};
pub use pi::{Pi, PiDesign, PiParameters};
pub use pi2::{Pi2, Pi2Parameters};
pub use pie::{DelayFrom, Pie, PieParameters};
pub use red::{BySize, Red, RedParameters, Spacing, Steps};
pub use rem::{MarkAt, Price, Rem, RemParameters};
pub use sfb::{Sfb, SfbParameters};
pub use step::{Step, StepParameters};

use crate::{Aqm, Backlog, Link, PacketInfo, Verdict};

/// What to do with a packet that the law singles out by certainty: RED beyond its highest
/// threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Forced {
    /// Drop it, ECN-capable or not (RFC 3168, section 7; RFC 7567).
    #[default]
    Drop,
    /// Mark it if it can be marked.
    Mark,
}

/// Refuses a time between two updates or signals that would leave no time for anything else.
pub(crate) fn check_interval(interval: Duration, published: &str) -> Result<(), Invalid> {
    Invalid::unless(
        interval >= Duration::from_micros(10),
        "interval",
        alloc::format!("an interval of {interval} is too short"),
        alloc::format!("write at least \"10 us\"; {published}"),
    )
}

/// Refuses what no paper means by a gain: zero or less, or a million times what was `published`, with
/// which arithmetic comes to its end.
pub(crate) fn check_gain(gain: f64, parameter: &'static str, published: f64) -> Result<(), Invalid> {
    Invalid::unless_positive(gain, parameter)?;
    Invalid::unless(
        gain <= published * 1e6,
        parameter,
        alloc::format!("{gain:e} is far too much"),
        alloc::format!("the published value is {published}; write at most a million times that"),
    )
}

/// Refuses an interval in which no packet could wait for longer than the target.
pub(crate) fn check_target(target: Duration, interval: Duration) -> Result<(), Invalid> {
    Invalid::unless(
        target < interval,
        "target",
        alloc::format!("a target of {target} is not below the interval of {interval}"),
        "the interval is a round trip, and the target 5 to 10% of it (RFC 8289, section 4)",
    )
}

/// The registry. A law is one file and one line here: its name in scenario files, its
/// variant, its parameters. From this come the configuration with its schema, the closed
/// set with its dispatch, and the list that is shown to people.
macro_rules! laws {
    ($($(#[$doc:meta])* $name:literal $variant:ident($parameters:ident)),* $(,)?;) => {
        /// A choice of law with its parameters: `aqm.red = { max_th = "80 packets" }`.
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
        pub enum AqmConfig {
            $($(#[$doc])* #[cfg_attr(feature = "serde", serde(rename = $name))] $variant($parameters),)*
            /// A law of one's own, in Python: `aqm.python = { class = "package.module:Class" }`.
            #[cfg_attr(feature = "serde", serde(rename = "python"))]
            Python(PythonParameters),
        }

        impl AqmConfig {
            /// The names of all laws that are ready to use, in the order of the registry.
            pub const NAMES: &[&str] = &[$($name),*];

            /// The name of the chosen law.
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* Self::Python(_) => "python" }
            }

            /// The law called `name` with its defaults.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant(Default::default())),)* _ => None }
            }

            /// Whether the parameters go together.
            ///
            /// # Errors
            /// Names the parameter that does not, and what to do.
            pub fn check(&self) -> Result<(), Invalid> {
                match self {
                    $(Self::$variant(parameters) => parameters.check(),)*
                    Self::Python(parameters) => parameters.check(),
                }
            }

            /// The law, before `link`, drawing from `rng`. Call [`AqmConfig::check`] first.
            pub fn build(&self, link: Link, rng: Rng) -> AnyAqm {
                match self {
                    $(Self::$variant(parameters) => AnyAqm::$variant(parameters.build(link, rng)),)*
                    Self::Python(parameters) => AnyAqm::Python(parameters.build(link, rng)),
                }
            }
        }

        /// Any law of the registry, dispatched by a match: as fast as calling it directly
        /// but for one predictable branch.
        #[derive(Debug)]
        pub enum AnyAqm {
            $(#[doc = concat!("`", $name, "`")] $variant($variant),)*
            /// `python`
            Python(Hosted),
        }

        /// The same of every law.
        macro_rules! each_law {
            ($any:expr, $one:ident => $call:expr) => {
                match $any {
                    $(AnyAqm::$variant($one) => $call,)*
                    AnyAqm::Python($one) => $call,
                }
            };
        }
    };
}

/// A law's hook by itself: inlined into one match, all laws together would have each packet save
/// and restore what only some of them need.
#[inline(never)]
fn on_enqueue(law: &mut impl Aqm, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
    law.on_enqueue(packet, queue, now)
}

/// The same for departures.
#[inline(never)]
fn on_dequeue(
    law: &mut impl Aqm,
    packet: PacketInfo,
    sojourn: Duration,
    queue: Backlog,
    now: Instant,
) -> Verdict {
    law.on_dequeue(packet, sojourn, queue, now)
}

/// The list itself, for whatever is made of it: a law is one entry here, with the sentence
/// that people are shown, its name in scenario files, its type and its parameters. What stands
/// behind the macro's name in the call comes after the laws.
macro_rules! with_laws {
    ($then:ident $($more:tt)*) => {
        $then! {
            /// DropTail: packets are dropped when the buffer is full, and only then.
            "drop-tail" DropTail(DropTailParameters),
            /// RED, Random Early Detection (Floyd and Jacobson, 1993): signals with a probability
            /// that grows with the average queue; gentle, spacing and ns-2's habits are options.
            "red" Red(RedParameters),
            /// REM, Random Exponential Marking (Athuraliya, Li, Low and Yin, 2001): a price
            /// integrates the mismatch of rate and queue; packets are signalled with a probability
            /// exponential in it.
            "rem" Rem(RemParameters),
            /// NLRED, Nonlinear RED (Zhou, Yeung and Li, 2006): RED with a parabola for its line,
            /// gentler at light load and harder at heavy load.
            "nlred" Nlred(NlredParameters),
            /// Self-configuring RED (Feng, Kandlur, Saha and Shin, 1999): RED that scales `max_p`
            /// whenever the average leaves the band.
            "feng-red" FengRed(FengRedParameters),
            /// Adaptive RED (Floyd, Gummadi and Shenker, 2001): RED that keeps its average in the
            /// middle of the band by additive increase and multiplicative decrease of `max_p`.
            "adaptive-red" AdaptiveRed(AdaptiveRedParameters),
            /// HRED, Hybrid RED (Joo and Bahk, 2002): a line over the whole buffer, on the queue
            /// itself, whose height adapts beyond two thresholds.
            "hred" Hred(HredParameters),
            /// OP-RED (ours, after Verma, Iyer and Karandikar, 2002): RED driven to an operating
            /// point of delay and loss, or as near as it can come.
            "op-red" OpRed(OpRedParameters),
            /// PI, the proportional-integral controller (Hollot, Misra, Towsley and Gong, 2001): the
            /// probability integrates the distance of the queue from a target.
            "pi" Pi(PiParameters),
            /// AVQ, the Adaptive Virtual Queue (Kunniyur and Srikant, 2001): signals what overflows a
            /// virtual queue whose capacity adapts to a desired utilisation.
            "avq" Avq(AvqParameters),
            /// Blue (Feng, Kandlur, Saha and Shin, 1999): the probability grows when packets are lost
            /// and shrinks when the line is idle.
            "blue" Blue(BlueParameters),
            /// SFB, Stochastic Fair Blue (Feng, Kandlur, Saha and Shin, 2001): a Blue for every bin of
            /// a hash of flows; flows that do not respond go through a penalty box.
            "sfb" Sfb(SfbParameters),
            /// A law put together (the REM paper, sections 2 and 3.3): any measure of congestion, in
            /// any profile, fed back in any way.
            "modular" Modular(ModularParameters),
            /// Step (DCTCP, RFC 8257): every packet that finds more than a threshold waiting is marked.
            "step" Step(StepParameters),
            /// CoDel, Controlled Delay (RFC 8289): signals at the head of the queue, ever faster, while
            /// no packet of an interval has waited less than a target.
            "codel" Codel(CodelParameters),
            /// COBALT, CoDel and Blue alternate (CAKE): remembers how fast it last had to signal, and
            /// drops at random from traffic that does not answer.
            "cobalt" Cobalt(CobaltParameters),
            /// PIE, Proportional Integral controller Enhanced (RFC 8033): a probability follows the
            /// delay and its growth, in steps that suit its size.
            "pie" Pie(PieParameters),
            /// PI2 (De Schepper, Bondarenko, Tsang and Briscoe, 2016): a PI controller on the delay,
            /// whose output is squared.
            "pi2" Pi2(Pi2Parameters),
            ;
            $($more)*
        }
    };
}
pub(crate) use with_laws;

with_laws!(laws);

impl Aqm for AnyAqm {
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        each_law!(self, law => on_enqueue(law, packet, queue, now))
    }

    #[inline]
    fn on_dequeue(&mut self, packet: PacketInfo, sojourn: Duration, queue: Backlog, now: Instant) -> Verdict {
        each_law!(self, law => on_dequeue(law, packet, sojourn, queue, now))
    }

    #[inline]
    fn on_idle(&mut self, now: Instant) {
        each_law!(self, law => law.on_idle(now));
    }

    fn on_overflow(&mut self, packets: u32, now: Instant) {
        each_law!(self, law => law.on_overflow(packets, now));
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        each_law!(self, law => law.on_rate(rate, now));
    }

    #[inline]
    fn next_update(&self) -> Option<Instant> {
        each_law!(self, law => law.next_update())
    }

    // Rare, and kept out of line: inlined, its arithmetic is hoisted in front of the match
    // and done for laws that have no such variables, on whatever bytes are there. As
    // subnormal numbers those cost DropTail 150 ns a packet.
    #[inline(never)]
    fn update(&mut self, queue: Backlog, now: Instant) {
        each_law!(self, law => law.update(queue, now));
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        each_law!(self, law => law.probe(record));
    }
}
