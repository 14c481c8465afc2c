//! Marks from end to end: what receivers see is what the hops do together.

use weir_sim::Measurements;

use crate::{paired, run, scenario, tables, value};

/// Data that passes three links in a row, each of which carries flows of its own beside it.
const CHAIN: &str = r#"
schema = 1
name = "chain"
duration = "60 s"
measure.warm_up = "10 s"

[links]
first = { rate = "10 Mbit/s", delay = "5 ms", buffer = "100 packets", queue.rem.ecn = true }
second = { rate = "10 Mbit/s", delay = "5 ms", buffer = "100 packets", queue.rem.ecn = true }
third = { rate = "10 Mbit/s", delay = "5 ms", buffer = "100 packets", queue.rem.ecn = true }

[flows]
long = { count = 10, path = ["first", "second", "third"], rtt = "60 ms", start_jitter = "1 s", tcp.ecn = true }
a = { count = 5, path = ["first"], rtt = "40 ms", start_jitter = "1 s", tcp.ecn = true }
b = { count = 5, path = ["second"], rtt = "40 ms", start_jitter = "1 s", tcp.ecn = true }
c = { count = 5, path = ["third"], rtt = "40 ms", start_jitter = "1 s", tcp.ecn = true }
"#;

fn of_group(measured: &Measurements, group: &str, column: &str) -> f64 {
    value(&tables(measured).groups, &[("group", group)], -1, column)
}

/// REM (2001), equation 5: what is left unmarked is the product over the hops of what each leaves, so that
/// prices add up. Paired over seeds, since both vary with the traffic.
#[test]
fn three_hops_mark_as_the_product_says() {
    let scenario = scenario(CHAIN, &[]);
    let mut differences = Vec::new();
    for seed in 1..=10 {
        let measured = run(&scenario, seed);
        let seen = of_group(&measured, "long", "mark_fraction");
        let hops = of_group(&measured, "long", "mark_fraction_product");
        // Each hop marks, and the path marks more than any of them.
        let at = |link| {
            let names = [("link", link), ("direction", "forward"), ("class", "all"), ("group", "long")];
            value(&tables(&measured).links, &names, -1, "mark_fraction")
        };
        let hop_by_hop = ["first", "second", "third"].map(at);
        assert!(hop_by_hop.iter().all(|fraction| *fraction > 0.005 && *fraction < seen), "{hop_by_hop:?}");
        assert!(seen < hop_by_hop.iter().sum(), "{seen} of {hop_by_hop:?}");
        // One hop: the same packets, but for those on their way at both ends.
        let (one, its) =
            (of_group(&measured, "a", "mark_fraction"), of_group(&measured, "a", "mark_fraction_product"));
        assert!((one / its - 1.0).abs() < 0.01, "{one} and {its}");
        differences.push(seen - hops);
    }
    let (mean, half_width) = paired(&differences);
    assert!(mean.abs() <= half_width, "the path differs from its hops by {mean} ± {half_width}");
}

#[test]
fn a_queue_that_never_marks_is_never_seen_to() {
    let changes =
        ["first", "second", "third"].map(|link| (format!("links.{link}.queue"), "{ drop-tail = {} }"));
    let changes: Vec<_> = changes.iter().map(|(path, value)| (path.as_str(), *value)).collect();
    let measured = run(&scenario(CHAIN, &changes), 1);
    for group in ["all", "long", "a"] {
        assert_eq!(of_group(&measured, group, "mark_fraction").to_bits(), 0.0_f64.to_bits());
        assert_eq!(of_group(&measured, group, "mark_fraction_product").to_bits(), 0.0_f64.to_bits());
    }
    // What arrived is what was delivered, and what came twice.
    let of = |column| of_group(&measured, "long", column);
    assert!(of("arrived") >= of("delivered") && of("arrived") <= of("sent") + 1000.0);
    assert!(of("arrived") - of("delivered") < 0.02 * of("arrived"));
}
