//! The simulation: one match over all events.

use changes::Changes;
use weir_scenario::Scenario;
use weir_tcp::Segment;
use weir_types::{Duration, Instant, Streams};

use crate::{
    engine::Event,
    hosts::{Cause, Completed, Origin},
    monitor::{MemoryParts, Monitor, Stopped},
    network::{Change, Network, NetworkBuilder, ObservedFlow, PacketEvent, PacketObserver, Unseen},
    record::{Measurements, QueueInfo, Recorder},
    traffic::{Generated, NewFlow, Traffic, TrafficBuilder},
};

/// Events after which the monitor is looked at.
const CHECK_EVERY: u64 = 4096;

/// The simulation of a scenario.
#[derive(Debug)]
pub struct Simulation<'o> {
    now: Instant,
    end: Instant,
    /// When the caller wants to look next.
    until: Instant,
    seed: u64,
    /// No endpoint acts ahead of the clock.
    by_clock: bool,
    /// Events handled.
    handled: u64,
    network: Network,
    traffic: Traffic,
    changes: Changes,
    recorder: Recorder,
    observer: Option<&'o mut dyn PacketObserver>,
}

impl<'o> Simulation<'o> {
    /// Builds the simulation of `scenario`. All random streams derive from `seed`.
    pub fn new(scenario: &Scenario, seed: u64) -> Self {
        Self::watched(scenario, seed, &Monitor::default()).expect("nobody stops it")
    }

    /// Builds the simulation of `scenario` while `monitor` looks on: many flows take time and memory.
    ///
    /// # Errors
    /// If `monitor` stops it.
    pub fn watched(scenario: &Scenario, seed: u64, monitor: &Monitor) -> Result<Self, Stopped> {
        let streams = Streams::new(seed);
        let mut network = NetworkBuilder::new(scenario, streams);
        let groups: Vec<_> =
            scenario.flows.iter().map(|(name, group)| network.group_info(name, group)).collect();
        let mut traffic = TrafficBuilder::new(streams, &mut network, monitor);
        for (index, ((name, group), info)) in scenario.flows.iter().zip(&groups).enumerate() {
            traffic.add(index, name, group, info.rate)?;
        }
        let ways = std::mem::take(&mut traffic.changes);
        let (traffic, flows) = Traffic::new(traffic);
        let queue_changes = std::mem::take(&mut network.changes);
        let by_clock = network.filters_overtaken_acks();
        let looks_ahead = traffic.finite.names().next().is_none() && !by_clock;
        let (mut network, queues) = Network::new(network, looks_ahead);
        let events = &mut network.hosts.events;
        let changes = Changes::new(queue_changes, ways, events);
        let recorder = Recorder::new(scenario, queues, groups, flows);
        if let Some(cut) = recorder.next_cut() {
            events.push(cut, Event::Boundary);
        }
        if let Some(end) = recorder.parts.next() {
            events.push(end, Event::Part);
        }
        if recorder.sampling().is_some() {
            events.push(Instant::ZERO, Event::Sample);
        }
        Ok(Self {
            now: Instant::ZERO,
            end: Instant::ZERO + scenario.duration,
            until: Instant::ZERO,
            seed,
            by_clock,
            handled: 0,
            network,
            traffic,
            changes,
            recorder,
            observer: None,
        })
    }

    /// The queues of all ports, each with the greatest time by which a departure is reported late.
    pub(crate) fn queues(&self) -> impl Iterator<Item = (&QueueInfo, Duration)> {
        (0..).zip(self.recorder.queues()).map(|(port, info)| (info, self.network.lateness(port)))
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
        self.advance(self.end, monitor)?;
        self.network.check_conservation();
        let (slots, finite) = self.traffic.finite.finish();
        Ok(self.recorder.finish(self.seed, self.handled, slots, finite))
    }

    /// Runs up to and including `until`, or the end. Nothing is ahead of that instant then: the results do not
    /// depend on where a run has paused.
    ///
    /// # Errors
    /// If `monitor` or the observer stops the run.
    pub fn advance(&mut self, until: Instant, monitor: &Monitor) -> Result<(), Stopped> {
        self.until = until.min(self.end);
        self.move_horizon();
        self.network.hosts.events.push(self.until, Event::Pause);
        while let Some((now, event)) = self.network.hosts.events.next() {
            if event == Event::Pause {
                break;
            }
            self.now = now;
            self.handled += 1;
            if self.handled.is_multiple_of(CHECK_EVERY) {
                self.check(monitor)?;
            }
            self.handle(event);
        }
        monitor.set_simulated(self.until);
        Ok(())
    }

    /// Looks whether the run goes on.
    #[inline(never)]
    fn check(&self, monitor: &Monitor) -> Result<(), Stopped> {
        if self.observer.as_ref().is_some_and(|observer| !observer.is_ok()) {
            return Err(Stopped::Asked);
        }
        monitor.look(self.now, || MemoryParts {
            flows: self.network.hosts.flow_bytes(),
            series: self.recorder.series_bytes(),
            counts: self.recorder.count_bytes(),
        })
    }

    #[expect(clippy::inline_always, reason = "the body of the loop")]
    #[inline(always)]
    fn handle(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::PortDue(port) => {
                let unseen = self.network.on_port_due(port, now);
                self.show(unseen);
            }
            Event::ToPort(pipe) | Event::Enter(pipe) => self.serve(pipe),
            Event::Release(port) => self.network.on_release(port, now),
            Event::Change(index) => self.change(index),
            Event::Pause => {}
            Event::Arrive => match self.network.hosts.on_arrive(now) {
                Completed::Nothing => {}
                Completed::Data(flow) => self.complete(flow),
                Completed::Acks(flow) => {
                    self.traffic.finite.on_acknowledged(flow, &self.network.hosts);
                }
            },
            Event::Timers => self.network.hosts.on_timers(now),
            Event::Timer(flow) => self.network.hosts.on_timer(flow, now),
            Event::SendLater(flow) => {
                self.traffic.finite.note_sending(flow, now, &self.network.hosts);
                self.network.hosts.on_send_later(flow, now);
            }
            Event::DelayedAck(flow) => self.network.hosts.on_delayed_ack(flow, now),
            Event::Generate(generator) => self.generate(generator),
            Event::Start(flow) => self.network.hosts.start(flow, now),
            Event::Stop(flow) => {
                let until = self.recorder.next_sample(flow, now);
                self.network.hosts.stop(flow, now, until);
            }
            Event::Boundary => self.close_interval(),
            Event::Part => self.close_part(),
            Event::Sample => self.sample(),
        }
    }

    /// Handles [`Event::Change`].
    #[cold]
    fn change(&mut self, index: u32) {
        match self.changes.at(index) {
            Change::Queue(port, queue) => {
                let queue = queue.take().expect("a change comes once");
                let unseen = self.network.replace(*port, *queue, self.now);
                self.show(unseen);
            }
            Change::Way(flows, way) => self.network.hosts.take_way(flows.clone(), way, self.now),
            Change::Settled => self.move_horizon(),
        }
    }

    /// The packets of `pipe` arrive at their port, for as long as no other event comes first.
    #[inline]
    fn serve(&mut self, pipe: u32) {
        let most = CHECK_EVERY - self.handled % CHECK_EVERY;
        let (now, served, unseen) = self.network.serve(pipe, self.now, most);
        self.now = now;
        self.handled += served - 1;
        self.show(unseen);
    }

    /// All data of `flow` has arrived.
    #[cold]
    fn complete(&mut self, flow: u32) {
        let next = self.traffic.on_complete(flow, self.now, &mut self.network.hosts.routing);
        if let Some((generator, at)) = next {
            self.schedule(generator, at);
        }
    }

    /// Endpoints may act ahead of the clock, unless somebody looks at their packets or a filter at overtaken ACKs.
    /// They do so up to the next instant at which counts are read or the caller looks.
    fn move_horizon(&mut self) {
        if !self.by_clock && self.observer.is_none() && !self.network.hosts.are_followed() {
            let cut = self.recorder.next_cut().unwrap_or(self.end);
            let ahead = cut.min(self.until).min(self.changes.horizon(self.now));
            self.network.hosts.set_horizon(ahead);
        }
    }

    /// A flow or a datagram begins.
    fn generate(&mut self, generator: u32) {
        let (generated, next) = self.traffic.generate(generator, self.now);
        if let Some(at) = next {
            self.schedule(generator, at);
        }
        let origin = Origin::new(Cause::Generator, generator);
        match generated {
            Generated::Flow(flow) => self.open(&flow, origin),
            Generated::Datagram(datagram) => {
                self.network.hosts.send_datagram(datagram, self.now, origin);
            }
            Generated::Nothing => {}
        }
    }

    fn schedule(&mut self, generator: u32, at: Instant) {
        if at <= self.end {
            self.network.hosts.events.push(at, Event::Generate(generator));
        }
    }

    fn open(&mut self, flow: &NewFlow, origin: Origin) {
        let flow = self.traffic.finite.open(flow, self.now, &mut self.network.hosts);
        self.network.hosts.send(flow, self.now, origin);
    }

    /// Makes every port do all that was due by now.
    fn catch_up(&mut self) {
        for port in 0..self.network.ports() {
            let unseen = self.network.catch_up(port, self.now);
            self.show(unseen);
        }
    }

    /// Ends a measuring interval.
    fn close_interval(&mut self) {
        self.catch_up();
        let Self { now, network, traffic, recorder, .. } = self;
        let (queues, hosts) = network.close_interval(*now);
        let ends = hosts.flows().iter().map(|flow| (&flow.sender, &flow.receiver));
        recorder.close_interval(queues, ends, hosts.datagrams());
        traffic.finite.close_interval(*now, hosts);
        // The last cut is the end of the run: the horizon stays there, and what is held stays held.
        if let Some(next) = recorder.next_cut() {
            self.network.hosts.events.push(next, Event::Boundary);
            self.move_horizon();
        }
    }

    /// Ends a part of what is measured.
    fn close_part(&mut self) {
        self.catch_up();
        self.recorder.close_part(self.network.gauges(), self.now);
        if let Some(next) = self.recorder.parts.next() {
            self.network.hosts.events.push(next, Event::Part);
        }
    }

    /// Samples the series.
    fn sample(&mut self) {
        self.catch_up();
        let Self { now, network, traffic, recorder, .. } = self;
        recorder.begin_sample(*now);
        for port in 0..network.ports() {
            recorder.sample_queue(port as usize, |report| network.probe(port, report));
        }
        recorder.sample_flows(|flow| &network.hosts.flow(flow).sender);
        for (name, group) in traffic.finite.names() {
            recorder.sample_live(name, network.hosts.routing.live()[group]);
        }
        if let Some(interval) = recorder.sampling() {
            let next = *now + interval;
            for (flow, stop) in recorder.watched() {
                let until = if stop < *now { next } else { next.min(stop) };
                network.hosts.set_sender_horizon(flow, until);
            }
            network.hosts.release();
            network.hosts.events.push(next, Event::Sample);
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
        let (Some(seen), hosts) = self.network.unseen(port) else { return };
        let flow = |segment: &Segment| ObservedFlow {
            group: hosts.flow(segment.flow).group(),
            sender: &hosts.flow(segment.flow).sender,
            receiver: &hosts.flow(segment.flow).receiver,
        };
        for event in seen.drain(..) {
            match event {
                PacketEvent::Arrived(packet, at) => observer.arrived(port.0, &packet, at, &flow(&packet.0)),
                PacketEvent::Departed(packet, _, at) => {
                    observer.departed(port.0, &packet, at, &flow(&packet.0));
                }
                PacketEvent::Dropped(..) => observer.dropped(port.0),
                PacketEvent::Marked(..) => {}
            }
        }
        observer.advance(self.now);
    }
}

mod changes;
mod follow;
#[cfg(test)]
mod tests;
mod view;

pub use follow::{Followed, Step};
pub use view::Place;
