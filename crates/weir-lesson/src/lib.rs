#![doc = include_str!("../README.md")]

mod answers;
mod blocks;
mod lesson;
mod quantity;

pub use answers::{Answer, Claim, Range};
pub use lesson::{Lesson, Move};
pub use quantity::{MEASURES, Operation, Quantity, Term};
