//! The ports between the hosts.

mod builder;
mod change;
mod lookahead;
mod observer;
mod port;

use weir_aqm::{Discipline, Mechanism, Service, Supply, qdisc::AnyDiscipline};
use weir_line::Line;
use weir_types::{Duration, Instant};

use crate::{
    hosts::Hosts,
    packet::Packet,
    record::{QueueCounts, QueueGauge, QueueInfo},
};

pub(crate) use builder::NetworkBuilder;
pub(crate) use change::Change;
pub(crate) use observer::{ObservedFlow, PacketEvent, PacketObserver};
use port::{CatchUp, Extras, PortSlot, PortState, Serve};

/// All ports, and the hosts around them.
#[derive(Debug)]
pub(crate) struct Network {
    ports: Vec<PortSlot>,
    pub(crate) hosts: Hosts,
}

/// A port with packet events that its observer has not seen.
#[must_use]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unseen(pub(crate) u32);

impl Network {
    /// The network of `builder`, and the properties of its queues in the order of the ports. If flows do not end
    /// by themselves, their number is known beforehand, and ports, which note it at losses, may look ahead.
    pub(crate) fn new(builder: NetworkBuilder<'_>, looks_ahead: bool) -> (Self, Vec<QueueInfo>) {
        let NetworkBuilder { mut ports, mut hosts, queues, known_pipes, .. } = builder;
        hosts.events.set_size(ports.len() as u32, hosts.routing.pipes.len());
        if looks_ahead {
            lookahead::allow(&mut ports, &known_pipes);
        }
        let late = ports.iter().filter(|slot| slot.drops_late()).map(|slot| slot.state.lateness);
        hosts.routing.set_lateness(late.max().unwrap_or(Duration::ZERO));
        (Self { ports, hosts }, queues)
    }

    /// The number of ports.
    pub(crate) const fn ports(&self) -> u32 {
        self.ports.len() as u32
    }

    /// The greatest time by which a departure from `port` is handled late.
    pub(crate) fn lateness(&self, port: u32) -> Duration {
        self.ports[port as usize].state.lateness
    }

    /// Records the packet events of `port` for an observer, who sees all events in order.
    pub(crate) fn observe(&mut self, port: u32) {
        for slot in &mut self.ports {
            slot.state.lookahead = Duration::ZERO;
        }
        self.ports[port as usize].state.observe();
    }

    /// Records the packet events of `port` and all ACKs, from a pause on, or no more.
    pub(crate) fn follow(&mut self, port: u32, on: bool) {
        let state = &mut self.ports[port as usize].state;
        if on {
            state.observe();
        } else {
            state.ignore();
        }
        self.hosts.follow_acks(on);
    }

    /// The packet events of `port` that its observer has not seen, and the hosts.
    pub(crate) fn unseen(&mut self, port: Unseen) -> (Option<&mut Vec<PacketEvent>>, &Hosts) {
        (self.ports[port.0 as usize].state.observed(), &self.hosts)
    }

    /// Handles [`crate::engine::Event::PortDue`].
    #[inline]
    pub(crate) fn on_port_due(&mut self, port: u32, now: Instant) -> Option<Unseen> {
        self.ports[port as usize].state.scheduled = false;
        self.catch_up(port, now)
    }

    /// `queue` takes the place of the one before `port`.
    pub(crate) fn replace(
        &mut self,
        port: u32,
        queue: AnyDiscipline<Packet>,
        now: Instant,
    ) -> Option<Unseen> {
        let (slot, mut context) = self.ports[port as usize].split(port, &mut self.hosts);
        slot.replace(queue, now, &mut context);
        self.catch_up(port, now)
    }

    /// Makes `port` do all that was due by `now`.
    #[inline]
    pub(crate) fn catch_up(&mut self, port: u32, now: Instant) -> Option<Unseen> {
        let (queue, context) = self.ports[port as usize].split(port, &mut self.hosts);
        queue.visit(CatchUp { now, context });
        self.unseen_at(port)
    }

    /// Handles [`crate::engine::Event::ToPort`] and [`crate::engine::Event::Enter`]: packets of `pipe` arrive at
    /// their port from `now` on, for as long as no other event comes first, at most `most` of them. Returns when the
    /// last arrived, their number, and the port if an observer has to be shown something.
    #[inline]
    pub(crate) fn serve(&mut self, pipe: u32, now: Instant, most: u64) -> (Instant, u64, Option<Unseen>) {
        let port = self.hosts.routing.pipes.port(pipe);
        let slot = &mut self.ports[port as usize];
        let most = if slot.state.observed().is_some() { 1 } else { most };
        let (queue, context) = slot.split(port, &mut self.hosts);
        let (now, served) = queue.visit(Serve { pipe, now, most, context });
        (now, served, self.unseen_at(port))
    }

    /// Handles [`crate::engine::Event::Release`]: packets leave the line behind `port`. Where others have overtaken
    /// them, several events are due at an instant. Only the first of them schedules another: otherwise they would
    /// become more and more.
    pub(crate) fn on_release(&mut self, port: u32, now: Instant) {
        let Some(line) = self.ports[port as usize].state.line() else { return };
        let Some((packet, at)) = line.release(now) else { return };
        self.hosts.depart(&packet, at, port);
        while let Some((packet, at)) = line.release(now) {
            self.hosts.depart(&packet, at, port);
        }
        if let Some(due) = line.due() {
            self.hosts.events.push(due, crate::engine::Event::Release(port));
        }
    }

    /// The port, if an observer has to be shown something.
    #[inline]
    fn unseen_at(&self, port: u32) -> Option<Unseen> {
        self.ports[port as usize].state.extras.is_some().then_some(Unseen(port))
    }

    /// Ends a measuring interval at `now`: the counts of every port, and the hosts.
    pub(crate) fn close_interval(&mut self, now: Instant) -> (impl Iterator<Item = QueueCounts>, &Hosts) {
        let queues = self.ports.iter_mut().map(move |PortSlot { port, state }| {
            let mut counts = state.counts.cut(now);
            if let Some(supply) = port.supply(now) {
                state.counts.divide(&mut counts, supply);
            }
            counts
        });
        (queues, &self.hosts)
    }

    /// The gauges of all queues in this interval.
    pub(crate) fn gauges(&self) -> impl Iterator<Item = &QueueGauge> {
        self.ports.iter().map(|slot| &slot.state.counts.gauge)
    }

    /// Counts of `port` in this interval.
    pub(crate) fn counts(&self, port: u32) -> &QueueCounts {
        &self.ports[port as usize].state.counts
    }

    /// Supply of the transmitter of `port`, at the instant up to which it was served. The values are the bits that came
    /// since the start, the bits at hand, and the bound of a peak in bits (NaN without). A transmitter of fixed rate
    /// gets `rate` in bit/s times the time, nothing at hand and no bound.
    pub(crate) fn supply(&self, port: u32, rate: f64, now: Instant) -> [f64; 3] {
        match self.ports[port as usize].port.supply(now) {
            None => [rate * now.as_secs_f64(), 0.0, f64::NAN],
            Some(Supply { come, stored, peak, .. }) => {
                let bits = |work: u128| work as f64 / Service::WORK_PER_BIT as f64;
                [bits(come), bits(stored), peak.map_or(f64::NAN, bits)]
            }
        }
    }

    /// Reports the variables of the queue of `port`: its length in packets, then those of its discipline.
    pub(crate) fn probe(&self, port: u32, report: &mut dyn FnMut(&'static str, f64)) {
        let port = &self.ports[port as usize].port;
        report("queue", f64::from(port.backlog().packets));
        port.discipline().probe(report);
    }

    /// Waiting packets of one class at `port`; NaN if its discipline does not have that one.
    pub(crate) fn class_backlog(&self, port: u32, class: usize) -> f64 {
        let discipline = self.ports[port as usize].port.discipline();
        if class < discipline.classes().len() {
            f64::from(discipline.class_backlog(class).packets)
        } else {
            f64::NAN
        }
    }

    /// How the queue of `port` decides.
    pub(crate) fn mechanism(&self, port: u32) -> Mechanism<'_> {
        self.ports[port as usize].port.discipline().mechanism()
    }

    /// Checks that packets are conserved: sent = delivered + dropped + filtered + lost + in flight.
    pub(crate) fn check_conservation(&self) {
        let Self { ports, hosts } = self;
        let waiting: u64 = ports.iter().map(|slot| u64::from(slot.port.backlog().packets)).sum();
        let [sent, delivered, travelling] = hosts.packets();
        let on_lines = |slot: &PortSlot| slot.state.extras.as_ref()?.line.as_ref().map(Line::held);
        let held: u64 = ports.iter().filter_map(on_lines).sum();
        let in_flight = travelling + waiting + held;
        let dropped: u64 = ports.iter().map(|slot| slot.state.dropped).sum();
        let filtered: u64 = ports.iter().map(|slot| slot.state.filtered).sum();
        let lost: u64 = ports.iter().map(|slot| slot.state.lost).sum();
        assert_eq!(
            sent,
            delivered + dropped + filtered + lost + in_flight,
            "packets are not conserved: {sent} sent, {delivered} delivered, {dropped} dropped, {filtered} filtered, \
             {lost} lost, {in_flight} in flight"
        );
    }
}
