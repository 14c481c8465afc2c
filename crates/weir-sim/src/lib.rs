//! The discrete-event simulator.
//!
//! ```text
//! Scenario ──► Simulation ──run──► Measurements ──► Tables
//!
//!   sender ─pipe─► port ─pipe─► … ─pipe─► receiver       data
//!   sender ◄─pipe─ … ◄─pipe─ port ◄─pipe─ receiver       ACKs; the reverse queue is optional
//! ```
//!
//! A *pipe* holds the packets that propagate over one delay, in order. The event queue holds one event per
//! pipe, port and timer, never one per packet.
//!
//! | Module | Contents | Uses |
//! |---|---|---|
//! | `engine` | events and their queue | |
//! | `record` | counters, histograms, series; the `Recorder` | |
//! | `network` | ports, pipes, impairments, routing; the `PacketObserver` trait | `engine`, `record` |
//! | `endpoints` | senders and receivers of all flows, with their timers | `engine`, `record` |
//! | `traffic` | finite flows, sources of datagrams | all above |
//! | `simulation` | one match over all events | all above |
//! | `capture` | pcapng files: an observer of the network | `network`, `record` |
//! | `tables` | measures derived from the counters | `record` |
//! | `batch` | many runs on all cores | `simulation`, `capture` |

mod batch;
mod capture;
mod endpoints;
mod engine;
mod network;
mod packet;
mod record;
mod simulation;
mod tables;
mod traffic;

pub use batch::{Batch, Job, ThreadWrapper};
pub use capture::{Capture, CaptureError};
pub use record::{Measurements, RESULTS_VERSION, Series};
pub use simulation::{Monitor, Simulation, Stopped};
pub use tables::{Column, GroupRows, Names, Table, Tables};
