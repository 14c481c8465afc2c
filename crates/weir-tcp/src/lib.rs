#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "serde"), no_std)]

extern crate alloc;

pub mod accecn;
pub mod congestion;
mod declared;
mod options;
mod pacing;
mod parameters;
mod preset;
mod receiver;
pub mod recovery;
mod segment;
mod sender;

pub use declared::Declared;
pub use options::{AckOptions, BLOCKS, Block};
pub use pacing::PacingParameters;
pub use parameters::{AppropriateByteCounting, MinRtoBounds, TcpParameters};
pub use preset::{PresetKey, TcpPreset};
pub use receiver::{Receiver, Reporter};
pub use segment::{Flags, Header, Segment};
pub use sender::{Counters, Sender};
