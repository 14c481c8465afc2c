//! The endpoints through their public interface, in one binary.

mod physics;
mod reference;
mod rfc6582;
mod wire;
