//! Results of reading a scenario.

use serde::Serialize;

use crate::{Aqm, System};

/// A system at an instant.
#[derive(Clone, Debug, Serialize)]
pub struct Reading {
    /// The system.
    pub system: System,
    /// Reasons for which predictions may fail.
    pub flags: Vec<Flag>,
    /// The port of the queue: `LINK` or `LINK.reverse`.
    pub port: String,
    /// The instant, seconds.
    pub at: f64,
    /// Bytes of a packet.
    pub packet_bytes: u32,
    /// The discipline of the queue.
    pub discipline: String,
}

/// Why some predictions may fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flag {
    /// Its name.
    pub code: &'static str,
    /// The reason.
    pub text: String,
}

/// A queue at an instant.
#[derive(Clone, Debug, Serialize)]
pub struct Queue {
    /// The discipline.
    pub discipline: String,
    /// C, packets per second.
    pub capacity: f64,
    /// B, packets.
    #[serde(skip_serializing_if = "crate::system::is_unbounded")]
    pub buffer: f64,
    /// The model of its AQM, if there is one.
    pub aqm: Option<Aqm>,
    /// Why it has none.
    pub why: Option<String>,
}

/// Where to look: the bottleneck if no link is named, and b of Reno's fluid.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// `LINK` or `LINK.reverse`.
    pub link: Option<&'a str>,
    /// 2/3 agrees with packets, papers have 1/2.
    pub cut: f64,
}
