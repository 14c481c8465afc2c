#![doc = include_str!("../README.md")]
//!
//! ```text
//! q' = sum of N_i W_i / R_i + u - C,    0 <= q <= B,  q' cut at both ends,    R_i(t) = d_i + q(t) / C
//! ```
//!
//! with windows as in [`WindowModel`], each answering the p of a round trip ago.

mod aqm;
mod cohort;
mod course;
mod error;
mod given;
mod integration;
mod past;
mod point;
mod reading;
mod run;
mod start;
mod statistics;
mod system;

pub use aqm::{Adapts, Aqm, Avq, Hred, Integrator, PIE_SCALE, Red, Shape, Spacing, Step};
pub use course::{Course, Windows};
pub use error::TheoryError;
pub use given::{Integration, Phase};
pub use reading::{Flag, Look, Queue, Reader, Reading, Timeline, pi_gains};
pub use start::Start;
pub use statistics::student_t;
pub use system::{Group, System, WindowModel};
