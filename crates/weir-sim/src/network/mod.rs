//! What lies between the endpoints.

mod access;
mod pipe;
mod port;
mod route;

pub(crate) use access::Access;
pub(crate) use pipe::{Pipe, Pipes, To};
pub(crate) use port::{Outbox, PortSlot, SimPort, Ways};
pub(crate) use route::{Entry, Hop, Route};
