//! Every discipline of the registry, with any parameters that go together.

use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use serde_json::{Value, json};
use weir_aqm::{
    Limit, Link, PacketInfo,
    aqm::AqmConfig,
    qdisc::{AnyDiscipline, QueueConfig},
};
use weir_types::{Duration, Ecn, Streams};

use super::{
    Operation, Rules, aqms::limit, depends_on_nothing_but_arrivals, keeps_its_word, operations, random,
};
use crate::support::{Numbered, link, rate};

/// The disciplines that are more than one FIFO under an AQM.
fn names() -> impl Iterator<Item = &'static str> {
    QueueConfig::NAMES.iter().copied().filter(|name| AqmConfig::from_name(name).is_none())
}

/// How many queues fair queueing has here: fewer than flows.
const QUEUES: u32 = 4;

/// A table that a scenario file may have under the name of a discipline. Fair queueing has few queues, so that the
/// queue of a flow is known.
fn table(name: &'static str) -> impl Strategy<Value = Value> {
    random::queue_table(name).prop_map(move |mut table| {
        if name.starts_with("fq") {
            table["flows"] = json!(QUEUES);
            table["flow_hashing"] = json!("modulo");
        }
        table
    })
}

fn read(name: &str, table: &Value) -> Result<QueueConfig, String> {
    let config: QueueConfig =
        serde_json::from_value(json!({ name: table })).map_err(|error| error.to_string())?;
    match config.check() {
        Ok(()) => Ok(config),
        Err(invalid) => {
            assert!(!invalid.message.is_empty() && !invalid.hint.is_empty(), "{invalid:?} of {name}");
            Err(invalid.message)
        }
    }
}

fn config() -> impl Strategy<Value = QueueConfig> {
    prop::strategy::Union::new(names().map(|name| {
        table(name).prop_filter_map("parameters that go together", move |table| read(name, &table).ok())
    }))
}

fn build(config: &QueueConfig, limit: Limit, seed: u64) -> AnyDiscipline<Numbered> {
    config.build(Link { limit, ..link() }, Streams::new(seed), "aqm")
}

/// Which packets keep their order.
fn rules(config: &QueueConfig) -> Rules {
    let line: fn(PacketInfo) -> u32 = match config {
        QueueConfig::Fq(_) | QueueConfig::FqCodel(_) | QueueConfig::FqPie(_) => |info| info.flow % QUEUES,
        QueueConfig::DualPi2(parameters) if parameters.low_latency == weir_aqm::qdisc::LowLatency::AnyEct => {
            |info| u32::from(info.ecn.is_markable())
        }
        QueueConfig::Cake(_) => |info| info.flow,
        QueueConfig::DualPi2(_) => |info| u32::from(matches!(info.ecn, Ecn::Ect1 | Ecn::Ce)),
        _ => |_| 0,
    };
    Rules { marks: true, line }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_discipline(config in config(), limit in limit(), seed: u64, operations in operations()) {
        keeps_its_word(|| build(&config, limit, seed), &rules(&config), &operations);
    }

    #[test]
    fn any_discipline_in_a_port(config in config(), limit in limit(), seed: u64, operations in operations()) {
        depends_on_nothing_but_arrivals(|| build(&config, limit, seed), &rules(&config), &operations);
    }

    /// A discipline that does not mark drops only for its own reasons: every mark needs ECN to be on.
    #[test]
    fn without_ecn_nothing_is_marked(limit in limit(), seed: u64, operations in operations()) {
        for table in [json!({ "choke": { "ecn": false } }), json!({ "fq-codel": { "ecn": false } }),
                      json!({ "fq-pie": { "ecn": false } }), json!({ "fq": { "aqm": { "red": {} } } })] {
            let config: QueueConfig = serde_json::from_value(table).unwrap();
            let one_flow: Vec<_> = operations.iter().map(|operation| match operation {
                Operation::Offer(info) => Operation::Offer(PacketInfo { flow: 0, ..*info }),
                other => other.clone(),
            }).collect();
            keeps_its_word(|| build(&config, limit, seed), &Rules { marks: false, line: |_| 0 }, &one_flow);
        }
    }
}

/// Two cases of random operations that once failed: the rate changes while a packet is being sent.
#[test]
fn the_rate_changes_while_a_packet_is_sent() {
    let offer = |bytes, ecn, flow| Operation::Offer(PacketInfo { bytes, ecn, flow });
    let slow = Operation::Rate(3_700_000);
    let cases = [
        vec![
            slow.clone(),
            offer(40, Ecn::NotEct, 0),
            offer(40, Ecn::NotEct, 0),
            slow.clone(),
            offer(1000, Ecn::NotEct, 0),
            offer(1000, Ecn::NotEct, 0),
        ],
        vec![
            slow.clone(),
            offer(1500, Ecn::NotEct, 0),
            offer(40, Ecn::NotEct, 0),
            slow,
            Operation::Advance(3_243_243),
            offer(1000, Ecn::NotEct, 0),
            Operation::Advance(89_387),
            offer(1000, Ecn::Ect1, 1),
        ],
    ];
    for config in names().filter_map(QueueConfig::from_name) {
        for operations in &cases {
            for limit in [Limit::Packets(1), Limit::Packets(100)] {
                let new = || build(&config, limit, 0);
                depends_on_nothing_but_arrivals(new, &rules(&config), operations);
            }
        }
    }
}

/// Whatever a scenario file says of a discipline, it runs or says why not.
#[test]
fn parameters_are_accepted_or_refused_with_a_reason() {
    let mut runner = TestRunner::deterministic();
    for name in names() {
        let tables = table(name);
        let mut draws = || tables.new_tree(&mut runner).expect("nothing is filtered").current();
        let accepted = (0..400).filter(|_| read(name, &draws()).is_ok()).count();
        assert!(accepted >= 40, "{name} accepts only {accepted} of 400");
    }
}

#[test]
fn the_registry_answers_to_its_names() {
    for &name in QueueConfig::NAMES {
        let config = QueueConfig::from_name(name).expect("a name of the registry");
        assert_eq!((config.name(), config.check()), (name, Ok(())));
        assert_eq!(config.aqm(), AqmConfig::from_name(name));
        if let Some(aqm) = config.aqm() {
            assert_eq!(QueueConfig::from(aqm), config);
        }
    }
    assert_eq!(QueueConfig::from_name("fq_codel"), None);
}

/// Errors in an AQM under fair queueing have the path of its parameter.
#[test]
fn mistakes_in_an_inner_aqm_have_a_path() {
    for (table, parameter) in [
        (json!({ "fq": { "aqm": { "red": { "max_th": "0 packets" } } } }), "aqm.red.max_th"),
        (json!({ "fq": { "flows": 0 } }), "flows"),
        (json!({ "fq-codel": { "interval": "0 s" } }), "interval"),
        (json!({ "fq-codel": { "memory_limit": "5 kB" } }), "memory_limit"),
        (json!({ "fq-pie": { "drop_batch": 0 } }), "drop_batch"),
        (json!({ "choke": { "draws": 0 } }), "draws"),
        (json!({ "choke": { "max_th": "0 packets" } }), "max_th"),
        (json!({ "dualpi2": { "coupling": 0.0 } }), "coupling"),
        (json!({ "dualpi2": { "classic_protection": 1.0 } }), "classic_protection"),
    ] {
        let config: QueueConfig = serde_json::from_value(table).unwrap();
        assert_eq!(config.check().expect_err(parameter).parameter, parameter);
    }
}

/// The keys of `schema` that take a queue length, with the names of the tables around each.
fn lengths(root: &Value, schema: &Value) -> Vec<Vec<String>> {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
        return if name == "Level" { vec![Vec::new()] } else { lengths(root, &root["$defs"][name]) };
    }
    let kinds = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten();
    let keys = schema["properties"].as_object().into_iter().flatten().flat_map(|(name, key)| {
        let below = lengths(root, key).into_iter();
        below.map(move |path| [vec![name.clone()], path].concat())
    });
    kinds.flat_map(|kind| lengths(root, kind)).chain(keys).collect()
}

#[test]
fn every_queue_length_may_be_a_time() {
    let schema = schemars::schema_for!(QueueConfig).to_value();
    let found = lengths(&schema, &schema);
    assert!(found.len() > 25, "{found:?}");
    let link =
        Link { rate: rate(8_000_000), mean_packet: 1000, limit: Limit::Packets(100), rtt: Duration::ZERO };
    for path in found {
        let table = path.iter().rev().fold(json!("5 ms"), |inner, name| json!({ name: inner }));
        let mut config: QueueConfig = serde_json::from_value(table).unwrap();
        config.complete(link);
        let pointer = format!("/{}", path.join("/"));
        let plain = serde_json::to_value(&config).unwrap();
        assert_eq!(plain.pointer(&pointer), Some(&json!("5 kB")), "{path:?}");
    }
}
