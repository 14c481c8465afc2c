#![doc = include_str!("../README.md")]
//!
//! ```text
//! Scenario ──► Simulation ──run──► Measurements ──► Tables
//!
//!   sender ─pipe─► port ─pipe─► … port ──────► receiver       data
//!   sender ◄─────── … ◄─pipe─ port ◄─pipe─ receiver           ACKs; the reverse queue is optional
//! ```
//!
//! A *pipe* holds the packets that propagate to a port over one delay, in order. The event queue holds one
//! event per pipe and port, never one per packet. Behind the last port there are no events: the endpoints act
//! ahead of the clock; `hosts/ahead.rs` has the rule. Retransmission timers wait in buckets; see `hosts/timers.rs`.
//!
//! | Module | Contents | Uses |
//! |---|---|---|
//! | `engine` | events and their queue | |
//! | `memory` | what runs allocate, and its limit | |
//! | `monitor` | watches and stops a run | `memory` |
//! | `record` | counters, histograms, series; the `Recorder` | |
//! | `hosts` | senders and receivers with their timers, routing, and the pipes to the ports; look-ahead | `engine`, `record` |
//! | `network` | ports and impairments; the `PacketObserver` trait | `engine`, `record`, `hosts` |
//! | `traffic` | finite flows, sources of datagrams | all above |
//! | `simulation` | one match over all events | all above |
//! | `capture` | pcapng files: an observer of the network | `network`, `record` |
//! | `tables` | measures derived from the counters | `record` |
//! | `batch` | many runs on all cores | `simulation`, `capture` |

// A browser has neither threads nor files, and so no batch and no captures.
#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports))]

#[cfg(not(target_family = "wasm"))]
mod batch;
mod capture;
mod engine;
mod hosts;
mod memory;
mod monitor;
mod network;
mod packet;
mod record;
mod simulation;
mod tables;
mod traffic;

#[cfg(not(target_family = "wasm"))]
pub use batch::{Batch, Job, Measured, Work};
pub use capture::{Capture, CaptureError};
pub use memory::{CountingAllocator, Exceeded, Memory, Part, Share};
pub use monitor::{Monitor, Stopped};
pub use record::{Measurements, RESULTS_VERSION, Series};
pub use simulation::{Followed, Place, Simulation, Step};
pub use tables::{Column, GroupRows, Jain, Lists, Names, Table, Tables};
pub use traffic::mean_size;
