//! Background traffic in the loop with a queue: LEDBAT and LEDBAT++ keep a target, yield, and share.

use weir_sim::Measurements;

use crate::{of_link, run, scenario, tables, value};

/// Two groups of a flow each over a DropTail buffer of 320 ms. The second begins at 60 s, and the last two minutes
/// count.
const TWO: &str = r#"
    schema = 1
    name = "background"
    duration = "240 s"
    measure.warm_up = "120 s"
    [links.bottleneck]
    rate = "10 Mbit/s"
    delay = "10 ms"
    buffer = "400 packets"
    [flows.first]
    rtt = "50 ms"
    tcp = { recovery.sack = {}, initial_window = "2 packets" }
    [flows.second]
    rtt = "50 ms"
    start = "60 s"
    tcp = { recovery.sack = {}, initial_window = "2 packets" }
"#;

fn of(first: &str, second: &str) -> Measurements {
    let set = [("flows.first.tcp.congestion", first), ("flows.second.tcp.congestion", second)];
    run(&scenario(TWO, &set), 1)
}

fn alone(congestion: &str) -> Measurements {
    let set = [("flows.first.tcp.congestion", congestion), ("flows.second.count", "0")];
    run(&scenario(TWO, &set), 1)
}

/// The goodput of the second group over that of the first.
fn ratio(measured: &Measurements) -> f64 {
    let goodput = |group| value(&tables(measured).groups, &[("group", group)], -1, "goodput");
    goodput("second") / goodput("first")
}

/// RFC 6817, section 2.4.2: the window rests where the queueing delay is the target, 100 ms or another.
#[test]
fn a_lone_ledbat_flow_keeps_the_queue_at_its_target() {
    for target in [100.0, 25.0] {
        let measured = alone(&format!("{{ ledbat = {{ target = \"{target} ms\" }} }}"));
        let (delay, utilisation) = (of_link(&measured, "delay_mean_ms"), of_link(&measured, "utilisation"));
        assert!((delay / target - 1.0).abs() < 0.03, "{delay} ms, not {target} ms");
        assert!(utilisation > 0.999, "utilisation {utilisation}");
        assert!(of_link(&measured, "drops") < 1.0);
    }
}

/// LEDBAT++ stays below 60 ms, and its slowdowns cost a tenth of the time at the most.
#[test]
fn a_lone_ledbat_plus_plus_flow_stays_below_its_target() {
    let steady = alone("{ ledbat-plus-plus = { slowdown_interval = 0 } }");
    let delay = of_link(&steady, "delay_mean_ms");
    assert!((50.0..62.0).contains(&delay), "{delay} ms");
    let measured = alone("{ ledbat-plus-plus = {} }");
    let (slowed, utilisation) = (of_link(&measured, "delay_mean_ms"), of_link(&measured, "utilisation"));
    assert!(slowed < delay, "{slowed} ms");
    assert!((0.89..0.98).contains(&utilisation), "utilisation {utilisation}");
}

/// Reno fills the buffer far beyond the target: what is left to background traffic is its least window.
#[test]
fn background_traffic_yields_to_reno() {
    for background in ["{ ledbat = {} }", "{ ledbat-plus-plus = {} }"] {
        for (first, second) in [(background, "{ reno = {} }"), ("{ reno = {} }", background)] {
            let mut share = ratio(&of(first, second));
            if second == background {
                share = 1.0 / share;
            }
            assert!(share > 10.0, "{first}, then {second}: {share}");
        }
    }
}

/// An AQM that keeps the queue below the target takes the deference away (RFC 7928, section 5.4): half the rate each.
#[test]
fn behind_codel_background_traffic_does_not_yield() {
    for background in ["{ ledbat = {} }", "{ ledbat-plus-plus = {} }"] {
        let set = [
            ("flows.first.tcp.congestion", background),
            ("flows.second.tcp.congestion", "{ reno = {} }"),
            ("links.bottleneck.queue.codel", "{}"),
        ];
        let share = ratio(&run(&scenario(TWO, &set), 1));
        assert!((0.7..1.5).contains(&share), "{background}: {share}");
    }
}

/// The queue of the first flow is the base delay of the second, which starves the first. The slowdowns of LEDBAT++
/// show both the base delay; without them it is as LEDBAT.
#[test]
fn the_late_comer_has_no_advantage_where_flows_slow_down() {
    for congestion in ["{ ledbat = {} }", "{ ledbat-plus-plus = { slowdown_interval = 0 } }"] {
        let unfair = ratio(&of(congestion, congestion));
        assert!(unfair > 10.0, "{congestion}: {unfair}");
    }
    let fair = ratio(&of("{ ledbat-plus-plus = {} }", "{ ledbat-plus-plus = {} }"));
    assert!((0.8..1.25).contains(&fair), "LEDBAT++: {fair}");
}
