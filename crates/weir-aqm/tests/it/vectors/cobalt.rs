//! COBALT as CAKE has it, and the scenarios of ns-3's own test suite.

use weir_aqm::{
    Aqm, Backlog, Discipline, Limit, PacketInfo, Port, Reason, Verdict,
    aqm::{Cobalt, CobaltParameters},
    qdisc::Fifo,
};
use weir_types::{Duration, Ecn, Instant, Rng, Streams};

use crate::support::{
    Event, Numbered, Trace, link, millis, near, packet, probability, rate, read, stream, waiting,
};

fn build(parameters: &CobaltParameters) -> Cobalt {
    parameters.build(link(), stream("cobalt"))
}

/// `p_drop` steps up with an overflow and down with an empty queue, more than a target apart.
#[test]
fn blue_counts_overflows_and_silences() {
    let mut cobalt = build(&CobaltParameters::default());
    let full = Backlog { limit: Limit::Packets(100), ..waiting(100) };
    let mut p_drop = Vec::new();
    for now in [10, 12, 20] {
        assert_eq!(cobalt.on_enqueue(packet(Ecn::Ect0), full, millis(now)), Verdict::Pass);
        p_drop.push(read(&cobalt, "p_drop"));
    }
    for now in [30, 40] {
        cobalt.on_idle(millis(now));
        p_drop.push(read(&cobalt, "p_drop"));
    }
    let expected = [0.003_906_25, 0.003_906_25, 0.007_812_5, 0.007_568_359, 0.007_324_219];
    for (value, expected) in p_drop.into_iter().zip(expected) {
        near(value, expected, 5e-10);
    }
}

/// In a fair queue, the drop that made room is told apart from any arrival.
#[test]
fn a_drop_for_want_of_room_is_an_overflow() {
    let mut cobalt = build(&CobaltParameters::default());
    cobalt.on_overflow(64, millis(10));
    near(read(&cobalt, "p_drop"), 1.0 / 256.0, 0.0);
    near(read(&cobalt, "count"), 1.0, 0.0);
    near(read(&cobalt, "drop_next"), 0.01, 0.0);
}

/// A queue of so many packets that came at once, the first of them ECN-capable.
fn standing(parameters: &CobaltParameters, packets: u64, ect: u64) -> Fifo<Numbered, Cobalt> {
    let mut fifo = Fifo::new(build(parameters), Limit::Packets(500));
    for id in 0..packets {
        let info = packet(if id < ect { Ecn::Ect0 } else { Ecn::NotEct });
        fifo.enqueue(Numbered { id, info }, Instant::ZERO, &mut Trace::default());
    }
    fifo
}

/// Drops and marks of a call at `now`.
fn call(fifo: &mut Fifo<Numbered, Cobalt>, now: u64) -> (usize, usize) {
    let mut trace = Trace::default();
    fifo.dequeue(millis(now), &mut trace).expect("there are enough");
    let drops = trace.events.iter().filter(|event| matches!(event, Event::Dropped { .. })).count();
    (drops, trace.events.len() - drops)
}

/// The stored `now - drop_next` makes the second packet the first signal, and one call makes up
/// for four.
#[test]
fn a_call_after_a_long_silence_drops_four() {
    let mut fifo = standing(&CobaltParameters::default(), 20, 0);
    let left = [10, 210].map(|now| {
        call(&mut fifo, now);
        fifo.backlog().packets
    });
    assert_eq!(left, [19, 14]);
}

/// The first signal after traffic without delay comes an interval after the first packet over
/// target. After a silence of an interval it comes with the packet after that one.
#[test]
fn the_first_signal_comes_sooner_after_a_silence() {
    for (last, expected) in [(150, 300), (100, 300), (99, 210)] {
        let mut cobalt = build(&CobaltParameters::default());
        let mut passes = |sojourn, now| {
            let sojourn = Duration::from_millis(sojourn);
            cobalt.on_dequeue(packet(Ecn::NotEct), sojourn, waiting(100), millis(now)) == Verdict::Pass
        };
        assert!(passes(5, last));
        assert_eq!((200..).step_by(10).find(|now| !passes(6, *now)), Some(expected), "last at {last} ms");
    }
}

/// The scenarios of ns-3's test suite for COBALT, test 3.
#[test]
fn the_scenarios_of_ns3() {
    let marking = CobaltParameters { ecn: true, ..CobaltParameters::default() };
    let calls = [10, 210, 210, 420];
    let mut fifo = standing(&marking, 20, 20);
    assert_eq!(calls.map(|now| call(&mut fifo, now)), [(0, 0), (0, 1), (0, 1), (0, 1)]);
    let mut fifo = standing(&marking, 20, 3);
    assert_eq!(calls.map(|now| call(&mut fifo, now)), [(0, 0), (0, 1), (0, 1), (4, 0)]);
}

/// ns-3's test 5: of 200 packets one is asked for every 10 ms. From the 41st call on the sojourn
/// is beyond 400 ms, and `p_drop` rises 60 times. ns-3 counts 49 drops with its random numbers.
#[test]
fn blue_may_watch_the_sojourn_too() {
    let blue_threshold = Some(Duration::from_millis(400));
    let mut fifo = standing(&CobaltParameters { blue_threshold, ..CobaltParameters::default() }, 200, 200);
    let drops: usize = (1..=100).map(|number| call(&mut fifo, 10 * number).0).sum();
    near(read(fifo.aqm(), "p_drop"), 60.0 / 256.0, 0.0);
    near(drops as f64, 49.0, 12.0);

    let mut fifo = standing(&CobaltParameters { ecn: true, ..CobaltParameters::default() }, 200, 200);
    let drops: usize = (1..=100).map(|number| call(&mut fifo, 10 * number).0).sum();
    assert_eq!((drops, read(fifo.aqm(), "p_drop")), (0, 0.0));
}

/// The pace of a bad time is unlearnt step by step: where nothing is over target, count falls by
/// one at every instant where a signal would have been due.
#[test]
fn a_pace_is_unlearnt_at_the_pace_it_was_learnt() {
    let mut cobalt = build(&CobaltParameters::default());
    let long = Duration::from_millis(50);
    for now in 0..500 {
        cobalt.on_dequeue(packet(Ecn::NotEct), long, waiting(100), millis(now));
    }
    let count = read(&cobalt, "count");
    assert!(count > 6.0);
    // Signals forgotten between 500 and 1000 ms, asked once and asked always.
    let mut often = cobalt.clone();
    for now in 500..=1000 {
        often.on_idle(millis(now));
    }
    let verdict = cobalt.on_dequeue(packet(Ecn::NotEct), Duration::ZERO, waiting(100), millis(1000));
    assert_eq!(verdict, Verdict::Pass);
    near(read(&cobalt, "count"), read(&often, "count"), 0.0);
    assert!(read(&cobalt, "count") < count - 3.0);
}

/// Blue alone drops packets of flows that do not answer marks.
#[test]
fn blue_drops_what_could_be_marked() {
    let parameters =
        CobaltParameters { ecn: true, increment: probability(1.0), ..CobaltParameters::default() };
    let mut cobalt = build(&parameters);
    cobalt.on_overflow(1, millis(10));
    let verdict = cobalt.on_dequeue(packet(Ecn::Ect0), Duration::ZERO, waiting(9), millis(11));
    assert_eq!(verdict, Verdict::Drop(Reason::Early));
}

/// Three packets come for two that can leave, and do not answer: the two alternatives together
/// find the third that has to go, and the buffer no longer overflows.
#[test]
fn an_unresponsive_flow_is_cut_to_the_capacity() {
    let limit = Limit::Packets(120);
    let mut port = Port::new(Fifo::new(build(&CobaltParameters::default()), limit), rate(64_000_000));
    let info = PacketInfo { ecn: Ecn::Ect0, ..packet(Ecn::Ect0) };
    let (mut overflows, mut drops) = (0, 0);
    for id in 0..360_000_u64 {
        let mut trace = Trace::default();
        port.offer(Numbered { id, info }, Instant::from_nanos(id * 125_000 * 2 / 3), &mut trace);
        if id >= 240_000 {
            let dropped = trace.events.iter().filter_map(|event| match event {
                Event::Dropped { reason, .. } => Some(*reason),
                _ => None,
            });
            dropped.for_each(|reason| {
                drops += 1;
                overflows += u32::from(reason == Reason::Overflow);
            });
        }
    }
    near(f64::from(drops) / 120_000.0, 1.0 / 3.0, 0.02);
    assert!(overflows < drops / 100, "{overflows} of {drops} drops for want of room");
}

/// CAKE's listing once more, in signed nanoseconds and with the difference it stores.
struct Listing {
    parameters: CobaltParameters,
    dropping: bool,
    count: u32,
    drop_next: i64,
    p_drop: f64,
    blue_timer: i64,
    rng: Rng,
}

impl Listing {
    fn control(&self, t: i64) -> i64 {
        let root = if self.count < 2 { 1.0 } else { f64::from(self.count).sqrt() };
        t + (self.parameters.interval.as_nanos() as f64 * (1.0 / root)).round() as i64
    }

    fn full(&mut self, now: i64) {
        if now - self.blue_timer > self.parameters.target.as_nanos().cast_signed() {
            self.p_drop = (self.p_drop + 1.0 / 256.0).min(1.0);
            self.blue_timer = now;
        }
        self.dropping = true;
        self.drop_next = now;
        if self.count == 0 {
            self.count = 1;
        }
    }

    fn empty(&mut self, now: i64) {
        if self.p_drop > 0.0 && now - self.blue_timer > self.parameters.target.as_nanos().cast_signed() {
            self.p_drop = (self.p_drop - 1.0 / 4096.0).max(0.0);
            self.blue_timer = now;
        }
        self.dropping = false;
        if self.count > 0 && now - self.drop_next >= 0 {
            self.count -= 1;
            self.drop_next = self.control(self.drop_next);
        }
    }

    fn head(&mut self, markable: bool, sojourn: i64, now: i64) -> Verdict {
        let mut schedule = now - self.drop_next;
        let over = sojourn > self.parameters.target.as_nanos().cast_signed();
        let mut due = self.count > 0 && schedule >= 0;
        if over {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = self.control(now);
            }
            if self.count == 0 {
                self.count = 1;
            }
        } else if self.dropping {
            self.dropping = false;
        }
        let (mut drop, mut mark) = (false, false);
        if due && self.dropping {
            mark = self.parameters.ecn && markable;
            drop = !mark;
            self.count += 1;
            self.drop_next = self.control(self.drop_next);
            schedule = now - self.drop_next;
        } else {
            while due {
                self.count -= 1;
                self.drop_next = self.control(self.drop_next);
                schedule = now - self.drop_next;
                due = self.count > 0 && schedule >= 0;
            }
        }
        if self.p_drop > 0.0 {
            drop |= self.rng.chance(self.p_drop);
        }
        if self.count == 0 {
            self.drop_next = now + self.parameters.interval.as_nanos().cast_signed();
        } else if schedule > 0 && !drop {
            self.drop_next = now;
        }
        match (drop, mark) {
            (true, _) => Verdict::Drop(Reason::Early),
            (_, true) => Verdict::Mark(Reason::Early),
            _ => Verdict::Pass,
        }
    }
}

/// The AQM and the listing decide alike if they are asked the same at the same instants. The
/// questions are sojourns that wander, overflows, and queues that ran empty.
#[test]
fn the_aqm_is_the_listing() {
    let full = Backlog { limit: Limit::Packets(9), ..waiting(9) };
    let (mut drops, mut marks) = (0, 0);
    for seed in 0..1000 {
        let parameters = CobaltParameters {
            target: Duration::from_micros(200),
            interval: Duration::from_millis(2),
            ecn: seed % 2 == 0,
            ..CobaltParameters::default()
        };
        let mut aqm = build(&parameters);
        let rng = stream("cobalt");
        let mut listing =
            Listing { parameters, dropping: false, count: 0, drop_next: 0, p_drop: 0.0, blue_timer: 0, rng };
        let mut draws = Streams::new(seed).at("trace");
        let (mut now, mut sojourn) = (0, 100.0);
        for step in 0..1500 {
            now += (40_000.0 * draws.uniform()) as u64 * if draws.chance(0.005) { 200 } else { 1 };
            let instant = Instant::from_nanos(now);
            sojourn = (sojourn + 100_000.0 * (draws.uniform() - 0.5)).clamp(0.0, 500_000.0);
            match draws.uniform() {
                u if u < 0.01 => {
                    aqm.on_enqueue(packet(Ecn::Ect0), full, instant);
                    listing.full(now.cast_signed());
                }
                u if u < 0.02 => {
                    aqm.on_idle(instant);
                    listing.empty(now.cast_signed());
                    sojourn *= draws.uniform().round();
                }
                u => {
                    let ecn = if u < 0.5 { Ecn::NotEct } else { Ecn::Ect0 };
                    let waited = Duration::from_nanos(sojourn as u64);
                    let verdict = aqm.on_dequeue(packet(ecn), waited, waiting(9), instant);
                    let expected = listing.head(ecn.is_markable(), sojourn as i64, now.cast_signed());
                    assert_eq!(verdict, expected, "seed {seed}, step {step}");
                    drops += u32::from(matches!(verdict, Verdict::Drop(_)));
                    marks += u32::from(matches!(verdict, Verdict::Mark(_)));
                }
            }
        }
    }
    assert!(drops > 10_000 && marks > 1000, "{drops}, {marks}");
}

/// One AQM for each flow of a fair queue.
#[test]
fn a_thousand_of_them_are_small() {
    assert!(size_of::<Cobalt>() <= 160, "{}", size_of::<Cobalt>());
}
