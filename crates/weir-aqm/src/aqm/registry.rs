//! The list of all AQMs, and what is generated from it.

use alloc::vec::Vec;

use weir_types::{Duration, Instant, Invalid, Level, Rate, Rng};

use super::{Aqm, PythonAqm, PythonParameters, with_aqms};
use crate::{Backlog, Curve, Link, PacketInfo, Verdict};

/// Parameters without a queue length: those that have some list them in a method of their own.
pub(crate) trait NoLevels {
    fn levels(&mut self) -> Vec<&mut Level> {
        Vec::new()
    }
}

impl<T> NoLevels for T {}

/// Generates the configuration with its schema, and the closed enum of AQMs with its dispatch.
macro_rules! aqms {
    ($($(#[$doc:meta])* $name:literal $variant:ident($parameters:ident)),* $(,)?;) => {
        /// A choice of AQM with its parameters: `queue.red = { max_th = "80 packets" }`.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub enum AqmConfig {
            $($(#[$doc])* #[serde(rename = $name)] $variant(super::$parameters),)*
            /// A user's AQM in Python: `queue.python = { class = "package.module:Class" }`.
            #[serde(rename = "python")]
            Python(PythonParameters),
        }

        impl AqmConfig {
            /// The names of all AQMs that are ready to use, in the order of the registry.
            pub const NAMES: &[&str] = &[$($name),*];

            /// The name of the chosen AQM.
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* Self::Python(_) => "python" }
            }

            /// The AQM called `name` with its defaults.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant(Default::default())),)* _ => None }
            }

            /// Checks the parameters.
            ///
            /// # Errors
            /// Names the wrong parameter and says what to write.
            pub fn check(&self) -> Result<(), Invalid> {
                match self {
                    $(Self::$variant(parameters) => parameters.check(),)*
                    Self::Python(parameters) => parameters.check(),
                }
            }

            /// The queue lengths among the parameters.
            pub(crate) fn levels(&mut self) -> Vec<&mut Level> {
                match self {
                    $(Self::$variant(parameters) => parameters.levels(),)*
                    Self::Python(_) => Vec::new(),
                }
            }

            /// The AQM, before `link`, drawing from `rng`. Call [`AqmConfig::check`] first; no length is a time:
            /// [`Link::length`].
            pub fn build(&self, link: Link, rng: Rng) -> AnyAqm {
                match self {
                    $(Self::$variant(parameters) => AnyAqm::$variant(parameters.build(link, rng)),)*
                    Self::Python(parameters) => AnyAqm::Python(parameters.build(link, rng)),
                }
            }
        }

        /// Any AQM of the registry, dispatched by a match: as fast as calling it directly
        /// but for one predictable branch.
        #[derive(Debug)]
        pub enum AnyAqm {
            $(#[doc = concat!("`", $name, "`")] $variant(super::$variant),)*
            /// `python`
            Python(PythonAqm),
        }

        /// [`Aqm::take_over`], where both are of one kind.
        fn take_over(aqm: &mut AnyAqm, former: &AnyAqm) {
            match (aqm, former) {
                $((AnyAqm::$variant(aqm), AnyAqm::$variant(former)) => aqm.take_over(former),)*
                _ => {}
            }
        }

        /// Evaluates an expression with the AQM, compiled for each type.
        macro_rules! each_aqm {
            ($any:expr, $one:ident => $call:expr) => {
                match $any {
                    $(AnyAqm::$variant($one) => $call,)*
                    AnyAqm::Python($one) => $call,
                }
            };
        }
    };
}

/// An AQM's hook by itself: inlined into one match, all AQMs together would have each packet save
/// and restore what only some of them need.
#[inline(never)]
fn on_enqueue(aqm: &mut impl Aqm, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
    aqm.on_enqueue(packet, queue, now)
}

/// [`Aqm::on_dequeue`] by itself, for the reason of [`on_enqueue`].
#[inline(never)]
fn on_dequeue(
    aqm: &mut impl Aqm,
    packet: PacketInfo,
    sojourn: Duration,
    queue: Backlog,
    now: Instant,
) -> Verdict {
    aqm.on_dequeue(packet, sojourn, queue, now)
}

with_aqms!(aqms);

impl Aqm for AnyAqm {
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        each_aqm!(self, aqm => on_enqueue(aqm, packet, queue, now))
    }

    #[inline]
    fn on_dequeue(&mut self, packet: PacketInfo, sojourn: Duration, queue: Backlog, now: Instant) -> Verdict {
        each_aqm!(self, aqm => on_dequeue(aqm, packet, sojourn, queue, now))
    }

    fn drops_on_departure(&self) -> bool {
        each_aqm!(self, aqm => aqm.drops_on_departure())
    }

    #[inline]
    fn on_idle(&mut self, now: Instant) {
        each_aqm!(self, aqm => aqm.on_idle(now));
    }

    fn on_overflow(&mut self, packets: u32, now: Instant) {
        each_aqm!(self, aqm => aqm.on_overflow(packets, now));
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        each_aqm!(self, aqm => aqm.on_rate(rate, now));
    }

    #[inline]
    fn next_update(&self) -> Option<Instant> {
        each_aqm!(self, aqm => aqm.next_update())
    }

    // Rare, and kept out of line: inlined, its arithmetic is hoisted in front of the match and
    // executed for AQMs without such variables, on arbitrary bytes. Subnormal numbers there cost
    // DropTail 150 ns per packet.
    #[inline(never)]
    fn update(&mut self, queue: Backlog, now: Instant) {
        each_aqm!(self, aqm => aqm.update(queue, now));
    }

    fn take_over(&mut self, former: &Self) {
        take_over(self, former);
    }

    fn begin(&mut self, now: Instant) {
        each_aqm!(self, aqm => aqm.begin(now));
    }

    fn curve(&self, queue: Backlog) -> Option<Curve<'_>> {
        each_aqm!(self, aqm => aqm.curve(queue))
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        each_aqm!(self, aqm => aqm.probe(record));
    }
}
