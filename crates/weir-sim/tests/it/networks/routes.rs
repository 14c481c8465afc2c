//! Routing over links: nothing depends on how they are written, and both ways count.

use weir_scenario::Scenario;
use weir_sim::Measurements;

use super::{group, of, same};
use crate::{run, scenario, tables};

const DUMBBELL: &str = r#"
schema = 1
name = "dumbbell"
duration = "30 s"
measure.warm_up = "5 s"
[links.l]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "50 packets"
reverse = { buffer = "50 packets" }
[flows.f]
count = 10
rtt = "50 ms"
start_jitter = "1 s"
access = { rate = "100 Mbit/s", receiver_delay = "2 ms" }
"#;

/// With all flows the other way round a dumbbell is itself, seen from behind.
#[test]
fn reversed_traffic_is_the_same() {
    let forward = tables(&run(&scenario(DUMBBELL, &[]), 3));
    let reversed = run(&scenario(DUMBBELL, &[("flows.f.upload", "true")]), 3);
    same(&tables(&reversed).groups, &forward.groups);
    same(&tables(&reversed).flows, &forward.flows);
    let forward = run(&scenario(DUMBBELL, &[]), 3);
    for column in ["arrivals", "departures", "drops", "bytes", "utilisation", "queue_mean", "delay_mean_ms"] {
        for (one, other) in [("forward", "reverse"), ("reverse", "forward")] {
            let there = of(&forward, "l", one, "all", column);
            assert!((there - of(&reversed, "l", other, "all", column)).abs() < 1e-12, "{column}");
        }
    }
}

/// Data one way and data the other way share queues with each other's ACKs: these wait, come in bursts,
/// and make bursts (Zhang, Shenker and Clark, SIGCOMM 1991), so that less gets through than alone.
#[test]
fn acks_wait_behind_data() {
    let both =
        format!("{DUMBBELL}[flows.g]\ncount = 10\nrtt = \"50 ms\"\nstart_jitter = \"1 s\"\nupload = true\n");
    let alone = of(&run(&scenario(DUMBBELL, &[]), 1), "l", "forward", "all", "utilisation");
    let measured = run(&scenario(&both, &[]), 1);
    for direction in ["forward", "reverse"] {
        let departures = |group| of(&measured, "l", direction, group, "departures");
        assert!(departures("f") > 1000.0 && departures("g") > 1000.0);
        let utilisation = of(&measured, "l", direction, "all", "utilisation");
        assert!(utilisation > 0.5 && utilisation < alone, "{utilisation}, and {alone} alone");
        // Those of an ACK of the other group and of a data packet: the queue does not tell them apart.
        let waits = |group| of(&measured, "l", direction, group, "delay_mean_ms");
        assert!(waits("f").min(waits("g")) > 0.5 * waits("f").max(waits("g")));
    }
    // A group's drops are those of its data.
    for (name, direction) in [("f", "forward"), ("g", "reverse")] {
        let dropped = group(&measured, name, "drops");
        assert_eq!(dropped.to_bits(), of(&measured, "l", direction, name, "drops").to_bits());
    }
}

/// A scenario with nodes, or with its path written out, runs as the one without.
#[test]
fn nodes_are_but_another_way_to_write_a_path() {
    let nodes: &[(&str, &str)] =
        &[("links.l.from", "a"), ("links.l.to", "b"), ("flows.f.from", "a"), ("flows.f.to", "b")];
    let same = |one: &Measurements, other: &Measurements| {
        let pairs = tables(one).into_named().into_iter().zip(tables(other).into_named());
        pairs.for_each(|((_, one), (_, other))| same(&one, &other));
    };
    same(&run(&scenario(DUMBBELL, nodes), 1), &run(&scenario(DUMBBELL, &[]), 1));
    let back: &[(&str, &str)] =
        &[("links.l.from", "b"), ("links.l.to", "a"), ("flows.f.from", "a"), ("flows.f.to", "b")];
    let reversed = run(&scenario(DUMBBELL, &[("flows.f.upload", "true")]), 1);
    same(&run(&scenario(DUMBBELL, back), 1), &reversed);
}

/// One packet a round trip: the delays of both ways add up, however they are divided, and the rest of
/// the round trip is access delay.
#[test]
fn the_round_trip_is_what_the_scenario_says() {
    let text = |there: &str, back: &str| {
        let link = |name: &str, ends: &str, delay: &str| {
            let (from, to) = ends.split_once(' ').unwrap();
            format!(
                "[links.{name}]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"8 Mbit/s\"\ndelay = \"{delay} ms\"\n\
                 buffer = \"9 packets\"\nunidirectional = true\n"
            )
        };
        format!(
            "schema = 1\nname = \"ring\"\nduration = \"101 s\"\nmeasure.warm_up = \"1 s\"\n{}{}{}\
             [flows.f]\nfrom = \"a\"\nto = \"b\"\nrtt = \"50 ms\"\ntcp.receive_window = \"1 packet\"\ntcp.ack_size = \"1 B\"\n",
            link("ab", "a b", there),
            link("bc", "b c", back),
            link("ca", "c a", "7"),
        )
    };
    for (there, back) in [("10", "10"), ("1", "42"), ("40", "3"), ("0", "0")] {
        let measured = run(&scenario(&text(there, back), &[]), 1);
        // 1 ms for the packet, 1 us for the ACK on each of its two links.
        let expected = 100.0 / 0.051_002;
        let sent = group(&measured, "f", "sent");
        assert!((sent - expected).abs() <= 1.0, "{there} ms and {back} ms: {sent}, not {expected}");
        assert!(of(&measured, "bc", "forward", "f", "departures") > 1900.0, "ACKs go round");
    }
}

fn parking_lot(sets: &[(&str, &str)]) -> Scenario {
    let text = r#"
        schema = 1
        name = "parking-lot"
        duration = "60 s"
        measure.warm_up = "20 s"
        [links.hop]
        hops = 3
        rate = "10 Mbit/s"
        delay = "10 ms"
        buffer = "100 packets"
        queue.rem = { ecn = true }
        [flows.long]
        count = 10
        rtt = "80 ms"
        packet_size = "1000 B"
        start_jitter = "1 s"
        tcp.ecn = true
        [flows.cross]
        each_hop_of = "hop"
        count = 10
        rtt = "40 ms"
        packet_size = "1000 B"
        start_jitter = "1 s"
        tcp.ecn = true
    "#;
    scenario(text, sets)
}

/// REM's sum of prices: what a long flow sees is what its hops would mark together, 1 - prod (1 - m).
/// The tolerance is five standard deviations of the marks counted.
#[test]
fn prices_add_up_along_a_parking_lot() {
    let measured = run(&parking_lot(&[]), 1);
    let product: f64 = (1..=3)
        .map(|hop| {
            let count = |column| of(&measured, &format!("hop{hop}"), "forward", "long", column);
            1.0 - count("marks") / count("departures")
        })
        .product();
    let (seen, arrived) = (group(&measured, "long", "mark_fraction"), group(&measured, "long", "arrived"));
    let slack = 5.0 * (seen * (1.0 - seen) / arrived).sqrt();
    assert!((seen - (1.0 - product)).abs() < slack, "{seen} of packets marked, {} by hops", 1.0 - product);
    // Three hops mark more than one, and a long flow gets less than its share.
    assert!(seen > 2.0 * group(&measured, "cross1", "mark_fraction"));
    assert!(group(&measured, "long", "goodput") < group(&measured, "cross2", "goodput"));
    for hop in ["hop1", "hop2", "hop3"] {
        assert!(of(&measured, hop, "forward", "all", "utilisation") > 0.95);
        assert!((of(&measured, hop, "forward", "all", "queue_mean") - 20.0).abs() < 6.0);
    }
}
