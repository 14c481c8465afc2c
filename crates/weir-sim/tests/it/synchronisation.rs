//! Who loses together: RFC 7928, section 2.4.

use crate::{TWENTY, of_link, paired, run, scenario, tables, value};

/// Flows of equal round trips over DropTail fill the buffer together and lose together. RED drops one
/// here and one there, which is what it was made for (Floyd and Jacobson, 1993, section 1).
#[test]
fn drop_tail_synchronises_and_red_does_not() {
    let drop_tail = scenario(TWENTY, &[]);
    let red = scenario(TWENTY, &[("links.bottleneck.queue.red", "{}")]);
    let synchronisation = |scenario, seed| of_link(&run(scenario, seed), "loss_synchronisation");
    let differences: Vec<_> =
        (1..=8).map(|seed| synchronisation(&drop_tail, seed) - synchronisation(&red, seed)).collect();
    let (mean, half_width) = paired(&differences);
    assert!(mean - half_width > 0.0, "DropTail is more synchronised by {mean} ± {half_width}");
}

#[test]
fn ratios_lie_between_one_flow_and_all() {
    let text = format!("{TWENTY}\n[flows.more]\ncount = 5\nrtt = \"80 ms\"\n");
    let measured = run(&scenario(&text, &[("measure.period", "\"10 s\"")]), 1);
    let links = tables(&measured).links;
    let all = [("direction", "forward"), ("group", "all")];
    let mut events = 0.0;
    for period in -1..6 {
        let ratio = value(&links, &all, period, "loss_synchronisation");
        assert!((1.0 / 25.0..=1.0).contains(&ratio), "{ratio} in period {period}");
        // An event lasts a propagation round trip or longer.
        let (from, to) = (value(&links, &all, period, "from_s"), value(&links, &all, period, "to_s"));
        let found = value(&links, &all, period, "loss_events");
        assert!(found > 0.0 && found <= (to - from) / 0.056 + 1.0, "{found} events in {from} to {to} s");
        events += if period > 0 { found } else { 0.0 };
    }
    // Events end where a period does, so that those of periods add up.
    assert_eq!(events.to_bits(), value(&links, &all, -1, "loss_events").to_bits());
    // It says something of a queue, not of a group.
    let group = [("direction", "forward"), ("group", "more")];
    assert!(value(&links, &group, -1, "loss_events").is_nan());
    assert!(value(&links, &group, -1, "loss_synchronisation").is_nan());
}

/// A flow by itself is always all of the flows; where nothing is lost there is nothing to say.
#[test]
fn one_flow_loses_alone() {
    let alone = run(&scenario(TWENTY, &[("flows.ftp.count", "1")]), 1);
    assert!(of_link(&alone, "loss_events") > 0.0);
    assert!((of_link(&alone, "loss_synchronisation") - 1.0).abs() < 1e-12);
    let never = run(&scenario(TWENTY, &[("links.bottleneck.buffer", "\"100000 packets\"")]), 1);
    assert_eq!(of_link(&never, "loss_events").to_bits(), 0.0_f64.to_bits());
    assert!(of_link(&never, "loss_synchronisation").is_nan());
}
