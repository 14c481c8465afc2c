//! Nanoseconds per packet of each discipline alone: `cargo bench -p weir-aqm --bench aqms`, with
//! names behind `--` for some of them and `--json` for a line of JSON each.
//!
//! No port, no transmitter, no TCP: packets are put in and taken out, and timers called when they
//! are due. Before the clock runs, a closed loop finds arrivals under which the discipline has to
//! work, and writes them down. In this loop, senders send Poisson packets. A drop or a mark halves
//! the rate of a sender at once. Rates grow so that they settle where one packet in a hundred is
//! signalled (more where a discipline drops many at once). Averages, prices and delays are then
//! where the AQM acts. A line is neither empty for long nor full, unless the AQM keeps it so. The
//! repetition is timed: the same arrivals, the same seed, and so the same decisions, the first half
//! as warm-up.
//!
//! Arrivals come in slots of sixteen packet times. Each packet time ends with a departure as long as
//! packets wait. Arrivals beyond sixteen stand at the beginning of a slot. As in a port, an empty
//! queue is asked once, when the link falls idle. The row `ring` is a bare ring buffer driven alike:
//! what it costs to read the list of arrivals and to move packets, and the measure for what comes on
//! top.
//!
//! 32 flows share 64 Mbit/s, 1,000 flows 2 Gbit/s; all are active all the time, each with 250
//! packets a second. The queue has room for 1,000 and 10,240 packets. Every packet is ECN-capable;
//! `ecn` is the AQM's. Before `DualPI2` every other flow is scalable, ECT(1), a mark taking a
//! fortieth of its rate. Shown is the run with the least time: what else the machine does only
//! ever adds.
#![expect(clippy::print_stdout, reason = "a bench is read on the terminal")]

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
    hint::black_box,
};

use serde_json::json;
use weir_aqm::{
    Backlog, Discipline, Limit, Link, Observer, Output, Packet, PacketInfo, Reason, qdisc::QueueConfig,
};
use weir_types::{Duration, Ecn, Instant, Rate, Rng, Streams};

/// Packet times in a slot.
const SLOT: usize = 16;
/// In each half of a run.
const SLOTS: usize = 1 << 16;
const RUNS: u32 = 9;
/// One packet in so many is signalled.
const PACKETS_PER_SIGNAL: f64 = 100.0;

/// As large as the simulator's.
#[derive(Clone)]
struct Simulated {
    info: PacketInfo,
    _number: u32,
    _sent_at: Instant,
}

impl Packet for Simulated {
    #[inline]
    fn info(&self) -> PacketInfo {
        self.info
    }

    #[inline]
    fn mark(&mut self) {
        self.info.ecn = Ecn::Ce;
    }
}

/// Who sends and what before.
#[derive(Clone, Copy)]
struct Regime {
    flows: u16,
    link: Link,
    /// Every other flow is scalable.
    scalable: bool,
}

impl Regime {
    fn of(flows: u16, config: &str) -> Self {
        let (megabits, room) = if flows > 32 { (2_000, 10_240) } else { (64, 1_000) };
        let rate = Rate::from_bits_per_second(megabits * 1_000_000).expect("above zero");
        let link = Link { rate, mean_packet: 1000, limit: Limit::Packets(room), rtt: Duration::ZERO };
        Self { flows, link, scalable: config == "dualpi2" }
    }

    const fn ecn(&self, flow: u16) -> Ecn {
        if self.scalable && flow % 2 == 1 { Ecn::Ect1 } else { Ecn::Ect0 }
    }

    fn packet_time(&self) -> Duration {
        Duration::from_secs_f64(1.0 / self.link.rate.packets_per_second(self.link.mean_packet))
    }
}

/// A discipline with somebody who puts packets in and takes them out.
struct Driven<D> {
    discipline: D,
    /// One of each flow: in a simulator, too, they come out of memory.
    packets: Vec<Simulated>,
    packet_time: Duration,
    now: Instant,
    update_at: Instant,
    /// The last departure found nothing, and nothing has arrived since.
    idle: bool,
}

impl<D: Discipline<Simulated>> Driven<D> {
    fn new(discipline: D, regime: Regime) -> Self {
        let packet = |flow| {
            let info = PacketInfo { bytes: 1000, ecn: regime.ecn(flow), flow: u32::from(flow) };
            Simulated { info, _number: 0, _sent_at: Instant::ZERO }
        };
        Self {
            update_at: discipline.next_update().unwrap_or(Instant::MAX),
            discipline,
            packets: (0..regime.flows).map(packet).collect(),
            packet_time: regime.packet_time(),
            now: Instant::ZERO,
            idle: true,
        }
    }

    /// A packet of each of these flows arrives.
    #[inline]
    fn slot(&mut self, flows: &[u16], output: &mut impl Output<Simulated>) {
        let rounds = flows.len().max(SLOT);
        for round in 0..rounds {
            if let Some(&flow) = flows.get(round) {
                self.discipline.enqueue(self.packets[usize::from(flow)].clone(), self.now, output);
                self.idle = false;
            }
            if round + SLOT >= rounds {
                self.take(output);
            }
        }
    }

    #[inline]
    fn take(&mut self, output: &mut impl Output<Simulated>) {
        self.now += self.packet_time;
        while self.update_at <= self.now {
            self.discipline.update(self.update_at);
            self.update_at = self.discipline.next_update().unwrap_or(Instant::MAX);
        }
        if self.idle {
            return;
        }
        match self.discipline.dequeue(self.now, output) {
            Some((packet, sojourn)) => output.sent(packet, sojourn, self.now, self.now),
            None => self.idle = true,
        }
    }
}

/// Counts.
#[derive(Default)]
struct Tally {
    sent: u64,
    signalled: u64,
    sojourn: u64,
}

impl Observer<Simulated> for Tally {
    fn dropped(&mut self, _: Simulated, _: Reason, _: bool, _: Instant) {
        self.signalled += 1;
    }

    fn marked(&mut self, _: &Simulated, _: Reason, _: Instant) {
        self.signalled += 1;
    }
}

impl Output<Simulated> for Tally {
    #[inline]
    fn sent(&mut self, _: Simulated, sojourn: Duration, _: Instant, _: Instant) {
        self.sent += 1;
        self.sojourn += sojourn.as_nanos();
    }

    fn backlog(&mut self, _: u32, _: Instant) {}
}

/// Senders that answer at once.
struct Senders {
    regime: Regime,
    /// Packets per second of each flow.
    rates: Vec<f64>,
    /// When a flow sends next, and which.
    next: BinaryHeap<Reverse<(Instant, u16)>>,
    draws: Rng,
    /// Increase of a flow's rate for each packet that arrives, in packets per second.
    growth: f64,
}

impl Senders {
    fn new(regime: Regime) -> Self {
        let fair = regime.link.rate.packets_per_second(1000) / f64::from(regime.flows);
        Self {
            regime,
            rates: vec![fair; usize::from(regime.flows)],
            next: (0..regime.flows).map(|flow| Reverse((Instant::ZERO, flow))).collect(),
            draws: Streams::new(1).at("arrivals"),
            growth: fair / 2.0 / PACKETS_PER_SIGNAL,
        }
    }

    /// The flow that sends next, if it does so before `end`.
    fn send(&mut self, end: Instant) -> Option<u16> {
        let Reverse((at, flow)) = *self.next.peek()?;
        if at >= end {
            return None;
        }
        self.next.pop();
        let gap = -(1.0 - self.draws.uniform()).ln() / self.rates[usize::from(flow)];
        self.next.push(Reverse((at + Duration::from_secs_f64(gap), flow)));
        Some(flow)
    }

    fn rate(&mut self, flow: u32) -> &mut f64 {
        &mut self.rates[flow as usize]
    }
}

impl Observer<Simulated> for Senders {
    fn dropped(&mut self, packet: Simulated, _: Reason, _: bool, _: Instant) {
        let floor = self.growth;
        let rate = self.rate(packet.info.flow);
        *rate = (*rate / 2.0).max(floor);
    }

    fn marked(&mut self, packet: &Simulated, _: Reason, _: Instant) {
        let (floor, flow) = (self.growth, packet.info.flow);
        let part = if self.regime.ecn(flow as u16) == Ecn::Ect1 { 1.0 / 40.0 } else { 0.5 };
        let rate = self.rate(flow);
        *rate = (*rate * (1.0 - part)).max(floor);
    }
}

impl Output<Simulated> for Senders {
    fn sent(&mut self, packet: Simulated, _: Duration, _: Instant, _: Instant) {
        let growth = self.growth;
        *self.rate(packet.info.flow) += growth;
    }

    fn backlog(&mut self, _: u32, _: Instant) {}
}

/// Arrivals, written down: the flow of each packet, and how many there are in each slot.
#[derive(Default)]
struct Script {
    flows: Vec<u16>,
    slots: Vec<u16>,
}

impl Script {
    fn record<D: Discipline<Simulated>>(discipline: D, regime: Regime) -> Self {
        let (mut driven, mut senders) = (Driven::new(discipline, regime), Senders::new(regime));
        let mut script = Self::default();
        for _ in 0..2 * SLOTS {
            let (before, end) = (script.flows.len(), driven.now + driven.packet_time * SLOT as u64);
            script.flows.extend(std::iter::from_fn(|| senders.send(end)));
            script.slots.push((script.flows.len() - before) as u16);
            driven.slot(&script.flows[before..], &mut senders);
        }
        script
    }

    /// Nanoseconds per packet that leaves, of the second half, and what became of the packets.
    fn play<D: Discipline<Simulated>>(&self, discipline: D, regime: Regime) -> (f64, Tally) {
        let (mut driven, mut rest) = (Driven::new(discipline, regime), &self.flows[..]);
        let (warm_up, timed) = self.slots.split_at(SLOTS);
        let mut play = |slots: &[u16]| {
            let (mut tally, begin) = (Tally::default(), std::time::Instant::now());
            for slot in slots {
                let (flows, later) = rest.split_at(usize::from(*slot));
                driven.slot(flows, &mut tally);
                rest = later;
            }
            (begin.elapsed().as_nanos() as f64 / tally.sent as f64, black_box(tally))
        };
        play(warm_up);
        play(timed)
    }
}

/// A ring buffer that refuses when it is full, and nothing else.
struct Ring(VecDeque<(Simulated, Instant)>, Limit);

impl Discipline<Simulated> for Ring {
    #[inline]
    fn enqueue(&mut self, packet: Simulated, now: Instant, observer: &mut impl Observer<Simulated>) {
        if self.backlog().overflows(packet.info.bytes) {
            observer.dropped(packet, Reason::Overflow, false, now);
        } else {
            self.0.push_back((packet, now));
        }
    }

    #[inline]
    fn dequeue(&mut self, now: Instant, _: &mut impl Observer<Simulated>) -> Option<(Simulated, Duration)> {
        self.0.pop_front().map(|(packet, arrived)| (packet, now.since(arrived)))
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        Backlog { packets: self.0.len() as u32, bytes: 0, limit: self.1 }
    }

    fn next_update(&self) -> Option<Instant> {
        None
    }

    fn update(&mut self, _: Instant) {}

    fn drain(&mut self, into: &mut Vec<(Simulated, Instant)>) {
        into.extend(self.0.drain(..));
    }

    fn restore(&mut self, packet: Simulated, arrived: Instant) {
        self.0.push_back((packet, arrived));
    }

    fn take_over(&mut self, former: &mut Self, _: Instant) {
        self.0 = std::mem::take(&mut former.0);
    }

    fn begin(&mut self, _: Instant) {}

    fn on_rate(&mut self, _: Rate, _: Instant) {}

    fn probe(&self, _: &mut dyn FnMut(&'static str, f64)) {}
}

/// One line of the table.
fn measure<D: Discipline<Simulated>>(make: impl Fn() -> D, regime: Regime) -> (f64, Tally) {
    let script = Script::record(make(), regime);
    let runs = (0..RUNS).map(|_| script.play(make(), regime));
    runs.min_by(|one, other| one.0.total_cmp(&other.0)).expect("several runs")
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let as_json = arguments.iter().any(|argument| argument == "--json");
    let wanted: Vec<_> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    if !as_json {
        println!(
            "{:16} {:>6} {:>10} {:>10} {:>11} {:>12}",
            "discipline", "flows", "ns/packet", "over ring", "signalled", "mean wait"
        );
    }
    for flows in [32, 1000] {
        let regime = Regime::of(flows, "ring");
        let ring = || Ring(VecDeque::new(), regime.link.limit);
        let (bare, tally) = measure(ring, regime);
        show("ring", flows, bare, bare, &tally, as_json);
        for name in QueueConfig::NAMES.iter().filter(|name| flows == 32 || tells_flows_apart(name)) {
            if !wanted.is_empty() && !wanted.iter().any(|one| one == name) {
                continue;
            }
            let regime = Regime::of(flows, name);
            for config in variants(name) {
                let make = || config.build(regime.link, Streams::new(1), "aqm");
                let (nanos, tally) = measure(make, regime);
                show(&label(&config), flows, nanos, bare, &tally, as_json);
            }
        }
    }
}

fn show(name: &str, flows: u16, nanos: f64, bare: f64, tally: &Tally, as_json: bool) {
    let wait = 1e-6 * tally.sojourn as f64 / tally.sent as f64;
    let signalled = 100.0 * tally.signalled as f64 / tally.sent as f64;
    if as_json {
        println!("{}", json!({ "discipline": name, "flows": flows, "ns_per_packet": nanos }));
    } else {
        let over = nanos - bare;
        println!("{name:16} {flows:6} {nanos:10.1} {over:10.1} {signalled:10.2}% {wait:9.3} ms");
    }
}

fn tells_flows_apart(name: &str) -> bool {
    ["sfb", "choke", "fq", "fq-codel", "fq-pie", "cake"].contains(&name)
}

/// As it comes, and marking if that is another thing.
fn variants(name: &str) -> Vec<QueueConfig> {
    let default = QueueConfig::from_name(name).expect("a name of the registry");
    let marking = serde_json::from_value(json!({ name: { "ecn": true } })).ok();
    let marking = marking.filter(|marking| *marking != default);
    [default].into_iter().chain(marking).collect()
}

fn label(config: &QueueConfig) -> String {
    let default = QueueConfig::from_name(config.name()).as_ref() == Some(config);
    format!("{}{}", config.name(), if default { "" } else { " ecn" })
}
