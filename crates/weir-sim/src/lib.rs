//! The discrete-event simulator.
//!
//! ```text
//!            Scenario ──build──► World ──run──► Measurements
//!
//!   sender ─pipe─► port ─pipe─► … ─pipe─► receiver       data
//!   sender ◄─pipe─ … ◄─pipe─ port ◄─pipe─ receiver       ACKs, if a reverse queue is asked for
//! ```
//!
//! A *pipe* holds the packets that propagate over one delay, in order: the calendar holds one
//! event per pipe and per timer, never one per packet.

mod batch;
mod build;
mod capture;
mod engine;
mod measure;
mod network;
mod packet;
mod results;
mod traffic;
mod world;

pub use batch::{Around, Batch, Job};
pub use capture::{Capture, CaptureError};
pub use measure::{Measurements, Series};
pub use packet::Packet;
pub use results::{Column, GroupRows, Names, Table, Tables};
pub use world::{Monitor, Stopped, World};

/// Grows when the same scenario and seed would give other numbers.
pub const RESULTS_VERSION: u32 = 1;
