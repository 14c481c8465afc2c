//! SRED: hits on a list of zombies, the estimate of the number of flows, and the probability.

use weir_aqm::{
    Aqm, Backlog, Limit, Link, PacketInfo, Verdict,
    aqm::{Sred, SredParameters},
};
use weir_types::{Ecn, Instant};

use crate::support::{link, near, packet, probability, read, signalling_rate, stream};

/// The buffer of the link in the tests: 600 packets, so that its thirds and sixths are whole.
const BUFFER: Limit = Limit::Packets(600);

fn build(parameters: &SredParameters) -> Sred {
    parameters.build(Link { limit: BUFFER, ..link() }, stream("sred"))
}

fn waiting(packets: u32) -> Backlog {
    Backlog { packets, bytes: u64::from(packets) * 1000, limit: BUFFER }
}

fn arrive(sred: &mut Sred, flow: u32, queue: u32) -> Verdict {
    sred.on_enqueue(PacketInfo { flow, ..packet(Ecn::NotEct) }, waiting(queue), Instant::ZERO)
}

/// One zombie: the first arrival joins, and every later one of its flow is a hit.
fn one_zombie(full: bool) -> SredParameters {
    SredParameters { zombies: 1, alpha: Some(probability(0.5)), full, ..SredParameters::default() }
}

/// P = 0, 1/2, 3/4; then 0.15 (1 / (256 P))², and full SRED has 1 + 1 / P in addition.
#[test]
fn hits_raise_the_frequency_and_lower_the_probability() {
    for (full, more) in [(false, [1.0, 1.0]), (true, [3.0, 1.0 + 4.0 / 3.0])] {
        let mut sred = build(&one_zombie(full));
        arrive(&mut sred, 7, 600);
        near(read(&sred, "P"), 0.0, 0.0);
        near(read(&sred, "probability"), 0.15, 1e-15);
        for (frequency, more) in [0.5_f64, 0.75].into_iter().zip(more) {
            arrive(&mut sred, 7, 600);
            near(read(&sred, "P"), frequency, 1e-15);
            near(read(&sred, "probability"), 0.15 / (256.0 * frequency).powi(2) * more, 1e-12);
        }
    }
}

/// Nothing below a sixth of the buffer, a quarter of the most from there on, the most from a third on.
#[test]
fn the_queue_counts_in_three_steps() {
    let mut sred = build(&SredParameters::default());
    for (queue, p) in [(0, 0.0), (99, 0.0), (100, 0.0375), (199, 0.0375), (200, 0.15), (600, 0.15)] {
        arrive(&mut sred, queue, queue);
        near(read(&sred, "probability"), p, 1e-15);
    }
}

/// A buffer in bytes has its steps in bytes: packets of another size move them.
#[test]
fn a_buffer_in_bytes_has_steps_in_bytes() {
    for limit in [Limit::Bytes(600_000), Limit::Span(600_000)] {
        let mut sred = SredParameters::default().build(Link { limit, ..link() }, stream("sred"));
        for (packets, bytes, p) in
            [(10, 99_999, 0.0), (10, 100_000, 0.0375), (500, 199_999, 0.0375), (1, 200_000, 0.15)]
        {
            sred.on_enqueue(packet(Ecn::NotEct), Backlog { packets, bytes, limit }, Instant::ZERO);
            near(read(&sred, "probability"), p, 1e-15);
        }
    }
}

/// Section 2: hits come once in N packets if N flows send alike, so 1 / P estimates N.
#[test]
fn the_frequency_of_hits_estimates_the_number_of_flows() {
    for flows in [10, 50, 200] {
        let mut sred = build(&SredParameters { alpha: Some(probability(1e-4)), ..SredParameters::default() });
        let mut random = stream("arrivals");
        let mut draw = || (random.uniform() * f64::from(flows)) as u32;
        (0..100_000).for_each(|_| _ = arrive(&mut sred, draw(), 0));
        let mean = (0..50_000).map(|_| {
            arrive(&mut sred, draw(), 0);
            read(&sred, "P")
        });
        let mean = mean.sum::<f64>() / 50_000.0;
        near(1.0 / mean / f64::from(flows), 1.0, 0.06);
    }
}

/// Section 3: up to 256 flows the probability grows as their square, and no more beyond.
#[test]
fn the_probability_grows_as_the_square_of_the_number_of_flows() {
    for (frequency, p) in
        [(1.0 / 64.0, 0.15 / 16.0), (1.0 / 128.0, 0.15 / 4.0), (1.0 / 256.0, 0.15), (1.0 / 500.0, 0.15)]
    {
        let mut sred = build(&SredParameters { alpha: Some(probability(frequency)), ..one_zombie(false) });
        arrive(&mut sred, 7, 600);
        // One hit from no frequency at all: P is its weight.
        arrive(&mut sred, 7, 600);
        near(read(&sred, "probability"), p, 1e-12);
    }
}

/// Section 4: a flow with half of the packets has half of them hit, and loses more of them.
#[test]
fn full_sred_signals_a_flow_above_its_share_more_often() {
    let mut signals = [[0_u32; 2]; 2];
    for (full, signals) in [false, true].into_iter().zip(&mut signals) {
        let mut sred = build(&SredParameters { full, flows: 1, zombies: 100, ..SredParameters::default() });
        for number in 0..200_000 {
            // Every other packet is of flow 0; 50 flows share the rest.
            let flow = if number % 2 == 0 { 0 } else { 1 + number / 2 % 50 };
            signals[usize::from(flow > 0)] += u32::from(arrive(&mut sred, flow, 600) != Verdict::Pass);
        }
    }
    let [[heavy, light], [heavy_full, light_full]] = signals.map(|pair| pair.map(f64::from));
    near(heavy / light, 1.0, 0.05);
    assert!(heavy_full / light_full > 1.5, "{heavy_full} and {light_full}");
}

/// With probability `overwrite` a miss takes the zombie's place: certain here, so the second of two is a hit.
#[test]
fn a_miss_takes_the_place_of_the_zombie() {
    let certain = SredParameters { overwrite: probability(1.0), ..one_zombie(true) };
    let mut sred = build(&certain);
    for (flow, frequency) in [(1, 0.0), (2, 0.0), (2, 0.5), (3, 0.25), (3, 0.625)] {
        arrive(&mut sred, flow, 0);
        near(read(&sred, "P"), frequency, 1e-15);
    }
}

#[test]
fn signals_come_with_the_probability() {
    let mut sred = build(&SredParameters { zombies: 65_536, ..SredParameters::default() });
    near(signalling_rate(&mut sred, waiting(600), 20_000), 0.15, 0.013);
}

#[test]
fn new_parameters_keep_the_zombies_and_the_frequency() {
    let mut former = build(&one_zombie(true));
    (0..3).for_each(|_| _ = arrive(&mut former, 7, 600));
    let mut next = build(&SredParameters { max_p: probability(0.3), ..one_zombie(false) });
    next.take_over(&former);
    arrive(&mut next, 7, 600);
    near(read(&next, "P"), 0.875, 1e-15);
}
