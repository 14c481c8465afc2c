//! Sources that answer to nothing.

use std::fmt::Write;

use super::{agree, text};
use crate::{of_link, run, scenario, tables, value};

#[test]
fn a_constant_rate_below_that_of_the_link_never_waits() {
    let group = "traffic.cbr.rate = \"7.9 Mbit/s\"";
    let measured = run(&scenario(&text("100 s", group), &[]), 1);
    for column in ["delay_mean_ms", "delay_p999_ms", "queue_max", "drops"] {
        assert_eq!(of_link(&measured, column).to_bits(), 0.0_f64.to_bits(), "{column}");
    }
    // One at once, then one per 8000 / 7.9e6 s.
    assert_eq!(of_link(&measured, "arrivals") as u64, 98_750);
    let of = |column| value(&tables(&measured).groups, &[("group", "web")], -1, column);
    assert_eq!(of("sent") as u64, 98_750);
    // What was sent in the last 51 ms is on its way: 50 packets, one every 1.0127 ms.
    assert_eq!(of("delivered") as u64, 98_750 - 50);
}

#[test]
fn what_a_link_cannot_carry_is_lost() {
    let group = "count = 4\nstart_jitter = \"10 ms\"\ntraffic.cbr.rate = \"4 Mbit/s\"";
    let few = [("links.l.buffer", "10 packets"), ("measure.warm_up", "10 s")];
    let measured = run(&scenario(&text("110 s", group), &few), 1);
    let of = |column| value(&tables(&measured).groups, &[("group", "web")], -1, column);
    assert!((of("loss") - 0.5).abs() < 1e-3, "loss {}", of("loss"));
    assert!((of("goodput") - 1.0).abs() < 1e-3, "goodput {}", of("goodput"));
    assert_eq!(of("users") as u32, 4);
}

#[test]
fn packets_at_random_instants_wait_as_in_m_d_1() {
    let group = "traffic.cbr = { rate = \"5.6 Mbit/s\", gaps = \"exponential\" }";
    let scenario = scenario(&text("110 s", group), &[("measure.warm_up", "10 s")]);
    let waits: Vec<_> = (0..12).map(|seed| of_link(&run(&scenario, seed), "delay_mean_ms")).collect();
    agree(&waits, 0.7 / 0.6, "mean wait");
}

/// The share of the time that sources are on, whatever the length of a packet.
#[test]
fn on_off_sources_have_their_mean_rate() {
    for (shape, rate) in [("", 2.0e6), ("", 20e3), (", shape = 2.5", 2.0e6)] {
        let group = format!(
            "count = 10\nstart_jitter = \"10 s\"\n\
             traffic.on-off = {{ rate = \"{rate} bit/s\", on = \"200 ms\", off = \"600 ms\"{shape} }}"
        );
        let settings = [("measure.warm_up", "20 s"), ("links.l.rate", "80 Mbit/s")];
        let scenario = scenario(&text("120 s", &group), &settings);
        let rates: Vec<_> =
            (0..12).map(|seed| of_link(&run(&scenario, seed), "arrivals") * 8000.0 / 100.0).collect();
        agree(&rates, 10.0 * rate / 4.0, &group);
    }
}

#[test]
fn marks_are_ignored_where_packets_can_bear_them() {
    let group = "traffic.cbr = { rate = \"7.99 Mbit/s\", gaps = \"exponential\", ecn = true }";
    let queue = [("links.l.queue", "{ red = { ecn = true } }")];
    let measured = run(&scenario(&text("50 s", group), &queue), 1);
    let of = |column| value(&tables(&measured).groups, &[("group", "web")], -1, column);
    assert!(of("mark_fraction") > 0.01, "{}", of("mark_fraction"));
    assert!((of("sent") - 49_937.0).abs() < 4.5 * 49_937.0_f64.sqrt(), "{}", of("sent"));
}

/// A trace comes back as it was: so many packets in every millisecond, so many bytes in all.
#[test]
fn a_trace_is_replayed_exactly() {
    let lines: Vec<(u64, u32, u32)> = (0_u64..400)
        .map(|n| {
            (
                1_700_000_000_000_000 + n * n * 97 % 977 + n * 1000,
                40 + (n * 7919 % 1460) as u32,
                (n % 3) as u32,
            )
        })
        .collect();
    let mut csv = String::from("time,bytes,flow\n");
    for (micros, bytes, flow) in &lines {
        writeln!(csv, "{}.{:06},{bytes},f{flow}", micros / 1_000_000, micros % 1_000_000).unwrap();
    }
    let mut sorted = lines.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, lines, "the trace itself goes forward");
    let folder = std::env::temp_dir().join(format!("weir-replay-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("trace.csv");
    std::fs::write(&path, csv).unwrap();
    let group = format!("start = \"10 ms\"\ntraffic.replay.file = '{}'", path.display());
    let settings = [("measure.period", "1 ms"), ("links.l.rate", "10 Gbit/s")];
    let measured = run(&scenario(&text("500 ms", &group), &settings), 1);
    std::fs::remove_dir_all(&folder).unwrap();
    let tables = tables(&measured);
    let all = [("direction", "forward"), ("class", "all"), ("group", "all")];
    let first = lines[0].0;
    for period in 0..450_u64 {
        let within = |micros: u64| (micros - first + 10_000) / 1000 == period;
        let expected = lines.iter().filter(|line| within(line.0)).count();
        let arrivals = value(&tables.links, &all, period.cast_signed(), "arrivals");
        assert_eq!(arrivals as usize, expected, "millisecond {period}");
    }
    let bits = value(&tables.groups, &[("group", "web")], -1, "goodput_bps") * 0.5;
    let bytes: u64 = lines.iter().map(|line| u64::from(line.1)).sum();
    assert_eq!((bits / 8.0).round() as u64, bytes);
    for flow in 0..3 {
        let name = format!("web.{flow}");
        let delivered = value(&tables.flows, &[("flow", &name)], -1, "delivered");
        assert_eq!(delivered as usize, lines.iter().filter(|line| line.2 == flow).count());
    }
}
