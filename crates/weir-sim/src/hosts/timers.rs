//! Retransmission timers.
//!
//! Every ACK moves the timeout of its flow, and hardly any timer expires. So a flow whose timeout lies far ahead
//! waits in a *bucket*, the span of time of that timeout. It stays there when the timeout moves. When the span
//! begins, the flow goes to the bucket of its present timeout; only what may expire within the span becomes an
//! event. In a heap of all timers, each of them would be sorted again and again without ever expiring. Before its
//! start a flow waits likewise.

use weir_types::Instant;

use super::Flow;
use crate::engine::{Event, EventQueue, prefetch};

/// A bucket is 2^24 ns = 17 ms long: a tenth of the least timeout.
const SPAN: u32 = 24;
/// Their number, for 17 s. Later timeouts are events at once.
const BUCKETS: u32 = 1024;
/// No flow.
const NONE: u32 = u32::MAX;

/// The buckets: lists of flows, linked through an array.
#[derive(Debug)]
pub(super) struct Timers {
    /// The first flow of bucket `n` is at `n % BUCKETS`.
    first: Vec<u32>,
    links: Vec<Neighbours>,
    /// The first bucket whose span has not begun.
    next: u32,
    /// The bucket of the pending event; [`u32::MAX`] if there is none.
    scheduled: u32,
}

/// Where a flow waits.
#[derive(Clone, Copy, Debug)]
struct Neighbours {
    /// [`u32::MAX`] if it does not wait.
    bucket: u32,
    /// Its neighbours in the bucket.
    before: u32,
    after: u32,
}

const UNLINKED: Neighbours = Neighbours { bucket: u32::MAX, before: NONE, after: NONE };

impl Default for Timers {
    fn default() -> Self {
        Self { first: vec![NONE; BUCKETS as usize], links: Vec::new(), next: 0, scheduled: u32::MAX }
    }
}

const fn bucket_of(at: Instant) -> u32 {
    (at.as_nanos() >> SPAN) as u32
}

impl Timers {
    /// A flow more.
    pub(super) fn add(&mut self) {
        self.links.push(UNLINKED);
    }

    /// Has `flow` begin at `at`, before the first span.
    pub(super) fn set_start(&mut self, flow: u32, at: Instant, events: &mut EventQueue) {
        match bucket_of(at) {
            bucket if bucket < BUCKETS => self.link(flow, bucket, events),
            _ => events.push(at, Event::Start(flow)),
        }
    }

    /// The sender of `flow` has its timeout `at` and its valid event at `timer_at`, which must not be later.
    #[inline]
    pub(super) fn renew(&mut self, flow: u32, timer_at: &mut Instant, at: Instant, events: &mut EventQueue) {
        if at < *timer_at {
            *timer_at = at;
            self.set(flow, at, events);
        }
    }

    /// Has `flow` looked at no later than `at`: by [`Timers::on_span`] or [`Event::Timer`].
    #[inline]
    fn set(&mut self, flow: u32, at: Instant, events: &mut EventQueue) {
        let bucket = bucket_of(at);
        if self.links[flow as usize].bucket > bucket {
            self.set_otherwise(flow, at, bucket, events);
        }
    }

    /// [`Timers::set`] for a flow that does not wait, or only for a later bucket.
    #[inline(never)]
    fn set_otherwise(&mut self, flow: u32, at: Instant, bucket: u32, events: &mut EventQueue) {
        if bucket < self.next || bucket - self.next >= BUCKETS {
            return events.push(at, Event::Timer(flow));
        }
        self.unlink(flow);
        self.link(flow, bucket, events);
    }

    /// `flow`, which does not wait, waits for `bucket`.
    fn link(&mut self, flow: u32, bucket: u32, events: &mut EventQueue) {
        let after = std::mem::replace(&mut self.first[(bucket % BUCKETS) as usize], flow);
        self.links[flow as usize] = Neighbours { bucket, before: NONE, after };
        if let Some(after) = self.links.get_mut(after as usize) {
            after.before = flow;
        }
        if bucket < self.scheduled {
            self.schedule(bucket, events);
        }
    }

    /// `flow` waits no longer.
    fn unlink(&mut self, flow: u32) {
        let Neighbours { bucket, before, after } =
            std::mem::replace(&mut self.links[flow as usize], UNLINKED);
        if let Some(after) = self.links.get_mut(after as usize) {
            after.before = before;
        }
        if let Some(before) = self.links.get_mut(before as usize) {
            before.after = after;
        } else if bucket < u32::MAX {
            self.first[(bucket % BUCKETS) as usize] = after;
        }
    }

    fn schedule(&mut self, bucket: u32, events: &mut EventQueue) {
        self.scheduled = bucket;
        events.push(Instant::from_nanos(u64::from(bucket) << SPAN), Event::Timers);
    }

    /// Schedules the next bucket with flows, if there is one.
    fn schedule_next(&mut self, events: &mut EventQueue) {
        self.scheduled = u32::MAX;
        let is_filled = |bucket: &u32| self.first[(bucket % BUCKETS) as usize] != NONE;
        if let Some(bucket) = (self.next..self.next.saturating_add(BUCKETS)).find(is_filled) {
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
            let Neighbours { after, .. } = std::mem::replace(&mut self.links[id as usize], UNLINKED);
            if after != NONE {
                prefetch(&flows[after as usize].sender);
            }
            let flow = &mut flows[id as usize];
            if !flow.has_begun() {
                events.push(flow.timer_at, Event::Start(id));
            } else if flow.timer_at < Instant::MAX && bucket_of(flow.timer_at) >= bucket {
                // An earlier timeout than this span has its own event.
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
