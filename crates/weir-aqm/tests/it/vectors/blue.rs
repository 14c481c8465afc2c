//! Blue: a probability that losses raise and idleness lowers.

use weir_aqm::{
    Aqm, Backlog, Limit, Port, Reason, Verdict,
    aqm::{Blue, BlueParameters},
    qdisc::Fifo,
};
use weir_types::{Duration, Ecn, Level};

use crate::support::{
    Numbered, Trace, link, millis, near, packet, packets, probability, rate, read, signalling_rate, stream,
    waiting,
};

const FULL: Backlog = Backlog { packets: 20, bytes: 20_000, limit: Limit::Packets(20) };

fn build(parameters: &BlueParameters) -> Blue {
    parameters.build(link(), stream("blue"))
}

/// A packet is lost; the probability.
fn lose(blue: &mut Blue, now: u64) -> f64 {
    assert_eq!(blue.on_enqueue(packet(Ecn::Ect0), FULL, millis(now)), Verdict::Pass, "the buffer drops it");
    read(blue, "probability")
}

/// The line falls idle; the probability.
fn idle(blue: &mut Blue, now: u64) -> f64 {
    blue.on_idle(millis(now));
    read(blue, "probability")
}

#[test]
fn losses_raise_and_idleness_lowers_the_probability() {
    let mut blue = build(&BlueParameters::default());
    near(lose(&mut blue, 200), 0.020, 1e-12);
    near(lose(&mut blue, 250), 0.020, 1e-12);
    near(lose(&mut blue, 350), 0.040, 1e-12);
    near(idle(&mut blue, 400), 0.040, 1e-12);
    near(idle(&mut blue, 500), 0.038, 1e-12);
}

/// The test is strict, and counts from 0 at the start.
#[test]
fn the_probability_is_frozen_for_a_time() {
    let mut blue = build(&BlueParameters::default());
    near(lose(&mut blue, 100), 0.0, 0.0);
    near(lose(&mut blue, 101), 0.02, 0.0);
    near(lose(&mut blue, 201), 0.02, 0.0);
    blue.on_enqueue(packet(Ecn::Ect0), FULL, millis(201) + Duration::from_nanos(1));
    near(read(&blue, "probability"), 0.04, 1e-12);
}

#[test]
fn the_probability_stays_in_its_range() {
    let parameters =
        BlueParameters { freeze: Duration::ZERO, d1: probability(0.4), ..BlueParameters::default() };
    let mut blue = build(&parameters);
    near(idle(&mut blue, 1), 0.0, 0.0);
    for (now, raised) in [(2, 0.4), (3, 0.8), (4, 1.0), (5, 1.0)] {
        near(lose(&mut blue, now), raised, 0.0);
    }
}

/// Blue's own drops are no losses, and what waits is none of its business, unless it has a level.
#[test]
fn only_an_overflow_is_a_loss() {
    let mut blue = build(&BlueParameters::default());
    lose(&mut blue, 101);
    for n in 0..10_000 {
        blue.on_enqueue(packet(Ecn::NotEct), waiting(900), millis(300 + n));
    }
    near(read(&blue, "probability"), 0.02, 0.0);

    for (level, above, not_above) in [(packets(10.0), 11, 10), (Level::Bytes(10_000.0), 11, 10)] {
        let mut blue = build(&BlueParameters { level: Some(level), ..BlueParameters::default() });
        blue.on_enqueue(packet(Ecn::NotEct), waiting(not_above), millis(500));
        near(read(&blue, "probability"), 0.0, 0.0);
        blue.on_enqueue(packet(Ecn::NotEct), waiting(above), millis(500));
        near(read(&blue, "probability"), 0.02, 0.0);
    }
    // A discipline that makes room elsewhere has lost packets as well.
    let mut blue = build(&BlueParameters::default());
    blue.on_overflow(3, millis(500));
    near(read(&blue, "probability"), 0.02, 0.0);
}

/// A silence lowers the probability once, however long it is.
#[test]
fn a_silence_counts_once() {
    let mut port =
        Port::new(Fifo::new(build(&BlueParameters::default()), Limit::Packets(20)), rate(64_000_000));
    let mut trace = Trace::default();
    let mut burst = |port: &mut Port<_, Fifo<_, Blue>>, now, count| {
        for id in 0..count {
            port.offer(Numbered { id, info: packet(Ecn::Ect0) }, now, &mut trace);
        }
    };
    // Twenty wait, one is under way, nine are lost: one loss counts.
    burst(&mut port, millis(200), 30);
    near(read(port.discipline().aqm(), "probability"), 0.02, 0.0);
    // 21 packets take 2.6 ms: the line falls idle within the time of freezing.
    burst(&mut port, millis(1000), 1);
    near(read(port.discipline().aqm(), "probability"), 0.02, 0.0);
    // The packet of 1000 ms leaves the line idle: once, up to 9000 ms.
    let mut none = Trace::default();
    port.advance(millis(9000), &mut none);
    near(read(port.discipline().aqm(), "probability"), 0.018, 1e-12);
    port.advance(millis(90_000), &mut none);
    near(read(port.discipline().aqm(), "probability"), 0.018, 1e-12);
}

/// At 1, every packet is dropped at an idle line, which makes it idle again: so there is a way back.
#[test]
fn blue_comes_back_from_dropping_all() {
    let parameters =
        BlueParameters { freeze: Duration::ZERO, d1: probability(1.0), ..BlueParameters::default() };
    let mut blue = build(&parameters);
    near(lose(&mut blue, 1), 1.0, 0.0);
    let mut port = Port::new(Fifo::new(blue, Limit::Packets(20)), rate(64_000_000));
    let mut trace = Trace::default();
    for id in 0..10 {
        port.offer(Numbered { id, info: packet(Ecn::NotEct) }, millis(10 + id), &mut trace);
    }
    assert!(read(port.discipline().aqm(), "probability") < 0.99);
}

#[test]
fn packets_are_signalled_with_the_probability() {
    let at = |ecn| {
        let parameters = BlueParameters { d1: probability(0.3), ecn, ..BlueParameters::default() };
        let mut blue = build(&parameters);
        near(lose(&mut blue, 101), 0.3, 0.0);
        blue
    };
    near(signalling_rate(&mut at(false), waiting(10), 1_000_000), 0.3, 0.0025);
    for (ecn, signal) in [(false, Verdict::Drop(Reason::Early)), (true, Verdict::Mark(Reason::Early))] {
        let mut blue = at(ecn);
        let verdicts: Vec<_> =
            (0..100).map(|_| blue.on_enqueue(packet(Ecn::Ect0), waiting(10), millis(101))).collect();
        assert!(verdicts.contains(&signal));
        assert!(verdicts.iter().all(|verdict| [signal, Verdict::Pass].contains(verdict)));
    }
}

/// The buffer is tested before the draw: arrivals at a full buffer change no later draw.
#[test]
fn a_full_buffer_draws_nothing() {
    let verdicts = |overflows_between| {
        let parameters = BlueParameters { d1: probability(0.5), ..BlueParameters::default() };
        let mut blue = build(&parameters);
        lose(&mut blue, 101);
        (0..1000)
            .map(|_| {
                for _ in 0..overflows_between {
                    lose(&mut blue, 102);
                }
                blue.on_enqueue(packet(Ecn::Ect0), waiting(10), millis(102))
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(verdicts(0), verdicts(3));
}
