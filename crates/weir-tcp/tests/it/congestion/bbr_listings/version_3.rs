//! Version 3 against its listing.

use std::collections::BTreeSet;

use weir_tcp::congestion::{Bbr3, Bbr3Parameters, Congestion, Window};
use weir_types::Streams;

use super::{CALM, Conditions, FAST, HELD_BACK, Pair, SEEDS, WILD, WINDOW, v3};

/// With the kernel's constants, of which some defaults are short decimal forms.
fn pair(seed: u64) -> Pair<Bbr3, v3::Bbr> {
    pair_with(WINDOW, seed)
}

/// With this first window.
fn pair_with(window: Window, seed: u64) -> Pair<Bbr3, v3::Bbr> {
    let random = Streams::new(seed).at("bbr");
    let mut control = Bbr3::new(&Bbr3Parameters {
        startup_gain: v3::STARTUP_PACING_GAIN,
        loss_threshold: v3::LOSS_THRESH,
        headroom: v3::INFLIGHT_HEADROOM,
        ..Bbr3Parameters::default()
    });
    control.set_random(random.clone());
    Pair { control, window, listing: v3::Bbr::new(window.cwnd, random) }
}

/// Runs over many lines. Returns what has been seen.
fn seen(conditions: Conditions) -> BTreeSet<&'static str> {
    let mut seen = BTreeSet::new();
    for seed in 0..SEEDS {
        pair(seed).run(conditions, seed, 40.0, |listing| seen.extend(listing.sights()));
    }
    seen
}

/// A burst has two segments there, too.
#[test]
fn on_slow_lines() {
    let seen = seen(WILD);
    assert!(seen.contains("less than 1.2 Mbit/s"), "{seen:?}");
}

/// STARTUP grows to twice that window in any case; only 127 segments of it count.
#[test]
fn with_other_first_windows() {
    for cwnd in [2.0, 30.0, 80.0, 200.0] {
        for seed in 0..SEEDS / 4 {
            pair_with(Window { cwnd, ..WINDOW }, seed).run(FAST, seed, 10.0, |_| ());
        }
    }
}

/// While there is nothing to send now and then, most ACKs take the fast path.
#[test]
fn after_idle_times() {
    let seen = seen(Conditions { idle: 0.02, aggregation: 50e6, ..FAST });
    for sight in [
        "fast path",
        "half of the fast path",
        "restart in PROBE_BW",
        "PROBE_RTT ended by a restart",
        "PROBE_RTT put off",
    ] {
        assert!(seen.contains(sight), "{sight}: {seen:?}");
    }
}

/// See the test of the same name of version 1.
#[test]
fn restarts_cut_epochs_short() {
    let seen = seen(HELD_BACK);
    assert!(seen.contains("epoch cut short by a restart"), "{seen:?}");
}

/// ACKs of nothing new may end phases.
#[test]
fn with_duplicates() {
    let seen = seen(Conditions { duplicates: 0.5, noise: 0.1, ..FAST });
    for sight in ["phase ended by a duplicate", "DRAIN ended by a duplicate"] {
        assert!(seen.contains(sight), "{sight}: {seen:?}");
    }
}

#[test]
fn short_decimal_forms_are_near_the_constants() {
    let known = Bbr3Parameters::default();
    for (short, constant) in [
        (known.startup_gain, v3::STARTUP_PACING_GAIN),
        (known.loss_threshold, v3::LOSS_THRESH),
        (known.headroom, v3::INFLIGHT_HEADROOM),
    ] {
        assert!((short / constant - 1.0).abs() < 1e-5, "{short} for {constant}");
    }
}

#[test]
fn on_a_calm_line() {
    for seed in 0..20 {
        let found = pair(seed).run(CALM, seed, 25.0, |_| ());
        assert_eq!(found[..2], [(0.0, v3::STARTUP_PACING_GAIN), (1.0, v3::DRAIN_GAIN)]);
        for phase in [(2.0, v3::DOWN_GAIN), (2.0, 1.0), (2.0, 1.25), (3.0, 1.0)] {
            assert!(found.contains(&phase), "{phase:?}");
        }
    }
}

#[test]
fn on_lines_that_change() {
    let seen = seen(FAST);
    for sight in ["STARTUP ended by losses", "bw_lo", "inflight_lo", "UP at its bound", "risky probe"] {
        assert!(seen.contains(sight), "{sight}: {seen:?}");
    }
}

/// Segments are so long that no rate is low.
#[test]
fn on_lines_of_long_segments() {
    seen(Conditions { payload: 20_000, ..WILD });
}

#[test]
fn through_timeouts() {
    seen(Conditions { timeout: 0.001, ..FAST });
}

#[test]
fn with_answers_to_tail_loss_probes() {
    let seen = seen(Conditions { probes: 0.02, ..FAST });
    assert!(seen.contains("a repaired tail ended a probe"), "{seen:?}");
}

#[test]
fn with_numbers_at_random() {
    seen(Conditions { noise: 0.2, ..FAST });
}
