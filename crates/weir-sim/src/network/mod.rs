//! What lies between the endpoints.

mod access;
mod line;
mod pipe;
mod port;
mod route;

pub(crate) use access::Access;
pub(crate) use line::Line;
pub(crate) use pipe::{Pipe, Pipes, To};
pub(crate) use port::{Extras, Outbox, PortSide, PortSlot, SimPort, Ways};
pub(crate) use route::{Entry, Hop, Route};
