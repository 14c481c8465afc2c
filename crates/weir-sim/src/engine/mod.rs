//! Time: what happens next.

mod calendar;
mod event;
mod heap;
mod prefetch;

pub(crate) use calendar::Calendar;
pub(crate) use event::Event;
pub(crate) use prefetch::prefetch;
