//! Places for flows, used again and again.

use std::{sync::Arc, time::Duration};

use proptest::prelude::*;
use weir_sim::{Batch, Job};

use super::{completed, text};
use crate::{run, scenario, tables, value};

/// So many that are there at once, times some for luck: not as many as ever came.
fn bounded(rate: u32, duration: u32) {
    let group = format!("traffic.poisson = {{ rate = \"{rate} /s\", size = \"2 packets\" }}");
    let fast = [("links.l.rate", "1 Gbit/s"), ("links.l.delay", "5 ms"), ("flows.web.rtt", "10 ms")];
    let measured = run(&scenario(&text(&format!("{duration} s"), &group), &fast), 1);
    let count = completed(&measured, "web", None, "count");
    let expected = f64::from(rate * duration);
    assert!((count - expected).abs() < 5.0 * expected.sqrt(), "{count} flows");
    // Two round trips of 10 ms each: a Poisson number of that mean.
    let there = f64::from(rate) * 0.0201;
    let most = there + 6.0 * there.sqrt();
    assert!((measured.slots as f64) < most, "{} places, where {there} are there at a time", measured.slots);
}

#[test]
fn a_hundred_thousand_flows_need_the_room_of_those_that_are_there() {
    bounded(20_000, 5);
}

#[test]
fn a_million_flows_need_no_more() {
    bounded(20_000, 50);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Packets that are late from the former flow of a place corrupt nothing: every flow delivers all of
    /// its own, once, whatever is lost, delayed or overtaken. Five times the load for 20 s, of which every
    /// tenth packet is lost, and timeouts of a minute take long to clear away.
    #[test]
    fn every_flow_delivers_exactly_what_it_has(
        size in 500_u32..40_000,
        buffer in 2_u32..20,
        rate in 20_u32..150,
        loss in 0.0_f64..0.1,
        recovery in prop::sample::select(vec!["newreno", "reno", "sack"]),
        congestion in prop::sample::select(vec!["reno", "cubic", "dctcp", "vegas"]),
        switches in any::<(bool, bool, bool, bool)>(),
        seed in any::<u64>(),
    ) {
        let (delayed, access, ecn, handshake) = switches;
        let optional = |on: bool, text: &str| if on { text.to_owned() } else { String::new() };
        let text = format!(
            r#"
            schema = 1
            name = "slots"
            duration = "4000 s"
            [links.l]
            rate = "8 Mbit/s"
            delay = "10 ms"
            buffer = "{buffer} packets"
            loss.bernoulli = {{ per_packet = {loss} }}
            reverse.buffer = "{buffer} packets"
            [flows.web]
            rtt.uniform = {{ from = "20 ms", to = "200 ms" }}
            stop = "20 s"
            traffic.poisson = {{ rate = "{rate} /s", size = "{size} B" }}
            {}
            [flows.web.tcp]
            recovery.{recovery} = {{}}
            congestion.{congestion} = {{}}
            min_rto = "200 ms"
            ecn = {ecn}
            handshake = {handshake}
            {}
            "#,
            optional(access, "access.rate = \"5 Mbit/s\"\nsend_jitter = \"5 ms\""),
            optional(delayed, "delayed_ack = \"100 ms\""),
        );
        let measured = run(&scenario(&text, &[]), seed);
        let of = |column| completed(&measured, "web", None, column);
        let (count, unfinished) = (of("count"), of("unfinished"));
        prop_assert!(unfinished < 0.5, "{unfinished} of {count} flows never end");
        prop_assert_eq!(of("bytes") as u64, count as u64 * u64::from(size));
        let delivered = value(&tables(&measured).groups, &[("group", "web")], -1, "delivered");
        prop_assert_eq!(delivered as u64, count as u64 * u64::from(size.div_ceil(1000)));
        let bits = value(&tables(&measured).groups, &[("group", "web")], -1, "goodput_bps") * 4000.0;
        prop_assert_eq!((bits / 8.0).round() as u64, count as u64 * u64::from(size));
        // Where five times the load comes, hardly a flow has ended before the last has begun.
        prop_assert!(measured.slots as f64 <= count);
    }
}

/// A user may begin the next transfer before the sender of the last knows that all has arrived: two
/// places each, however many transfers follow on one another, and none disturbs the next.
#[test]
fn users_need_two_places_each() {
    let group = "count = 20\nstart_jitter = \"1 s\"\nstop = \"300 s\"\naccess.rate = \"5 Mbit/s\"\n\
                 traffic.closed-loop = { size = \"7.5 kB\" }\ntcp = { min_rto = \"200 ms\", delayed_ack = \"40 ms\" }";
    let text = text("600 s", group);
    for recovery in ["newreno", "reno", "sack"] {
        let set = [
            ("links.l.loss.bernoulli.per_packet", "0.03"),
            ("links.l.buffer", "10 packets"),
            (&format!("flows.web.tcp.recovery.{recovery}"), "{}"),
        ];
        let measured = run(&scenario(&text, &set), 1);
        let of = |column| completed(&measured, "web", None, column);
        assert!(of("count") > 5000.0 && of("unfinished") < 0.5, "{recovery}: {}", of("count"));
        assert!(measured.slots <= 40, "{recovery}: {} places", measured.slots);
        let delivered = value(&tables(&measured).groups, &[("group", "web")], -1, "delivered");
        assert_eq!(delivered as u64, of("count") as u64 * 8, "{recovery}");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let groups = [
        "traffic.poisson = { load = 0.8, size.cdf = \"hadoop\" }",
        "count = 20\ntraffic.web = { inter_page = \"1 s\" }",
        "count = 20\ntraffic.web-3gpp = { reading = \"1 s\" }",
        "count = 20\ntraffic.closed-loop = { size = \"10 kB\", think_time = \"100 ms\" }",
        "count = 20\ntraffic.on-off = { rate = \"1 Mbit/s\", shape = 1.5 }",
    ];
    let jobs: Vec<_> = groups
        .iter()
        .flat_map(|group| {
            let scenario = Arc::new(scenario(&text("20 s", group), &[("links.l.buffer", "30 packets")]));
            (1..4).map(move |seed| Job { scenario: Arc::clone(&scenario), seed, captures: Vec::new() })
        })
        .collect();
    let with = |threads| {
        let mut batch = Batch::start(jobs.clone(), threads, None, |work| work()).expect("threads");
        while !batch.wait(Duration::from_secs(1)) {}
        let taken = batch.take().expect("all ended");
        taken
            .iter()
            .map(|run| format!("{:?}", tables(&run.as_ref().expect("no limit").0)))
            .collect::<Vec<_>>()
    };
    let one = with(1);
    assert_eq!(one, with(4));
    assert!(one.windows(2).all(|pair| pair[0] != pair[1]), "seeds and groups differ");
}
