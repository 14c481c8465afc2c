//! Rows, periods and groups add up.

use crate::{TWENTY, of_flows, run, scenario, tables, value};

#[test]
fn periods_add_up_to_the_run() {
    let scenario = scenario(TWENTY, &[("measure", "{ warm_up = \"0 s\", period = \"20 s\" }")]);
    let measured = run(&scenario, 1);
    let all = [("direction", "forward"), ("group", "all")];
    for column in ["arrivals", "departures", "drops", "bytes"] {
        let table = tables(&measured).links;
        let sum: f64 = (0..3).map(|period| value(&table, &all, period, column)).sum();
        assert_eq!(sum.to_bits(), value(&table, &all, -1, column).to_bits(), "{column}");
    }
    let mean =
        (0..3).map(|period| value(&tables(&measured).links, &all, period, "queue_mean")).sum::<f64>() / 3.0;
    assert!((mean - value(&tables(&measured).links, &all, -1, "queue_mean")).abs() < 1e-9);
}

#[test]
fn groups_add_up_to_all() {
    let text = format!("{TWENTY}\n[flows.more]\ncount = 5\nrtt = \"80 ms\"\n");
    let measured = run(&scenario(&text, &[]), 1);
    for column in ["sent", "delivered", "drops", "lost", "goodput_bps", "timeouts"] {
        let of = |group| value(&tables(&measured).groups, &[("group", group)], -1, column);
        assert!((of("ftp") + of("more") - of("all")).abs() < 1e-6 * of("all").max(1.0), "{column}");
    }
    for column in ["arrivals", "drops", "bytes"] {
        let of = |group| {
            value(&tables(&measured).links, &[("direction", "forward"), ("group", group)], -1, column)
        };
        assert_eq!((of("ftp") + of("more")).to_bits(), of("all").to_bits(), "{column}");
    }
}

#[test]
fn users_are_those_who_are_there_all_the_time() {
    let changes = [
        ("flows.ftp.count", "4"),
        ("flows.ftp.population", "[{ step = 4, every = \"20 s\", until = 8 }, { at = \"40 s\", count = 4 }]"),
        ("measure", "{ period = \"20 s\" }"),
    ];
    let measured = run(&scenario(TWENTY, &changes), 1);
    let users: Vec<_> =
        (0..3).map(|period| value(&tables(&measured).groups, &[("group", "all")], period, "users")).collect();
    assert_eq!(users, [4.0, 8.0, 4.0]);
    // Those who left have stopped: their goodput in the last period is nothing.
    let gone = [("flow", "ftp.7")];
    assert!(value(&tables(&measured).flows, &gone, 1, "goodput_bps") > 0.0);
}

/// A reverse queue that never fills is a delay: nothing at the bottleneck tells it from one
/// but the time that ACKs take to send.
#[test]
fn acks_pass_their_own_queue() {
    let measured =
        run(&scenario(TWENTY, &[("links.bottleneck.reverse", "{ buffer = \"1000 packets\" }")]), 1);
    let reverse = [("direction", "reverse"), ("group", "all")];
    let acks = value(&tables(&measured).links, &reverse, -1, "arrivals");
    let data =
        value(&tables(&measured).links, &[("direction", "forward"), ("group", "all")], -1, "departures");
    assert!((acks / data - 1.0).abs() < 0.01, "{acks} ACKs for {data} packets");
    assert_eq!(value(&tables(&measured).links, &reverse, -1, "drops").to_bits(), 0.0_f64.to_bits());
    assert!(of_flows(&measured, "goodput") > 0.8);
}

#[test]
fn delayed_acks_are_half_as_many() {
    let changes = [
        ("links.bottleneck.reverse", "{ buffer = \"1000 packets\" }"),
        ("flows.ftp.tcp.delayed_ack", "\"100 ms\""),
    ];
    let measured = run(&scenario(TWENTY, &changes), 1);
    let of = |direction| {
        value(&tables(&measured).links, &[("direction", direction), ("group", "all")], -1, "departures")
    };
    let share = of("reverse") / of("forward");
    assert!(share > 0.45 && share < 0.75, "{share} ACKs per packet");
}

#[test]
fn series_are_as_long_as_the_run_and_absent_when_off() {
    let on = [
        ("measure.series", "{ interval = \"500 ms\", flows = [\"ftp.3\"] }"),
        ("links.bottleneck.queue.red", "{}"),
    ];
    let series = run(&scenario(TWENTY, &on), 1).series;
    let names: Vec<_> =
        series.names.iter().map(|(component, variable)| format!("{component} {variable}")).collect();
    let expected = [
        "links.bottleneck.forward queue",
        "links.bottleneck.forward average",
        "links.bottleneck.forward probability",
        "links.bottleneck.forward count",
        "flows.ftp.3 cwnd",
        "flows.ftp.3 ssthresh",
        "flows.ftp.3 flight",
        "flows.ftp.3 srtt",
    ];
    assert_eq!(names, expected);
    assert!(series.values.iter().all(|values| values.len() == 121));
    // Propagation, the packet's own time on the link and a queue of at most 60 packets: 50.8 to 98.8 ms.
    let (flight, srtt) = (&series.values[6], &series.values[7]);
    assert!(srtt[0].is_nan() && srtt[10..].iter().all(|srtt| (0.0508..0.0989).contains(srtt)), "{srtt:?}");
    // What 20 flows have in flight fits into the path and the buffer, and is not nothing.
    let mean = flight[20..].iter().sum::<f64>() / flight[20..].len() as f64;
    assert!((1.0..12.0).contains(&mean), "{mean} packets in flight");
    assert!(run(&scenario(TWENTY, &[]), 1).series.names.is_empty());
}
