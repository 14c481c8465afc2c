//! A small table to show every change of behaviour in a review. It judges nothing: the tests
//! in `physics.rs` do.

use std::fmt::Write;

use crate::{TWENTY, of_flows, of_link, run, scenario};

#[test]
fn twenty_flows_under_each_discipline() {
    let mut table = String::from("discipline packets  drops  marks  queue x100  timeouts\n");
    for (discipline, text) in [
        ("drop-tail", "{ drop-tail = {} }"),
        ("red", "{ red = { min_th = \"5 packets\" } }"),
        ("red mark", "{ red = { min_th = \"5 packets\", ecn = true, gentle = true } }"),
        ("rem", "{ rem = {} }"),
        ("rem mark", "{ rem = { ecn = true } }"),
    ] {
        let scenario = scenario(TWENTY, &[("links.bottleneck.queue", text), ("flows.ftp.tcp.ecn", "true")]);
        let measured = run(&scenario, 1);
        let (departures, drops, marks) =
            (of_link(&measured, "departures"), of_link(&measured, "drops"), of_link(&measured, "marks"));
        // Physics beside the golden numbers: the link is nearly full and never more.
        assert!((0.85..=1.0).contains(&of_link(&measured, "utilisation")), "{discipline}");
        let queue = (of_link(&measured, "queue_mean") * 100.0).round();
        let timeouts = of_flows(&measured, "timeouts");
        writeln!(table, "{discipline:10} {departures:7} {drops:6} {marks:6} {queue:11} {timeouts:9}")
            .unwrap();
    }
    insta::assert_snapshot!(table);
}
