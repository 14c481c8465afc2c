//! Retransmission timers.
//!
//! Every ACK moves the timeout of its flow, and hardly any timer expires. So a flow whose timeout lies far ahead
//! waits in a *bucket*, the span of time of that timeout, and stays there when the timeout moves. When the span
//! begins, the flow goes to the bucket of its present timeout; only what may expire within the span becomes an
//! event. In a heap of all timers, each of them would be sorted again and again without ever expiring.

use weir_types::Instant;

use super::Flow;
use crate::engine::{Event, EventQueue, prefetch};

/// A bucket is 2^24 ns = 17 ms long: a tenth of the least timeout.
const SPAN: u32 = 24;
/// Their number, for 17 s. Later timeouts are events at once.
const BUCKETS: u64 = 1024;
/// No flow.
const NONE: u32 = u32::MAX;

/// The buckets: lists of flows, linked through an array.
#[derive(Debug)]
pub(super) struct Timers {
    /// The first flow of bucket `n` is at `n % BUCKETS`.
    first: Vec<u32>,
    links: Vec<Link>,
    /// The first bucket whose span has not begun.
    next: u64,
    /// The bucket of the pending event; [`u64::MAX`] if there is none.
    scheduled: u64,
}

/// Where a flow waits.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// [`u64::MAX`] if it does not wait.
    bucket: u64,
    /// Its neighbours in the bucket.
    before: u32,
    after: u32,
}

const UNLINKED: Link = Link { bucket: u64::MAX, before: NONE, after: NONE };

impl Default for Timers {
    fn default() -> Self {
        Self { first: vec![NONE; BUCKETS as usize], links: Vec::new(), next: 0, scheduled: u64::MAX }
    }
}

const fn bucket_of(at: Instant) -> u64 {
    at.as_nanos() >> SPAN
}

impl Timers {
    /// A flow more.
    pub(super) fn add(&mut self) {
        self.links.push(UNLINKED);
    }

    /// Has `flow` looked at no later than `at`: by [`Timers::on_span`] or [`Event::Timer`].
    #[inline]
    pub(super) fn set(&mut self, flow: u32, at: Instant, events: &mut EventQueue) {
        let bucket = bucket_of(at);
        if self.links[flow as usize].bucket > bucket {
            self.set_otherwise(flow, at, bucket, events);
        }
    }

    /// The same of a flow that does not wait, or only for a later bucket.
    #[inline(never)]
    fn set_otherwise(&mut self, flow: u32, at: Instant, bucket: u64, events: &mut EventQueue) {
        if bucket < self.next || bucket >= self.next + BUCKETS {
            return events.push(at, Event::Timer(flow));
        }
        self.unlink(flow);
        let after = std::mem::replace(&mut self.first[(bucket % BUCKETS) as usize], flow);
        self.links[flow as usize] = Link { bucket, before: NONE, after };
        if let Some(after) = self.links.get_mut(after as usize) {
            after.before = flow;
        }
        if bucket < self.scheduled {
            self.schedule(bucket, events);
        }
    }

    /// `flow` waits no longer.
    fn unlink(&mut self, flow: u32) {
        let Link { bucket, before, after } = std::mem::replace(&mut self.links[flow as usize], UNLINKED);
        if let Some(after) = self.links.get_mut(after as usize) {
            after.before = before;
        }
        if let Some(before) = self.links.get_mut(before as usize) {
            before.after = after;
        } else if bucket < u64::MAX {
            self.first[(bucket % BUCKETS) as usize] = after;
        }
    }

    fn schedule(&mut self, bucket: u64, events: &mut EventQueue) {
        self.scheduled = bucket;
        events.push(Instant::from_nanos(bucket << SPAN), Event::Timers);
    }

    /// Schedules the next bucket with flows, if there is one.
    fn schedule_next(&mut self, events: &mut EventQueue) {
        self.scheduled = u64::MAX;
        let is_filled = |bucket: &u64| self.first[(bucket % BUCKETS) as usize] != NONE;
        if let Some(bucket) = (self.next..self.next + BUCKETS).find(is_filled) {
            self.schedule(bucket, events);
        }
    }

    /// Handles [`Event::Timers`]: the span of a bucket begins.
    pub(super) fn on_span(&mut self, now: Instant, flows: &mut [Flow], events: &mut EventQueue) {
        let bucket = bucket_of(now);
        if bucket != self.scheduled {
            return;
        }
        self.next = bucket + 1;
        let mut id = std::mem::replace(&mut self.first[(bucket % BUCKETS) as usize], NONE);
        while id != NONE {
            let Link { after, .. } = std::mem::replace(&mut self.links[id as usize], UNLINKED);
            if after != NONE {
                prefetch(&flows[after as usize].sender);
            }
            let flow = &mut flows[id as usize];
            // An earlier timeout than this span has its own event.
            if flow.timer_at < Instant::MAX && bucket_of(flow.timer_at) >= bucket {
                flow.timer_at = flow.timer_at.max(flow.sender.timeout());
                if flow.timer_at < Instant::MAX {
                    self.set(id, flow.timer_at, events);
                }
            }
            id = after;
        }
        self.schedule_next(events);
    }
}
