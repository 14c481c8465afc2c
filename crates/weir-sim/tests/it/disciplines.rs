//! Promises of disciplines that are more than one FIFO with an AQM: shares, and classes.

use weir_sim::{Column, Measurements, Table};

use crate::{of_flows, of_link, run, scenario, tables, value};

/// Ten flows with a short round trip and ten with a long one.
const NEAR_AND_FAR: &str = r#"
schema = 1
name = "near-and-far"
duration = "100 s"
measure.warm_up = "20 s"

[links.bottleneck]
rate = "20 Mbit/s"
delay = "5 ms"
buffer = "400 packets"

[flows.near]
count = 10
rtt = "20 ms"
start_jitter = "1 s"

[flows.far]
count = 10
rtt = "120 ms"
start_jitter = "1 s"
"#;

fn under(discipline: &str) -> Measurements {
    run(&scenario(NEAR_AND_FAR, &[("links.bottleneck.queue", discipline)]), 1)
}

/// One FIFO gives more to those who hear of it sooner; fair queueing gives each the same.
#[test]
fn fair_queueing_is_fair() {
    let unfair = of_flows(&under("{ red = { max_th = \"60 packets\", gentle = true } }"), "jain");
    assert!(unfair < 0.85, "Jain's index under RED is {unfair}");
    // CoDel lets a flow keep 5 ms of queue, which after a loss is little to a round trip of 120 ms:
    // the far flows leave some of their share, and the near ones take it.
    for (discipline, least) in [
        ("{ fq = { flow_hashing = \"modulo\" } }", 0.98),
        ("{ fq = { aqm = { pie = {} }, aqm_backlog = \"flow\", flow_hashing = \"modulo\" } }", 0.98),
        ("{ fq-pie = { flow_hashing = \"modulo\" } }", 0.98),
        ("{ fq-codel = { flow_hashing = \"modulo\" } }", 0.9),
        ("{ fq-codel = { target = \"50 ms\", interval = \"500 ms\", flow_hashing = \"modulo\" } }", 0.98),
    ] {
        let fair = of_flows(&under(discipline), "jain");
        assert!(fair > least, "Jain's index under {discipline} is {fair}");
    }
}

/// FQ-CoDel keeps queueing delay near CoDel's target where DropTail fills its buffer, at the same
/// utilisation.
#[test]
fn fq_codel_keeps_queues_short() {
    let (full, short) = (under("{ drop-tail = {} }"), under("{ fq-codel = {} }"));
    assert!(of_link(&full, "delay_p50_ms") > 80.0);
    let delay = of_link(&short, "delay_p50_ms");
    assert!(delay < 40.0, "{delay} ms");
    assert!(of_link(&short, "utilisation") > 0.95);
}

/// Ten flows that can be marked beside ten that cannot; the former wait in L.
fn coupled(more: &[(&str, &str)]) -> Measurements {
    let marked = [
        ("links.bottleneck.queue.dualpi2.low_latency", "any-ect"),
        ("flows.near.tcp.ecn", "true"),
        ("flows.far.rtt", "\"20 ms\""),
    ];
    run(&scenario(NEAR_AND_FAR, &[&marked, more].concat()), 1)
}

fn of(table: &Table, class: &str, group: &str, column: &str) -> f64 {
    value(table, &[("direction", "forward"), ("class", class), ("group", group)], -1, column)
}

#[test]
fn classes_add_up_to_all() {
    for warm_up in ["\"0 s\"", "\"20 s\""] {
        let measured = coupled(&[("measure", &format!("{{ warm_up = {warm_up}, period = \"30 s\" }}"))]);
        let links = tables(&measured).links;
        for column in ["arrivals", "departures", "drops", "drops_early", "drops_overflow", "marks", "bytes"] {
            for group in ["all", "near", "far"] {
                let [all, low, classic] = ["all", "L", "C"].map(|class| of(&links, class, group, column));
                assert_eq!((low + classic).to_bits(), all.to_bits(), "{column} of {group}");
            }
        }
        for column in ["queue_mean", "utilisation"] {
            let [all, low, classic] = ["all", "L", "C"].map(|class| of(&links, class, "all", column));
            assert!((low + classic - all).abs() < 1e-9 * all, "{column}: {low} + {classic}, not {all}");
        }
        // Little's law holds for each.
        let seconds = if warm_up == "\"0 s\"" { 100.0 } else { 80.0 };
        for class in ["L", "C"] {
            let [departures, delay, queue] =
                ["departures", "delay_mean_ms", "queue_mean"].map(|column| of(&links, class, "all", column));
            let waits = departures / seconds * delay / 1e3;
            assert!((waits / queue - 1.0).abs() < 0.02, "{class}: {waits} packets, not {queue}");
        }
    }
}

/// A mark makes no packet change its class.
#[test]
fn groups_have_their_class() {
    let links = tables(&coupled(&[])).links;
    for column in ["arrivals", "departures", "marks"] {
        assert_eq!(of(&links, "C", "near", column).to_bits(), 0.0_f64.to_bits(), "{column}");
        assert_eq!(of(&links, "L", "far", column).to_bits(), 0.0_f64.to_bits(), "{column}");
    }
    assert!(of(&links, "L", "near", "marks") > 1000.0);
    assert!(of(&links, "C", "far", "drops_early") > 100.0);
}

/// The delays of a class are its own: those of the low-latency line are shorter.
#[test]
fn low_latency_is_low() {
    let tables = tables(&coupled(&[]));
    let [low, classic] = ["L", "C"].map(|class| of(&tables.links, class, "all", "delay_p50_ms"));
    assert!(low < 1.0 && classic > 5.0, "{low} and {classic} ms");
    let counts = |class: &str| -> i64 {
        let text = |name: &str, wanted: &str| -> Vec<bool> {
            let column = &tables.delays.columns.iter().find(|(found, _)| *found == name).unwrap().1;
            let Column::Text(names) = column else { panic!("{name} is not a name") };
            let codes = names.codes::<u32>().unwrap();
            codes.into_iter().map(|code| names.names()[code as usize] == wanted).collect()
        };
        let Column::Integers(counts) = &tables.delays.columns.last().unwrap().1 else { panic!("counts") };
        let mut rest = &counts.values[..];
        let bins = counts.lengths.iter().map(|bins| rest.split_off(..*bins as usize).unwrap());
        let chosen = text("class", class).into_iter().zip(text("group", "all"));
        chosen.zip(bins).filter(|((class, group), _)| *class && *group).flat_map(|(_, bins)| bins).sum()
    };
    assert!(counts("L") > 0 && counts("C") > 0);
    assert_eq!(counts("L") + counts("C"), counts("all"));
}

/// Where nothing is told apart there is the class "all" and no other.
#[test]
fn other_disciplines_have_no_classes() {
    for discipline in ["{ drop-tail = {} }", "{ fq-codel = {} }"] {
        let measured =
            run(&scenario(NEAR_AND_FAR, &[("links.bottleneck.queue", discipline), ("duration", "30 s")]), 1);
        let (_, column) = &tables(&measured).links.columns[3];
        let Column::Text(classes) = column else { panic!("class is not a name") };
        assert_eq!(classes.names(), ["all"]);
    }
}
