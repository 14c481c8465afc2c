//! AQMs in Python: an [`AqmFactory`] outside this crate makes them.

use alloc::{boxed::Box, collections::BTreeMap, string::String, sync::Arc};
use core::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid, Rate, Rng};

use crate::{Aqm, Backlog, Link, PacketInfo, Verdict};

/// Makes AQMs from one class.
pub trait AqmFactory: Send + Sync {
    /// A new AQM for `link` with the random stream `rng`.
    fn build(&self, link: Link, rng: Rng) -> Box<dyn Aqm>;
}

/// An argument of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a parameter of a class is one value; hint: write a number, a text, true or false"
)]
pub enum ClassArgument {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// A user's AQM: a Python class, named by its import path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PythonParameters {
    /// Import path of the class: `"package.module:Class"`.
    pub class: String,
    /// Keyword arguments of the class.
    #[serde(default)]
    pub parameters: BTreeMap<String, ClassArgument>,
    /// Mark ECN-capable packets instead of dropping them.
    #[serde(default)]
    pub ecn: bool,
    /// Digest of the class's file. Weir fills it in when it loads the class and checks it in stored
    /// scenarios.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "filled in"))]
    pub source: Option<String>,
    /// Makes the AQM; set when the class is loaded.
    #[serde(skip)]
    pub factory: LoadedClass,
}

impl PythonParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        let is_path = |(module, class): (&str, &str)| !module.is_empty() && !class.is_empty();
        Invalid::unless(
            self.class.split_once(':').is_some_and(is_path),
            "class",
            alloc::format!("\"{}\" is not the import path of a class", self.class),
            "write \"package.module:Class\"",
        )?;
        let is_finite = |argument: &ClassArgument| !matches!(argument, ClassArgument::Number(value) if !value.is_finite());
        Invalid::unless(
            self.parameters.values().all(is_finite),
            "parameters",
            "a parameter is not a finite number",
            "write a finite one: stored scenarios cannot hold inf and nan",
        )
    }

    /// The AQM.
    ///
    /// # Panics
    /// If the class has not been loaded.
    pub fn build(&self, link: Link, rng: Rng) -> PythonAqm {
        let LoadedClass(factory) = &self.factory;
        PythonAqm(factory.as_ref().unwrap_or_else(|| panic!("{} is not loaded", self.class)).build(link, rng))
    }
}

/// The factory of a class, if it is loaded. All factories compare equal.
#[derive(Clone, Default)]
pub struct LoadedClass(pub Option<Arc<dyn AqmFactory>>);

impl PartialEq for LoadedClass {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for LoadedClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "found" } else { "not looked for" })
    }
}

/// An AQM made by an [`AqmFactory`].
pub struct PythonAqm(Box<dyn Aqm>);

impl fmt::Debug for PythonAqm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PythonAqm")
    }
}

impl Aqm for PythonAqm {
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        self.0.on_enqueue(packet, queue, now)
    }

    fn on_dequeue(&mut self, packet: PacketInfo, sojourn: Duration, queue: Backlog, now: Instant) -> Verdict {
        self.0.on_dequeue(packet, sojourn, queue, now)
    }

    fn drops_on_departure(&self) -> bool {
        true
    }

    fn on_idle(&mut self, now: Instant) {
        self.0.on_idle(now);
    }

    /// Does nothing: the state of a class is in its object, and scenarios refuse to change a Python AQM in mid-run.
    fn take_over(&mut self, _former: &Self) {}

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
