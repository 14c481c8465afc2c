//! Queue disciplines, as a router would import them.
//!
//! An **AQM** ([`Aqm`]) decides, a **queue discipline** ([`Discipline`]) holds packets, a **port**
//! ([`Port`]) transmits them. None of them reads a clock, uses a global random generator or does I/O.
//!
//! ```text
//!            offer(packet, now)                       sent(packet, start, end)
//!  arrivals ───────────────────►  Port ─────────────────────────────────────►  wire
//!                                  │ enqueue, dequeue
//!                              Discipline ──────► Observer: dropped, marked
//!                                  │ on_enqueue, on_dequeue, update
//!                                 Aqm ──► Verdict: pass, mark, drop
//! ```
//!
//! An AQM without a queue discipline:
//!
//! ```
//! use weir_aqm::{Aqm, Backlog, Limit, Link, PacketInfo, Verdict, aqm::RemParameters};
//! use weir_types::{Duration, Ecn, Instant, Streams};
//!
//! let limit = Limit::Packets(120);
//! let link = Link { rate: "64 Mbit/s".parse().unwrap(), mean_packet: 1000, limit, rtt: Duration::ZERO };
//! let mut rem = RemParameters::default().build(link, Streams::new(1).at("aqm"));
//!
//! let packet = PacketInfo { bytes: 1000, ecn: Ecn::Ect0, flow: 0 };
//! let queue = Backlog { packets: 30, bytes: 30_000, limit };
//! let verdict = rem.on_enqueue(packet, queue, Instant::ZERO);
//! assert_eq!(verdict, Verdict::Pass); // the price starts at 0
//! let due = rem.next_update().unwrap();
//! rem.update(queue, due);
//! ```
#![cfg_attr(not(feature = "serde"), no_std)]

extern crate alloc;

pub mod aqm;
mod backlog;
mod packet;
pub mod parts;
mod port;
pub mod qdisc;
mod service;
mod verdict;

pub use aqm::Aqm;
pub use backlog::{Backlog, Limit, Link};
pub use packet::{Packet, PacketInfo};
pub use port::{Output, Port, PortMut, PortVisitor};
pub use qdisc::{Discipline, Observer};
pub use service::{Capacity, DeliveryTrace, RateSchedule, Service, Supply, TokenBucket};
pub use verdict::{Reason, Verdict};
