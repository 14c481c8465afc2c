//! Links whose rate changes, on a schedule or by a trace.

use std::{fs, path::PathBuf};

use super::{group, of, same};
use crate::{run, scenario, tables, value};

/// Enough for a queue that never empties.
const BUSY: &str = r#"
schema = 1
name = "busy"
duration = "40 s"
measure = { period = "10 s", warm_up = "10 s" }
[links.l]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "500 packets"
reverse = { rate = "100 Mbit/s", buffer = "1000 packets" }
[flows.f]
count = 20
rtt = "20 ms"
start_jitter = "1 s"
"#;

/// A busy link sends the integral of its rate.
#[test]
fn a_schedule_is_kept() {
    let set = (
        "links.l.rate_schedule",
        "[{ at = \"12 s\", rate = \"20 Mbit/s\" }, { at = \"26 s\", rate = \"4 Mbit/s\" }, \
               { at = \"37 s\", rate = \"30 Mbit/s\" }]",
    );
    let measured = run(&scenario(BUSY, &[set]), 1);
    let links = tables(&measured).links;
    let at = |period, column| {
        let names = [("direction", "forward"), ("class", "all"), ("group", "all")];
        value(&links, &names, period, column)
    };
    // In Mbit: 10; 2 at 10 and 8 at 20; 6 at 20 and 4 at 4; 7 at 4 and 3 at 30.
    for (period, megabits) in [(1, 180.0), (2, 136.0), (3, 118.0), (-1, 434.0)] {
        assert!((at(period, "utilisation") - 1.0).abs() < 1e-9, "{period}: {}", at(period, "utilisation"));
        // A packet that a cut divides counts where it began.
        let off = (at(period, "bytes") * 8.0 - megabits * 1e6).abs();
        assert!(off <= 2.0 * 8000.0, "{period}: {off} bit too many or too few");
    }
}

/// A schedule that always gives the same rate changes nothing.
#[test]
fn a_change_to_the_same_rate_is_none() {
    let plain = run(&scenario(BUSY, &[]), 1);
    let same_rate = [
        ("links.l.rate_schedule", "[{ at = \"3 s\", rate = \"10 Mbit/s\" }]"),
        ("links.l.rate_period", "7 s"),
    ];
    let changed = run(&scenario(BUSY, &same_rate), 1);
    let (plain, changed) = (tables(&plain), tables(&changed));
    same(&changed.flows, &plain.flows);
    same(&changed.delays, &plain.delays);
}

/// A queue under control stays so when the rate changes: AQMs are told.
#[test]
fn aqms_learn_of_the_rate() {
    let pie = ("links.l.queue", "{ pie = {} }");
    let set = ("links.l.rate_schedule", "[{ at = \"20 s\", rate = \"2 Mbit/s\" }]");
    let measured = run(&scenario(BUSY, &[pie, set]), 1);
    let links = tables(&measured).links;
    let delay = |period| {
        let names = [("direction", "forward"), ("class", "all"), ("group", "all")];
        value(&links, &names, period, "delay_p50_ms")
    };
    // PIE's target is 15 ms (RFC 8033); three packets of a link of 2 Mbit/s are 12 ms.
    assert!(delay(1) < 30.0 && delay(3) < 60.0, "{} and {}", delay(1), delay(3));
}

/// A trace in the folder for temporary files.
struct File(PathBuf);

impl File {
    fn new(name: &str, lines: &str) -> Self {
        let path = std::env::temp_dir().join(format!("weir-{}-{name}", std::process::id()));
        fs::write(&path, lines).unwrap();
        Self(path)
    }

    fn name(&self) -> String {
        self.0.to_string_lossy().into_owned()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Always busy, a link takes every byte of every opportunity.
#[test]
fn a_trace_is_used_up() {
    // 5 opportunities in 6 ms: 10.03 Mbit/s on average, with pauses and bursts.
    let file = File::new("used-up", "0\n1\n1\n4\n6\n");
    let measured = run(&scenario(BUSY, &[("links.l.trace", &file.name()), ("measure.period", "9.999 s")]), 1);
    let whole = |column| of(&measured, "l", "forward", "all", column);
    assert!((whole("utilisation") - 1.0).abs() < 1e-9, "{}", whole("utilisation"));
    // 5000 periods in the 30 s.
    let off = (whole("bytes") - 5000.0 * 5.0 * 1504.0).abs();
    assert!(off <= 2.0 * 1504.0, "{off} bytes too many or too few");
    let could = 5.0 * 1504.0 * 8.0 / 6e-3;
    assert!(
        (whole("rate_bps") / could - 1.0).abs() < 1e-3,
        "what its opportunities carry, not the rate that was given"
    );
    let links = tables(&measured).links;
    let names = [("direction", "forward"), ("class", "all"), ("group", "all")];
    for period in 1..4 {
        let utilisation = value(&links, &names, period, "utilisation");
        assert!((utilisation - 1.0).abs() < 1e-9, "{period}: {utilisation}");
    }
    assert!(group(&measured, "f", "goodput") > 0.9);
}

/// One packet at a time waits for the next opportunity, half a gap on average.
#[test]
fn packets_wait_for_opportunities() {
    let file = File::new("slow", "50\n");
    let text = r#"
        schema = 1
        name = "stop-and-wait"
        duration = "100 s"
        measure.warm_up = "10 s"
        links.l = { delay = "5 ms", buffer = "9 packets" }
        flows.f = { rtt = "12 ms", tcp.receive_window = "1 packet" }
    "#;
    let trace = ("links.l.trace", &*file.name());
    let measured = run(&scenario(text, &[trace]), 1);
    // An ACK comes 12 ms after an opportunity, and its packet leaves at the next: one in 50 ms.
    assert!((of(&measured, "l", "forward", "all", "departures") - 1800.0).abs() <= 1.0);
    // The line is left unused for 504 bytes of 1504.
    let utilisation = of(&measured, "l", "forward", "all", "utilisation");
    assert!((utilisation - 1000.0 / 1504.0).abs() < 1e-3, "{utilisation}");
    // It left the sender 1 ms after the ACK, which came 12 ms after the last: 38 ms of waiting.
    let delay = of(&measured, "l", "forward", "all", "delay_mean_ms");
    assert!((delay - 38.0).abs() < 1e-6, "{delay}");
}
