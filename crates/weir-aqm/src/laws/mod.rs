//! The laws: what decides. One file each; the header gives equation and source, the
//! parameters their units, defaults and origin.

mod drop_tail;
mod red;
mod rem;

use weir_types::{Duration, Instant, Invalid, Rate, Rng};

pub use drop_tail::{DropTail, DropTailParameters};
pub use red::{Red, RedParameters, Spacing, Steps};
pub use rem::{MarkAt, Rem, RemParameters, Watches};

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

/// The registry. A law is one file and one line here: its name in scenario files, its
/// variant, its parameters. From this come the configuration with its schema, the closed
/// set with its dispatch, and the list that is shown to people.
macro_rules! laws {
    ($($(#[$doc:meta])* $name:literal $variant:ident($parameters:ident)),* $(,)?) => {
        /// A choice of law with its parameters: `aqm.red = { max_th = "80 packets" }`.
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
        pub enum AqmConfig {
            $($(#[$doc])* #[cfg_attr(feature = "serde", serde(rename = $name))] $variant($parameters),)*
        }

        impl AqmConfig {
            /// The names of all laws, in the order of the registry.
            pub const NAMES: &[&str] = &[$($name),*];

            /// The name of the chosen law.
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name),* }
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
                match self { $(Self::$variant(parameters) => parameters.check()),* }
            }

            /// The law, before `link`, drawing from `rng`. Call [`AqmConfig::check`] first.
            pub fn build(&self, link: Link, rng: Rng) -> AnyAqm {
                match self { $(Self::$variant(parameters) => AnyAqm::$variant(parameters.build(link, rng))),* }
            }
        }

        /// Any law of the registry, dispatched by a match: as fast as calling it directly
        /// but for one predictable branch.
        #[derive(Clone, Debug)]
        pub enum AnyAqm {
            $(#[doc = concat!("`", $name, "`")] $variant($variant)),*
        }

        impl Aqm for AnyAqm {
            #[inline]
            fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
                match self { $(Self::$variant(law) => law.on_enqueue(packet, queue, now)),* }
            }

            #[inline]
            fn on_dequeue(&mut self, packet: PacketInfo, sojourn: Duration, queue: Backlog, now: Instant) -> Verdict {
                match self { $(Self::$variant(law) => law.on_dequeue(packet, sojourn, queue, now)),* }
            }

            #[inline]
            fn on_idle(&mut self, now: Instant) {
                match self { $(Self::$variant(law) => law.on_idle(now)),* }
            }

            fn on_rate(&mut self, rate: Rate, now: Instant) {
                match self { $(Self::$variant(law) => law.on_rate(rate, now)),* }
            }

            #[inline]
            fn next_update(&self) -> Option<Instant> {
                match self { $(Self::$variant(law) => law.next_update()),* }
            }

            // Rare, and kept out of line: inlined, its arithmetic is hoisted in front of the match
            // and done for laws that have no such variables, on whatever bytes are there. As
            // subnormal numbers those cost DropTail 150 ns a packet.
            #[inline(never)]
            fn update(&mut self, queue: Backlog, now: Instant) {
                match self { $(Self::$variant(law) => law.update(queue, now)),* }
            }

            fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
                match self { $(Self::$variant(law) => law.probe(record)),* }
            }
        }
    };
}

laws! {
    /// DropTail: packets are dropped when the buffer is full, and only then.
    "drop-tail" DropTail(DropTailParameters),
    /// RED, Random Early Detection (Floyd and Jacobson, 1993): signals with a probability
    /// that grows with the average queue; gentle, spacing and ns-2's habits are options.
    "red" Red(RedParameters),
    /// REM, Random Exponential Marking (Athuraliya, Li, Low and Yin, 2001): a price
    /// integrates the mismatch of rate and queue; packets are signalled with a probability
    /// exponential in it.
    "rem" Rem(RemParameters),
}
