//! Changes in mid-run do what theory says of the setting before and after.

use weir_sim::Measurements;

use crate::{run, scenario, tables, value};

const LINE: &str = r#"
schema = 1
name = "changing"
duration = "60 s"
measure = { warm_up = "0 s", period = "10 s" }
[links.l]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "100 packets"
queue.red = { min_th = "10 packets", max_th = "40 packets", gentle = true }
[flows.f]
count = 8
rtt = "40 ms"
start_jitter = "1 s"
"#;

fn with(changes: &str) -> Measurements {
    run(&scenario(&format!("{LINE}\n{changes}"), &[]), 1)
}

/// A measure of the link in a period of ten seconds.
fn in_period(measured: &Measurements, period: i64, column: &str) -> f64 {
    let names = [("link", "l"), ("direction", "forward"), ("class", "all"), ("group", "all")];
    value(&tables(measured).links, &names, period, column)
}

#[test]
fn a_changed_rate_is_that_of_a_schedule() {
    let changed = with("[[changes]]\nat = \"30 s\"\nlinks.l.rate = \"4 Mbit/s\"\n");
    let sets = [("links.l.rate_schedule", "[{ at = \"30 s\", rate = \"4 Mbit/s\" }]")];
    let scheduled = run(&scenario(LINE, &sets), 1);
    assert_eq!(format!("{:?}", tables(&changed)), format!("{:?}", tables(&scheduled)));
    let bytes = in_period(&changed, 5, "bytes");
    assert!((bytes / 5e6 - 1.0).abs() < 0.001, "{bytes} bytes in 10 s");
}

/// RED's queue grows with the number of flows; it does so at once, and from the instant of the change on only.
#[test]
fn more_flows_raise_the_queue_of_red() {
    let (plain, more) = (with(""), with("[[changes]]\nat = \"30 s\"\nflows.f.count = 32\n"));
    assert_eq!(in_period(&plain, 2, "queue_mean").to_bits(), in_period(&more, 2, "queue_mean").to_bits());
    assert!(in_period(&more, 5, "queue_mean") > 1.2 * in_period(&plain, 5, "queue_mean"));
}

/// One that takes the place of its like with the same parameters changes nothing; other thresholds move the queue, and
/// another discipline brings its own.
#[test]
fn queues_go_on_or_begin() {
    let same = "[[changes]]\nat = \"30 s\"\n\
                links.l.queue.red = { min_th = \"10 packets\", max_th = \"40 packets\", gentle = true }\n";
    let queue = |measured: &Measurements| in_period(measured, 5, "queue_mean");
    let (plain, same) = (with(""), with(same));
    assert_eq!(queue(&plain).to_bits(), queue(&same).to_bits());
    let higher = "[[changes]]\nat = \"30 s\"\n\
                  links.l.queue.red = { min_th = \"40 packets\", max_th = \"80 packets\", gentle = true }\n";
    assert!(queue(&with(higher)) > queue(&plain) + 20.0);
    let codel = with("[[changes]]\nat = \"30 s\"\nlinks.l.queue.codel = {}\n");
    assert_eq!(in_period(&plain, 2, "queue_mean").to_bits(), in_period(&codel, 2, "queue_mean").to_bits());
    let ever = run(&scenario(LINE, &[("links.l.queue.codel", "{}")]), 1);
    let delay = |measured| in_period(measured, 5, "delay_mean_ms");
    assert!((delay(&codel) / delay(&ever) - 1.0).abs() < 0.15, "{} and {}", delay(&codel), delay(&ever));
    let small = with("[[changes]]\nat = \"30 s\"\nlinks.l.buffer = \"12 packets\"\n");
    assert!(in_period(&small, 5, "queue_max") <= 12.0 && in_period(&plain, 5, "queue_max") > 12.0);
}

/// A window of 20 packets goes round in the round trip of the time.
#[test]
fn a_changed_round_trip_paces_the_window() {
    let text = LINE.replace("count = 8", "count = 1\ntcp.receive_window = \"20 packets\"");
    let changes = "[[changes]]\nat = \"20 s\"\nflows.f.rtt = \"80 ms\"\n[[changes]]\nat = \"40 s\"\nflows.f.rtt = \"20 ms\"\n";
    let measured = run(&scenario(&format!("{text}\n{changes}"), &[]), 1);
    // A packet of 1000 bytes takes 0.8 ms to send.
    for (period, rtt) in [(1, 40.8), (3, 80.8), (5, 20.8)] {
        let sent = in_period(&measured, period, "departures");
        let expected = 20.0 * 10_000.0 / rtt;
        assert!((sent / expected - 1.0).abs() < 0.01, "{sent}, not {expected}, in period {period}");
    }
}

/// The variables of the one discipline end where those of the other begin.
#[test]
fn series_follow_the_discipline_of_the_time() {
    let text = LINE.replace("period = \"10 s\"", "period = \"10 s\", series = { interval = \"1 s\" }");
    let changes = "[[changes]]\nat = \"29.5 s\"\nlinks.l.queue.codel = {}\n";
    let series = run(&scenario(&format!("{text}\n{changes}"), &[]), 1).series;
    let column = |variable| {
        let place = series.names.iter().position(|(_, name)| *name == variable).expect(variable);
        series.values[place].iter().map(|value| value.is_nan()).collect::<Vec<_>>()
    };
    assert!(series.values.iter().all(|column| column.len() == series.times.len()));
    let later: Vec<bool> = series.times.iter().map(|time| *time > 29.5).collect();
    assert_eq!(column("average"), later);
    assert!(column("count").iter().zip(&later).all(|(missing, _)| !missing), "both have a count");
}
