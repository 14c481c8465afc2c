//! Every AQM of the registry, with any parameters that go together.

use std::collections::BTreeMap;

use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use serde_json::Value;
use weir_aqm::{
    Limit, Link, Reason,
    aqm::{AnyAqm, AqmConfig, CodelParameters, PieParameters, Price, RedParameters, RemParameters},
    qdisc::Fifo,
};
use weir_types::{Duration, Level, Streams};

use super::{Operation, Rules, depends_on_nothing_but_arrivals, keeps_its_word, operations, random};
use crate::{
    no_alloc::{LIMIT, allocations},
    support::{Event, Numbered, link, packet, probability, rate},
};

/// The value of a parameter of the AQM, if it has one of this name and it is set.
fn set(config: &AqmConfig, parameter: &str) -> Option<Value> {
    let config = serde_json::to_value(config).expect("every AQM can be written");
    config.as_object()?.values().next()?.get(parameter).cloned()
}

/// Returns true if the AQM may mark at all.
fn marks(config: &AqmConfig) -> bool {
    set(config, "ecn") == Some(Value::Bool(true)) || set(config, "ce_threshold").is_some()
}

/// Returns true if an AQM that marks may also drop, early, a packet that it could mark. The reasons are a probability
/// above a limit (RED's `mark_p`, PIE's `mark_ecnth`) or unanswered marks (COBALT's Blue, SFB from one half on).
fn drops_what_it_could_mark(config: &AqmConfig) -> bool {
    set(config, "mark_p").is_some()
        || set(config, "mark_ecnth").is_some()
        || ["cobalt", "sfb"].contains(&config.name())
}

/// Early drops are for packets that cannot be marked.
fn spares_what_can_be_marked(config: &AqmConfig, events: &[Event]) {
    if set(config, "ecn") != Some(Value::Bool(true)) || drops_what_it_could_mark(config) {
        return;
    }
    let mut offered = BTreeMap::new();
    for event in events {
        match event {
            Event::Offered { id, info, .. } => {
                offered.insert(id, info.ecn);
            }
            Event::Dropped { id, reason: Reason::Early, .. } => {
                assert!(!offered[id].is_markable(), "packet {id} could have been marked by {config:?}");
            }
            _ => {}
        }
    }
}

pub(super) fn limit() -> impl Strategy<Value = Limit> {
    prop_oneof![(1_u32..60).prop_map(Limit::Packets), (1000_u64..60_000).prop_map(Limit::Bytes)]
}

fn fifo(config: &AqmConfig, link: Link, seed: u64) -> Fifo<Numbered, AnyAqm> {
    Fifo::new(config.build(link, Streams::new(seed).at("aqm")), link.limit)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_aqm_in_a_fifo(config in random::config(), limit in limit(), seed: u64, operations in operations()) {
        let rules = Rules { marks: marks(&config), line: |_| 0 };
        let link = Link { limit, ..link() };
        let events = keeps_its_word(|| fifo(&config, link, seed), &rules, &operations);
        spares_what_can_be_marked(&config, &events);
    }

    #[test]
    fn any_aqm_in_a_port(config in random::config(), limit in limit(), seed: u64, operations in operations()) {
        let rules = Rules { marks: marks(&config), line: |_| 0 };
        let link = Link { limit, ..link() };
        depends_on_nothing_but_arrivals(|| fifo(&config, link, seed), &rules, &operations);
    }

    /// An AQM that is told of a rate before anything has happened is the AQM that was built for that rate. So every
    /// AQM that uses the rate at all follows a change.
    #[test]
    fn a_new_rate_is_as_good_as_the_first(config in random::config(), bits in 1_000_000_u64..1_000_000_000,
                                          seed: u64, operations in operations()) {
        let rules = Rules { marks: marks(&config), line: |_| 0 };
        let link = Link { limit: Limit::Packets(40), ..link() };
        let told: Vec<_> = [Operation::Rate(bits)].into_iter().chain(operations.clone()).collect();
        let told = keeps_its_word(|| fifo(&config, link, seed), &rules, &told);
        let built = Link { rate: rate(bits), ..link };
        prop_assert_eq!(told, keeps_its_word(|| fifo(&config, built, seed), &rules, &operations));
    }
}

/// Parameters in a scenario file are accepted, whatever they are, or refused with a reason. Enough are accepted, and
/// enough packets signalled, for the tests above to mean something.
#[test]
fn parameters_are_accepted_or_refused_with_a_reason() {
    let mut runner = TestRunner::deterministic();
    let link = Link { limit: Limit::Packets(40), ..link() };
    for &name in AqmConfig::NAMES {
        let (tables, operations) = (random::table(name), operations());
        let (mut accepted, mut signals) = (0, 0);
        for seed in 0..400 {
            let table = tables.new_tree(&mut runner).expect("nothing is filtered").current();
            match random::read(name, &table) {
                Ok(config) => {
                    let operations = operations.new_tree(&mut runner).expect("nothing is filtered").current();
                    let rules = Rules { marks: marks(&config), line: |_| 0 };
                    let events = keeps_its_word(|| fifo(&config, link, seed), &rules, &operations);
                    accepted += 1;
                    signals += events.iter().filter(|event| is_signal(event)).count();
                }
                Err(reason) => assert!(!reason.is_empty(), "{name} refuses {table} and does not say why"),
            }
        }
        assert!(accepted >= 40, "{name} accepts only {accepted} of 400");
        assert!(signals >= 40 || name == "drop-tail", "{name} signals only {signals} times");
    }
}

/// Returns true if the AQM caused the event, and not the buffer.
const fn is_signal(event: &Event) -> bool {
    matches!(event, Event::Marked { .. } | Event::Dropped { reason: Reason::Early | Reason::Forced, .. })
}

#[test]
fn no_parameters_make_a_aqm_allocate() {
    let mut runner = TestRunner::deterministic();
    for name in AqmConfig::NAMES {
        let tables = random::table(name);
        let configs = std::iter::repeat_with(|| tables.new_tree(&mut runner).expect("a table").current());
        for config in configs.filter_map(|table| random::read(name, &table).ok()).take(5) {
            let aqm = config.build(Link { limit: LIMIT, ..link() }, Streams::new(1).at("aqm"));
            let (allocations, _) = allocations(Fifo::new(aqm, LIMIT), 50_000);
            // An AQM that never let so many in before may still make the line double.
            assert!(allocations < 7, "{config:?} allocates {allocations} times");
        }
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
    let (red, rem) = (RedParameters::default, RemParameters::default);
    let (codel, pie) = (CodelParameters::default, PieParameters::default);
    let (packets, bytes) = (Level::Packets(5.0), Level::Bytes(15_000.0));
    let thresholds = |min_th, max_th| RedParameters { min_th, max_th, ..red() };
    for (config, parameter) in [
        (AqmConfig::Red(thresholds(Some(packets), Some(packets))), "max_th"),
        (AqmConfig::Red(thresholds(Some(packets), Some(bytes))), "max_th"),
        (AqmConfig::Red(thresholds(None, Some(packets * 0.0))), "max_th"),
        (AqmConfig::Red(RedParameters { w_q: probability(0.0), ..red() }), "w_q"),
        (AqmConfig::Rem(RemParameters { phi: 1.0, ..rem() }), "phi"),
        (AqmConfig::Rem(RemParameters { phi: f64::NAN, ..rem() }), "phi"),
        (AqmConfig::Rem(RemParameters { alpha: 0.0, ..rem() }), "alpha"),
        (AqmConfig::Rem(RemParameters { gamma: f64::INFINITY, ..rem() }), "gamma"),
        (AqmConfig::Rem(RemParameters { interval: Duration::ZERO, ..rem() }), "interval"),
        (
            AqmConfig::Rem(RemParameters { price: Price::Queue, target: Level::Packets(0.0), ..rem() }),
            "target",
        ),
        (AqmConfig::Codel(CodelParameters { interval: Duration::ZERO, ..codel() }), "interval"),
        (AqmConfig::Pie(PieParameters { beta: 0.0, ..pie() }), "beta"),
        (AqmConfig::Pie(PieParameters { interval: Duration::from_micros(9), ..pie() }), "interval"),
    ] {
        let invalid = config.check().expect_err(parameter);
        assert_eq!(invalid.parameter, parameter);
        assert!(!invalid.message.is_empty() && !invalid.hint.is_empty());
    }
    let idle = RemParameters { target: Level::Packets(0.0), ..rem() };
    assert_eq!(AqmConfig::Rem(idle).check(), Ok(()), "equation (2) knows the rate");
}

/// Equal operations give another trace with another seed, if the AQM draws at all.
#[test]
fn seeds_matter() {
    let offers = vec![Operation::Offer(packet(weir_types::Ecn::NotEct)); 300];
    let red =
        AqmConfig::Red(RedParameters { w_q: probability(0.1), gentle: true, ..RedParameters::default() });
    let rules = Rules { marks: false, line: |_| 0 };
    let trace = |seed| keeps_its_word(|| fifo(&red, link(), seed), &rules, &offers);
    assert_ne!(trace(1), trace(2));
}
