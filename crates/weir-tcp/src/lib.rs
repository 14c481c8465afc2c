#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

pub mod accecn;
pub mod congestion;
mod connection;
mod options;
mod parameters;
mod receiver;
pub mod recovery;
mod segment;
mod sender;
mod transport;

pub use connection::Counters;
pub use options::{AckOptions, BLOCKS, Block};
pub use parameters::{
    AppropriateByteCounting, Declared, MinRtoBounds, PacingParameters, PresetKey, TcpParameters, TcpPreset,
};
pub use receiver::{Receiver, Reporter};
pub use segment::{Flags, Header, Segment};
pub use sender::Sender;
