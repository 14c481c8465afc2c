//! Version 3 against its listing.

use std::collections::BTreeSet;

use weir_tcp::congestion::{Bbr3, Bbr3Parameters, Congestion};
use weir_types::Streams;

use super::{CALM, Conditions, FAST, Pair, SEEDS, WILD, WINDOW, v3};

/// With the kernel's constants, of which some defaults are short decimal forms.
fn pair(seed: u64) -> Pair<Bbr3, v3::Bbr> {
    let random = Streams::new(seed).at("bbr");
    let mut control = Bbr3::new(&Bbr3Parameters {
        startup_gain: v3::STARTUP_PACING_GAIN,
        loss_threshold: v3::LOSS_THRESH,
        headroom: v3::INFLIGHT_HEADROOM,
        ..Bbr3Parameters::default()
    });
    control.set_random(random.clone());
    Pair { control, window: WINDOW, listing: v3::Bbr::new(WINDOW.cwnd, random) }
}

/// Runs over many lines. Returns what has been seen.
fn seen(conditions: Conditions) -> BTreeSet<&'static str> {
    let mut seen = BTreeSet::new();
    for seed in 0..SEEDS {
        pair(seed).run(conditions, seed, 40.0, |listing| seen.extend(listing.sights()));
    }
    seen
}

/// The first of the differences that stand at the head of the listing; there is no other on slow lines.
#[test]
fn on_slow_lines_with_short_bursts() {
    for seed in 0..SEEDS {
        let mut pair = pair(seed);
        pair.listing.shorten_bursts();
        pair.run(WILD, seed, 40.0, |_| ());
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
fn with_numbers_at_random() {
    seen(Conditions { noise: 0.2, ..FAST });
}
