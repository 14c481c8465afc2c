//! The disciplines: how packets wait and in which order they leave.

mod fifo;
mod line;

pub use fifo::Fifo;
pub use line::Line;
