//! The endpoints through their public interface, in one binary.

mod accecn;
mod anew;
mod congestion;
mod declared;
mod pacing;
mod physics;
mod presets;
mod recovery;
mod reference;
mod rfc6582;
mod wire;
