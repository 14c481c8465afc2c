#![doc = include_str!("../README.md")]

mod delays;
mod losses;

pub use delays::{Line, Passage};
pub use losses::Losses;

/// Counts of a port and its line since the start of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Packets that came to the queue.
    pub arrivals: u64,
    /// Packets sent.
    pub departures: u64,
    /// Packets that the queue dropped.
    pub drops: u64,
    /// Packets that the queue marked.
    pub marks: u64,
    /// Packets that the line lost.
    pub lost: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Sum of sojourn times, in nanoseconds.
    pub waited: u64,
}
