//! Laws of nature, or of queues.

use weir_aqm::{Limit, Link, Observer, Output, PacketInfo, Port, Reason, aqm::AqmConfig, qdisc::Fifo};
use weir_types::{Duration, Ecn, Instant, Streams};

use crate::{TWENTY, of_flows, of_link, run, scenario, tables, value};

#[derive(Clone, Copy)]
struct Bare;

impl weir_aqm::Packet for Bare {
    fn info(&self) -> PacketInfo {
        PacketInfo { bytes: 1000, ecn: Ecn::NotEct, flow: 0 }
    }

    fn mark(&mut self) {}
}

/// Adds up waiting times.
#[derive(Default)]
struct Waits {
    packets: u64,
    seconds: f64,
}

impl Observer<Bare> for Waits {
    fn dropped(&mut self, _: Bare, _: Reason, _: bool, _: Instant) {
        panic!("the buffer has no end");
    }

    fn marked(&mut self, _: &Bare, _: Reason, _: Instant) {}
}

impl Output<Bare> for Waits {
    fn sent(&mut self, _: Bare, sojourn: Duration, _: Instant, _: Instant) {
        self.packets += 1;
        self.seconds += sojourn.as_secs_f64();
    }

    fn backlog(&mut self, _: u32, _: Instant) {}
}

/// Pollaczek and Khinchine for constant service: a packet waits rho / (2 (1 - rho)) services.
#[test]
fn an_m_d_1_queue_waits_as_long_as_theory_says() {
    let rate = "8 Mbit/s".parse().unwrap();
    let limit = Limit::Packets(u32::MAX);
    for load in [0.3, 0.6, 0.9] {
        let aqm = AqmConfig::from_name("drop-tail").unwrap();
        let aqm = aqm
            .build(Link { rate, mean_packet: 1000, limit, rtt: Duration::ZERO }, Streams::new(1).at("aqm"));
        let mut port = Port::new(Fifo::new(aqm, limit), rate);
        let mut rng = Streams::new(2).at("arrivals");
        let mut waits = Waits::default();
        let mut now = Instant::ZERO;
        for _ in 0..1_000_000 {
            // Exponential gaps; a packet takes 1 ms.
            now += Duration::from_secs_f64(-(1.0 - rng.uniform()).ln() * 1e-3 / load);
            port.offer(Bare, now, &mut waits);
        }
        let measured = waits.seconds / waits.packets as f64;
        let theory = 1e-3 * load / (2.0 * (1.0 - load));
        assert!((measured / theory - 1.0).abs() < 0.03, "load {load}: {measured} s, not {theory} s");
    }
}

#[test]
fn nothing_leaves_faster_than_the_link() {
    for queue in ["drop-tail", "red", "rem", "choke", "fq", "fq-codel", "fq-pie", "dualpi2"] {
        let measured = run(&scenario(TWENTY, &[(&format!("links.bottleneck.queue.{queue}"), "{}")]), 1);
        let (utilisation, goodput) = (of_link(&measured, "utilisation"), of_flows(&measured, "goodput"));
        assert!(utilisation <= 1.0 && utilisation > 0.8, "{queue}: utilisation {utilisation}");
        assert!(goodput <= utilisation, "{queue}: goodput {goodput} above utilisation {utilisation}");
    }
}

#[test]
fn equal_flows_get_equal_shares() {
    let long = [("duration", "\"200 s\""), ("flows.ftp.send_jitter", "\"1 ms\"")];
    let jain = of_flows(&run(&scenario(TWENTY, &long), 1), "jain");
    assert!(jain > 0.98, "Jain index {jain}");
}

/// Little's law: what waits is what comes times how long it waits.
#[test]
fn queue_and_delay_agree() {
    let measured = run(&scenario(TWENTY, &[]), 3);
    let queue = of_link(&measured, "queue_mean");
    let rate = of_link(&measured, "departures") / 50.0;
    let delay = of_link(&measured, "delay_mean_ms") / 1e3;
    assert!((rate * delay / queue - 1.0).abs() < 0.01, "{queue} packets, {rate}/s, {delay} s");
}

/// The windows add up to what the path holds and what waits.
#[test]
fn windows_are_pipe_plus_queue() {
    let text = r#"
        schema = 1
        name = "windows"
        duration = "100 s"
        measure.warm_up = "30 s"
        measure.series = { interval = "50 ms", flows = ["ftp"] }
        [links.bottleneck]
        rate = "64 Mbit/s"
        delay = "40 ms"
        buffer = "200 packets"
        queue.rem = { ecn = true }
        [flows.ftp]
        count = 20
        rtt = "80 ms"
        start_jitter = "1 s"
        tcp.ecn = true
    "#;
    let measured = run(&scenario(text, &[]), 1);
    let is_window = |(_, variable): &&(String, &'static str)| *variable == "cwnd";
    let columns =
        measured.series.names.iter().zip(&measured.series.values).filter(|(name, _)| is_window(name));
    let after = measured.series.times.iter().position(|time| *time >= 30.0).unwrap();
    // Of a window the whole part is used: half a packet less, on average.
    let mean = |values: &Vec<f64>| values[after..].iter().sum::<f64>() / (values.len() - after) as f64 - 0.5;
    let windows: f64 = columns.map(|(_, values)| mean(values)).sum();
    let utilisation = of_link(&measured, "utilisation");
    let held = 640.0 * utilisation + of_link(&measured, "queue_mean") + utilisation;
    assert!((windows / held - 1.0).abs() < 0.03, "windows {windows}, path and queue {held}");
}

/// REM's promise: the queue stands at its target whatever the number of users; DropTail's grows.
#[test]
fn rem_holds_the_queue_and_drop_tail_does_not() {
    let text = r#"
        schema = 1
        name = "promise"
        duration = "100 s"
        measure.warm_up = "50 s"
        [links.bottleneck]
        rate = "64 Mbit/s"
        delay = "40 ms"
        buffer = "120 packets"
        [flows.ftp]
        rtt = "80 ms"
        start_jitter = "1 s"
        send_jitter = "0.25 ms"
        tcp = { ecn = true, min_rto = "200 ms" }
    "#;
    let queue = |users: &str, discipline: &str| {
        let discipline = ("links.bottleneck.queue", discipline);
        of_link(&run(&scenario(text, &[("flows.ftp.count", users), discipline]), 1), "queue_mean")
    };
    for (users, slack) in [("40", 10.0), ("160", 6.0)] {
        let stands = queue(users, "{ rem = { ecn = true } }");
        assert!((stands - 20.0).abs() < slack, "REM's queue at {users} users: {stands}");
    }
    let (few, many) = (queue("40", "{ drop-tail = {} }"), queue("160", "{ drop-tail = {} }"));
    assert!(many > few + 20.0, "DropTail's queue: {few} at 40 users, {many} at 160");
}

/// RED's thresholds are kept: the average lies on the ramp where the load needs it.
#[test]
fn reds_queue_grows_with_the_load() {
    let red = ("links.bottleneck.queue", "{ red = { min_th = \"10 packets\", max_th = \"40 packets\" } }");
    let queue = |users| of_link(&run(&scenario(TWENTY, &[red, ("flows.ftp.count", users)]), 1), "queue_mean");
    let queues = [queue("5"), queue("10"), queue("20")];
    assert!(queues.is_sorted() && queues[2] < 45.0, "{queues:?}");
}

/// OP-RED's promise is a delay and a loss that can be had, and another pair when the targets change.
/// If they cannot be had, OP-RED takes the nearest point, and reports it. With parameters that stay,
/// RED has (10.4 ms, 2.5%), (26 ms, 1.8%) and (8.0 ms, 3.5%) here.
#[test]
fn op_red_goes_where_it_is_told_to() {
    let text = r#"
        schema = 1
        name = "operating-point"
        duration = "600 s"
        measure = { period = "200 s", settle = "80 s", series = { interval = "10 s" } }
        [links.bottleneck]
        rate = "10 Mbit/s"
        delay = "10 ms"
        buffer = "50 packets"
        [links.bottleneck.queue.op-red]
        target_delay = "12 ms"
        target_loss = 0.03
        retarget = [
            { at = "200 s", delay = "26 ms", loss = 0.018 },
            { at = "400 s", delay = "5 ms", loss = 0.02 },
        ]
        [flows.ftp]
        count = 20
        rtt = "100 ms"
        start_jitter = "1 s"
        send_jitter = "1.6 ms"
        tcp.min_rto = "200 ms"
    "#;
    let measured = run(&scenario(text, &[]), 1);
    let links = tables(&measured).links;
    let all = [("direction", "forward"), ("class", "all"), ("group", "all")];
    let at = |period, delay_ms: f64, loss: f64| {
        let of = |column| value(&links, &all, period, column);
        (of("delay_mean_ms") / delay_ms, of("loss") / loss)
    };
    for (period, delay_ms, loss) in [(0, 12.0, 0.03), (1, 26.0, 0.018)] {
        let (delay, loss) = at(period, delay_ms, loss);
        assert!(delay < 1.2 && loss < 1.2, "{delay} times the delay and {loss} times the loss");
    }
    let (delay, loss) = at(2, 5.0, 0.02);
    assert!(delay.max(loss) < 2.0 && (delay / loss - 1.0).abs() < 0.2, "{delay} and {loss} times");
    let says = |name, time| {
        let is_it = |(_, variable): &(String, &'static str)| *variable == name;
        let column = measured.series.names.iter().position(is_it).expect("a variable of the AQM");
        let row = measured.series.times.iter().position(|at| *at >= time).expect("within the run");
        measured.series.values[column][row]
    };
    for (time, achieved) in [(190.0, 1.0), (390.0, 1.0), (590.0, 0.0)] {
        assert_eq!(
            (says("achieved", time), says("unachievable", time)),
            (achieved, 1.0 - achieved),
            "{time} s"
        );
    }
}
