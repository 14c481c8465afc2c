//! PI2: the steps of its controller, and the square.

use weir_aqm::{
    Aqm, Backlog, Limit, Reason, Verdict,
    aqm::{AqmConfig, Pi2, Pi2Parameters},
};
use weir_types::{Duration, Ecn, Instant};

use crate::support::{delay_under_control, link, near, packet, read, signalling_rate, stream, waiting};

/// A packet leaves 9 behind after so many ms, and the timer fires.
fn tick(pi2: &mut Pi2, delay: u64) {
    let now = pi2.next_update().expect("PI2 has a timer");
    pi2.on_dequeue(packet(Ecn::NotEct), Duration::from_millis(delay), waiting(9), now);
    pi2.update(waiting(9), now);
}

/// PI2 after delays of 16, 31, 31 ms.
fn raised(parameters: &Pi2Parameters) -> Pi2 {
    let mut pi2 = parameters.build(link(), stream("pi2"));
    for delay in [16, 31, 31] {
        tick(&mut pi2, delay);
    }
    pi2
}

/// The delays and probabilities of the vector for DualPI2, whose Classic queue this is.
#[test]
fn the_probability_is_the_square_of_the_controllers() {
    let mut pi2 = Pi2Parameters::default().build(link(), stream("pi2"));
    let expected =
        [(0.05136, 0.002_637_8), (0.10192, 0.010_387_7), (0.10448, 0.010_916_1), (0.03648, 0.001_330_8)];
    for (delay, (base, p)) in [16, 31, 31, 10].into_iter().zip(expected) {
        tick(&mut pi2, delay);
        near(read(&pi2, "p'"), base, 1e-12);
        near(read(&pi2, "probability"), p, 5e-8);
    }
}

#[test]
fn packets_are_signalled_with_the_square() {
    let mut pi2 = raised(&Pi2Parameters::default());
    near(signalling_rate(&mut pi2, waiting(9), 1_000_000), 0.010_916, 0.0005);
    for (ecn, expected) in [(false, Verdict::Drop(Reason::Early)), (true, Verdict::Mark(Reason::Early))] {
        let mut pi2 = raised(&Pi2Parameters { ecn, ..Pi2Parameters::default() });
        let mut verdicts = (0..10_000).map(|_| pi2.on_enqueue(packet(Ecn::Ect0), waiting(9), Instant::ZERO));
        assert_eq!(verdicts.find(|verdict| *verdict != Verdict::Pass), Some(expected));
    }
}

/// The buffer is tested before the draw: arrivals at a full buffer change no later decision.
#[test]
fn a_full_buffer_draws_nothing() {
    let full = Backlog { limit: Limit::Packets(9), ..waiting(9) };
    let verdicts = |overflows_between| {
        let mut pi2 = raised(&Pi2Parameters::default());
        let mut offer = |queue| pi2.on_enqueue(packet(Ecn::NotEct), queue, Instant::ZERO);
        let verdict = |_| {
            (0..overflows_between).for_each(|_| assert_eq!(offer(full), Verdict::Pass));
            offer(waiting(9))
        };
        (0..1000).map(verdict).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(0), verdicts(3));
}

/// An empty queue has no delay, whatever the last packet waited.
#[test]
fn silence_lowers_the_probability() {
    let mut pi2 = raised(&Pi2Parameters::default());
    let now = pi2.next_update().expect("PI2 has a timer");
    pi2.update(waiting(0), now);
    near(read(&pi2, "p'"), (0.10448 - 0.16 * 0.015 - 3.2 * 0.031_f64).max(0.0), 1e-12);
    near(read(&pi2, "qdelay_old"), 0.0, 0.0);
}

/// The integral leaves no error: whatever the number of users, the delay settles at the target.
/// (Of far fewer, one signal cuts so much that the queue runs empty.)
#[test]
fn the_delay_settles_at_the_target() {
    for users in [50.0, 200.0] {
        near(delay_under_control(&AqmConfig::Pi2(Pi2Parameters::default()), users), 0.015, 0.0015);
    }
}
