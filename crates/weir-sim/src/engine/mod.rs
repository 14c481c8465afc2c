//! Simulated time: events and their queue.

mod due_times;
mod event;
mod event_queue;
mod heap;
mod prefetch;

pub(crate) use event::Event;
pub(crate) use event_queue::EventQueue;
pub(crate) use prefetch::prefetch;
