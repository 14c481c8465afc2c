//! A law that lives outside of this crate: written by a user, in another language, run by a
//! [`Host`] that was found for it. Here it is a law like any other.

use alloc::{boxed::Box, collections::BTreeMap, string::String, sync::Arc};
use core::fmt;

use weir_types::{Duration, Instant, Invalid, Rate, Rng};

use crate::{Aqm, Backlog, Link, PacketInfo, Verdict};

/// Makes laws of one class.
pub trait Host: Send + Sync {
    /// The law, before `link`; whatever it draws, it draws from `rng`.
    fn build(&self, link: Link, rng: Rng) -> Box<dyn Aqm>;
}

/// A value that is handed on to a class as it stands in a scenario file.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(
        untagged,
        expecting = "a parameter of a class is one value; hint: write a number, a text, true or false"
    )
)]
pub enum Setting {
    /// `true` or `false`.
    Switch(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// A law of one's own: a class in Python that is named by its import path.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct PythonParameters {
    /// Where the class is: `"package.module:Class"`.
    pub class: String,
    /// What the class is given by name when a law is made. Default: nothing.
    #[cfg_attr(feature = "serde", serde(default))]
    pub parameters: BTreeMap<String, Setting>,
    /// Mark packets that are ECN-capable instead of dropping them. Default: off.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ecn: bool,
    /// What the file with the class held, as a digest: filled in when the class is found, and
    /// compared with it where it is written down, so that a result is one of this class as it was.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub source: Option<String>,
    /// Who makes the law; set once the class has been found.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub host: Found,
}

impl PythonParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        let is_path = |(module, class): (&str, &str)| !module.is_empty() && !class.is_empty();
        Invalid::unless(
            self.class.split_once(':').is_some_and(is_path),
            "class",
            alloc::format!("\"{}\" is not the import path of a class", self.class),
            "write \"package.module:Class\"",
        )
    }

    /// The law.
    ///
    /// # Panics
    /// If nobody has looked for the class: whoever reads a scenario that may hold such laws does.
    pub fn build(&self, link: Link, rng: Rng) -> Hosted {
        let Found(host) = &self.host;
        Hosted(host.as_ref().unwrap_or_else(|| panic!("nobody hosts {}", self.class)).build(link, rng))
    }
}

/// The host of a class, if it has been found. Parameters are the same whoever hosts the class.
#[derive(Clone, Default)]
pub struct Found(pub Option<Arc<dyn Host>>);

impl PartialEq for Found {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "found" } else { "not looked for" })
    }
}

/// A law that somebody hosts.
pub struct Hosted(Box<dyn Aqm>);

impl fmt::Debug for Hosted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hosted")
    }
}

impl Aqm for Hosted {
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        self.0.on_enqueue(packet, queue, now)
    }

    fn on_dequeue(&mut self, packet: PacketInfo, sojourn: Duration, queue: Backlog, now: Instant) -> Verdict {
        self.0.on_dequeue(packet, sojourn, queue, now)
    }

    fn on_idle(&mut self, now: Instant) {
        self.0.on_idle(now);
    }

    fn on_overflow(&mut self, packets: u32, now: Instant) {
        self.0.on_overflow(packets, now);
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        self.0.on_rate(rate, now);
    }

    fn next_update(&self) -> Option<Instant> {
        self.0.next_update()
    }

    fn update(&mut self, queue: Backlog, now: Instant) {
        self.0.update(queue, now);
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.0.probe(record);
    }
}
