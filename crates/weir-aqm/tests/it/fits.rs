//! Laws and disciplines that are not there yet, in the least that works, to show that the
//! traits are wide enough for them: CoDel as a verdict per head, PIE with its timer and both
//! ends of the queue, FQ-CoDel and DualPI2 as disciplines of their own.

mod codel;
mod codel_loop;
mod dual_pi2;
mod fair;
mod pie;
