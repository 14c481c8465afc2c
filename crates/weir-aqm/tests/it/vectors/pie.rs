//! PIE through its hooks. Tests that start from a probability are at the end of `pie.rs` of the crate.

use weir_aqm::{
    Aqm, Backlog, Limit, PacketInfo, Reason, Verdict,
    aqm::{AqmConfig, DelayFrom, Pie, PieParameters},
};
use weir_types::{Duration, Ecn, Instant};

use crate::support::{
    delay_under_control, link, millis, near, packet, probability, read, signalling_rate, stream, waiting,
};

fn build(parameters: &PieParameters) -> Pie {
    parameters.build(link(), stream("pie"))
}

/// A packet leaves 9 behind after `delay`, and the timer fires; the probability.
fn tick(pie: &mut Pie, delay: Duration) -> f64 {
    let now = pie.next_update().expect("PIE has a timer");
    pie.on_dequeue(packet(Ecn::NotEct), delay, waiting(9), now);
    pie.update(waiting(9), now);
    read(pie, "probability")
}

/// PIE without allowance for bursts, at a delay of 30 ms until the probability is reached.
fn at(least: f64, parameters: &PieParameters) -> Pie {
    let mut pie = build(&PieParameters { max_burst: Duration::ZERO, ..parameters.clone() });
    while tick(&mut pie, Duration::from_millis(30)) < least {}
    pie
}

/// The first two bring the probability back to 0 and the old delay to 15 ms.
#[test]
fn the_probability_follows_the_delay() {
    let mut pie = build(&PieParameters::default());
    let p = [30, 15, 30, 45, 30, 15, 10].map(|millis| tick(&mut pie, Duration::from_millis(millis)));
    let expected = [1.922_607_4e-5, 0.0, 1.007_080_1e-5, 1.858_520_5e-4, 0.0, 0.0, 0.0];
    for (value, expected) in p.into_iter().zip(expected) {
        near(value, expected, 1e-11);
    }
}

/// A burst is let through for 150 ms, then the queue is held. The probability moves meanwhile.
#[test]
fn a_burst_is_let_through() {
    let mut pie = build(&PieParameters::default());
    let mut first = None;
    for step in 0..4000 {
        let now = Instant::ZERO + Duration::from_micros(100 * step);
        if pie.next_update().is_some_and(|due| due <= now) {
            pie.update(waiting(99), now);
        }
        pie.on_dequeue(packet(Ecn::NotEct), Duration::from_millis(300), waiting(99), now);
        if now == millis(100) {
            assert!(read(&pie, "probability") > 0.0);
        }
        if pie.on_enqueue(packet(Ecn::NotEct), waiting(99), now) != Verdict::Pass {
            first.get_or_insert(now);
        }
    }
    let first = first.expect("a queue of 300 ms is signalled");
    assert!((millis(150)..millis(200)).contains(&first), "{first:?}");
}

/// Two silent updates with no probability left restore the right to a burst.
#[test]
fn silence_restores_the_allowance() {
    let mut pie = build(&PieParameters::default());
    for _ in 0..5 {
        tick(&mut pie, Duration::from_millis(20));
    }
    near(read(&pie, "burst_allowance"), 0.075, 1e-12);
    // The old delay must be below half the target too.
    tick(&mut pie, Duration::ZERO);
    near(read(&pie, "burst_allowance"), 0.060, 1e-12);
    tick(&mut pie, Duration::ZERO);
    near(read(&pie, "burst_allowance"), 0.150, 1e-12);
}

/// No signals with two mean packets waiting, nor with half the target and p below 0.2.
#[test]
fn safeguards() {
    let parameters = PieParameters { derandomise: false, ..PieParameters::default() };
    let mut pie = at(0.1, &parameters);
    let p = read(&pie, "probability");
    near(signalling_rate(&mut pie, Backlog { bytes: 2048, ..waiting(2) }, 1000), 0.0, 0.0);
    near(signalling_rate(&mut pie, Backlog { bytes: 2049, ..waiting(2) }, 100_000), p, 0.005);
    // The old delay is now the one before the last.
    let low = Duration::from_nanos(7_499_999);
    while tick(&mut pie, low) == 0.0 {}
    near(signalling_rate(&mut pie, waiting(9), 1000), 0.0, 0.0);

    let mut pie = at(0.5, &parameters);
    let p = tick(&mut pie, low);
    assert!(p > 0.2, "{p}");
    near(signalling_rate(&mut pie, waiting(9), 100_000), p, 0.01);
}

/// The gap to the next signal is at least 0.85 / p and at most 8.5 / p. But for the latter, it is
/// 1 / p + 0.85 / p on average. A probability of its own for each packet has neither bound.
#[test]
fn signals_are_neither_too_near_nor_too_far() {
    for derandomise in [true, false] {
        let mut pie = at(0.05, &PieParameters { derandomise, ..PieParameters::default() });
        let p = read(&pie, "probability");
        let mut gaps = vec![0_u32];
        for _ in 0..1_000_000 {
            *gaps.last_mut().expect("begun") += 1;
            if pie.on_enqueue(packet(Ecn::NotEct), waiting(9), Instant::ZERO) != Verdict::Pass {
                gaps.push(0);
            }
        }
        gaps.pop();
        let (least, most) = (*gaps.iter().min().expect("some"), *gaps.iter().max().expect("some"));
        let mean = gaps.iter().map(|gap| f64::from(*gap)).sum::<f64>() / gaps.len() as f64;
        if derandomise {
            assert_eq!((least, most), ((0.85 / p).ceil() as u32, (8.5 / p).ceil() as u32));
            near(mean * p, 1.85, 0.05);
        } else {
            assert!(least == 1 && f64::from(most) > 8.5 / p, "{least} to {most}");
            near(mean * p, 1.0, 0.02);
        }
    }
}

/// A full buffer draws nothing and begins the sum anew.
#[test]
fn a_full_buffer_draws_nothing() {
    let full = Backlog { limit: Limit::Packets(9), ..waiting(9) };
    let mut pie = at(0.05, &PieParameters::default());
    for _ in 0..10 {
        pie.on_enqueue(packet(Ecn::NotEct), waiting(9), Instant::ZERO);
    }
    assert!(read(&pie, "accu_prob") > 0.5);
    assert_eq!(pie.on_enqueue(packet(Ecn::NotEct), full, Instant::ZERO), Verdict::Pass);
    near(read(&pie, "accu_prob"), 0.0, 0.0);
}

/// A sum of earlier probabilities is forgotten when the probability is zero.
#[test]
fn no_probability_clears_the_sum() {
    let mut pie = at(0.01, &PieParameters::default());
    for _ in 0..50 {
        pie.on_enqueue(packet(Ecn::NotEct), waiting(9), Instant::ZERO);
    }
    assert!(read(&pie, "accu_prob") > 0.4);
    near(tick(&mut pie, Duration::from_millis(8)), 0.0, 0.0);
    assert_eq!(pie.on_enqueue(packet(Ecn::NotEct), waiting(9), Instant::ZERO), Verdict::Pass);
    near(read(&pie, "accu_prob"), 0.0, 0.0);
}

/// Marks below 10%, drops from there on.
#[test]
fn what_is_marked_at_first_is_dropped_later() {
    let parameters = PieParameters {
        ecn: true,
        mark_ecnth: probability(0.1),
        derandomise: false,
        ..PieParameters::default()
    };
    for (least, expected) in [(0.05, Verdict::Mark(Reason::Early)), (0.11, Verdict::Drop(Reason::Early))] {
        let mut pie = at(least, &parameters);
        let verdicts = (0..1000).map(|_| pie.on_enqueue(packet(Ecn::Ect0), waiting(9), Instant::ZERO));
        let signals: Vec<_> = verdicts.filter(|verdict| *verdict != Verdict::Pass).collect();
        assert!(signals.len() > 10 && signals.iter().all(|verdict| *verdict == expected), "{signals:?}");
    }
}

#[test]
fn in_byte_mode_a_small_packet_has_a_small_chance() {
    let parameters = PieParameters { byte_mode: true, derandomise: false, ..PieParameters::default() };
    let mut pie = at(0.2, &parameters);
    let p = read(&pie, "probability");
    for (bytes, factor) in [(128, 0.125), (1024, 1.0), (2048, 2.0)] {
        let info = PacketInfo { bytes, ..packet(Ecn::NotEct) };
        let passes = |_: &u32| pie.on_enqueue(info, waiting(9), Instant::ZERO) != Verdict::Pass;
        let signals = (0..100_000).filter(passes).count();
        near(signals as f64 / 100_000.0, p * factor, 0.006);
    }
}

/// A packet that leaves nothing behind has seen no queue.
#[test]
fn the_last_packet_leaves_a_delay_of_zero() {
    let mut pie = build(&PieParameters::default());
    pie.on_dequeue(packet(Ecn::NotEct), Duration::from_millis(30), waiting(0), millis(14));
    pie.update(waiting(1), millis(15));
    near(read(&pie, "qdelay_old"), 0.0, 0.0);
    pie.on_dequeue(packet(Ecn::NotEct), Duration::from_millis(30), waiting(1), millis(29));
    pie.update(waiting(0), millis(30));
    near(read(&pie, "qdelay_old"), 0.0, 0.0);
}

/// 17 packets of 1000 bytes are 16 KiB. At 64 Mbit/s they leave in 17 x 125 us; 30 kB that wait
/// are then worth 3.75 ms. The next measurement counts for a quarter.
#[test]
fn the_delay_by_departures_is_backlog_over_rate() {
    let parameters = PieParameters { delay_from: DelayFrom::DepartureRate, ..PieParameters::default() };
    let mut pie = build(&parameters);
    let mut now = Instant::ZERO;
    let mut leave = |pie: &mut Pie, packets: u32, micros: u64, behind: u32| {
        for _ in 0..packets {
            pie.on_dequeue(packet(Ecn::NotEct), Duration::from_secs(9), waiting(behind), now);
            now += Duration::from_micros(micros);
        }
        read(pie, "avg_dq_rate")
    };
    near(leave(&mut pie, 100, 125, 16), 0.0, 0.0);
    near(leave(&mut pie, 17, 125, 30), 0.0, 0.0);
    pie.update(waiting(30), millis(15));
    near(read(&pie, "qdelay_old"), 0.0, 0.0);
    near(leave(&mut pie, 1, 250, 30), 8e6, 1e-3);
    pie.update(waiting(30), millis(30));
    near(read(&pie, "qdelay_old"), 0.003_75, 1e-12);
    near(leave(&mut pie, 17, 250, 30), 0.75 * 8e6 + 0.25 * 4e6, 1e-3);
    // A measurement during which the line fell idle is thrown away.
    pie.on_idle(Instant::ZERO);
    near(leave(&mut pie, 17, 1, 30), 7e6, 1e-3);
}

/// The integral leaves no error: whatever the number of users, the delay settles at the target,
/// measured either way.
#[test]
fn the_delay_settles_at_the_target() {
    for delay_from in [DelayFrom::Timestamps, DelayFrom::DepartureRate] {
        for users in [50.0, 200.0] {
            let pie = AqmConfig::Pie(PieParameters { delay_from, ..PieParameters::default() });
            near(delay_under_control(&pie, users), 0.015, 0.0015);
        }
    }
}
