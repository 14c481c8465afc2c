//! Every law of the registry with any parameters that go together.

use proptest::prelude::*;
use weir_aqm::{
    Limit,
    disciplines::Fifo,
    laws::{AnyAqm, AqmConfig, Forced, MarkAt, RedParameters, RemParameters, Spacing, Steps, Watches},
};
use weir_types::{Duration, Level, Probability, Streams};

use super::{Rules, depends_on_nothing_but_arrivals, keeps_its_word, operations};
use crate::support::{Numbered, link, probability};

fn chance() -> impl Strategy<Value = Probability> {
    prop_oneof![Just(0.0), Just(0.1), Just(1.0), 0.0..=1.0].prop_map(probability)
}

/// Levels in packets, or in bytes with 1000 to the packet.
fn level(packets: f64, in_bytes: bool) -> Level {
    if in_bytes { Level::Bytes(packets * 1000.0) } else { Level::Packets(packets) }
}

fn red() -> impl Strategy<Value = AqmConfig> {
    let profile = (0.0..20.0, 0.1..20.0, chance(), 0.001..=1.0, any::<bool>(), any::<bool>());
    let spacing = prop_oneof![Just(Spacing::Independent), Just(Spacing::Uniform), Just(Spacing::Wait)];
    let forced = prop_oneof![Just(Forced::Drop), Just(Forced::Mark)];
    let signals = (spacing, any::<bool>(), forced, prop::option::of(chance()));
    let steps = prop_oneof![Just(Steps::Real), Just(Steps::WholeAndOne)];
    let habits = (steps, prop::option::of(0.0..3.0), any::<bool>());
    (profile, signals, habits).prop_map(|(profile, signals, habits)| {
        let (low, width, max_p, w_q, gentle, in_bytes) = profile;
        let (spacing, ecn, forced, mark_below) = signals;
        let (idle_steps, early_above, spare_first) = habits;
        AqmConfig::Red(RedParameters {
            min_th: level(low, in_bytes),
            max_th: level(low + width, in_bytes),
            max_p,
            w_q: probability(w_q),
            gentle,
            spacing,
            ecn,
            forced,
            mark_below,
            idle_steps,
            early_above: early_above.map(|above| level(above, in_bytes)),
            spare_first,
        })
    })
}

/// Steps of the price so large that every probability is met, and small ones.
fn rem() -> impl Strategy<Value = AqmConfig> {
    let price = (prop_oneof![1.0001..1.01, 1.01..2.0], 0.01..2.0, prop_oneof![1e-4..1e-2, 1e-2..100.0]);
    let watches = prop_oneof![Just(Watches::RateAndQueue), Just(Watches::Queue)];
    let mark_at = prop_oneof![Just(MarkAt::Arrival), Just(MarkAt::Departure)];
    let rest = (0.1..40.0, any::<bool>(), 100_u64..20_000, watches, any::<bool>(), mark_at);
    (price, rest).prop_map(|((phi, alpha, gamma), (target, in_bytes, micros, watches, ecn, mark_at))| {
        AqmConfig::Rem(RemParameters {
            phi,
            alpha,
            gamma,
            target: level(target, in_bytes),
            interval: Duration::from_micros(micros),
            watches,
            ecn,
            mark_at,
        })
    })
}

/// A law that is new to the registry is tested with its defaults until it has a line here.
fn config() -> impl Strategy<Value = AqmConfig> {
    prop::sample::select(AqmConfig::NAMES).prop_flat_map(|name| match name {
        "red" => red().boxed(),
        "rem" => rem().boxed(),
        name => Just(AqmConfig::from_name(name).expect("a name of the registry")).boxed(),
    })
}

/// Whether the law may mark at all.
const fn marks(config: &AqmConfig) -> bool {
    match config {
        AqmConfig::DropTail(_) => false,
        AqmConfig::Red(parameters) => parameters.ecn,
        AqmConfig::Rem(parameters) => parameters.ecn,
    }
}

pub(super) fn limit() -> impl Strategy<Value = Limit> {
    prop_oneof![(1_u32..60).prop_map(Limit::Packets), (1000_u64..60_000).prop_map(Limit::Bytes)]
}

fn fifo(config: &AqmConfig, limit: Limit, seed: u64) -> Fifo<Numbered, AnyAqm> {
    Fifo::new(config.build(weir_aqm::Link { limit, ..link() }, Streams::new(seed).at("aqm")), limit)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_law_in_a_fifo(config in config(), limit in limit(), seed: u64, operations in operations()) {
        prop_assert_eq!(config.check(), Ok(()));
        let rules = Rules { marks: marks(&config), line: |_| 0 };
        keeps_its_word(|| fifo(&config, limit, seed), &rules, &operations);
    }

    #[test]
    fn any_law_in_a_port(config in config(), limit in limit(), seed: u64, operations in operations()) {
        let rules = Rules { marks: marks(&config), line: |_| 0 };
        depends_on_nothing_but_arrivals(|| fifo(&config, limit, seed), &rules, &operations);
    }
}

#[test]
fn the_registry_answers_to_its_names() {
    for &name in AqmConfig::NAMES {
        let config = AqmConfig::from_name(name).expect("a name of the registry");
        assert_eq!((config.name(), config.check()), (name, Ok(())));
    }
    assert_eq!(AqmConfig::from_name("drop-head"), None);
}

/// Parameters that do not go together are named.
#[test]
fn parameters_are_checked_together() {
    let red = RedParameters::default;
    let rem = RemParameters::default;
    let (packets, bytes) = (Level::Packets(5.0), Level::Bytes(15_000.0));
    for (config, parameter) in [
        (AqmConfig::Red(RedParameters { max_th: packets, ..red() }), "max_th"),
        (AqmConfig::Red(RedParameters { min_th: Level::Packets(16.0), ..red() }), "max_th"),
        (AqmConfig::Red(RedParameters { max_th: bytes, ..red() }), "max_th"),
        (AqmConfig::Red(RedParameters { w_q: probability(0.0), ..red() }), "w_q"),
        (AqmConfig::Rem(RemParameters { phi: 1.0, ..rem() }), "phi"),
        (AqmConfig::Rem(RemParameters { phi: f64::NAN, ..rem() }), "phi"),
        (AqmConfig::Rem(RemParameters { alpha: 0.0, ..rem() }), "alpha"),
        (AqmConfig::Rem(RemParameters { gamma: f64::INFINITY, ..rem() }), "gamma"),
        (AqmConfig::Rem(RemParameters { interval: Duration::ZERO, ..rem() }), "interval"),
        (
            AqmConfig::Rem(RemParameters { watches: Watches::Queue, target: Level::Packets(0.0), ..rem() }),
            "target",
        ),
    ] {
        let invalid = config.check().expect_err(parameter);
        assert_eq!(invalid.parameter, parameter);
        assert!(!invalid.message.is_empty() && !invalid.hint.is_empty());
    }
    let idle = RemParameters { target: Level::Packets(0.0), ..rem() };
    assert_eq!(AqmConfig::Rem(idle).check(), Ok(()), "equation (2) knows the rate");
}

/// The same operations give another trace to another seed, where the law draws at all.
#[test]
fn seeds_matter() {
    let offers = vec![super::Operation::Offer(crate::support::packet(weir_types::Ecn::NotEct)); 300];
    let red =
        AqmConfig::Red(RedParameters { w_q: probability(0.1), gentle: true, ..RedParameters::default() });
    let rules = Rules { marks: false, line: |_| 0 };
    let trace = |seed| keeps_its_word(|| fifo(&red, Limit::Packets(1000), seed), &rules, &offers);
    assert_ne!(trace(1), trace(2));
}
