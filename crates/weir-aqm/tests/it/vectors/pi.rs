//! PI: the probability by the distance of the queue from its target, and the design of its gains.

use std::collections::VecDeque;

use weir_aqm::{
    Aqm, Backlog, Limit, Link, Port, Reason, Verdict,
    aqm::{AqmConfig, Pi, PiDesign, PiParameters},
    parts,
    qdisc::{Fifo, FqParameters, QueueConfig},
};
use weir_types::{Duration, Ecn, Instant, Level};

use crate::support::{
    Trace, link, millis, near, packet, packets, rate, read, signalling_rate, stream, waiting,
};

fn build(parameters: &PiParameters) -> Pi {
    parameters.build(link(), stream("pi"))
}

/// The timer fires while `queue` packets wait; the new probability.
fn tick(pi: &mut Pi, queue: u32) -> f64 {
    let due = pi.next_update().expect("PI has a timer");
    pi.update(waiting(queue), due);
    assert!(pi.next_update() > Some(due));
    read(pi, "probability")
}

/// With a gain of 1 and (nearly) no memory, the probability is set in one step.
fn at_probability(p: f64, parameters: &PiParameters) -> Pi {
    let gains = PiParameters { a: p / 100.0, b: 1e-12, q_ref: packets(0.0), ..parameters.clone() };
    let mut pi = build(&gains);
    near(tick(&mut pi, 100), p, 1e-12);
    pi
}

#[test]
fn the_probability_by_queue() {
    let mut pi = build(&PiParameters { q_ref: packets(200.0), ..PiParameters::default() });
    let probabilities = [0, 100, 300, 300, 200].map(|queue| tick(&mut pi, queue));
    for (p, expected) in probabilities.into_iter().zip([0.0, 0.001_81, 0.005_448, 0.005_454, 0.003_638]) {
        near(p, expected, 1e-12);
    }
}

/// The first update comes after one interval, with 0 for the queue before: `(b - a) q_ref` is
/// below 0, and the probability stays 0 until the queue builds.
#[test]
fn an_empty_queue_signals_nothing() {
    let mut pi = build(&PiParameters::default());
    assert_eq!(pi.next_update(), Some(Instant::from_nanos(6_250_000)));
    for _ in 0..100 {
        near(tick(&mut pi, 0), 0.0, 0.0);
    }
    assert!(tick(&mut pi, 1) > 0.0);
}

/// The probability stops at 1 and at 0, and comes back from there at once.
#[test]
fn the_probability_is_kept_within_its_range() {
    let mut pi = build(&PiParameters { a: 0.1, b: 0.09, q_ref: packets(20.0), ..PiParameters::default() });
    near(tick(&mut pi, 500), 1.0, 0.0);
    near(tick(&mut pi, 500), 1.0, 0.0);
    near(tick(&mut pi, 450), 1.0 + 0.1 * 430.0 - 0.09 * 480.0, 1e-9);
    near(tick(&mut pi, 0), 0.0, 0.0);
    near(tick(&mut pi, 5), 0.09 * 20.0 - 0.1 * 15.0, 1e-9);
}

/// The paper's case, from the K and z that it prints.
#[test]
fn the_published_gains() {
    let (a, b) = parts::pi_bilinear(9.64e-6, 0.53, 1.0 / 160.0);
    near(a, 1.821_88e-5, 5e-11);
    near(b, 1.815_86e-5, 5e-11);
    let published = PiParameters::default();
    near(a, published.a, 5e-9);
    near(b, published.b, 5e-9);
    // The formula itself: the printed K is 1.4% low.
    let zero = 2.0 * 60.0 / (0.246 * 0.246 * 3750.0);
    near(zero, 0.528_786, 5e-7);
    near(parts::pi_gain(60.0, 0.246, 3750.0, zero), 9.781e-6, 5e-10);
    near(parts::pi_gain(60.0, 0.246, 3750.0, 0.53), 9.804e-6, 5e-10);
}

/// The link of the HRED paper: 32 Mbit/s and 500-byte packets.
fn hred_link() -> Link {
    Link { rate: rate(32_000_000), mean_packet: 500, limit: Limit::Bytes(500_000), rtt: Duration::ZERO }
}

fn designed(flows: u32, millis: u64) -> PiParameters {
    let design = PiDesign { flows, rtt: Duration::from_millis(millis), crossover: None };
    PiParameters { design: Some(design), ..PiParameters::default() }
}

/// Table 2 of the HRED paper, which is per byte: 1.1379e-8 and 1.1349e-8.
#[test]
fn the_gains_of_the_hred_paper() {
    let zero = 2.0 * 100.0 / (0.24 * 0.24 * 8000.0);
    near(zero, 0.434_028, 5e-7);
    near(parts::pi_gain(100.0, 0.24, 8000.0, zero), 2.466_138e-6, 5e-13);
    let pi = designed(100, 240).build(hred_link(), stream("pi"));
    near(read(&pi, "a") / 500.0, 1.137_94e-8, 5e-14);
    near(read(&pi, "b") / 500.0, 1.134_85e-8, 5e-14);
}

#[test]
fn a_design_follows_the_link() {
    let gains = |pi: &Pi| (read(pi, "a"), read(pi, "b"));
    let slow = Link { rate: rate(16_000_000), ..hred_link() };
    let mut pi = designed(100, 240).build(hred_link(), stream("pi"));
    pi.on_rate(rate(16_000_000), Instant::ZERO);
    assert_eq!(gains(&pi), gains(&designed(100, 240).build(slow, stream("pi"))));
    // Gains that were given stay.
    let mut pi = build(&PiParameters::default());
    pi.on_rate(rate(16_000_000), Instant::ZERO);
    assert_eq!(gains(&pi), (1.822e-5, 1.816e-5));
}

/// Where the paper's choice leaves the loop no phase margin, a crossover of 0.5/R is taken.
#[test]
fn the_crossover_stays_within_reason() {
    // 2 N / (R C) = 320 / (0.02 s x 8000/s) = 2.
    let gains = |crossover| {
        let rtt = Duration::from_millis(20);
        let design = Some(PiDesign { flows: 160, rtt, crossover });
        let pi = build(&PiParameters { design, ..PiParameters::default() });
        (read(&pi, "a"), read(&pi, "b"))
    };
    assert_eq!(gains(None), gains(Some(0.5)));
    assert!(gains(None) < gains(Some(0.8)));
}

/// TCP as the paper models it, in steps of 1 ms: the window W of each of N flows grows by 1 every round trip. It
/// halves with every signal of a round trip ago. The queue takes what does not fit. Returns the mean queue of the
/// second half of `seconds`, and how far it swings.
fn fluid(pi: &mut Pi, flows: f64, propagation: f64, capacity: f64, seconds: u32) -> (f64, f64) {
    let (mut window, mut queue): (f64, f64) = (1.0, 0.0);
    // Window and probability of the past, the latest last.
    let mut past: VecDeque<(f64, f64)> = vec![(1.0, 0.0); 1000].into();
    let (mut sum, mut low, mut high) = (0.0, f64::MAX, 0.0_f64);
    let steps = seconds * 1000;
    for step in 0..steps {
        let now = millis(u64::from(step));
        while let Some(due) = pi.next_update().filter(|due| *due <= now) {
            pi.update(waiting(queue.round() as u32), due);
        }
        let rtt = propagation + queue / capacity;
        let (window_then, p) = past[1000 - ((rtt * 1000.0) as usize).min(999)];
        window += 0.001 * (1.0 / rtt - window / 2.0 * window_then / rtt * p);
        window = window.max(1.0);
        queue = (queue + 0.001 * (flows * window / rtt - capacity)).clamp(0.0, 800.0);
        past.pop_front();
        past.push_back((window, read(pi, "probability")));
        if step > steps / 2 {
            (sum, low, high) = (sum + queue, low.min(queue), high.max(queue));
        }
    }
    (sum / f64::from(steps / 2), high - low)
}

/// The purpose of PI: for any number of flows from its design's on, the queue settles at its target and stays there.
#[test]
fn the_queue_settles_at_its_target_for_any_number_of_flows() {
    let link =
        Link { rate: rate(30_000_000), mean_packet: 1000, limit: Limit::Packets(800), rtt: Duration::ZERO };
    for flows in [60.0, 120.0, 240.0] {
        let parameters = PiParameters { q_ref: packets(200.0), ..designed(60, 246) };
        let mut pi = parameters.build(link, stream("pi"));
        let (mean, swing) = fluid(&mut pi, flows, 0.16, 3750.0, 400);
        near(mean, 200.0, 2.0);
        assert!(swing < 10.0, "it swings by {swing} packets with {flows} flows");
    }
}

#[test]
fn packets_are_signalled_with_the_probability() {
    for p in [0.01, 0.3] {
        let mut pi = at_probability(p, &PiParameters::default());
        near(signalling_rate(&mut pi, waiting(100), 1_000_000), p, 0.0025);
    }
    let verdicts = |ecn| {
        let mut pi = at_probability(1.0, &PiParameters { ecn, ..PiParameters::default() });
        pi.on_enqueue(packet(Ecn::Ect0), waiting(100), Instant::ZERO)
    };
    assert_eq!(verdicts(false), Verdict::Drop(Reason::Early));
    assert_eq!(verdicts(true), Verdict::Mark(Reason::Early));
}

/// The buffer is tested before the draw: arrivals at a full buffer change no later decision.
#[test]
fn a_full_buffer_draws_nothing() {
    let full = Backlog { limit: Limit::Packets(20), ..waiting(20) };
    let verdicts = |overflows_between| {
        let mut pi = at_probability(0.5, &PiParameters::default());
        (0..1000)
            .map(|_| {
                for _ in 0..overflows_between {
                    assert_eq!(pi.on_enqueue(packet(Ecn::Ect0), full, Instant::ZERO), Verdict::Pass);
                }
                pi.on_enqueue(packet(Ecn::Ect0), waiting(20), Instant::ZERO)
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(verdicts(0), verdicts(3));
}

/// A target in bytes counts bytes in packets of mean size; the gains stay per packet (ns-2).
#[test]
fn a_target_in_bytes_counts_bytes() {
    let many_small = Backlog { packets: 1000, bytes: 300_000, limit: Limit::Bytes(1_000_000) };
    let step = |q_ref| {
        let mut pi = build(&PiParameters { q_ref, ..PiParameters::default() });
        pi.update(many_small, millis(6));
        read(&pi, "probability")
    };
    near(step(Level::Bytes(200_000.0)), 1.822e-5 * 100.0 + 1.816e-5 * 200.0, 1e-12);
    near(step(packets(200.0)), 1.822e-5 * 800.0 + 1.816e-5 * 200.0, 1e-12);
}

/// The timer runs on an idle line, through a port that nobody wakes.
#[test]
fn the_probability_falls_while_the_line_is_idle() {
    let fifo = Fifo::new(at_probability(0.5, &PiParameters::default()), Limit::Packets(120));
    let mut port = Port::new(fifo, rate(64_000_000));
    let mut trace = Trace::default();
    // The last queue was 100: with q_ref = 0 nothing is lowered but by b.
    port.advance(millis(10_000), &mut trace);
    near(read(port.discipline().aqm(), "probability"), 0.5, 1e-9);

    let mut pi = build(&PiParameters::default());
    while tick(&mut pi, 5000) < 0.5 {}
    let before = read(&pi, "probability");
    let fall = before - tick(&mut pi, 0);
    near(fall, 1.822e-5 * 50.0 + 1.816e-5 * 4950.0, 1e-12);
    near(tick(&mut pi, 0), before - fall - 6e-8 * 50.0, 1e-12);
}

#[test]
fn parameters_are_checked_together() {
    let design = |flows, rtt, crossover| Some(PiDesign { flows, rtt, crossover });
    let second = Duration::from_secs(1);
    let default = PiParameters::default;
    for (parameters, name) in [
        (PiParameters { a: 0.0, ..default() }, "a"),
        (PiParameters { b: -1.0, ..default() }, "b"),
        (PiParameters { b: 1.9e-5, ..default() }, "b"),
        (PiParameters { interval: Duration::ZERO, ..default() }, "interval"),
        (PiParameters { a: 2e-5, design: design(60, second, None), ..default() }, "design"),
        (PiParameters { design: design(0, second, None), ..default() }, "design"),
        (PiParameters { design: design(60, Duration::ZERO, None), ..default() }, "design"),
        (PiParameters { design: design(60, second, Some(0.86)), ..default() }, "design"),
    ] {
        let invalid = AqmConfig::Pi(parameters).check().expect_err(name);
        assert_eq!(invalid.parameter, name);
    }
    assert_eq!(AqmConfig::Pi(designed(60, 246)).check(), Ok(()));
}

/// No design suits a link that leaves no window for so many flows. None suits a link whose round trip is about as
/// long as the interval. The paper's own link has a design.
#[test]
fn a_design_must_suit_its_link() {
    let refusal = |flows, rtt: &str, interval: &str, bits| {
        let design = PiDesign { flows, rtt: rtt.parse().unwrap(), crossover: None };
        let interval = interval.parse().unwrap();
        let config =
            QueueConfig::Pi(PiParameters { design: Some(design), interval, ..PiParameters::default() });
        assert_eq!(config.check(), Ok(()));
        let refused = config.check_before(Link { rate: rate(bits), ..link() });
        refused.err().map(|invalid| invalid.parameter.into_owned())
    };
    assert_eq!(refusal(60, "246 ms", "6.25 ms", 30_000_000), None);
    assert_eq!(refusal(200, "100 ms", "6.25 ms", 1_000_000).as_deref(), Some("design"));
    assert_eq!(refusal(1000, "10 ms", "6.25 ms", 1_000_000).as_deref(), Some("design"));
    assert_eq!(refusal(100, "10 ms", "20 ms", 200_000_000).as_deref(), Some("interval"));
    let pi = PiParameters {
        design: Some(PiDesign { flows: 200, rtt: Duration::from_millis(100), crossover: None }),
        ..PiParameters::default()
    };
    let fair = QueueConfig::Fq(FqParameters { aqm: AqmConfig::Pi(pi), ..FqParameters::default() });
    let refused = fair.check_before(Link { rate: rate(1_000_000), ..link() }).unwrap_err();
    assert_eq!(refused.parameter, "aqm.pi.design");
}
