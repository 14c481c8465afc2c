//! Congestion controls in the loop with a queue: the closed forms of their papers.

use std::fmt::Write;

use weir_sim::Measurements;

use crate::{of_flows, of_link, run, scenario};

/// A recorded variable of the first flow, with its times.
fn series<'a>(measured: &'a Measurements, flow: &str, variable: &str) -> (&'a [f64], &'a [f64]) {
    let wanted = (format!("flows.{flow}.0"), variable);
    let found = measured.series.names.iter().position(|(path, name)| *path == wanted.0 && *name == wanted.1);
    let column = found.unwrap_or_else(|| panic!("no {wanted:?} among {:?}", measured.series.names));
    (&measured.series.times, &measured.series.values[column])
}

/// The mean of a recorded variable after `from` seconds.
fn mean(measured: &Measurements, flow: &str, variable: &str, from: f64) -> f64 {
    let (times, values) = series(measured, flow, variable);
    let after = &values[times.iter().position(|time| *time >= from).unwrap()..];
    after.iter().sum::<f64>() / after.len() as f64
}

/// RFC 9438, figure 1: between two cuts the window is `C (t - K)^3 + W_max`. Marks cut it, so that no
/// repair stands between the curve and its equation.
#[test]
fn cubic_follows_its_curve() {
    let text = r#"
        schema = 1
        name = "cubic"
        duration = "100 s"
        measure.warm_up = "20 s"
        measure.series = { interval = "20 ms", flows = ["ftp"] }
        [links.bottleneck]
        rate = "50 Mbit/s"
        delay = "20 ms"
        buffer = "600 packets"
        queue.step = { threshold = "200 packets" }
        [flows.ftp]
        rtt = "100 ms"
        tcp = { ecn = true, initial_ssthresh = "600 packets", congestion.cubic = { reno_friendly = false } }
    "#;
    let measured = run(&scenario(text, &[]), 1);
    let (times, windows) = series(&measured, "ftp", "cwnd");
    let (_, plateaus) = series(&measured, "ftp", "w_max");
    let (_, ks) = series(&measured, "ftp", "k");
    // Stretches in which K stays the same, and above zero: from one cut to the next.
    let (mut begin, mut compared) = (0, 0);
    for index in 1..times.len() {
        if ks[index].to_bits() != ks[index - 1].to_bits() {
            begin = index;
        }
        let (t, k, w_max) = (times[index] - times[begin], ks[index], plateaus[index]);
        if k > 1.0 && t > 0.5 {
            let curve = 0.4 * (t - k).powi(3) + w_max;
            let window = windows[index];
            assert!((window / curve - 1.0).abs() < 0.02, "{t} s after a cut: {window}, not {curve}");
            compared += 1;
        }
    }
    assert!(compared > 3000, "{compared} windows compared");
    // 625 packets on the path and 200 waiting: a cut to 0.7 of them leaves the link idle for a while,
    // and the curve is soon back.
    let utilisation = of_link(&measured, "utilisation");
    assert!((0.97..0.999).contains(&utilisation), "utilisation {utilisation}");
}

/// The DCTCP paper, section 3.3, for N flows, a path of `C RTT` and a step at K. Windows are
/// `W = (C RTT + K) / N`, and marks come at `alpha = sqrt(2 / W)`. The queue is between `K + N - A` and
/// `K + N`, where `A = sqrt(N (C RTT + K) / 2)`.
#[test]
fn dctcp_keeps_a_short_queue_and_a_busy_link() {
    let text = r#"
        schema = 1
        name = "dctcp"
        duration = "20 s"
        measure.warm_up = "5 s"
        measure.series = { interval = "1 ms", flows = ["ftp"] }
        [links.bottleneck]
        rate = "100 Mbit/s"
        delay = "1 ms"
        buffer = "400 packets"
        queue.step = { threshold = "20 packets" }
        [flows.ftp]
        count = 2
        rtt = "4 ms"
        start_jitter = "10 ms"
        send_jitter = "80 us"
        tcp = { ecn = true, congestion.dctcp = {} }
    "#;
    let measured = run(&scenario(text, &[]), 1);
    let (k, n, path) = (20.0, 2.0, 50.0);
    let window = (path + k) / n;
    let alpha = mean(&measured, "ftp", "alpha", 5.0);
    let theory = (2.0_f64 / window).sqrt();
    assert!((alpha / theory - 1.0).abs() < 0.25, "alpha {alpha}, not {theory}");
    let amplitude = (n * (path + k) / 2.0_f64).sqrt();
    let queue = of_link(&measured, "queue_mean");
    assert!(queue > k + n - amplitude && queue < k + n, "queue {queue}, amplitude {amplitude}");
    assert!(of_link(&measured, "utilisation") > 0.99, "{}", of_link(&measured, "utilisation"));
    assert!(of_link(&measured, "drops") < 1.0 && of_flows(&measured, "jain") > 0.98);
    // NewReno halves at each mark, and the same step lets the link fall idle.
    let reno = run(&scenario(text, &[("flows.ftp.tcp.congestion", "{ reno = {} }")]), 1);
    assert!(of_link(&reno, "utilisation") < of_link(&measured, "utilisation"));
}

/// Between alpha and beta packets of each flow wait, one to three, and none is lost.
#[test]
fn vegas_keeps_a_few_packets_of_each_flow_waiting() {
    let text = r#"
        schema = 1
        name = "vegas"
        duration = "60 s"
        measure.warm_up = "20 s"
        [links.bottleneck]
        rate = "10 Mbit/s"
        delay = "10 ms"
        buffer = "100 packets"
        [flows.ftp]
        rtt = "50 ms"
        tcp.congestion.vegas = {}
    "#;
    // Flows that come one after the other take the queue they find for a part of the path. They keep more
    // waiting (Low, Peterson and Wang, 2002, section V). These flows come within one round trip.
    for count in [1.0, 2.0, 4.0] {
        let several = [("flows.ftp.count", &*format!("{count}")), ("flows.ftp.start_jitter", "\"50 ms\"")];
        let measured = run(&scenario(text, &several), 1);
        let queue = of_link(&measured, "queue_mean");
        // What a packet waits for itself, on the link, is a part of the round trip's minimum.
        assert!(queue > 0.5 * count && queue < 3.0 * count + 1.0, "{count} flows: queue {queue}");
        assert!(of_link(&measured, "utilisation") > 0.98 && of_link(&measured, "drops") < 1.0);
    }
}

/// The first REM paper (1999), section 3: four hosts whose windows are what the price of one link at
/// 45 Mbit/s leaves them: `q^2 + 21 q = 4 a tau / gamma`, q = 20.33, and a window of 10.33.
#[test]
fn rem_hosts_settle_where_the_price_leaves_them() {
    let mut text = String::from(
        r#"
        schema = 1
        name = "ofc"
        duration = "10 s"
        measure.warm_up = "2 s"
        measure.series = { interval = "5 ms", flows = ["first", "second"] }
        [links.bottleneck]
        rate = "45 Mbit/s"
        delay = "1.6 ms"
        buffer = "50 packets"
        queue.modular = { measure = "average", profile = "exponential", spacing = "geometric", ecn = true }
        "#,
    );
    for (name, start) in [("first", "0 s"), ("second", "0.2 s"), ("third", "0.4 s"), ("fourth", "0.6 s")] {
        let _ = write!(
            text,
            r#"
            [flows.{name}]
            rtt = "3.5556 ms"
            start = "{start}"
            [flows.{name}.tcp]
            ecn = true
            handshake = false
            initial_window = "1 packet"
            receive_window = "21 packets"
            congestion.rem-host = {{ base_rtt = "3.7333 ms", max_rate = 5625.0 }}
            "#
        );
    }
    let measured = run(&scenario(&text, &[]), 1);
    let queue = of_link(&measured, "queue_mean");
    let window = mean(&measured, "first", "ownd", 2.0);
    assert!((18.0..=22.0).contains(&queue), "queue {queue}");
    assert!((10.0..=11.5).contains(&window), "window {window}");
    assert!(of_link(&measured, "drops") < 1.0 && of_flows(&measured, "jain") > 0.995);
    assert!(of_link(&measured, "utilisation") > 0.99);
    // Marks cut nothing: cwnd has risen to what the receiver allows.
    assert!(mean(&measured, "first", "cwnd", 2.0) > 20.0);
    // Two of them at twice the weight: `q^2 + 21 q = 6 a tau / gamma`, q = 26.52, and windows of one to two.
    let weight = "congestion.rem-host.weight";
    let twice = [
        (&*format!("flows.second.tcp.{weight}"), "11252.0"),
        (&format!("flows.fourth.tcp.{weight}"), "11252.0"),
    ];
    let measured = run(&scenario(&text, &twice), 1);
    let queue = of_link(&measured, "queue_mean");
    assert!((25.0..=28.0).contains(&queue), "queue {queue}");
    let ratio = mean(&measured, "second", "ownd", 2.0) / mean(&measured, "first", "ownd", 2.0);
    assert!((1.85..=2.15).contains(&ratio), "ratio {ratio}");
}
