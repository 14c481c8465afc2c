//! TCP endpoints as state machines. Windows and sequence numbers count segments, as in the
//! models and in ns-2's one-way TCP; a segment's size is constant within a flow.
//!
//! The endpoints do no I/O: callers pass the time and get segments and deadlines.
//!
//! ```text
//!            poll_segment(now) ──► Segment ──►  network  ──► Receiver::on_segment ─┐
//!  Sender                                                                          │ ACK
//!            on_ack(ack, now)  ◄───────────────  network  ◄────────────────────────┘
//!            on_timeout(now)   ◄── when `timeout()` has passed
//! ```
//!
//! ```
//! use std::sync::Arc;
//! use weir_tcp::{Receiver, Sender, TcpParameters};
//! use weir_types::{Duration, Instant};
//!
//! let tcp = Arc::new(TcpParameters::default());
//! let mut sender = Sender::new(0, 1000, tcp.clone());
//! let mut receiver = Receiver::new(0, &tcp);
//! let mut now = Instant::ZERO;
//! sender.start();
//! let segment = sender.poll_segment(now).unwrap();
//! now += Duration::from_millis(80);
//! let ack = receiver.on_segment(&segment, now).unwrap();
//! sender.on_ack(&ack, now);
//! assert_eq!(sender.acked(), 1);
//! ```
#![cfg_attr(not(feature = "serde"), no_std)]

extern crate alloc;

pub mod accecn;
pub mod congestion;
mod declared;
mod pacing;
mod parameters;
mod preset;
mod receiver;
pub mod recovery;
mod segment;
mod sender;

pub use declared::Declared;
pub use pacing::PacingParameters;
pub use parameters::{AppropriateByteCounting, MinRtoBounds, TcpParameters};
pub use preset::{PresetKey, TcpPreset};
pub use receiver::Receiver;
pub use segment::{Flags, Header, Segment};
pub use sender::{Counters, Sender};
