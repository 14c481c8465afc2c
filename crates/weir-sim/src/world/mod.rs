//! The whole simulation: one match over what can happen.

mod books;
mod endpoints;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use weir_types::{Duration, Instant};

use crate::{
    Packet,
    engine::{Calendar, Event, prefetch},
    measure::Measurements,
    network::{Outbox, Pipes, PortSlot, To, Ways},
};

pub(crate) use books::Books;
pub(crate) use endpoints::{Jitter, Sink, Source};

/// How the outside watches and stops a run.
#[derive(Debug, Default)]
pub struct Monitor {
    cancelled: AtomicBool,
    /// Simulated nanoseconds so far.
    simulated: AtomicU64,
}

impl Monitor {
    /// Asks the run to stop; it does within a few thousand events.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// How far the run has come.
    pub fn simulated(&self) -> Duration {
        Duration::from_nanos(self.simulated.load(Ordering::Relaxed))
    }
}

/// The run was stopped from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

/// A scenario come alive.
#[derive(Debug)]
pub struct World {
    pub(crate) now: Instant,
    pub(crate) calendar: Calendar,
    pub(crate) pipes: Pipes,
    pub(crate) ports: Vec<PortSlot>,
    pub(crate) ways: Ways,
    pub(crate) sources: Vec<Source>,
    pub(crate) sinks: Vec<Sink>,
    pub(crate) books: Books,
    pub(crate) end: Instant,
    pub(crate) seed: u64,
}

impl World {
    /// Runs to the end.
    ///
    /// # Errors
    /// If `monitor` asked to stop.
    pub fn run(mut self, monitor: &Monitor) -> Result<Measurements, Cancelled> {
        while let Some((now, event)) = self.calendar.next() {
            if now > self.end {
                break;
            }
            self.now = now;
            self.books.events += 1;
            if self.books.events.is_multiple_of(4096) {
                monitor.simulated.store(now.as_nanos(), Ordering::Relaxed);
                if monitor.cancelled.load(Ordering::Relaxed) {
                    return Err(Cancelled);
                }
            }
            self.handle(event);
        }
        monitor.simulated.store(self.end.as_nanos(), Ordering::Relaxed);
        self.check_conservation();
        Ok(self.finish())
    }

    #[inline]
    fn handle(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::PortDue(port) => {
                self.ports[port as usize].awaited = false;
                self.with_port(port, |queue, outbox| queue.advance(now, outbox));
            }
            Event::ToPort(pipe) => {
                if let Some((packet, To::Port(port))) = self.pipes.pop(pipe, now, &mut self.calendar) {
                    self.offer(port, packet);
                }
            }
            Event::ToReceiver(pipe) => {
                if let Some((packet, _)) = self.pipes.pop(pipe, now, &mut self.calendar) {
                    if let Some(flow) = self.pipes.flow_after_next(pipe) {
                        prefetch(&self.sinks[flow as usize]);
                    }
                    self.receive(&packet.0);
                }
            }
            Event::ToSender(pipe) => {
                if let Some((ack, _)) = self.pipes.pop(pipe, now, &mut self.calendar) {
                    if let Some(flow) = self.pipes.flow_after_next(pipe) {
                        prefetch(&self.sources[flow as usize]);
                    }
                    self.acknowledge(&ack.0);
                }
            }
            Event::Timer(flow) => self.on_timer(flow),
            Event::SendLater(flow) => {
                if let Some(jitter) = &mut self.sources[flow as usize].jitter {
                    jitter.pending = false;
                }
                self.drain(flow);
            }
            Event::DelayedAck(flow) => self.on_delayed_ack(flow),
            Event::Start(flow) => {
                self.sources[flow as usize].sender.start();
                self.send(flow);
            }
            Event::Stop(flow) => self.sources[flow as usize].sender.stop(),
            Event::Boundary => self.cut(),
            Event::Sample => self.sample(),
        }
    }

    /// A packet arrives at a port.
    #[inline]
    fn offer(&mut self, port: u32, packet: Packet) {
        let now = self.now;
        self.with_port(port, |queue, outbox| {
            queue.offer(packet, now, outbox);
            outbox.arrived(&packet);
        });
    }

    /// Lends a port its surroundings, and sees to it that it is woken.
    #[inline]
    fn with_port(&mut self, port: u32, act: impl FnOnce(&mut crate::network::SimPort, &mut Outbox<'_>)) {
        let PortSlot { port: queue, counts, lookahead, awaited } = &mut self.ports[port as usize];
        let mut outbox = Outbox {
            id: port,
            class: 0,
            counts,
            ways: &mut self.ways,
            pipes: &mut self.pipes,
            calendar: &mut self.calendar,
            dropped: &mut self.books.dropped,
        };
        act(queue, &mut outbox);
        if !*awaited && let Some(at) = queue.next_wake() {
            *awaited = true;
            self.calendar.push(at + *lookahead, Event::PortDue(port));
        }
    }
}
