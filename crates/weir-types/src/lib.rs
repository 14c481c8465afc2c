//! Types shared by all crates: time, rates, ECN, quantities, random streams.
//!
//! Nothing here reads a clock, draws from a global generator or does I/O.
//!
//! ```
//! use weir_types::{Duration, Instant, Rate};
//!
//! let rate: Rate = "64 Mbit/s".parse().unwrap();
//! let packet = rate.time_to_send(1000);
//! assert_eq!(packet, Duration::from_micros(125));
//! assert_eq!(Instant::ZERO + packet, Instant::from_nanos(125_000));
//! ```
#![cfg_attr(not(feature = "serde"), no_std)]

extern crate alloc;

mod decimal;
mod ecn;
mod error;
mod quantity;
mod random;
mod rate;
mod time;

pub use ecn::Ecn;
pub use error::{Invalid, UnitError};
pub use quantity::{Buffer, Bytes, Level, PacketSize, Packets, Probability, quantity};
pub use random::{Rng, Streams};
pub use rate::{Rate, TransmitClock};
pub use time::{Duration, Instant};
