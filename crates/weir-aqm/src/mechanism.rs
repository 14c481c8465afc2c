//! How a queue decides: what a picture of it shows beside the variables that `probe` reports.

use alloc::{boxed::Box, vec::Vec};
use core::fmt;

/// The probability of a signal as a function of one variable, with all that the AQM has learned so far.
pub struct Curve<'a> {
    /// Name of the variable. `probe` reports it; `queue` is the queue itself.
    pub variable: &'static str,
    /// Its value.
    pub value: f64,
    /// The value up to which the curve is worth drawing, from zero on.
    pub end: f64,
    /// The probability at a value.
    pub at: Box<dyn Fn(f64) -> f64 + 'a>,
}

impl fmt::Debug for Curve<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variable, value, end, .. } = self;
        write!(formatter, "Curve({variable} = {value}, up to {end})")
    }
}

/// One queue of a discipline that has many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowQueue {
    /// Number of its class in [`crate::Discipline::classes`]; 0 without classes.
    pub class: usize,
    /// The flow of the packet at its head.
    pub flow: u32,
    /// Waiting packets, at least one.
    pub packets: u32,
    /// It is served before the queues that have spent their first quantum.
    pub is_new: bool,
}

/// How a discipline decides at this moment.
#[derive(Debug, Default)]
pub struct Mechanism<'a> {
    /// The curve of its only AQM, if that has one.
    pub curve: Option<Curve<'a>>,
    /// The queues in which packets wait, if each flow has its own.
    pub queues: Vec<FlowQueue>,
}

impl<'a> From<Option<Curve<'a>>> for Mechanism<'a> {
    fn from(curve: Option<Curve<'a>>) -> Self {
        Self { curve, queues: Vec::new() }
    }
}
