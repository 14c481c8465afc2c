//! The whole simulation: one match over what can happen.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use weir_aqm::Discipline;
use weir_tcp::{Receiver, Segment, Sender};
use weir_types::{Duration, Instant, Rng};

use crate::{
    Packet,
    engine::{Calendar, Event},
    measure::{FlowCounts, FlowInfo, GroupInfo, Intervals, Measurements, QueueCounts, QueueInfo, Series},
    network::{Entry, Outbox, Pipes, PortSlot, To, Ways},
};

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

/// The sending end of a flow.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) sender: Sender,
    /// The instant of the calendar's valid timer entry; [`Instant::MAX`] if there is none. It
    /// may be earlier than the sender's timeout, which moves with every ACK: then it is renewed.
    pub(crate) timer_at: Instant,
    pub(crate) jitter: Option<Box<Jitter>>,
}

/// A sender that holds new packets back for a random time.
#[derive(Debug)]
pub(crate) struct Jitter {
    pub(crate) width: Duration,
    pub(crate) rng: Rng,
    /// It is holding some back.
    pub(crate) pending: bool,
}

/// The receiving end of a flow.
#[derive(Debug)]
pub(crate) struct Sink {
    pub(crate) receiver: Receiver,
    pub(crate) timer_at: Instant,
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
    pub(crate) books: Books,
    pub(crate) end: Instant,
    pub(crate) seed: u64,
}

/// What has been counted and recorded.
#[derive(Debug)]
pub(crate) struct Books {
    pub(crate) intervals: Intervals,
    /// The next cut.
    pub(crate) cut: usize,
    pub(crate) queues: Vec<(QueueInfo, Vec<QueueCounts>)>,
    pub(crate) groups: Vec<GroupInfo>,
    pub(crate) flows: Vec<(FlowInfo, Vec<FlowCounts>)>,
    pub(crate) series: Series,
    pub(crate) sampling: Option<Duration>,
    /// Flows whose window is recorded.
    pub(crate) watched: Vec<u32>,
    pub(crate) events: u64,
    /// Packets that entered the network, reached an endpoint, were dropped.
    pub(crate) sent: u64,
    pub(crate) delivered: u64,
    pub(crate) dropped: u64,
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
                    self.receive(&packet.0);
                }
            }
            Event::ToSender(pipe) => {
                if let Some((ack, _)) = self.pipes.pop(pipe, now, &mut self.calendar) {
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

    /// Data has reached its receiver.
    #[inline]
    fn receive(&mut self, segment: &Segment) {
        self.books.delivered += 1;
        let sink = &mut self.sinks[segment.flow as usize];
        if let Some(ack) = sink.receiver.on_segment(segment, self.now) {
            self.send_ack(ack);
        } else if sink.receiver.timeout() < sink.timer_at {
            sink.timer_at = sink.receiver.timeout();
            self.calendar.push(sink.timer_at, Event::DelayedAck(segment.flow));
        }
    }

    fn on_delayed_ack(&mut self, flow: u32) {
        let sink = &mut self.sinks[flow as usize];
        if sink.timer_at != self.now {
            return;
        }
        sink.timer_at = Instant::MAX;
        let due = sink.receiver.timeout();
        if due > self.now {
            if due < Instant::MAX {
                sink.timer_at = due;
                self.calendar.push(due, Event::DelayedAck(flow));
            }
        } else if let Some(ack) = sink.receiver.on_timeout() {
            self.send_ack(ack);
        }
    }

    /// An ACK sets out.
    #[inline]
    fn send_ack(&mut self, ack: Segment) {
        self.books.sent += 1;
        let packet = Packet(ack);
        let route = self.ways.route(&packet);
        let (entry, direct) = (route.entry, route.hops.is_empty());
        match entry {
            Entry::Port(port) => self.offer(port, packet),
            Entry::Pipe(pipe) => {
                let mut due = self.now;
                let delay = self.pipes.0[pipe as usize].delay;
                if let Some(access) = self.ways.access(ack.flow) {
                    due = access.send_ack(ack.bytes, due);
                    if direct {
                        due = access.deliver_ack(ack.bytes, due);
                    }
                }
                self.pipes.push(pipe, due + delay, packet, &mut self.calendar);
            }
        }
    }

    /// An ACK has reached its sender.
    #[inline]
    fn acknowledge(&mut self, ack: &Segment) {
        self.books.delivered += 1;
        let sender = &mut self.sources[ack.flow as usize].sender;
        if ack.blocks == 0 {
            sender.on_ack(ack, self.now);
        } else {
            let blocks = self.sinks[ack.flow as usize].receiver.blocks_of(ack);
            sender.on_sack(ack, &blocks, self.now);
        }
        self.send(ack.flow);
    }

    fn on_timer(&mut self, flow: u32) {
        let source = &mut self.sources[flow as usize];
        if source.timer_at != self.now {
            return;
        }
        source.timer_at = Instant::MAX;
        if source.sender.timeout() <= self.now {
            source.sender.on_timeout(self.now);
        }
        self.send(flow);
    }

    /// Lets a sender send what it may, now or after its jitter.
    #[inline]
    fn send(&mut self, flow: u32) {
        let now = self.now;
        let source = &mut self.sources[flow as usize];
        let Some(jitter) = &mut source.jitter else { return self.drain(flow) };
        if !jitter.pending && source.sender.has_room() {
            jitter.pending = true;
            let wait = jitter.width.mul_f64(jitter.rng.uniform());
            self.calendar.push(now + wait, Event::SendLater(flow));
        }
        // Repairs do not wait.
        while let Some(segment) = self.sources[flow as usize].sender.poll_repair(now) {
            self.send_segment(segment);
        }
        self.renew_timer(flow);
    }

    /// Sends all that the window allows.
    #[inline]
    fn drain(&mut self, flow: u32) {
        while let Some(segment) = self.sources[flow as usize].sender.poll_segment(self.now) {
            self.send_segment(segment);
        }
        self.renew_timer(flow);
    }

    /// The calendar holds an entry not later than the sender's timeout.
    #[inline]
    fn renew_timer(&mut self, flow: u32) {
        let source = &mut self.sources[flow as usize];
        let due = source.sender.timeout();
        if due < source.timer_at {
            source.timer_at = due;
            self.calendar.push(due, Event::Timer(flow));
        }
    }

    /// Data sets out.
    #[inline]
    fn send_segment(&mut self, segment: Segment) {
        self.books.sent += 1;
        let packet = Packet(segment);
        match self.ways.route(&packet).entry {
            Entry::Port(port) => self.offer(port, packet),
            Entry::Pipe(pipe) => {
                let delay = self.pipes.0[pipe as usize].delay;
                let due = match self.ways.access(segment.flow) {
                    Some(access) => access.send_data(segment.bytes, self.now),
                    None => self.now,
                };
                self.pipes.push(pipe, due + delay, packet, &mut self.calendar);
            }
        }
    }

    /// Lets every port do what was due by now.
    fn catch_up(&mut self) {
        let now = self.now;
        for port in 0..self.ports.len() as u32 {
            self.with_port(port, |queue, outbox| queue.advance(now, outbox));
        }
    }

    /// Closes a measuring interval.
    fn cut(&mut self) {
        self.catch_up();
        let now = self.now;
        for (slot, (_, closed)) in self.ports.iter_mut().zip(&mut self.books.queues) {
            closed.push(slot.counts.cut(now));
        }
        for ((source, sink), (_, closed)) in self.sources.iter().zip(&self.sinks).zip(&mut self.books.flows) {
            let sender = source.sender.counters();
            closed.push(FlowCounts {
                delivered: u64::from(sink.receiver.delivered()),
                sent: sender.sent,
                retransmitted: sender.retransmitted,
                timeouts: sender.timeouts,
                fast_retransmits: sender.fast_retransmits,
                mark_cuts: sender.mark_cuts,
            });
        }
        self.books.cut += 1;
        if let Some(next) = self.books.intervals.cuts.get(self.books.cut) {
            self.calendar.push(*next, Event::Boundary);
        }
    }

    /// Records values over time.
    fn sample(&mut self) {
        self.catch_up();
        let now = self.now;
        let Books { series, queues, flows, watched, sampling, .. } = &mut self.books;
        series.begin(now);
        for (slot, (info, _)) in self.ports.iter().zip(queues) {
            let path = || format!("links.{}.{}", info.link, info.direction);
            series.record(path, "queue", f64::from(slot.port.backlog().packets));
            slot.port.discipline().probe(&mut |variable, value| series.record(path, variable, value));
        }
        for flow in watched {
            let sender = &self.sources[*flow as usize].sender;
            let path = || format!("flows.{}", flows[*flow as usize].0.name);
            series.record(path, "cwnd", sender.cwnd());
            series.record(path, "ssthresh", sender.ssthresh());
            sender.probe(&mut |variable, value| series.record(path, variable, value));
        }
        if let Some(interval) = sampling {
            self.calendar.push(now + *interval, Event::Sample);
        }
    }

    /// Packets are conserved: sent = delivered + dropped + in flight.
    fn check_conservation(&self) {
        let waiting: u64 = self.ports.iter().map(|slot| u64::from(slot.port.backlog().packets)).sum();
        let in_flight = self.pipes.in_flight() + waiting;
        let Books { sent, delivered, dropped, .. } = self.books;
        assert_eq!(
            sent,
            delivered + dropped + in_flight,
            "packets were made or lost: {sent} sent, {delivered} delivered, {dropped} dropped, {in_flight} in flight"
        );
    }

    fn finish(self) -> Measurements {
        let Books { intervals, queues, groups, mut flows, series, events, .. } = self.books;
        for (_, counts) in &mut flows {
            // From counts since the start to counts per interval.
            for later in (1..counts.len()).rev() {
                counts[later] = counts[later].since(&counts[later - 1]);
            }
        }
        let forward = queues.iter().filter(|(info, _)| info.direction == "forward");
        let departed = |counts: &QueueCounts| counts.cells.iter().map(|cell| cell.departures).sum::<u64>();
        let packets = forward.flat_map(|(_, counts)| counts.iter().map(departed)).sum();
        Measurements {
            seed: self.seed,
            events,
            packets,
            cpu: std::time::Duration::ZERO,
            series,
            rows: intervals.rows,
            queues,
            groups,
            flows,
        }
    }
}
