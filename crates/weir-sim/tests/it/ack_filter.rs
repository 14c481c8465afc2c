//! Filters of ACKs on a line whose upload is slow: what it carries, and for whom.

use weir_sim::Measurements;

use crate::{run, scenario, tables, value};

/// A download of one flow whose window is 200 packets, ACKs of 40 bytes for every second packet, and an upload of
/// 300 kbit/s.
///
/// ACKs: 300,000 / 320 = 937.5 a second, which acknowledge 1875 packets, 22.5 Mbit/s. Without losses all of the window
/// is under way: 200 packets, of which 1875 a second come back.
const SLOW_UPLOAD: &str = r#"
schema = 1
name = "slow-upload"
duration = "20 s"
measure.warm_up = "5 s"
measure.bottleneck = "line"

[links.line]
rate = "50 Mbit/s"
delay = "5 ms"
buffer = "1000 packets"

[links.line.reverse]
rate = "300 kbit/s"
buffer = "1000 packets"

[flows.download]
rtt = "20 ms"
packet_size = "1500 B"
tcp.preset = "linux"
tcp.congestion.reno = {}
tcp.receive_window = "200 packets"
tcp.ack_size = "40 B"
tcp.timestamps = false
"#;

const PACKETS_BACK: f64 = 300_000.0 / 320.0 * 2.0;

/// A line of 50/1 Mbit/s with CAKE, a download and an upload.
const BOTH_WAYS: &str = r#"
schema = 1
name = "both-ways"
duration = "40 s"
measure.warm_up = "10 s"
measure.bottleneck = "line"

[links.line]
rate = "50 Mbit/s"
delay = "10 ms"
buffer = "4 MB"
queue.cake = {}

[links.line.reverse]
rate = "1 Mbit/s"
buffer = "4 MB"
queue.cake = {}

[flows.download]
rtt = "40 ms"
packet_size = "1500 B"
tcp.preset = "linux"

[flows.upload]
upload = true
rtt = "40 ms"
packet_size = "1500 B"
tcp.preset = "linux"
"#;

/// A value of the upload's queue, over the whole run.
fn back(measured: &Measurements, group: &str, column: &str) -> f64 {
    let row = [("direction", "reverse"), ("class", "all"), ("group", group)];
    value(&tables(measured).links, &row, -1, column)
}

/// Returns true if a count of the upload's queue is zero.
fn none(measured: &Measurements, group: &str, column: &str) -> bool {
    back(measured, group, column) < 0.5
}

fn goodput(measured: &Measurements, group: &str) -> f64 {
    value(&tables(measured).groups, &[("group", group)], -1, "goodput_bps")
}

fn near(value: f64, expected: f64, part: f64, of: &str) {
    assert!((value / expected - 1.0).abs() < part, "{of}: {value}, not {expected}");
}

/// Without a filter the ACKs' bottleneck bounds the download, and the window waits before it. With one the download
/// fills its link, and at most two ACKs wait.
#[test]
fn the_upload_no_longer_bounds_the_download() {
    let with = |queue: &str| run(&scenario(SLOW_UPLOAD, &[("links.line.reverse.queue", queue)]), 1);
    let plain = with("{ drop-tail = {} }");
    near(goodput(&plain, "download"), PACKETS_BACK * 12_000.0, 0.002, "bits a second");
    // All that is under way is in the pipe of 20 ms, on the wire, in a delayed ACK, or waits.
    let waits = 200.0 / PACKETS_BACK * 1e3 - 20.0;
    near(back(&plain, "all", "delay_mean_ms"), waits, 0.05, "ms");
    assert!(none(&plain, "all", "drops"));
    assert!(none(&plain, "all", "acks_filtered"));
    // 200 packets and a round trip of 20 ms are more than the link carries.
    let ack = 320.0 / 300_000.0 * 1e3;
    for (mode, most) in [("conservative", 2.0), ("aggressive", 1.0)] {
        for queue in [
            format!("{{ ack-filter = {{ mode = \"{mode}\" }} }}"),
            format!("{{ cake = {{ ack_filter = \"{mode}\" }} }}"),
        ] {
            let filtered = with(&queue);
            let parts = goodput(&filtered, "download") / 50e6;
            assert!(parts > 0.99, "{queue}: {parts} of the link");
            let delay = back(&filtered, "all", "delay_mean_ms");
            assert!(delay < (most + 0.01) * ack, "{queue}: {delay} ms");
            assert!(back(&filtered, "all", "queue_max") <= most + 0.01, "{queue}");
            // 50 Mbit/s are 2083 ACKs a second; the upload carries 937.5 of them.
            let [came, left, gone] =
                ["arrivals", "departures", "acks_filtered"].map(|column| back(&filtered, "all", column));
            near(left / 15.0, 937.5, 0.01, "ACKs a second");
            near(came / 15.0, 50e6 / 24_000.0, 0.02, "ACKs a second");
            assert!((came - left - gone).abs() <= 2.0, "{queue}: {came} came, {left} left, {gone} filtered");
            assert!(none(&filtered, "all", "drops") && back(&filtered, "all", "loss") < 1e-9);
        }
    }
}

/// Beside an upload in CAKE. Without the filter the ACKs always wait in a queue of their own, which has half of the
/// line: the upload has the other half. With it hardly any wait, and the upload has more.
#[test]
fn an_upload_beside_it_has_what_the_acks_no_longer_take() {
    let with = |mode: &str| {
        run(&scenario(BOTH_WAYS, &[("links.line.reverse.queue.cake.ack_filter", &format!("\"{mode}\""))]), 1)
    };
    let [off, conservative, aggressive] = ["off", "conservative", "aggressive"].map(with);
    let delay = |measured| back(measured, "download", "delay_mean_ms");
    near(goodput(&off, "upload"), 500e3, 0.01, "bits a second");
    for filtered in [&conservative, &aggressive] {
        assert!(goodput(filtered, "upload") > 600e3);
        assert!(goodput(filtered, "download") > 0.9 * goodput(&off, "download"));
        assert!(delay(filtered) < 1.0 && delay(&off) > 100.0, "{} and {} ms", delay(filtered), delay(&off));
        assert!(none(filtered, "download", "drops"));
        assert!(back(&off, "download", "drops") > 1000.0);
        // Data is no ACK, and its flow is another.
        assert!(none(filtered, "upload", "acks_filtered"));
        let classes = ["best-effort", "bulk", "voice"].map(|class| {
            let row = [("direction", "reverse"), ("class", class), ("group", "all")];
            value(&tables(filtered).links, &row, -1, "acks_filtered")
        });
        let all = back(filtered, "all", "acks_filtered");
        assert!((classes.iter().sum::<f64>() - all).abs() < 0.5 && all > 1000.0, "{classes:?}, {all}");
    }
    let share = |measured| back(measured, "all", "acks_filtered") / back(measured, "download", "arrivals");
    assert!(share(&aggressive) > share(&conservative));
}

/// Beside an upload in a short FIFO: the ACKs take less of the line, so that the upload has more, and the download
/// loses nothing.
#[test]
fn in_a_short_fifo_the_upload_gains() {
    let with = |mode: &str| {
        let queue = format!("{{ ack-filter = {{ mode = \"{mode}\" }} }}");
        let set = [
            ("links.line.reverse.queue", &*queue),
            ("links.line.reverse.buffer", "\"10 packets\""),
            ("duration", "100 s"),
        ];
        run(&scenario(BOTH_WAYS, &set), 1)
    };
    let [off, conservative] = ["off", "conservative"].map(with);
    assert!(goodput(&conservative, "upload") > 1.5 * goodput(&off, "upload"));
    assert!(goodput(&conservative, "download") > 0.95 * goodput(&off, "download"));
    assert!(back(&conservative, "download", "drops") < 0.1 * back(&off, "download", "drops"));
}

/// An AQM of the delay sees how long turns have waited, not ACKs that have just taken one: it keeps the queue as
/// short as without a filter.
#[test]
fn codel_sees_the_queue() {
    for aqm in ["codel", "cobalt"] {
        let with = |mode: &str| {
            let queue = format!("{{ ack-filter = {{ mode = \"{mode}\", aqm.{aqm} = {{}} }} }}");
            let set = [("links.line.reverse.queue", &*queue), ("links.line.reverse.rate", "\"2 Mbit/s\"")];
            back(&run(&scenario(BOTH_WAYS, &set), 1), "upload", "delay_mean_ms")
        };
        let [off, conservative, aggressive] = ["off", "conservative", "aggressive"].map(with);
        assert!(
            conservative < 1.5 * off && aggressive < 1.5 * off,
            "{aqm}: {off}, {conservative}, {aggressive} ms"
        );
    }
}

/// Marks are told whatever is filtered: senders that answer marks fill the link and keep its queue near the threshold.
#[test]
fn marks_come_back() {
    for tcp in ["tcp.congestion.cubic = {}", "tcp.congestion.dctcp = {}"] {
        for mode in ["conservative", "aggressive"] {
            let queue = format!("{{ ack-filter = {{ mode = \"{mode}\" }} }}");
            let set = [
                ("links.line.reverse.queue", &*queue),
                ("links.line.reverse.rate", "\"500 kbit/s\""),
                ("links.line.queue.step.threshold", "\"60 packets\""),
                ("flows.download.tcp.receive_window", "\"2000 packets\""),
                ("flows.download.tcp.ack_size", "\"60 B\""),
                ("flows.download.tcp.ecn", "true"),
            ];
            let measured = run(&scenario(&SLOW_UPLOAD.replace("tcp.congestion.reno = {}", tcp), &set), 3);
            let of = |column| crate::of_link(&measured, column);
            assert!(of("marks") > 10.0 && of("drops") < 0.5, "{tcp}, {mode}");
            let filtered = back(&measured, "all", "acks_filtered");
            assert!(filtered > 1000.0, "{tcp}, {mode}: {filtered}");
            let (part, longest) = (goodput(&measured, "download") / 50e6, of("queue_max"));
            assert!(part > 0.9 && longest < 200.0, "{tcp}, {mode}: {part}, {longest} packets");
        }
    }
}

/// Linux takes AE for a reserved flag, and keeps ACKs that bear it. The counter of accurate ECN begins at 5, which
/// has it (RFC 9768, section 3.2.1): before a mark the filter finds none to take away.
#[test]
fn acks_with_accurate_ecn_stay() {
    let text = SLOW_UPLOAD.replace("tcp.congestion.reno = {}", "tcp.ecn = true\ntcp.accecn = true");
    let with = |queue: &str| {
        let mut tables = tables(&run(&scenario(&text, &[("links.line.reverse.queue", queue)]), 1));
        tables.runs.columns.retain(|(name, _)| *name != "events");
        format!("{tables:?}")
    };
    assert_eq!(with("{ ack-filter = { mode = \"aggressive\" } }"), with("{ drop-tail = {} }"));
}

/// Runs of one seed have equal tables, and the filter draws nothing: `off` is the FIFO without it.
#[test]
fn switched_off_it_is_the_fifo() {
    let with = |queue: &str| {
        let mut tables = tables(&run(&scenario(SLOW_UPLOAD, &[("links.line.reverse.queue", queue)]), 4));
        tables.runs.columns.retain(|(name, _)| *name != "events");
        format!("{tables:?}")
    };
    assert_eq!(with("{ drop-tail = {} }"), with("{ ack-filter = { mode = \"off\" } }"));
    assert_eq!(with("{ red = {} }"), with("{ ack-filter = { mode = \"off\", aqm.red = {} } }"));
    assert_eq!(with("{ ack-filter = {} }"), with("{ ack-filter = {} }"));
    assert_eq!(with("{ cake = {} }"), with("{ cake = { ack_filter = \"off\" } }"));
}
