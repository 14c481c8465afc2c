//! Time: what happens next.

mod calendar;
mod event;

pub(crate) use calendar::Calendar;
pub(crate) use event::Event;
