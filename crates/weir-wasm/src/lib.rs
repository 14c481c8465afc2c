//! The WebAssembly binding: scenarios and simulations for JavaScript. Nothing is decided here.

pub mod edit;
pub mod fluid;
pub mod lesson;
pub mod list;
pub mod mechanism;
mod network;
pub mod scenario;
pub mod settings;
pub mod simulation;
mod tables;
