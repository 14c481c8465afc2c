//! Records of what a port must say of a discipline and of the wire behind it.

use weir_aqm::{Discipline, PacketInfo, Port};
use weir_types::{Duration, Instant};

use super::{Rules, discipline::Model};
use crate::support::{Event, Numbered, Trace};

/// The model of a discipline, and of the wire behind it.
pub(super) struct Books<'a> {
    model: Model<'a>,
    sizes: Vec<u32>,
    pub(super) rate: u64,
    /// Rounding error of the last end, in units of 1/rate nanoseconds.
    pub(super) remainder: u128,
    free_at: Instant,
    /// When the next packet may start: the line is free, and the discipline's own shaper lets it go.
    next: Instant,
    last: Instant,
    told: u32,
}

impl<'a> Books<'a> {
    pub(super) const fn new(rules: &'a Rules, rate: u64) -> Self {
        Self {
            model: Model::new(rules),
            sizes: Vec::new(),
            rate,
            remainder: 0,
            free_at: Instant::ZERO,
            next: Instant::ZERO,
            last: Instant::ZERO,
            told: 0,
        }
    }

    pub(super) fn offered(&mut self, id: u64, info: PacketInfo, now: Instant) {
        self.sizes.push(info.bytes);
        self.model.observe(&Event::Offered { id, info, now });
    }

    pub(super) fn check<D: Discipline<Numbered>>(&mut self, events: &[Event], port: &Port<Numbered, D>) {
        for event in events {
            let now = match *event {
                Event::Dropped { now, .. } | Event::Marked { now, .. } => now,
                Event::Backlog { packets, now } => {
                    self.told = packets;
                    now
                }
                Event::Sent { id, sojourn, start, end, .. } => {
                    self.sent(id, sojourn, start, end);
                    start
                }
                ref other => panic!("a port does not tell of {other:?}"),
            };
            assert!(now >= self.last, "events are told in the order of their instants");
            self.last = now;
            self.model.observe(event);
            if let Event::Sent { .. } = event {
                assert_eq!(u64::from(self.told), self.model.waiting());
            }
        }
        self.model.compare(port.discipline());
        assert_eq!(self.told, port.backlog().packets, "every change of the backlog is told");
        self.next = self.free_at.max(port.discipline().ready_at());
        assert_eq!(port.next_wake(), (port.backlog().packets > 0).then_some(self.next));
    }

    /// Drives the port until just after `until` as it asks, and checks each step: the shaper's instant changes with it.
    pub(super) fn wake<D: Discipline<Numbered>>(
        &mut self,
        port: &mut Port<Numbered, D>,
        until: Instant,
        trace: &mut Trace,
    ) {
        while let Some(at) = port.next_wake().filter(|at| *at <= until) {
            let seen = trace.events.len();
            port.advance(at, trace);
            assert!(port.next_wake().is_none_or(|next| next > at), "it was woken and did nothing");
            self.check(&trace.events[seen..], port);
        }
    }

    /// One packet at a time, none while another waits, each for bits / rate exactly.
    fn sent(&mut self, id: u64, sojourn: Duration, start: Instant, end: Instant) {
        assert!(start >= self.next, "the last bit of the packet before has left, and it is due");
        if start > self.next {
            assert_eq!((sojourn, self.model.waiting()), (Duration::ZERO, 1), "the line was idle");
        }
        let scaled = self.remainder + u128::from(self.sizes[id as usize]) * 8 * 1_000_000_000;
        let rate = u128::from(self.rate);
        self.remainder = scaled % rate;
        assert_eq!(u128::from(end.since(start).as_nanos()), scaled / rate);
        self.free_at = end;
    }
}
