#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

pub mod aqm;
mod backlog;
mod mechanism;
mod packet;
pub mod parts;
mod port;
pub mod qdisc;
mod service;
mod verdict;

pub use aqm::Aqm;
pub use backlog::{Backlog, Limit, Link};
pub use mechanism::{Curve, FlowQueue, Mechanism};
pub use packet::{Ack, AckKind, Label, Packet, PacketInfo};
pub use port::{Output, Port, PortMut, PortVisitor};
pub use qdisc::{Discipline, Observer};
pub use service::{Capacity, DeliveryTrace, Docsis, RateSchedule, Service, Supply, TokenBucket};
pub use verdict::{Reason, Verdict};
