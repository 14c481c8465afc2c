//! The AQM put together: the points that no published AQM has.

use weir_aqm::{
    Aqm, Backlog, Discipline, Limit, PacketInfo, Reason, Verdict,
    aqm::{AqmConfig, CongestionMeasure, Modular, ModularParameters, Profile, SignalAt, Spacing},
    parts,
    qdisc::Fifo,
};
use weir_types::{Duration, Ecn, Instant, Level};

use super::modular_published::behaviour;
use crate::{
    contracts::Operation,
    support::{
        Event, Numbered, Trace, link, millis, near, packet, packets, probability, rate, read,
        signalling_rate, stream, waiting,
    },
};

fn build(parameters: &ModularParameters) -> Modular {
    parameters.build(link(), stream("modular"))
}

/// A point with independent draws, as most have.
pub(super) fn point(measure: CongestionMeasure, profile: Profile) -> ModularParameters {
    ModularParameters { measure, profile, spacing: Spacing::Geometric, ..ModularParameters::default() }
}

/// A price set in one step: with gamma = alpha = 1 and b = b*, it is x - c; c is 16.
fn at_price(price: u32, parameters: &ModularParameters) -> Modular {
    let mut aqm = build(&ModularParameters { gamma: 1.0, alpha: 1.0, ..parameters.clone() });
    for _ in 0..16 + price {
        aqm.on_enqueue(packet(Ecn::NotEct), waiting(20), Instant::ZERO);
    }
    aqm.update(waiting(20), millis(2));
    near(read(&aqm, "measure"), f64::from(price), 1e-9);
    aqm
}

/// V1, REM's price in RED's profile: a line to 0.1 at 105.413, where REM has 0.1 too, and in
/// another to 1 at twice that.
#[test]
fn a_price_in_the_profile_of_red() {
    near(parts::exponential(105.413, 1.001), 0.1, 5e-7);
    let v1 = ModularParameters { phi: 2.0, ..point(CongestionMeasure::Price, Profile::Gentle) };
    let probability_at = |price| {
        let mut aqm = at_price(price, &v1);
        aqm.on_enqueue(packet(Ecn::NotEct), waiting(20), millis(2));
        read(&aqm, "probability")
    };
    for (price, p) in [(0, 0.0), (50, 0.1 * 50.0 / 105.413), (105, 0.1 * 105.0 / 105.413), (211, 1.0)] {
        near(probability_at(price), p, 1e-12);
    }
    near(probability_at(158), 0.1 + 0.9 * (158.0 - 105.413) / 105.413, 1e-12);
    near(signalling_rate(&mut at_price(50, &v1), waiting(20), 1_000_000), 0.047_43, 0.001);
    assert_eq!(
        at_price(211, &v1).on_enqueue(packet(Ecn::Ect0), waiting(20), millis(2)),
        Verdict::Drop(Reason::Forced)
    );
}

/// V2, the average queue in REM's profile, is REM of 1999.
#[test]
fn an_average_queue_in_the_profile_of_rem() {
    let v2 = ModularParameters {
        weight: Some(probability(1.0)),
        ..point(CongestionMeasure::Average, Profile::Exponential)
    };
    for (queue, m) in [(20, 0.864_664_716_8), (40, 0.981_684_361_1)] {
        let mut aqm = build(&v2);
        for _ in 0..2 {
            aqm.on_enqueue(packet(Ecn::NotEct), waiting(queue), Instant::ZERO);
        }
        near(read(&aqm, "probability"), m, 1e-10);
    }
}

/// V3: the share of arrivals that find no room, each 2 ms, averaged with 0.1. A period without
/// arrivals changes nothing.
#[test]
fn loss_in_the_profile_of_rem() {
    let full = Backlog { limit: Limit::Packets(20), ..waiting(20) };
    let v3 = ModularParameters { kappa: Some(5.0), ..point(CongestionMeasure::Loss, Profile::Exponential) };
    let mut aqm = build(&v3);
    let mut period = |passed: u32, lost: u32| {
        for _ in 0..passed {
            aqm.on_enqueue(packet(Ecn::NotEct), waiting(10), Instant::ZERO);
        }
        for _ in 0..lost {
            assert_eq!(aqm.on_enqueue(packet(Ecn::NotEct), full, Instant::ZERO), Verdict::Pass);
        }
        let due = aqm.next_update().expect("a timer");
        aqm.update(waiting(10), due);
        read(&aqm, "measure")
    };
    let measured = [(8, 2), (0, 0), (10, 0), (0, 4)].map(|(passed, lost)| period(passed, lost));
    for (value, expected) in measured.into_iter().zip([0.02, 0.02, 0.018, 0.1162]) {
        near(value, expected, 1e-12);
    }
    aqm.on_enqueue(packet(Ecn::NotEct), waiting(10), Instant::ZERO);
    near(read(&aqm, "probability"), 1.0 - (-5.0 * 0.1162_f64).exp(), 1e-12);
    // Packets that were let in and lost later count.
    let mut aqm = build(&v3);
    aqm.on_enqueue(packet(Ecn::NotEct), waiting(10), Instant::ZERO);
    aqm.on_overflow(1, Instant::ZERO);
    aqm.update(waiting(10), millis(2));
    near(read(&aqm, "measure"), 0.1, 1e-12);
}

/// V4: the delay of packets that leave, one sample each. With kappa per packet that the link
/// could have sent in the time, it says what the queue says.
#[test]
fn delay_in_the_profile_of_rem() {
    let leave = |aqm: &mut Modular, micros| {
        aqm.on_dequeue(packet(Ecn::NotEct), Duration::from_micros(micros), waiting(0), Instant::ZERO);
        aqm.on_enqueue(packet(Ecn::NotEct), waiting(0), Instant::ZERO);
        (read(aqm, "measure"), read(aqm, "probability"))
    };
    let v4 = point(CongestionMeasure::Delay, Profile::Exponential);
    near(leave(&mut build(&v4), 100_000).0, 0.002 * 0.1, 1e-15);
    // No sample while nothing leaves, however long that is.
    let mut aqm = build(&v4);
    leave(&mut aqm, 100_000);
    aqm.on_idle(millis(1000));
    aqm.on_enqueue(packet(Ecn::NotEct), waiting(0), millis(9000));
    near(read(&aqm, "measure"), 0.002 * 0.1, 1e-15);

    // Twenty packets take 2.5 ms.
    let now = ModularParameters { weight: Some(probability(1.0)), ..v4 };
    near(leave(&mut build(&now), 2500).1, 0.864_664_716_8, 1e-9);
    let mut slower = build(&now);
    slower.on_rate(rate(32_000_000), Instant::ZERO);
    near(leave(&mut slower, 5000).1, 0.864_664_716_8, 1e-9);
    let given = ModularParameters { kappa: Some(800.0), ..now.clone() };
    near(leave(&mut build(&given), 2500).1, 0.864_664_716_8, 1e-9);
    // RED on the delay: between the times that 5 and 15 packets take, 625 and 1875 us.
    let red = ModularParameters { profile: Profile::Linear, ..now };
    near(leave(&mut build(&red), 1250).1, 0.05, 1e-12);
}

/// A line that does not stop at its points, as HRED's.
#[test]
fn an_affine_profile_goes_on_to_the_ends() {
    let affine = ModularParameters {
        low: Some(10.0),
        high: Some(20.0),
        bottom: probability(0.3),
        top: Some(probability(0.5)),
        ..point(CongestionMeasure::Queue, Profile::Affine)
    };
    for (queue, p) in [(0, 0.1), (10, 0.3), (15, 0.4), (20, 0.5), (40, 0.9), (60, 1.0)] {
        let mut aqm = build(&affine);
        aqm.on_enqueue(packet(Ecn::NotEct), waiting(queue), Instant::ZERO);
        near(read(&aqm, "probability"), p, 1e-12);
    }
}

/// At departure the queue is what is left behind; a packet that is dropped there has waited.
#[test]
fn signals_may_wait_for_the_departure() {
    let certain = ModularParameters {
        signal_at: SignalAt::Departure,
        low: Some(3.0),
        high: Some(4.0),
        ecn: true,
        harddrop: false,
        ..point(CongestionMeasure::Queue, Profile::Linear)
    };
    let mut fifo = Fifo::new(build(&certain), Limit::Packets(100));
    let mut trace = Trace::default();
    for id in 0..8 {
        let info = packet(if id == 2 { Ecn::NotEct } else { Ecn::Ect0 });
        fifo.enqueue(Numbered { id, info }, Instant::ZERO, &mut trace);
    }
    assert_eq!(trace.events, [], "arrivals are left alone");
    let now = millis(1);
    let mut left = vec![];
    while let Some((packet, _)) = fifo.dequeue(now, &mut trace) {
        left.push(packet.id);
    }
    // Seven to four are left behind the first four.
    let marked = |id| Event::Marked { id, reason: Reason::Forced, now };
    let dropped = Event::Dropped { id: 2, reason: Reason::Forced, waited: true, now };
    assert_eq!(trace.events, [marked(0), marked(1), dropped, marked(3)]);
    assert_eq!(left, [0, 1, 3, 4, 5, 6, 7]);
}

#[test]
fn levels_in_bytes_count_packets_of_mean_size() {
    let aqm = |target| {
        let mut aqm =
            build(&ModularParameters { target, ..point(CongestionMeasure::Queue, Profile::Linear) });
        let many_small = Backlog { packets: 100, bytes: 10_000, limit: Limit::Bytes(1_000_000) };
        aqm.on_enqueue(PacketInfo { bytes: 100, ..packet(Ecn::NotEct) }, many_small, Instant::ZERO);
        read(&aqm, "measure")
    };
    near(aqm(Level::Bytes(20_000.0)), 10.0, 0.0);
    near(aqm(packets(20.0)), 100.0, 0.0);
}

/// Every measure in every profile with either spacing, at either end: it runs and it signals.
#[test]
fn everything_can_be_combined() {
    use CongestionMeasure::{Average, Delay, Loss, Pi, Price, PriceByQueue, Queue};
    for measure in [Queue, Average, Delay, Loss, Price, PriceByQueue, Pi] {
        for profile in
            [Profile::Linear, Profile::Gentle, Profile::Quadratic, Profile::Exponential, Profile::Affine]
        {
            for spacing in [Spacing::Geometric, Spacing::Uniform, Spacing::Wait] {
                for signal_at in [SignalAt::Arrival, SignalAt::Departure] {
                    let eager = ModularParameters {
                        spacing,
                        signal_at,
                        weight: Some(probability(0.1)),
                        target: packets(5.0),
                        gamma: 5.0,
                        a: 0.02,
                        b: 0.01,
                        high: (measure == Loss).then_some(0.03),
                        kappa: (measure == Loss).then_some(50.0),
                        ..point(measure, profile)
                    };
                    let config = AqmConfig::Modular(eager);
                    assert_eq!(config.check(), Ok(()));
                    // Bursts of 30 packets each 3 ms into room for 25.
                    let offer = Operation::Offer(packet(Ecn::NotEct));
                    let take = [Operation::Take, Operation::Advance(125_000)];
                    let burst = std::iter::repeat_n(offer, 30);
                    let period = burst.chain(take.into_iter().cycle().take(48));
                    let operations: Vec<_> = period.cycle().take(60 * 78).collect();
                    let (events, _) = behaviour(&config, Limit::Packets(25), 1, &operations);
                    let early = |event: &&Event| {
                        matches!(event, Event::Dropped { reason: Reason::Early | Reason::Forced, .. })
                    };
                    assert!(events.iter().filter(early).count() > 5, "{config:?} does not signal");
                }
            }
        }
    }
}

#[test]
fn parameters_are_checked_together() {
    let default = ModularParameters::default;
    let loss = |profile| ModularParameters { measure: CongestionMeasure::Loss, profile, ..default() };
    for (parameters, name) in [
        (ModularParameters { alpha: 0.0, ..default() }, "alpha"),
        (ModularParameters { gamma: -1.0, ..default() }, "gamma"),
        (ModularParameters { b: 1.0, ..default() }, "b"),
        (ModularParameters { weight: Some(probability(0.0)), ..default() }, "weight"),
        (ModularParameters { interval: Duration::ZERO, ..default() }, "interval"),
        (ModularParameters { phi: 1.0, ..default() }, "phi"),
        (ModularParameters { kappa: Some(0.0), ..default() }, "kappa"),
        (ModularParameters { low: Some(15.0), ..default() }, "high"),
        (ModularParameters { low: Some(-1.0), ..default() }, "high"),
        (ModularParameters { high: Some(5.0), ..default() }, "high"),
        (ModularParameters { high: Some(f64::NAN), ..default() }, "high"),
        (
            ModularParameters {
                target: packets(0.0),
                ..point(CongestionMeasure::PriceByQueue, Profile::Linear)
            },
            "target",
        ),
        (loss(Profile::Exponential), "kappa"),
        (loss(Profile::Affine), "high"),
    ] {
        let invalid = AqmConfig::Modular(parameters).check().expect_err(name);
        assert_eq!(invalid.parameter, name);
    }
}
