//! Scenarios as systems of the fluid model.
//!
//! Ports, paths, load, rates and round trips are those of the scenario's network. Parameters of queues and congestion
//! controls are those of the scenario with every default written out, and what its changes make of them.

mod around;
mod found;
mod load;
mod queues;
mod reader;
mod senders;
mod table;
mod timeline;

pub use found::{Flag, Look, Queue, Reading};
pub use queues::pi_gains;
pub use reader::Reader;
pub use timeline::Timeline;
