//! Time: what happens next.

mod calendar;
mod event;
mod heap;

pub(crate) use calendar::Calendar;
pub(crate) use event::Event;
