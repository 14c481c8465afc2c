//! The upstream of a cable modem in a network: rates, delays and bursts that requests and grants make.

use weir_scenario::Document;
use weir_sim::{Monitor, Simulation};

use super::{group, of, same};
use crate::{run, scenario, tables};

/// 50 Mbit/s down and 10 up; requests take 1.62 ms and grants come in intervals of 2 ms.
const CABLE: &str = r#"
schema = 1
name = "cable"
duration = "40 s"
measure.warm_up = "5 s"
[links.cable]
rate = "50 Mbit/s"
delay = "1 ms"
buffer = "200 ms"
[links.cable.reverse]
rate = "10 Mbit/s"
buffer = "200 ms"
docsis.channel = "100 Mbit/s"
[flows.up]
count = 4
rtt = "20 ms"
upload = true
start_jitter = "1 s"
"#;

/// A queue that never empties sends the rate, whatever shares the link with its data.
#[test]
fn a_busy_upstream_sends_its_rate() {
    for docsis in [
        "{ channel = \"100 Mbit/s\" }",
        "{ request_to_grant = \"8 ms\", map_interval = \"3 ms\" }",
        "{ guaranteed_grant_rate = \"3 Mbit/s\" }",
    ] {
        for queue in ["drop-tail", "pie", "codel", "fq-codel"] {
            let set = [
                ("links.cable.reverse.docsis", docsis),
                (&*format!("links.cable.reverse.queue.{queue}"), "{}"),
                ("flows.up.count", "20"),
            ];
            let used = of(&run(&scenario(CABLE, &set), 1), "cable", "reverse", "all", "utilisation");
            // A target near the loop costs some of the rate.
            let least = if queue == "drop-tail" { 0.999 } else { 0.9 };
            assert!((least..=1.000_001).contains(&used), "{docsis}, {queue}: {used}");
        }
    }
}

/// A packet now and then waits for its request and its grant: 4.8 ms on average, as the mean of
/// `a_lone_packet_waits_for_its_request_and_its_grant` is with a grant of 5,000 B in an interval. Proactive grants
/// leave it the wait for the next of them.
#[test]
fn a_quiet_upstream_delays_by_requests_and_grants() {
    let probe = [
        (
            "flows.up",
            "{ rtt = \"21 ms\", upload = true, packet_size = \"200 B\", \
                      traffic.poisson = { load = 0.0008, size = \"200 B\" } }",
        ),
        ("duration", "\"400 s\""),
    ];
    let wait = |docsis| {
        let set = [&probe[..], &[("links.cable.reverse.docsis", docsis)]].concat();
        of(&run(&scenario(CABLE, &set), 1), "cable", "reverse", "up", "delay_mean_ms")
    };
    let until_interval = 0.19 * (1.0 - 0.19 / 2.0) + 0.81 * (2.0 - 1.19 / 2.0);
    let expected = 2.0 * (7.0 / 12.0 + until_interval) + 1.6 / 2.0;
    let found = wait("{ channel = \"100 Mbit/s\" }");
    assert!((found - expected).abs() < 0.15, "{found} ms, not {expected} ms");
    // The mean wait for the next of intervals of 2 ms. The round trip is odd: after a multiple of the interval an
    // answer to a packet of one grant would just miss another.
    let proactive = wait("{ channel = \"100 Mbit/s\", guaranteed_grant_rate = \"1 Mbit/s\" }");
    assert!((proactive - 1.0).abs() < 0.05, "{proactive} ms");
}

/// In the reverse direction grants group ACKs, and data leaves in bursts: packets of the download find a longer
/// queue than with ACKs one by one.
#[test]
fn acks_of_one_grant_make_a_burst_of_data() {
    let download = ("flows.up", "{ count = 1, rtt = \"20 ms\", tcp = { receive_window = \"100 packets\" } }");
    let queue = |line: &str| {
        let reverse = format!("{{ rate = \"10 Mbit/s\", buffer = \"200 ms\", {line} }}");
        let measured = run(&scenario(CABLE, &[("links.cable.reverse", &reverse), download]), 1);
        (of(&measured, "cable", "forward", "up", "delay_mean_ms"), group(&measured, "up", "goodput"))
    };
    let (plain, grants) = (queue(""), queue("docsis = {}"));
    assert!(grants.0 > 3.0 * plain.0, "{grants:?} and {plain:?}");
    assert!(grants.1 < plain.1, "the round trip is longer by the loop");
}

/// A run in pieces is the run in one piece; another seed is another run.
#[test]
fn nothing_depends_on_how_the_run_is_driven() {
    let whole = scenario(CABLE, &[("duration", "\"6 s\""), ("links.cable.reverse.queue.pie", "{}")]);
    let measured = run(&whole, 7);
    let mut pieces = Simulation::new(&whole, 7);
    for pause in 1..600 {
        pieces.advance(weir_types::Instant::from_nanos(pause * 9_973_000), &Monitor::default()).unwrap();
    }
    let pieces = pieces.run(&Monitor::default()).unwrap();
    same(&tables(&pieces).links, &tables(&measured).links);
    same(&tables(&pieces).flows, &tables(&measured).flows);
    let other = run(&whole, 8);
    assert!(format!("{:?}", tables(&other).delays) != format!("{:?}", tables(&measured).delays));
}

/// The rate follows a schedule and changes in mid-run; the loop goes on through a change of the queue.
#[test]
fn rate_and_queue_change_in_mid_run() {
    let text = format!(
        "{CABLE}[[changes]]\nat = \"15 s\"\nlinks.cable.reverse.rate = \"4 Mbit/s\"\n\
         [[changes]]\nat = \"20 s\"\nlinks.cable.reverse.queue.pie = {{}}\n"
    );
    let measured = run(&scenario(&text, &[("flows.up.count", "20")]), 1);
    let used = of(&measured, "cable", "reverse", "all", "utilisation");
    assert!((0.97..=1.000_001).contains(&used), "{used}");
}

/// The message about a modem with these settings.
#[track_caller]
fn refuse(set: &[(&str, &str)], place: &str, words: &[&str]) {
    let set: Vec<_> = set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let document = Document::parse("test.toml", CABLE).unwrap().with_overrides(&set);
    let message = document.scenario().expect_err("must be refused").to_string();
    assert!(message.contains(&format!("{place}: ")), "{message:?} is not about {place}");
    for word in words {
        assert!(message.contains(word), "{message:?} lacks {word:?}");
    }
    assert!(message.contains("\nhint: "), "{message:?} has no hint");
}

#[test]
fn a_modem_that_cannot_be_is_refused() {
    let port = "links.cable.reverse";
    let key = |name: &str| format!("{port}.{name}");
    let docsis = |name: &str| format!("{port}.docsis.{name}");
    refuse(&[(&docsis("map_interval"), "\"0 s\"")], &docsis("map_interval"), &["without time between"]);
    refuse(&[(&docsis("map_interval"), "\"1 ns\"")], &docsis("map_interval"), &["no byte in 1 ns"]);
    refuse(&[(&docsis("channel"), "\"9 Mbit/s\"")], &docsis("channel"), &["9 Mbit/s", "the rate, 10 Mbit/s"]);
    let bucket = (&*key("token_bucket"), "{ burst = \"1 MB\", peak = \"200 Mbit/s\" }");
    refuse(&[bucket], &docsis("channel"), &["the peak, 200 Mbit/s"]);
    let schedule = (&*key("rate_schedule"), "[{ at = \"1 s\", rate = \"120 Mbit/s\" }]");
    refuse(&[schedule], &docsis("channel"), &["the rate, 120 Mbit/s"]);
    let granted = (&*docsis("guaranteed_grant_rate"), "\"11 Mbit/s\"");
    refuse(
        &[granted],
        &docsis("guaranteed_grant_rate"),
        &["more is granted than the rate of the link, 10 Mbit/s"],
    );
    refuse(&[(&key("aggregation.interval"), "\"2 ms\"")], &format!("{port}.docsis"), &["without requests"]);
    let cake = (&*key("queue"), "{ cake = { bandwidth = \"9 Mbit/s\" } }");
    refuse(&[cake], &key("queue.cake"), &["grants of the modem pass"]);
    let later =
        ("changes", "[{ at = \"1 s\", links.cable.reverse.queue.cake = { bandwidth = \"9 Mbit/s\" } }]");
    let first = (&*key("queue"), "{ cake = {} }");
    refuse(&[first, later], "changes[0].links.cable.reverse.queue.cake", &["grants of the modem pass"]);
    refuse(&[(&docsis("map"), "\"2 ms\"")], &docsis("map"), &["map_interval"]);
}
