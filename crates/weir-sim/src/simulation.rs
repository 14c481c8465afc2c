//! The simulation: one match over all events.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use weir_scenario::Scenario;
use weir_tcp::Segment;
use weir_types::{Duration, Instant, Streams};

use crate::{
    endpoints::Endpoints,
    engine::{Event, EventQueue},
    network::{Arrival, Network, NetworkBuilder, ObservedFlow, PacketEvent, PacketObserver, Unseen},
    record::{Measurements, QueueInfo, Recorder},
    traffic::{Generated, NewFlow, Traffic, TrafficBuilder},
};

/// Watches and stops a run from another thread.
#[derive(Debug, Default)]
pub struct Monitor {
    cancelled: AtomicBool,
    /// Simulated nanoseconds so far.
    simulated: AtomicU64,
}

impl Monitor {
    /// Asks the run to stop; it stops within a few thousand events.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Simulated time so far.
    pub fn simulated(&self) -> Duration {
        Duration::from_nanos(self.simulated.load(Ordering::Relaxed))
    }
}

/// The run was stopped before its end, by its monitor or its observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// The simulation of a scenario.
#[derive(Debug)]
pub struct Simulation<'o> {
    now: Instant,
    end: Instant,
    seed: u64,
    /// Events handled.
    handled: u64,
    events: EventQueue,
    network: Network,
    endpoints: Endpoints,
    traffic: Traffic,
    recorder: Recorder,
    observer: Option<&'o mut dyn PacketObserver>,
}

impl<'o> Simulation<'o> {
    /// Builds the simulation of `scenario`. All random streams derive from `seed`.
    pub fn new(scenario: &Scenario, seed: u64) -> Self {
        let streams = Streams::new(seed);
        let mut events = EventQueue::default();
        let mut network = NetworkBuilder::new(scenario, streams);
        let groups: Vec<_> =
            scenario.flows.iter().map(|(name, group)| network.group_info(name, group)).collect();
        let mut traffic = TrafficBuilder::new(streams, &mut network, &mut events);
        for (index, ((name, group), info)) in scenario.flows.iter().zip(&groups).enumerate() {
            traffic.add(index, name, group, info.capacity);
        }
        let (traffic, endpoints, flows) = Traffic::new(traffic);
        let (network, queues) = Network::new(network);
        let recorder = Recorder::new(scenario, queues, groups, flows);
        if let Some(cut) = recorder.next_cut() {
            events.push(cut, Event::Boundary);
        }
        if recorder.sampling().is_some() {
            events.push(Instant::ZERO, Event::Sample);
        }
        Self {
            now: Instant::ZERO,
            end: Instant::ZERO + scenario.duration,
            seed,
            handled: 0,
            events,
            network,
            endpoints,
            traffic,
            recorder,
            observer: None,
        }
    }

    /// The queues of all ports, each with the greatest time by which a departure is reported late.
    pub(crate) fn queues(&self) -> impl Iterator<Item = (&QueueInfo, Duration)> {
        (0..).zip(self.recorder.queues()).map(|(port, info)| (info, self.network.lookahead(port)))
    }

    /// Makes `observer` follow the packets of the ports that it observes.
    pub(crate) fn observed_by(mut self, observer: &'o mut dyn PacketObserver) -> Self {
        for port in (0..self.network.ports()).filter(|port| observer.observes(*port)) {
            self.network.observe(port);
        }
        self.observer = Some(observer);
        self
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// If `monitor` or the observer stops the run.
    pub fn run(mut self, monitor: &Monitor) -> Result<Measurements, Stopped> {
        while let Some((now, event)) = self.events.next() {
            if now > self.end {
                break;
            }
            self.now = now;
            self.handled += 1;
            if self.handled.is_multiple_of(4096) {
                monitor.simulated.store(now.as_nanos(), Ordering::Relaxed);
                let observer_ok = self.observer.as_ref().is_none_or(|observer| observer.is_ok());
                if !observer_ok || monitor.cancelled.load(Ordering::Relaxed) {
                    return Err(Stopped);
                }
            }
            self.handle(event);
        }
        monitor.simulated.store(self.end.as_nanos(), Ordering::Relaxed);
        self.network.check_conservation();
        let (slots, finite) = self.traffic.finite.finish();
        Ok(self.recorder.finish(self.seed, self.handled, slots, finite))
    }

    #[expect(clippy::inline_always, reason = "the body of the loop")]
    #[inline(always)]
    fn handle(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::PortDue(port) => {
                let unseen = self.network.on_port_due(port, now, &mut self.events);
                self.show(unseen);
            }
            Event::ToPort(pipe) => {
                let unseen = self.network.reach_port(pipe, now, &mut self.events);
                self.show(unseen);
            }
            Event::ToReceiver(pipe) => {
                if let Some(Arrival { packet, .. }) = self.network.reach_endpoint(pipe, now, &mut self.events)
                {
                    if self.endpoints.exceed_caches() {
                        let [next, after_next] = self.network.next_flows(pipe);
                        self.endpoints.prefetch_receivers(next, after_next);
                    }
                    self.receive(&packet.0);
                }
            }
            Event::ToSender(pipe) => {
                if let Some(Arrival { packet, .. }) = self.network.reach_endpoint(pipe, now, &mut self.events)
                {
                    if self.endpoints.exceed_caches() {
                        let [next, after_next] = self.network.next_flows(pipe);
                        self.endpoints.prefetch_senders(next, after_next);
                    }
                    self.acknowledge(&packet.0);
                }
            }
            Event::Timer(flow) => {
                if self.endpoints.on_timer(flow, now) {
                    self.send(flow);
                }
            }
            Event::SendLater(flow) => {
                self.traffic.finite.note_sending(flow, now, &self.endpoints);
                self.endpoints.end_delay(flow);
                self.send_all(flow);
            }
            Event::DelayedAck(flow) => {
                if let Some(ack) = self.endpoints.on_delayed_ack(flow, now, &mut self.events) {
                    self.send_ack(ack);
                }
            }
            Event::Generate(generator) => self.generate(generator),
            Event::Start(flow) => self.start(flow),
            Event::Stop(flow) => self.stop(flow),
            Event::Boundary => self.close_interval(),
            Event::Sample => self.sample(),
        }
    }

    /// Handles data that arrives at its receiver.
    #[inline]
    fn receive(&mut self, segment: &Segment) {
        let ack = self.endpoints.receive(segment, self.now, &mut self.events);
        let complete = self.endpoints.is_complete(segment.flow);
        if let Some(ack) = ack {
            self.send_ack(ack);
        }
        if complete {
            let next = self.traffic.on_complete(segment.flow, self.now, &mut self.network.routing);
            if let Some((generator, at)) = next {
                self.schedule(generator, at);
            }
        }
    }

    /// Handles an ACK that arrives at its sender.
    #[inline]
    fn acknowledge(&mut self, ack: &Segment) {
        let done = self.endpoints.acknowledge(ack, self.now);
        self.send(ack.flow);
        if done {
            self.traffic.finite.on_acknowledged(ack.flow, &self.endpoints);
        }
    }

    /// Sends what the sender of `flow` may send, now or after its jitter.
    #[inline]
    fn send(&mut self, flow: u32) {
        if !self.endpoints.delays_packets(flow, self.now, &mut self.events) {
            return self.send_all(flow);
        }
        while let Some(segment) = self.endpoints.poll_repair(flow, self.now) {
            self.send_data(segment);
        }
        self.endpoints.renew_timer(flow, &mut self.events);
    }

    /// Sends what the window of `flow` allows.
    #[inline]
    fn send_all(&mut self, flow: u32) {
        while let Some(segment) = self.endpoints.poll_segment(flow, self.now) {
            self.send_data(segment);
        }
        self.endpoints.renew_timer(flow, &mut self.events);
    }

    #[inline]
    fn send_data(&mut self, segment: Segment) {
        let unseen = self.network.send_data(segment, self.now, &mut self.events);
        self.show(unseen);
    }

    #[inline]
    fn send_ack(&mut self, ack: Segment) {
        let unseen = self.network.send_ack(ack, self.now, &mut self.events);
        self.show(unseen);
    }

    /// A bulk flow begins.
    fn start(&mut self, flow: u32) {
        self.endpoints.sender_mut(flow).start();
        let routing = &mut self.network.routing;
        routing.begin_flow(routing.group(flow));
        self.send(flow);
    }

    /// A bulk flow ends.
    fn stop(&mut self, flow: u32) {
        let sender = self.endpoints.sender_mut(flow);
        if sender.end() > sender.first() {
            let routing = &mut self.network.routing;
            routing.end_flow(routing.group(flow));
        }
        sender.stop();
    }

    /// A flow or a datagram begins.
    fn generate(&mut self, generator: u32) {
        let (generated, next) = self.traffic.generate(generator, self.now);
        if let Some(at) = next {
            self.schedule(generator, at);
        }
        match generated {
            Generated::Flow(flow) => self.open(&flow),
            Generated::Datagram(segment) => {
                self.endpoints.count_sent_datagram(segment.flow);
                self.send_data(segment);
            }
            Generated::Nothing => {}
        }
    }

    fn schedule(&mut self, generator: u32, at: Instant) {
        if at <= self.end {
            self.events.push(at, Event::Generate(generator));
        }
    }

    fn open(&mut self, flow: &NewFlow) {
        let routing = &mut self.network.routing;
        let flow = self.traffic.finite.open(flow, self.now, &mut self.endpoints, routing);
        self.send(flow);
    }

    /// Makes every port do all that was due by now.
    fn catch_up(&mut self) {
        for port in 0..self.network.ports() {
            let unseen = self.network.catch_up(port, self.now, &mut self.events);
            self.show(unseen);
        }
    }

    /// Ends a measuring interval.
    fn close_interval(&mut self) {
        self.catch_up();
        let Self { now, network, endpoints, traffic, recorder, .. } = self;
        recorder.close_interval(network.close_interval(*now), endpoints.pairs(), endpoints.datagrams());
        traffic.finite.close_interval(*now, endpoints);
        if let Some(next) = recorder.next_cut() {
            self.events.push(next, Event::Boundary);
        }
    }

    /// Samples the series.
    fn sample(&mut self) {
        self.catch_up();
        let Self { now, network, endpoints, traffic, recorder, .. } = self;
        recorder.begin_sample(*now);
        for port in 0..network.ports() {
            recorder.sample_queue(port as usize, |report| network.probe(port, report));
        }
        recorder.sample_flows(|flow| endpoints.sender(flow));
        for (name, group) in traffic.finite.names() {
            recorder.sample_live(name, network.routing.live()[group]);
        }
        if let Some(interval) = recorder.sampling() {
            self.events.push(*now + interval, Event::Sample);
        }
    }

    /// Shows packet events to the observer.
    #[inline]
    fn show(&mut self, unseen: Option<Unseen>) {
        if let Some(port) = unseen {
            self.show_events(port);
        }
    }

    #[cold]
    fn show_events(&mut self, port: Unseen) {
        let Some(observer) = &mut self.observer else { return };
        let (Some(seen), routing) = self.network.unseen(port) else { return };
        let flow = |segment: &Segment| ObservedFlow {
            group: routing.group(segment.flow),
            sender: self.endpoints.sender(segment.flow),
            receiver: self.endpoints.receiver(segment.flow),
        };
        for event in seen.drain(..) {
            match event {
                PacketEvent::Arrived(packet, at) => observer.arrived(port.0, &packet, at, &flow(&packet.0)),
                PacketEvent::Departed(packet, at) => observer.departed(port.0, &packet, at, &flow(&packet.0)),
                PacketEvent::Dropped => observer.dropped(port.0),
            }
        }
        observer.advance(self.now);
    }
}
