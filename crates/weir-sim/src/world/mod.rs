//! The whole simulation: one match over what can happen.

mod books;
mod endpoints;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use weir_types::{Duration, Instant, Streams};

use crate::{
    Packet,
    capture::{CaptureError, Captures},
    engine::{Calendar, Event, prefetch},
    measure::Measurements,
    network::{Outbox, Pipes, PortSlot, To, Ways},
    traffic::Traffic,
};

pub(crate) use books::Books;
pub(crate) use endpoints::{Jitter, Sink, Source};

/// Flows beyond which their states are in no cache: half a megabyte of them.
const CROWD: usize = 2000;

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

/// Why a run has not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// It was stopped from outside.
    Cancelled,
    /// What it was to write could not be written.
    Capture(CaptureError),
}

impl From<CaptureError> for Stopped {
    fn from(error: CaptureError) -> Self {
        Self::Capture(error)
    }
}

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
    pub(crate) traffic: Traffic,
    pub(crate) streams: Streams,
    pub(crate) books: Books,
    pub(crate) captures: Option<Box<Captures>>,
    pub(crate) end: Instant,
    pub(crate) seed: u64,
}

impl World {
    /// Runs to the end.
    ///
    /// # Errors
    /// If `monitor` asked to stop, or a capture cannot be written.
    pub fn run(mut self, monitor: &Monitor) -> Result<Measurements, Stopped> {
        while let Some((now, event)) = self.calendar.next() {
            if now > self.end {
                break;
            }
            self.now = now;
            self.books.events += 1;
            if self.books.events.is_multiple_of(4096) {
                monitor.simulated.store(now.as_nanos(), Ordering::Relaxed);
                if monitor.cancelled.load(Ordering::Relaxed) {
                    return Err(Stopped::Cancelled);
                }
                if let Some(failure) = self.capture_failure() {
                    return Err(failure.into());
                }
            }
            self.handle(event);
        }
        self.finish_captures()?;
        monitor.simulated.store(self.end.as_nanos(), Ordering::Relaxed);
        self.check_conservation();
        Ok(self.finish())
    }

    #[expect(clippy::inline_always, reason = "the body of the loop")]
    #[inline(always)]
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
                    if self.sinks.len() > CROWD {
                        self.prefetch_sinks(pipe);
                    }
                    self.receive(&packet.0);
                }
            }
            Event::ToSender(pipe) => {
                if let Some((ack, _)) = self.pipes.pop(pipe, now, &mut self.calendar) {
                    if self.sources.len() > CROWD {
                        self.prefetch_sources(pipe);
                    }
                    self.acknowledge(&ack.0);
                }
            }
            Event::Timer(flow) => self.on_timer(flow),
            Event::SendLater(flow) => {
                self.note_begin(flow);
                if let Some(jitter) = &mut self.sources[flow as usize].jitter {
                    jitter.pending = false;
                }
                self.drain(flow);
            }
            Event::DelayedAck(flow) => self.on_delayed_ack(flow),
            Event::Generate(generator) => self.generate(generator),
            Event::Start(flow) => {
                self.sources[flow as usize].sender.start();
                self.ways.live[self.ways.group[flow as usize] as usize] += 1;
                self.send(flow);
            }
            Event::Stop(flow) => {
                let sender = &mut self.sources[flow as usize].sender;
                if sender.end() > sender.first() {
                    self.ways.live[self.ways.group[flow as usize] as usize] -= 1;
                }
                sender.stop();
            }
            Event::Boundary => self.cut(),
            Event::Sample => self.sample(),
        }
    }

    /// Asks for the state of the receivers that the next packets of `pipe` belong to: of the one after next
    /// the state itself, and of the next what that points to.
    #[inline]
    fn prefetch_sinks(&self, pipe: u32) {
        if let Some(flow) = self.pipes.flow_to_come(pipe, 1) {
            prefetch(&self.sinks[flow as usize]);
        }
        if let Some(flow) = self.pipes.flow_to_come(pipe, 0)
            && let Some(log) = self.sinks[flow as usize].receiver.log()
        {
            prefetch(log);
        }
    }

    /// The same of the senders that the next ACKs of `pipe` belong to.
    #[inline]
    fn prefetch_sources(&self, pipe: u32) {
        if let Some(flow) = self.pipes.flow_to_come(pipe, 1) {
            prefetch(&self.sources[flow as usize]);
        }
        if let Some(flow) = self.pipes.flow_to_come(pipe, 0)
            && let Some(sack) = self.sources[flow as usize].sender.sack()
        {
            prefetch(sack);
        }
    }

    /// A packet arrives at a port.
    #[inline]
    fn offer(&mut self, port: u32, packet: Packet) {
        let now = self.now;
        self.with_port(port, |queue, outbox| {
            if outbox.lets_in(&packet, now) {
                queue.offer(packet, now, outbox);
                outbox.arrived(&packet);
            }
        });
    }

    /// Lends a port its surroundings, and sees to it that it is woken.
    #[inline]
    fn with_port(&mut self, port: u32, act: impl FnOnce(&mut crate::network::SimPort, &mut Outbox<'_>)) {
        let PortSlot { port: queue, side, lookahead, awaited } = &mut self.ports[port as usize];
        let mut outbox = Outbox {
            id: port,
            class: 0,
            side,
            ways: &mut self.ways,
            pipes: &mut self.pipes,
            calendar: &mut self.calendar,
        };
        act(queue, &mut outbox);
        if !*awaited && let Some(at) = queue.next_wake() {
            *awaited = true;
            self.calendar.push(at + *lookahead, Event::PortDue(port));
        }
        if side.extras.is_some() {
            self.write_down(port);
        }
    }
}
