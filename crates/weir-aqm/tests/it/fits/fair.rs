//! FQ-CoDel (RFC 8290) as a discipline: deficit round robin over flows, new ones first, with
//! a law of any kind for each. A law is given the whole backlog, as in Linux.
//!
//! All laws are there from the start: a law that came with its flow would bring a timer that
//! changes when a packet arrives, not inside `update`.

use std::collections::VecDeque;

use proptest::prelude::*;
use weir_aqm::{
    Aqm, Backlog, Discipline, Limit, Observer, Packet, PacketInfo, Port, Reason, Verdict,
    disciplines::Line,
    laws::{AnyAqm, AqmConfig, RedParameters, RemParameters},
};
use weir_types::{Duration, Ecn, Instant, Rate, Streams};

use super::{
    codel::{Codel, CodelParameters},
    pie::{Pie, PieParameters},
};
use crate::{
    contracts::{Rules, depends_on_nothing_but_arrivals, keeps_its_word, operations},
    no_alloc::{LIMIT, allocates_nothing},
    support::{Event, Numbered, Trace, link, millis, packet, probability, rate},
};

struct Flow<P, A> {
    line: Line<P>,
    law: A,
    deficit: i64,
    /// Whether it is on a list.
    active: bool,
}

pub(super) struct Fair<P, A> {
    flows: Vec<Flow<P, A>>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    quantum: i64,
    queue: Backlog,
}

impl<P: Packet, A: Aqm> Fair<P, A> {
    pub(super) fn new(flows: usize, limit: Limit, law: impl Fn(usize) -> A) -> Self {
        let flow = |index| Flow { line: Line::new(), law: law(index), deficit: 0, active: false };
        Self {
            flows: (0..flows).map(flow).collect(),
            new: VecDeque::with_capacity(flows),
            old: VecDeque::with_capacity(flows),
            quantum: 1514,
            queue: Backlog { packets: 0, bytes: 0, limit },
        }
    }

    fn over_limit(&self) -> bool {
        match self.queue.limit {
            Limit::Packets(limit) => self.queue.packets > limit,
            Limit::Bytes(limit) => self.queue.bytes > limit,
        }
    }

    /// The head of one flow, no longer counted.
    fn pop(&mut self, index: usize) -> Option<(P, Instant)> {
        let (packet, arrived) = self.flows[index].line.pop()?;
        self.queue.packets -= 1;
        self.queue.bytes -= u64::from(packet.info().bytes);
        Some((packet, arrived))
    }

    /// Drops from the head of the fattest flow until half of its bytes are gone.
    fn make_room(&mut self, now: Instant, observer: &mut impl Observer<P>) {
        let bytes = |index: usize| self.flows[index].line.backlog(self.queue.limit).bytes;
        let fattest = (0..self.flows.len()).rev().max_by_key(|index| bytes(*index)).expect("a flow");
        let half = bytes(fattest).div_ceil(2);
        let mut dropped = 0;
        for _ in 0..64 {
            if dropped >= half {
                break;
            }
            let Some((packet, _)) = self.pop(fattest) else { break };
            dropped += u64::from(packet.info().bytes);
            observer.dropped(packet, Reason::Overflow, true, now);
        }
    }

    /// The next packet of one flow that its law lets through.
    fn take(&mut self, index: usize, now: Instant, observer: &mut impl Observer<P>) -> Option<(P, Duration)> {
        loop {
            let Some((mut packet, arrived)) = self.pop(index) else {
                self.flows[index].law.on_idle(now);
                return None;
            };
            let (info, sojourn) = (packet.info(), now.since(arrived));
            match self.flows[index].law.on_dequeue(info, sojourn, self.queue, now) {
                Verdict::Pass => {}
                Verdict::Mark(reason) if info.ecn.is_markable() => {
                    packet.mark();
                    observer.marked(&packet, reason, now);
                }
                Verdict::Mark(reason) | Verdict::Drop(reason) => {
                    observer.dropped(packet, reason, true, now);
                    continue;
                }
            }
            return Some((packet, sojourn));
        }
    }
}

impl<P: Packet, A: Aqm> Discipline<P> for Fair<P, A> {
    fn enqueue(&mut self, mut packet: P, now: Instant, observer: &mut impl Observer<P>) {
        let info = packet.info();
        let index = info.flow as usize % self.flows.len();
        match self.flows[index].law.on_enqueue(info, self.queue, now) {
            Verdict::Pass => {}
            Verdict::Mark(reason) if info.ecn.is_markable() => {
                packet.mark();
                observer.marked(&packet, reason, now);
            }
            Verdict::Mark(reason) | Verdict::Drop(reason) => {
                return observer.dropped(packet, reason, false, now);
            }
        }
        let flow = &mut self.flows[index];
        flow.line.push(packet, now);
        self.queue.packets += 1;
        self.queue.bytes += u64::from(info.bytes);
        if !flow.active {
            (flow.active, flow.deficit) = (true, self.quantum);
            self.new.push_back(index);
        }
        // A packet may be larger than what was dropped for it.
        while self.over_limit() {
            self.make_room(now, observer);
        }
    }

    fn dequeue(&mut self, now: Instant, observer: &mut impl Observer<P>) -> Option<(P, Duration)> {
        loop {
            let from_new = !self.new.is_empty();
            let list = if from_new { &mut self.new } else { &mut self.old };
            let index = *list.front()?;
            if self.flows[index].deficit <= 0 {
                list.pop_front();
                self.flows[index].deficit += self.quantum;
                self.old.push_back(index);
                continue;
            }
            if let Some((packet, sojourn)) = self.take(index, now, observer) {
                self.flows[index].deficit -= i64::from(packet.info().bytes);
                return Some((packet, sojourn));
            }
            // An empty new flow goes once through the old list, or it would be new again
            // with its next packet and never wait for the others.
            if from_new {
                self.new.pop_front();
                self.old.push_back(index);
            } else {
                self.old.pop_front();
                self.flows[index].active = false;
            }
        }
    }

    fn backlog(&self) -> Backlog {
        self.queue
    }

    fn next_update(&self) -> Option<Instant> {
        self.flows.iter().filter_map(|flow| flow.law.next_update()).min()
    }

    fn update(&mut self, now: Instant) {
        for flow in &mut self.flows {
            if flow.law.next_update().is_some_and(|due| due <= now) {
                flow.law.update(self.queue, now);
            }
        }
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        for flow in &mut self.flows {
            flow.law.on_rate(rate, now);
        }
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("active", self.flows.iter().filter(|flow| flow.active).count() as f64);
    }
}

fn codel(_: usize) -> Codel {
    let (target, interval) = (Duration::from_micros(50), Duration::from_millis(1));
    Codel::new(CodelParameters { target, interval, mtu: 1514, ecn: true })
}

/// Flow 0 has 4 packets of 1500 bytes, flow 1 has 6 of 500, both new.
#[test]
fn flows_take_turns_by_bytes() {
    let mut fair = Fair::new(1024, Limit::Packets(10_240), |_| Codel::new(CodelParameters::default()));
    let mut trace = Trace::default();
    let mut offer = |id, flow, bytes| {
        let info = PacketInfo { bytes, flow, ..packet(Ecn::NotEct) };
        fair.enqueue(Numbered { id, info }, Instant::ZERO, &mut trace);
    };
    (0..4).for_each(|id| offer(id, 0, 1500));
    (4..10).for_each(|id| offer(id, 1, 500));
    let mut order = String::new();
    while let Some((packet, _)) = fair.dequeue(millis(1), &mut trace) {
        order.push(if packet.info.flow == 0 { 'A' } else { 'B' });
    }
    assert_eq!(order, "AABBBBABBA");
    assert_eq!(trace.events, []);
}

/// A full buffer costs the fattest flow half of its bytes, from the head; the arrival stays.
#[test]
fn the_fattest_flow_makes_room() {
    let mut fair = Fair::new(8, Limit::Packets(10), codel);
    let mut trace = Trace::default();
    for id in 0..11 {
        let info = PacketInfo { flow: u32::from(id >= 8), ..packet(Ecn::NotEct) };
        fair.enqueue(Numbered { id, info }, Instant::ZERO, &mut trace);
    }
    let dropped = |id| Event::Dropped { id, reason: Reason::Overflow, waited: true, now: Instant::ZERO };
    assert_eq!(trace.events, [0, 1, 2, 3].map(dropped));
    assert_eq!(fair.backlog().packets, 7);
}

/// A slow flow among greedy ones waits for at most what is on the wire, the packet before it
/// and one quantum.
#[test]
fn a_thin_flow_does_not_queue() {
    let mut port = Port::new(Fair::new(8, Limit::Packets(100), codel), rate(64_000_000));
    let mut trace = Trace::default();
    for id in 0..20_000 {
        let thin = id % 20 == 0;
        let flow = if thin { 7 } else { (id % 3) as u32 };
        let info = PacketInfo { flow, ..packet(Ecn::NotEct) };
        port.offer(Numbered { id, info }, Instant::from_nanos(id * 100_000), &mut trace);
    }
    let waits = trace.events.iter().filter_map(|event| match event {
        Event::Sent { id, sojourn, .. } if id % 20 == 0 => Some(*sojourn),
        _ => None,
    });
    let waits: Vec<_> = waits.collect();
    assert_eq!(waits.len(), 1000, "none is lost");
    assert!(waits.iter().all(|wait| *wait <= Duration::from_micros(4 * 125)), "{:?}", waits.iter().max());
}

/// Any law under it, with the timers of all flows on one alarm.
fn registry(name: &'static str) -> impl Fn(usize) -> AnyAqm {
    let config = match name {
        "red" => AqmConfig::Red(RedParameters { w_q: probability(0.2), ..RedParameters::default() }),
        "rem" => AqmConfig::Rem(RemParameters { gamma: 1.0, ..RemParameters::default() }),
        name => AqmConfig::from_name(name).expect("a name of the registry"),
    };
    move |index| config.build(link(), Streams::new(1).at(&format!("aqm.{index}")))
}

fn pie(index: usize) -> Pie {
    let interval = Duration::from_micros(375);
    let parameters =
        PieParameters { interval, max_burst: Duration::ZERO, ecn: true, ..PieParameters::default() };
    Pie::new(parameters, Streams::new(1).at(&format!("aqm.{index}")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn flows_under_any_law(packets in 1_u32..40, in_bytes: bool, operations in operations()) {
        let limit = if in_bytes { Limit::Bytes(u64::from(packets) * 1000) } else { Limit::Packets(packets) };
        let rules = Rules { marks: true, line: |info| info.flow % 4 };
        keeps_its_word(|| Fair::new(4, limit, codel), &rules, &operations);
        keeps_its_word(|| Fair::new(4, limit, pie), &rules, &operations);
        depends_on_nothing_but_arrivals(|| Fair::new(4, limit, codel), &rules, &operations);
        depends_on_nothing_but_arrivals(|| Fair::new(4, limit, pie), &rules, &operations);
        let rules = Rules { marks: false, ..rules };
        for name in AqmConfig::NAMES {
            keeps_its_word(|| Fair::new(4, limit, registry(name)), &rules, &operations);
        }
    }
}

#[test]
fn fair_queueing_allocates_nothing() {
    allocates_nothing("fair", Fair::new(1024, LIMIT, codel));
}
