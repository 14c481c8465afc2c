#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

pub mod accecn;
pub mod congestion;
mod connection;
mod options;
mod parameters;
mod preset;
mod receiver;
pub mod recovery;
mod segment;
mod sender;
mod transport;

pub use connection::Counters;
pub use options::{AckOptions, BLOCKS, Block};
pub use parameters::{AppropriateByteCounting, Declared, MinRtoBounds, PacingParameters, TcpParameters};
pub use preset::{PresetKey, TcpPreset};
pub use receiver::{Receiver, Reporter};
pub use segment::{Flags, Header, Label, Segment};
pub use sender::Sender;
