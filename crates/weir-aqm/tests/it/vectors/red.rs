//! RED as published: the average, the profile, the spacing of signals.

use weir_aqm::{
    Aqm, Backlog, Limit, Link, PacketInfo, Reason, Verdict,
    aqm::{IdleM, Red, RedParameters, Spacing},
    parts,
    qdisc::QueueConfig,
};
use weir_types::{Duration, Ecn, Instant, Level};

use crate::support::{
    link, near, packet, packets, probability, rate, read, signalling_rate, stream, waiting,
};

/// RED as configured, past its first arrival: the line is busy from here on.
pub(super) fn busy(parameters: &RedParameters) -> Red {
    let mut red = parameters.build(link(), stream("red"));
    assert_eq!(see(&mut red, 0), Verdict::Pass);
    red
}

/// RED whose average is the queue itself, so that a test can set it.
pub(super) fn following(parameters: &RedParameters) -> Red {
    busy(&RedParameters { w_q: probability(1.0), ..parameters.clone() })
}

/// A packet arrives and finds `queue` packets.
pub(super) fn see(red: &mut Red, queue: u32) -> Verdict {
    red.on_enqueue(packet(Ecn::NotEct), waiting(queue), Instant::ZERO)
}

/// The thresholds out of reach: for tests of the average alone.
fn unreachable() -> RedParameters {
    RedParameters { min_th: Some(packets(1e6)), max_th: Some(packets(2e6)), ..RedParameters::default() }
}

fn after(since: Instant, samples: f64) -> Instant {
    since + Duration::from_nanos(125_000).mul_f64(samples)
}

#[test]
fn the_average_takes_the_queue_before_the_arrival() {
    let mut red = unreachable().build(link(), stream("red"));
    for queue in 0..5 {
        see(&mut red, queue);
    }
    near(read(&red, "average"), 0.019_960_039_984, 1e-12);

    // The line starts idle: no sample for the first arrival, whatever it finds.
    let mut red = unreachable().build(link(), stream("red"));
    see(&mut red, 20);
    near(read(&red, "average"), 0.0, 0.0);
    for _ in 0..1000 {
        see(&mut red, 20);
    }
    near(read(&red, "average"), 17.298_709_551, 1e-9);
}

/// The n-th packet of a burst into an empty queue finds n - 1. Floyd's formula, where a
/// sample includes the arrival, crosses at the 72nd.
#[test]
fn a_burst_brings_the_average_over_min_th_at_the_73rd_arrival() {
    let mut red = RedParameters::default().build(link(), stream("red"));
    let crossed = (0..100).position(|queue| {
        see(&mut red, queue);
        read(&red, "average") >= 5.0
    });
    assert_eq!(crossed, Some(73 - 1));
}

/// An average of 10 after an idle time of 50 packets, by the paper and by ns-2.
#[test]
fn idle_time_is_so_many_samples_of_zero() {
    for (idle_m, expected) in [(IdleM::Real, 9.047_468_180), (IdleM::Ns2, 9.029_373_244)] {
        let mut red = busy(&RedParameters { idle_m, ..unreachable() });
        for _ in 0..20_000 {
            see(&mut red, 10);
        }
        near(read(&red, "average"), 10.0, 1e-12);
        let idle_since = Instant::from_nanos(777);
        red.on_idle(idle_since);
        red.on_enqueue(packet(Ecn::NotEct), waiting(0), after(idle_since, 50.0));
        near(read(&red, "average"), expected, 1e-9);
        // Once: the line is busy again.
        red.on_enqueue(packet(Ecn::NotEct), waiting(0), after(idle_since, 100.0));
        near(read(&red, "average"), expected * 0.998, 1e-9);
    }
}

/// The paper's m is real; ns-2 cuts it off. An idle time of exactly m packets is m there, whatever the
/// division does to it in the last digit.
#[test]
fn idle_time_in_parts_of_a_packet() {
    let idle = |idle_m, samples: f64| {
        let mut red = busy(&RedParameters { idle_m, w_q: probability(0.1), ..unreachable() });
        for _ in 0..1000 {
            see(&mut red, 10);
        }
        red.on_idle(Instant::ZERO);
        red.on_enqueue(packet(Ecn::NotEct), waiting(0), after(Instant::ZERO, samples));
        (read(&red, "average") / 10.0).ln() / 0.9_f64.ln()
    };
    near(idle(IdleM::Real, 2.5), 2.5, 1e-9);
    near(idle(IdleM::Ns2, 2.999), 3.0, 1e-9);
    for samples in 0..200 {
        near(idle(IdleM::Ns2, f64::from(samples)), f64::from(samples) + 1.0, 1e-9);
    }
}

#[test]
fn a_new_rate_is_a_new_measure_of_idle_time() {
    let mut red = busy(&unreachable());
    for _ in 0..20_000 {
        see(&mut red, 10);
    }
    red.on_rate(rate(32_000_000), Instant::ZERO);
    red.on_idle(Instant::ZERO);
    red.on_enqueue(packet(Ecn::NotEct), waiting(0), after(Instant::ZERO, 100.0));
    near(read(&red, "average"), 9.047_468_180, 1e-9);
}

#[test]
fn the_profile_is_a_line_between_the_thresholds() {
    for (queue, p_b) in [(5, 0.0), (7, 0.02), (10, 0.05), (13, 0.08)] {
        let mut red = following(&RedParameters::default());
        see(&mut red, queue);
        near(read(&red, "probability"), p_b, 1e-12);
    }
    let mut red = following(&RedParameters::default());
    assert_eq!(see(&mut red, 15), Verdict::Drop(Reason::Forced));
    near(read(&red, "probability"), 1.0, 0.0);
    near(read(&red, "count"), 0.0, 0.0);
    assert_eq!(see(&mut red, 4), Verdict::Pass);
    near(read(&red, "probability"), 0.0, 0.0);
    near(read(&red, "count"), -1.0, 0.0);
}

#[test]
fn the_gentle_ramp_ends_at_twice_max_th() {
    let mut red = following(&RedParameters { gentle: true, ..RedParameters::default() });
    for (queue, p_b) in [(15, 0.1), (20, 0.4), (25, 0.7), (29, 0.94)] {
        see(&mut red, queue);
        near(read(&red, "probability"), p_b, 1e-12);
    }
    assert_eq!(see(&mut red, 30), Verdict::Drop(Reason::Forced));
    near(read(&red, "probability"), 1.0, 0.0);
}

#[test]
fn spacing_raises_the_probability_with_the_count() {
    for (count, p_a) in [(0.0, 0.05), (1.0, 0.052_631_578_9), (10.0, 0.1), (19.0, 1.0), (20.0, 1.0)] {
        near(parts::spaced_uniformly(0.05, count), p_a, 1e-10);
    }
    for (count, p_a) in [(10.0, 0.0), (19.0, 0.0), (20.0, 0.05), (30.0, 0.1), (39.0, 1.0), (40.0, 1.0)] {
        near(parts::spaced_with_wait(0.05, count), p_a, 1e-12);
    }
}

/// Packets from one signal to the next while `p_b` stands at 0.05.
fn gaps(spacing: Spacing) -> Vec<u32> {
    let mut red = following(&RedParameters { spacing, ..RedParameters::default() });
    let mut gaps = vec![0];
    for _ in 0..200_000 {
        *gaps.last_mut().expect("begun") += 1;
        if see(&mut red, 10) != Verdict::Pass {
            gaps.push(0);
        }
    }
    gaps.pop();
    gaps.split_off(1)
}

/// Gaps are uniform on 1..=19 and on 20..=39: both ends occur, and every value as often as
/// the others within five standard deviations.
#[test]
fn spaced_signals_have_uniform_gaps() {
    for (spacing, low, high) in [(Spacing::Uniform, 1, 19), (Spacing::Wait, 20, 39)] {
        let gaps = gaps(spacing);
        let expected = gaps.len() as f64 / f64::from(high - low + 1);
        for value in low..=high {
            let seen = gaps.iter().filter(|&&gap| gap == value).count() as f64;
            near(seen, expected, 5.0 * expected.sqrt());
        }
        assert!(gaps.iter().all(|gap| (low..=high).contains(gap)));
    }
}

/// The first packet of the band has count 0, the first after a signal count 1. At
/// `p_b = 1/2` the latter makes `p_a = 1`: once signalled, always signalled.
#[test]
fn the_count_starts_at_zero_in_the_band_and_at_one_after_a_signal() {
    let mut red = following(&RedParameters { max_p: probability(0.1), ..RedParameters::default() });
    see(&mut red, 5);
    near(read(&red, "count"), 0.0, 0.0);
    see(&mut red, 5);
    near(read(&red, "count"), 1.0, 0.0);

    let mut red = following(&RedParameters { max_p: probability(1.0), ..RedParameters::default() });
    assert_eq!(see(&mut red, 15), Verdict::Drop(Reason::Forced));
    for _ in 0..100 {
        assert_eq!(see(&mut red, 10), Verdict::Drop(Reason::Early));
    }
}

/// Signals per packet over `p_b`: the factor that a model of TCP must use for RED.
#[test]
fn spacing_decides_how_many_packets_are_signalled() {
    for p_b in [0.02, 0.05, 0.1] {
        let measure = |spacing| {
            let max_p = probability(2.0 * p_b);
            let mut red = following(&RedParameters { spacing, max_p, ..RedParameters::default() });
            signalling_rate(&mut red, waiting(10), 1_000_000) / p_b
        };
        near(measure(Spacing::Geometric), 1.0, 0.03);
        near(measure(Spacing::Uniform), 2.0, 0.02);
        let wait = measure(Spacing::Wait);
        assert!((0.668..0.693).contains(&wait), "{wait} times p_b with wait");
    }
}

/// Levels in kB count bytes, whatever the number of packets; levels in packets count packets.
#[test]
fn levels_in_bytes_count_bytes() {
    let (min_th, max_th) = ("5 kB".parse().ok(), "15 kB".parse().ok());
    assert_eq!(min_th, Some(Level::Bytes(5000.0)));
    let mut red = following(&RedParameters { min_th, max_th, ..RedParameters::default() });
    let many_small = Backlog { packets: 250, bytes: 10_000, limit: Limit::Bytes(100_000) };
    let small = PacketInfo { bytes: 40, ..packet(Ecn::NotEct) };
    red.on_enqueue(small, many_small, Instant::ZERO);
    near(read(&red, "average"), 10_000.0, 1e-9);
    near(read(&red, "probability"), 0.05, 1e-12);

    let mut red = following(&RedParameters::default());
    assert_eq!(red.on_enqueue(small, many_small, Instant::ZERO), Verdict::Drop(Reason::Forced));
    near(read(&red, "average"), 250.0, 1e-9);
}

/// The thresholds that are not given: a bandwidth-delay product and a third of it, at most half of the
/// buffer, at least 15 packets and 5.
#[test]
fn thresholds_follow_from_the_link() {
    let derived = |parameters: RedParameters, limit, rtt| {
        let mut config = QueueConfig::Red(parameters);
        config.complete(Link { rate: rate(48_000_000), mean_packet: 1000, limit, rtt });
        let QueueConfig::Red(RedParameters { min_th, max_th, .. }) = config else { panic!("RED") };
        (min_th.unwrap(), max_th.unwrap())
    };
    let levels = |low, high| (packets(low), packets(high));
    let (plain, rtt) = (RedParameters::default, Duration::from_millis(50));
    assert_eq!(derived(plain(), Limit::Packets(600), rtt), levels(100.0, 300.0));
    assert_eq!(derived(plain(), Limit::Packets(300), rtt), levels(50.0, 150.0));
    assert_eq!(derived(plain(), Limit::Bytes(300_000), rtt), levels(50.0, 150.0));
    assert_eq!(derived(plain(), Limit::Packets(20), rtt), levels(5.0, 15.0));
    assert_eq!(derived(plain(), Limit::NONE, Duration::ZERO), levels(5.0, 15.0));
    let low = RedParameters { min_th: Some(packets(20.0)), ..plain() };
    assert_eq!(derived(low, Limit::NONE, rtt), levels(20.0, 60.0));
    let zero = RedParameters { min_th: Some(Level::Bytes(0.0)), ..plain() };
    assert_eq!(derived(zero, Limit::Packets(600), rtt), (Level::Bytes(0.0), Level::Bytes(300_000.0)));
    let high = RedParameters { max_th: Some(Level::Bytes(90_000.0)), ..plain() };
    assert_eq!(derived(high, Limit::NONE, rtt), (Level::Bytes(30_000.0), Level::Bytes(90_000.0)));
}
