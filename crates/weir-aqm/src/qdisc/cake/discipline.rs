//! CAKE as a discipline: arrivals and departures, and what stays when its parameters change.

use alloc::vec::Vec;

use weir_types::{Duration, Instant, Rate};

use super::{Cake, flow::Set, shaper::Shaper, tin::Tin};
use crate::{
    Backlog, Discipline, FlowQueue, Mechanism, Observer, Packet,
    qdisc::{linked_list::PacketPool, move_all},
};

impl<P: Packet> Discipline<P> for Cake<P> {
    #[inline(never)]
    fn enqueue(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) {
        let number = self.parameters.tins.of(packet.label().dscp);
        let tin = &mut self.tins[number];
        if tin.waiting.0 == 0 {
            tin.served_until = tin.served_until.max(now);
            if self.queue.packets == 0
                && let Some(shaper) = &mut self.shaper
            {
                shaper.wake(now);
            }
        }
        let queue = self.queue_for(number, &packet);
        if !self.parameters.ack_filter.is_off() {
            self.filter(number, queue, &packet, now, observer);
        }
        self.admit(number, queue, packet, now);
        while self.is_over_limit() {
            self.make_room(now, observer);
        }
        self.tell_tin(number, observer);
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Instant, observer: &mut impl Observer<P>) -> Option<(P, Duration)> {
        let mut decaying = true;
        while self.queue.packets > 0 {
            let tin = self.choose(now);
            self.tell_tin(tin, observer);
            if let Some(taken) = self.serve(tin, &mut decaying, now, observer) {
                return Some(taken);
            }
        }
        None
    }

    fn backlog(&self) -> Backlog {
        self.queue
    }

    fn drops_on_departure(&self) -> bool {
        true
    }

    fn classes(&self) -> &'static [&'static str] {
        self.parameters.tins.names()
    }

    fn class_backlog(&self, class: usize) -> Backlog {
        let (packets, bytes) = self.tins[class].waiting;
        Backlog { packets, bytes, ..self.queue }
    }

    fn ready_at(&self) -> Instant {
        self.shaper.as_ref().map_or(Instant::ZERO, Shaper::ready_at)
    }

    fn next_update(&self) -> Option<Instant> {
        None
    }

    fn update(&mut self, _: Instant) {}

    fn drain(&mut self, into: &mut Vec<(P, Instant)>) {
        for tin in 0..self.tins.len() {
            for queue in 0..self.tins[tin].flows.len() {
                while let Some(waiting) = self.pop(tin, queue) {
                    into.push(waiting);
                }
            }
        }
        into.sort_by_key(|(_, arrived)| *arrived);
    }

    fn restore(&mut self, packet: P, arrived: Instant) {
        let tin = self.parameters.tins.of(packet.label().dscp);
        let queue = self.queue_for(tin, &packet);
        self.admit(tin, queue, packet, arrived);
    }

    /// Queues keep their turns and what their AQMs have learned, if tins and isolation stay.
    fn take_over(&mut self, former: &mut Self, now: Instant) {
        (self.salt, self.rng) = (former.salt, former.rng.clone());
        let kind = |cake: &Self| (cake.parameters.tins, cake.parameters.isolation);
        if kind(self) == kind(former) {
            let scales: Vec<_> = self.tins.iter().map(|tin| tin.scale).collect();
            core::mem::swap(&mut self.tins, &mut former.tins);
            for (tin, scale) in self.tins.iter_mut().zip(scales) {
                tin.scale = scale;
            }
            self.waiting = core::mem::replace(&mut former.waiting, PacketPool::new());
            self.queue = Backlog { limit: self.queue.limit, ..former.queue };
            self.current = former.current;
        } else {
            self.begin(now);
            move_all(former, self);
        }
        match (&mut self.shaper, &former.shaper) {
            (Some(shaper), Some(former)) => shaper.take_over(former),
            (Some(shaper), None) => shaper.wake(now),
            (None, _) => {}
        }
    }

    fn begin(&mut self, now: Instant) {
        for tin in &mut self.tins {
            tin.served_until = now;
        }
        if let Some(shaper) = &mut self.shaper {
            shaper.wake(now);
        }
    }

    fn on_rate(&mut self, rate: Rate, _: Instant) {
        self.rescale(rate);
    }

    fn mechanism(&self) -> Mechanism<'_> {
        let queues = self.tins.iter().enumerate().flat_map(|(class, tin)| {
            tin.flows.iter().filter_map(move |queue| {
                let (_, head) = self.waiting.iter(&queue.line).next()?;
                let packets = self.waiting.iter(&queue.line).count() as u32;
                Some(FlowQueue { class, flow: head.info().flow, packets, is_new: queue.set == Set::Sparse })
            })
        });
        Mechanism { curve: None, queues: queues.collect() }
    }

    /// Numbers of sparse, bulk and decaying flows, and bytes of the longest queue. The largest `p_drop` and the sum of
    /// `count` are those of queues that are on a list.
    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let sum = |of: fn(&Tin) -> u32| f64::from(self.tins.iter().map(of).sum::<u32>());
        record("sparse_flows", sum(|tin| tin.sparse_flows));
        record("bulk_flows", sum(|tin| tin.bulk_flows));
        record("decaying_flows", sum(|tin| tin.decaying_flows));
        record(
            "fattest",
            f64::from(self.tins.iter().filter_map(Tin::longest).map(|(bytes, _)| bytes).max().unwrap_or(0)),
        );
        let flows = || self.tins.iter().flat_map(|tin| &tin.flows).filter(|flow| flow.set != Set::None);
        record("count", flows().map(|flow| f64::from(flow.cobalt.count())).sum());
        record("p_drop", flows().map(|flow| flow.cobalt.p_drop()).fold(0.0, f64::max));
    }
}
