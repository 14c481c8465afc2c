//! A port: whoever drives it, and however often it is asked, the same arrivals give the same
//! departures, to the nanosecond.

use proptest::prelude::*;
use weir_aqm::{Aqm, Backlog, Discipline, Limit, Link, PacketInfo, Port, Reason, Verdict, qdisc::Fifo};
use weir_types::{Duration, Ecn, Instant, Rate, Streams};

use super::{Operation, Rules, books::Books, operations};
use crate::support::{Event, Numbered, Trace, link, packet, rate, registry, stream};

/// How the port is driven between arrivals.
#[derive(Clone, Copy, PartialEq)]
enum Waking {
    /// At [`Port::next_wake`]: the simulator.
    WhenAsked,
    /// Never: it has to catch up at the next arrival.
    Never,
    /// When asked, a nanosecond too early and too late, and for no reason at all.
    Restless,
    /// Every so often: a relay that polls.
    Every(Duration),
}

/// Runs the operations on ports driven in every way, holds them to the contract and demands
/// the identical trace.
pub(crate) fn depends_on_nothing_but_arrivals<D: Discipline<Numbered>>(
    make: impl Fn() -> D,
    rules: &Rules,
    operations: &[Operation],
) {
    let expected = drive(make(), operations, Waking::WhenAsked, Some(rules));
    for waking in [Waking::Never, Waking::Restless] {
        assert_eq!(drive(make(), operations, waking, None), expected);
    }
}

const RATE: u64 = 64_000_000;

/// Events that a port reports. With `rules`, every event is checked as it comes.
fn drive<D: Discipline<Numbered>>(
    discipline: D,
    operations: &[Operation],
    waking: Waking,
    rules: Option<&Rules>,
) -> Vec<Event> {
    let mut port = Port::new(discipline, rate(RATE));
    let (mut trace, mut now, mut id) = (Trace::default(), Instant::ZERO, 0);
    let mut books = rules.map(|rules| Books::new(rules, RATE));
    // Long enough for everything to leave at the lowest rate.
    let flush = Operation::Advance(6_000_000_000);
    for operation in operations.iter().chain([&flush]) {
        let seen = trace.events.len();
        match *operation {
            Operation::Advance(nanos) => {
                let until = now + Duration::from_nanos(nanos);
                match &mut books {
                    Some(books) => books.wake(&mut port, until, &mut trace),
                    None => wake(&mut port, now, until, waking, &mut trace),
                }
                now = until;
            }
            Operation::Offer(info) => {
                if let Some(books) = &mut books {
                    books.offered(id, info, now);
                }
                port.offer(Numbered { id, info }, now, &mut trace);
                id += 1;
            }
            Operation::Take if waking == Waking::Restless => port.advance(now, &mut trace),
            Operation::Take => {}
            Operation::Rate(bits) => port.set_rate(rate(bits), now, &mut trace),
        }
        if let Some(books) = &mut books {
            if !matches!(operation, Operation::Advance(_)) {
                books.check(&trace.events[seen..], &port);
            }
            if let Operation::Rate(bits) = *operation {
                // The remainder is counted in units of the old rate; less than 1 ns goes with it.
                let kept = if bits == books.rate { books.remainder } else { 0 };
                (books.rate, books.remainder) = (bits, kept);
            }
        }
    }
    port.advance(now, &mut trace);
    assert_eq!((port.backlog().packets, port.next_wake()), (0, None), "everything has left");
    trace.events
}

/// Drives the port from `now` until just after `until`.
fn wake<D: Discipline<Numbered>>(
    port: &mut Port<Numbered, D>,
    now: Instant,
    until: Instant,
    waking: Waking,
    trace: &mut Trace,
) {
    match waking {
        Waking::Never => {}
        Waking::WhenAsked => {
            while let Some(at) = port.next_wake().filter(|at| *at <= until) {
                port.advance(at, trace);
                assert!(port.next_wake().is_none_or(|next| next > at), "it was woken and did nothing");
            }
        }
        Waking::Restless => {
            let span = until.since(now).as_nanos();
            for part in [0, span / 3, span / 3, span / 2] {
                let at = port.next_wake().map_or(0, |at| at.since(now).as_nanos());
                let mut calls = [part, at.saturating_sub(1), at, at + 1].map(|nanos| nanos.min(span));
                calls.sort_unstable();
                for nanos in calls {
                    port.advance(now + Duration::from_nanos(nanos), trace);
                }
            }
        }
        Waking::Every(span) => {
            let mut at = now + span;
            while at < until {
                port.advance(at, trace);
                at += span;
            }
        }
    }
}

/// Refuses flow 1 at the door and flow 2 at the head, and notes what else it is told.
#[derive(Clone, Default)]
struct Doorman {
    idle: Vec<Instant>,
    rates: Vec<(Rate, Instant)>,
}

impl Aqm for Doorman {
    fn take_over(&mut self, _: &Self) {}

    fn on_enqueue(&mut self, packet: PacketInfo, _: Backlog, _: Instant) -> Verdict {
        if packet.flow == 1 { Verdict::Drop(Reason::Early) } else { Verdict::Pass }
    }

    fn on_dequeue(&mut self, packet: PacketInfo, _: Duration, _: Backlog, _: Instant) -> Verdict {
        if packet.flow == 2 { Verdict::Drop(Reason::Early) } else { Verdict::Pass }
    }

    fn on_idle(&mut self, now: Instant) {
        self.idle.push(now);
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        self.rates.push((rate, now));
    }
}

fn doorman() -> Port<Numbered, Fifo<Numbered, Doorman>> {
    Port::new(Fifo::new(Doorman::default(), Limit::Packets(10)), rate(RATE))
}

/// Drives a doorman's port with packets he lets in; what he noted, and the ends of the busy
/// periods as the wire shows them.
fn idleness(operations: &[Operation], waking: Waking) -> (Doorman, Vec<Instant>) {
    let mut port = doorman();
    let (mut trace, mut now) = (Trace::default(), Instant::ZERO);
    for (id, operation) in (0..).zip(operations) {
        match *operation {
            Operation::Advance(nanos) => {
                let until = now + Duration::from_nanos(nanos);
                wake(&mut port, now, until, waking, &mut trace);
                now = until;
            }
            Operation::Offer(info) => {
                port.offer(Numbered { id, info: PacketInfo { flow: 0, ..info } }, now, &mut trace);
            }
            Operation::Take => {}
            Operation::Rate(bits) => port.set_rate(rate(bits), now, &mut trace),
        }
    }
    port.advance(now + Duration::from_secs(10), &mut trace);
    let spans: Vec<_> = trace.events.iter().filter_map(span).collect();
    // A packet that did not wait found the line idle, if only since the same instant: at one
    // instant transmissions end before packets arrive.
    let ends = spans.windows(2).filter(|pair| pair[1].sojourn.is_zero()).map(|pair| pair[0].end);
    (port.discipline().aqm().clone(), ends.chain(spans.last().map(|last| last.end)).collect())
}

/// One packet on the wire.
struct Span {
    sojourn: Duration,
    start: Instant,
    end: Instant,
}

fn span(event: &Event) -> Option<Span> {
    match *event {
        Event::Sent { sojourn, start, end, .. } => Some(Span { sojourn, start, end }),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The line falls idle when the transmitter asks and finds nothing: once after each busy
    /// period, at the end of its last packet, however late the port is woken.
    #[test]
    fn every_idle_period_is_told_once(operations in operations()) {
        for waking in [Waking::WhenAsked, Waking::Never, Waking::Restless] {
            let (doorman, ends) = idleness(&operations, waking);
            prop_assert_eq!(doorman.idle, ends);
        }
    }
}

/// An arrival at an idle line makes the transmitter ask. If the AQM refuses the packet, at the
/// door or at the head, it is told again: RED, which has aged its average up to the arrival,
/// starts the idle clock anew (as in ns-2).
#[test]
fn a_refusal_at_an_idle_line_is_one_more_question() {
    let (mut port, mut trace) = (doorman(), Trace::default());
    let micros = |micros| Instant::ZERO + Duration::from_micros(micros);
    for (id, (at, flow)) in (0..).zip([(10, 1), (20, 2), (100, 0), (150, 1), (160, 2), (300, 2), (400, 1)]) {
        let info = PacketInfo { flow, ..packet(Ecn::NotEct) };
        port.offer(Numbered { id, info }, micros(at), &mut trace);
    }
    assert_eq!(port.discipline().aqm().idle, [10, 20, 225, 300, 400].map(micros));
}

/// Notes who was asked when: an update, a packet at the head, an arrival.
struct Order {
    calls: Vec<(&'static str, Instant)>,
    update_at: Instant,
}

const TICK: Duration = Duration::from_micros(125);

impl Aqm for Order {
    fn take_over(&mut self, _: &Self) {}

    fn on_enqueue(&mut self, _: PacketInfo, _: Backlog, now: Instant) -> Verdict {
        self.calls.push(("arrival", now));
        Verdict::Pass
    }

    fn on_dequeue(&mut self, _: PacketInfo, _: Duration, _: Backlog, now: Instant) -> Verdict {
        self.calls.push(("head", now));
        Verdict::Pass
    }

    fn next_update(&self) -> Option<Instant> {
        Some(self.update_at)
    }

    fn update(&mut self, _: Backlog, now: Instant) {
        self.calls.push(("update", now));
        self.update_at = now + TICK;
    }
}

/// At one instant: the update, the end of a transmission, an arrival. Whoever comes late is
/// told so with the instant it was due at.
#[test]
fn things_happen_in_the_order_of_their_instants() {
    let aqm = Order { calls: Vec::new(), update_at: Instant::ZERO + TICK };
    let (mut port, mut trace) = (Port::new(Fifo::new(aqm, Limit::Packets(10)), rate(RATE)), Trace::default());
    let at = |ticks: u64| Instant::ZERO + TICK * ticks;
    for (id, ticks) in [(0, 0), (1, 0), (2, 1), (3, 3)] {
        port.offer(Numbered { id, info: packet(Ecn::NotEct) }, at(ticks), &mut trace);
    }
    port.advance(at(4), &mut trace);
    let expected = [
        ("arrival", at(0)),
        ("head", at(0)),
        ("arrival", at(0)),
        ("update", at(1)),
        ("head", at(1)),
        ("arrival", at(1)),
        ("update", at(2)),
        ("head", at(2)),
        ("update", at(3)),
        ("arrival", at(3)),
        ("head", at(3)),
        ("update", at(4)),
    ];
    assert_eq!(port.discipline().aqm().calls, expected);
}

/// A new rate holds from the next packet on, for the wire and for the AQM.
#[test]
fn a_new_rate_is_honoured() {
    let (mut port, mut trace) = (doorman(), Trace::default());
    for id in 0..3 {
        port.offer(Numbered { id, info: packet(Ecn::NotEct) }, Instant::ZERO, &mut trace);
    }
    let change = Instant::from_nanos(200_000);
    port.set_rate(rate(8_000_000), change, &mut trace);
    port.advance(Instant::from_nanos(10_000_000), &mut trace);
    let spans = trace.events.iter().filter_map(span);
    let spans = spans.map(|span| (span.start.as_nanos(), span.end.as_nanos()));
    assert_eq!(spans.collect::<Vec<_>>(), [(0, 125_000), (125_000, 250_000), (250_000, 1_250_000)]);
    assert_eq!(port.discipline().aqm().rates, [(rate(8_000_000), change)]);
}

/// Every AQM at 110% load, polled every microsecond and woken only when it asked: the reason
/// to believe that what is simulated is what a relay does.
#[test]
fn polling_changes_nothing() {
    for config in registry() {
        let mut draws = stream("arrivals");
        let mut operations = Vec::new();
        for _ in 0..3000 {
            let gap = -(1.0 - draws.uniform()).ln() * 125_000.0 / 1.1;
            let ecn = if draws.chance(0.5) { Ecn::Ect0 } else { Ecn::NotEct };
            operations.extend([Operation::Advance(gap as u64), Operation::Offer(packet(ecn))]);
        }
        let limit = Limit::Packets(60);
        let make = || Fifo::new(config.build(Link { limit, ..link() }, Streams::new(3).at("aqm")), limit);
        let rules = Rules { marks: true, line: |_| 0 };
        let expected = drive(make(), &operations, Waking::WhenAsked, Some(&rules));
        let signals =
            expected.iter().filter(|event| matches!(event, Event::Dropped { .. } | Event::Marked { .. }));
        assert!(signals.count() > 50, "{} has work to do", config.name());
        let polled = drive(make(), &operations, Waking::Every(Duration::from_micros(1)), None);
        assert!(polled == expected, "{} notices that it is polled", config.name());
    }
}
