//! Version 1 against its listing.

use std::collections::BTreeSet;

use weir_tcp::congestion::{Bbr1, Bbr1Parameters, Congestion};
use weir_types::Streams;

use super::{CALM, Conditions, HELD_BACK, Pair, SEEDS, WILD, WINDOW, v1};

const STARTUP: (f64, f64) = (0.0, v1::HIGH_GAIN);
const DRAIN: (f64, f64) = (1.0, v1::DRAIN_GAIN);
const UP: (f64, f64) = (2.0, 1.25);
const DOWN: (f64, f64) = (2.0, 0.75);
const CRUISE: (f64, f64) = (2.0, 1.0);
const PROBE_RTT: (f64, f64) = (3.0, 1.0);

/// Both draw from the same stream.
fn pair(seed: u64) -> Pair<Bbr1, v1::Bbr> {
    let random = Streams::new(seed).at("bbr");
    let mut control = Bbr1::new(&Bbr1Parameters::default());
    control.set_random(random.clone());
    Pair { control, window: WINDOW, listing: v1::Bbr::new(WINDOW.cwnd, random) }
}

#[test]
fn on_a_calm_line() {
    let mut firsts = [0; 2];
    for seed in 0..20 {
        let found = pair(seed).run(CALM, seed, 25.0, |_| ());
        assert_eq!(found[..2], [STARTUP, DRAIN]);
        assert!(found.contains(&PROBE_RTT));
        for after in found[2..].windows(2) {
            let follows = match after[0] {
                CRUISE | PROBE_RTT => [UP, PROBE_RTT, CRUISE].contains(&after[1]),
                UP => [DOWN, PROBE_RTT].contains(&after[1]),
                _ => [CRUISE, PROBE_RTT].contains(&after[1]),
            };
            assert!(follows, "{after:?}");
        }
        // The first phase is drawn, but is never that of 0.75.
        assert_ne!(found[2], DOWN);
        firsts[usize::from(found[2] == UP)] += 1;
    }
    assert!(firsts[0] > 0 && firsts[1] > 0, "{firsts:?}");
}

#[test]
fn on_lines_that_change() {
    let (mut slow, mut acks) = (0, 0);
    for seed in 0..SEEDS {
        pair(seed).run(WILD, seed, 40.0, |listing| {
            slow += u32::from(listing.is_slow());
            acks += 1;
        });
    }
    assert!(slow > 10_000 && slow < acks / 2, "{slow} of {acks} below 1.2 Mbit/s");
}

/// Runs over many lines. Returns what has been seen.
fn seen(conditions: Conditions) -> BTreeSet<&'static str> {
    let mut seen = BTreeSet::new();
    for seed in 0..SEEDS {
        let mut pair = pair(seed);
        pair.run(conditions, seed, 40.0, |_| ());
        seen.append(&mut pair.listing.seen);
    }
    seen
}

/// A timeout may end an interval, show the policer and give its rate up.
#[test]
fn through_timeouts_and_duplicates() {
    let seen = seen(Conditions { timeout: 0.01, duplicates: 0.01, loss: 0.6, ..WILD });
    for sight in ["interval ended by", "policer shown by", "policer given up at"] {
        let sight = format!("{sight} a timeout");
        assert!(seen.contains(&*sight), "{sight}: {seen:?}");
    }
}

/// Nothing to send, for a while: `PROBE_RTT` is put off, or ends.
#[test]
fn after_idle_times() {
    let seen = seen(Conditions { idle: 0.02, aggregation: 50e6, ..WILD });
    for sight in ["restart in PROBE_BW", "PROBE_RTT ended by a restart", "PROBE_RTT put off"] {
        assert!(seen.contains(sight), "{sight}: {seen:?}");
    }
}

/// The network is empty sooner than an epoch of aggregation ends by itself: ACKs that were held back have brought more
/// than the bandwidth explains until the next one.
#[test]
fn restarts_cut_epochs_short() {
    let seen = seen(HELD_BACK);
    assert!(seen.contains("epoch cut short by a restart"), "{seen:?}");
}

/// Segments are so short that rates of two intervals differ by an eighth, yet hardly by 4 kbit/s.
#[test]
fn where_policers_are_slow() {
    let seen = seen(Conditions { payload: 50, spacing: (12e6, 40e6), loss: 0.6, change: 0.02, ..WILD });
    assert!(seen.contains("4 kbit/s of pacing"), "{seen:?}");
}

#[test]
fn where_losses_look_like_a_policer() {
    let (mut policed, mut acks) = (0, 0);
    for seed in 0..SEEDS {
        pair(seed).run(Conditions { loss: 0.6, ..WILD }, seed, 40.0, |listing| {
            policed += u32::from(listing.uses_lt_bw());
            acks += 1;
        });
    }
    assert!(policed > 10_000 && policed < acks / 2, "{policed} of {acks}");
}

#[test]
fn with_numbers_at_random() {
    for seed in 0..SEEDS {
        pair(seed).run(Conditions { noise: 0.2, ..WILD }, seed, 40.0, |_| ());
    }
}
