#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod decimal;
mod dscp;
mod ecn;
mod error;
mod quantity;
mod random;
mod rate;
mod time;

pub use dscp::Dscp;
pub use ecn::Ecn;
pub use error::{Invalid, UnitError};
pub use quantity::{Buffer, Bytes, Level, PacketSize, Packets, Probability, quantity};
pub use random::{Draws, Rng, Streams};
pub use rate::{Rate, TransmitClock};
pub use time::{Duration, Instant};
