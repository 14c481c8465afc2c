//! Lessons: a Markdown file with a scenario, a question, and answers that a simulation decides.
//!
//! ````markdown
//! # Bufferbloat
//!
//! TCP fills any buffer. A sender slows down only after a packet is lost.
//!
//! ```toml
//! schema = 1
//! name = "bufferbloat"
//! ...
//! ```
//!
//! ## Predict
//!
//! The buffer shrinks from 600 to 150 packets. What happens to the delay of DropTail?
//!
//! - [x] It falls to less than half. `below 0.5`
//! - [ ] It stays as it is. `0.5 to 1.5`
//! - [ ] It grows. `above 1.5`
//!
//! Measured: `delay_mean in a / delay_mean in a before`
//!
//! ## Move
//!
//! `links.bottleneck.buffer = "150 packets"`
//!
//! ## Why
//!
//! A full buffer of 600 packets takes 240 ms to send, one of 150 takes 60.
//!
//! - The link stays busy. `utilisation in a` `above 97%`
//! ````
//!
//! Items below the reason are further claims, each with a quantity and its range.
//!
//! The answers are ranges of one measured [`Quantity`], and no two overlap. So whatever a student has set, the
//! simulation says which answer is right.

mod answers;
mod blocks;
mod lesson;
mod quantity;

pub use answers::{Answer, Claim, Range};
pub use lesson::{Lesson, Move};
pub use quantity::{MEASURES, Operation, Quantity, Term};
