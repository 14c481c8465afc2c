#![doc = include_str!("../README.md")]
//!
//! ```text
//!  near end ──read──► stamp ──► ports in virtual time ──when due──write──► far end      one thread
//!  near end ◄──write──────── ports in virtual time ◄──────── stamp ◄──read── far end    another
//! ```
//!
//! The ports are those of the simulator ([`weir_aqm::Port`]), driven by the clock of the machine. They act at the
//! instants that were due, so that a wake-up that comes late delays a packet but changes no decision. Packets that came
//! are kept, as a trace; a simulation of that trace makes the same decisions, and the tables of the run.
//!
//! | Module | Contents |
//! |---|---|
//! | `checksum`, `frame`, `offload` | IP packets: read, marked, cut |
//! | `device` | TUN devices and packet sockets |
//! | `around`, `slots`, `flows`, `counts` | the time of a run, memory for packets, their flows, what became of them |
//! | `capture` | a pcapng file of what leaves |
//! | `chain` | the ports of one direction, in virtual time |
//! | `kernel`, `between` | a queue of the kernel in the place of a port; which of both is there |
//! | `direction` | the thread of one direction |
//! | `relay` | both directions, from outside |

// Namespaces, TUN devices and packet sockets are those of Linux.
#![cfg(target_os = "linux")]

mod around;
mod between;
mod capture;
mod chain;
mod checksum;
mod counts;
mod device;
mod direction;
mod flows;
mod frame;
mod kernel;
mod offload;
mod relay;
mod slots;
#[cfg(test)]
mod tests;

pub use between::LinkState;
pub use chain::LinkName;
pub use device::End;
pub use direction::{Finished, Lateness, State};
pub use flows::FlowCounts;
pub use frame::{FlowKey, Parsed, mark, parse};
pub use kernel::{Passed, Router};
pub use relay::{Relay, RelayResult};
