//! Finite flows: their time on an empty path, their load, their waiting.

use super::{agree, completed, rows, text};
use crate::{of_link, run, scenario, tables, value};

/// Slow start by hand: the SYN's round trip, then rounds of 2, 4, 8 and 16 packets. The first ACK of each
/// comes a transmission (1 ms) and a round trip after its first packet. The last round keeps the link
/// busy for 16 ms.
#[test]
fn a_transfer_on_an_empty_path_takes_the_rounds_of_slow_start() {
    let group = |tcp: &str| {
        text(
            "20 s",
            &format!(
                "traffic.closed-loop = {{ size = \"30 packets\", think_time = \"2 s\" }}\ntcp = {{ initial_window = \"2 packets\"{tcp} }}"
            ),
        )
    };
    let rounds = 3.0 * 101.0 + 16.0 + 50.0;
    let measured = run(&scenario(&group(""), &[]), 1);
    // A SYN has 40 B.
    let expected = 100.0 + 0.04 + rounds;
    let mean = completed(&measured, "web", None, "fct_mean_ms");
    assert!((mean - expected).abs() < 1e-6, "{mean} ms, not {expected} ms");
    let slowdown = completed(&measured, "web", None, "slowdown_mean");
    assert!((slowdown - expected / (100.0 + 50.0 + 30.0)).abs() < 1e-9, "slowdown {slowdown}");
    assert!(completed(&measured, "web", Some(30_000.0), "count") >= 3.0);
    let measured = run(&scenario(&group(", handshake = false"), &[]), 1);
    let mean = completed(&measured, "web", None, "fct_mean_ms");
    assert!((mean - rounds).abs() < 1e-6, "{mean} ms, not {rounds} ms");
    let slowdown = completed(&measured, "web", None, "slowdown_mean");
    assert!((slowdown - rounds / (50.0 + 30.0)).abs() < 1e-9, "slowdown {slowdown}");
}

/// A transfer that fits into the first window is as fast as can be.
#[test]
fn a_short_transfer_is_not_slowed_down() {
    let group = "traffic.closed-loop = { size = \"9.25 kB\", think_time = \"2 s\" }\ntcp.handshake = false";
    let measured = run(&scenario(&text("20 s", group), &[]), 1);
    let mean = completed(&measured, "all", Some(10_000.0), "fct_mean_ms");
    assert!((mean - 59.25).abs() < 1e-6, "{mean} ms");
    let slowdown = completed(&measured, "all", None, "slowdown_mean");
    assert!((slowdown - 1.0).abs() < 1e-9, "slowdown {slowdown}");
}

/// Single packets at random instants before a transmitter: Pollaczek and Khinchine, through all of the
/// simulator.
#[test]
fn packets_of_poisson_arrivals_wait_as_in_m_d_1() {
    for load in [0.3, 0.7] {
        let group =
            format!("traffic.poisson = {{ load = {load}, size = \"1 packet\" }}\ntcp.handshake = false");
        let scenario = scenario(&text("110 s", &group), &[("measure.warm_up", "10 s")]);
        let waits: Vec<_> = (0..12).map(|seed| of_link(&run(&scenario, seed), "delay_mean_ms")).collect();
        agree(&waits, load / (2.0 * (1.0 - load)), "mean wait");
    }
}

#[test]
fn the_load_is_the_one_asked_for() {
    for size in [
        "\"10 kB\"",
        "{ exponential = { mean = \"10 kB\" } }",
        "{ pareto = { mean = \"10 kB\", shape = 1.5, at_most = \"200 kB\" } }",
        "{ log-normal = { median = \"6 kB\", sigma = 1.0 } }",
        "{ cdf = \"web-search\" }",
    ] {
        // The heaviest has a mean of 1.6 MB: so much is carried in so long a time on a fast link.
        let group = format!("traffic.poisson = {{ load = 0.4, size = {size} }}");
        let scenario =
            scenario(&text("40 s", &group), &[("links.l.rate", "200 Mbit/s"), ("links.l.buffer", "1 MB")]);
        let all: Vec<_> = (0..12)
            .map(|seed| {
                let measured = run(&scenario, seed);
                // All that came: each class has a mean size; what is unfinished at the end is so little
                // that the mean of its class is near enough.
                let bytes = rows(&measured, "web").into_iter().filter_map(|(upto, _)| upto).map(|upto| {
                    let of = |column| completed(&measured, "web", Some(upto), column);
                    of("bytes") + of("unfinished") * upto / 1.8
                });
                bytes.sum::<f64>() * 8.0 / 40.0
            })
            .collect();
        agree(&all, 0.4 * 200e6, size);
    }
}

#[test]
fn no_transfer_is_faster_than_the_path() {
    let group = "rtt.uniform = { from = \"100 ms\", to = \"140 ms\" }\nsend_jitter = \"2 ms\"\n\
                 access.rate = \"20 Mbit/s\"\n\
                 traffic.poisson = { load = 0.5, size.pareto-ii = { mean = \"20 kB\", shape = 1.3 } }";
    let text = text("100 s", group).replace("rtt = \"100 ms\"\n", "");
    let measured = run(&scenario(&text, &[("links.l.buffer", "20 packets")]), 1);
    let rows = rows(&measured, "web");
    assert!(rows.len() > 6, "{rows:?}");
    for (upto, _) in rows {
        if completed(&measured, "web", upto, "count") > 0.0 {
            let of = |column| completed(&measured, "web", upto, column);
            assert!(of("slowdown_mean") >= 1.0, "up to {upto:?}: {}", of("slowdown_mean"));
            let ordered = ["slowdown_p50", "slowdown_p95", "slowdown_p99"].map(of);
            assert!(ordered[0] >= 1.0 && ordered.is_sorted(), "up to {upto:?}: {ordered:?}");
        }
    }
}

/// Variants of a scenario see the same flows, of the same sizes, whatever becomes of them.
#[test]
fn what_arrives_does_not_depend_on_the_discipline() {
    let group = "traffic.poisson = { load = 0.9, size.pareto-ii = { mean = \"12 packets\", shape = 1.2 } }"
        .replace("load = 0.9", "rate = \"70 /s\"");
    let arrived = |queue: &str| {
        let queue = format!("links.l.queue.{queue}");
        let scenario = scenario(&text("60 s", &group), &[(&queue, "{}"), ("links.l.buffer", "30 packets")]);
        let measured = run(&scenario, 3);
        let classes: Vec<_> = rows(&measured, "web")
            .into_iter()
            .map(|(upto, _)| {
                let of = |column| completed(&measured, "web", upto, column);
                (upto, of("count") + of("unfinished"))
            })
            .collect();
        (classes, completed(&measured, "web", None, "fct_mean_ms"))
    };
    let (flows, time) = arrived("drop-tail");
    assert!(flows[0].1 > 3000.0, "{flows:?}");
    for queue in ["red", "codel", "fq-codel"] {
        let (same, other) = arrived(queue);
        assert_eq!(same, flows, "{queue}");
        assert!((other - time).abs() > 1e-9, "{queue} changes nothing");
    }
}

/// Little's law: flows that are there are flows that come times how long they take.
#[test]
fn users_are_the_flows_that_are_there_on_average() {
    let group = "traffic.poisson = { load = 0.6, size = \"40 packets\" }";
    let measured =
        run(&scenario(&text("400 s", group), &[("measure.series", "{ interval = \"10 ms\" }")]), 1);
    let of = |column| completed(&measured, "web", None, column);
    let there = of("count") / 400.0 * of("fct_mean_ms") / 1e3;
    let users = value(&tables(&measured).groups, &[("group", "web")], -1, "users");
    assert!((users - there).abs() <= 0.5 + 0.02 * there, "{users} users, {there} by Little's law");
    let names = &measured.series.names;
    let live = names.iter().position(|(path, variable)| path == "flows.web" && *variable == "live");
    let live = &measured.series.values[live.expect("a series of live flows")];
    let mean = live.iter().sum::<f64>() / live.len() as f64;
    assert!((mean / there - 1.0).abs() < 0.05, "{mean} live flows, {there} by Little's law");
}

#[test]
fn arrivals_keep_to_start_and_stop() {
    let group =
        "start = \"10 s\"\nstop = \"20 s\"\ntraffic.poisson = { rate = \"100 /s\", size = \"2 packets\" }";
    let periods = [("measure.period", "10 s")];
    let measured = run(&scenario(&text("30 s", group), &periods), 1);
    let sent = |period| value(&tables(&measured).groups, &[("group", "web")], period, "sent");
    assert!(sent(0) < 0.5 && sent(1) > 2000.0, "{} and {}", sent(0), sent(1));
    let all = completed(&measured, "web", None, "count");
    assert!((all - 1000.0).abs() < 4.5 * 1000.0_f64.sqrt(), "{all} flows");
    assert!(completed(&measured, "web", None, "unfinished") < 0.5);
}
