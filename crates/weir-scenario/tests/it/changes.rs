//! Changes in mid-run: what can change, and what is said of what cannot.

use weir_aqm::{Limit, qdisc::QueueConfig};
use weir_scenario::{Document, Scenario};
use weir_types::Level;

use crate::{PLAIN, read};

fn with(changes: &str) -> String {
    format!("{PLAIN}\n[[changes]]\n{changes}\n")
}

/// The change is refused at its line, with these words about this place.
#[track_caller]
fn refuse(changes: &str, place: &str, words: &str) {
    let message = read(&with(changes)).expect_err("must be refused").to_string();
    let line = message.split(':').nth(1).and_then(|line| line.parse::<usize>().ok());
    assert!(line.is_some_and(|line| line > PLAIN.lines().count()), "{message:?} is not about the change");
    assert!(message.contains(&format!(": {place}: ")), "{message:?} is not about {place}");
    assert!(message.contains(words), "{message:?} lacks {words:?}");
    assert!(message.contains("\nhint: "), "{message:?} has no hint");
}

#[test]
fn what_cannot_change() {
    refuse("at = \"0 s\"", "changes[0].at", "does not come after");
    refuse("at = \"2 s\"\nlinks.x.rate = \"1 Mbit/s\"", "changes[0].links.x", "no such link");
    refuse("at = \"2 s\"\nflows.x.count = 2", "changes[0].flows.x", "no such group");
    refuse(
        "at = \"2 s\"\nlinks.bottleneck.delay = \"1 ms\"",
        "changes[0].links.bottleneck.delay",
        "unknown field",
    );
    refuse("at = \"1 s\"\nflows.ftp.count = 2", "changes[0].flows.ftp.count", "begins at 1 s");
    refuse("at = \"2 s\"\nflows.ftp.rtt = \"2 ms\"", "changes[0].flows.ftp.rtt", "less than nothing");
    let reverse = "at = \"2 s\"\nlinks.bottleneck.reverse.buffer = \"2 packets\"";
    refuse(reverse, "changes[0].links.bottleneck.reverse", "has no queue");
    let empty = "at = \"2 s\"\nlinks.bottleneck.buffer = \"0 packets\"";
    refuse(empty, "changes[0].links.bottleneck.buffer", "does not hold one packet");
    let dual = "at = \"2 s\"\nlinks.bottleneck.queue.dualpi2 = {}";
    refuse(dual, "changes[0].links.bottleneck.queue", "dualpi2 can neither come nor go");
    let cake = "at = \"2 s\"\nlinks.bottleneck.queue.cake = {}";
    refuse(cake, "changes[0].links.bottleneck.queue", "cake can neither come nor go");
    let wrong =
        "at = \"2 s\"\nlinks.bottleneck.queue.red = { min_th = \"9 packets\", max_th = \"3 packets\" }";
    refuse(wrong, "changes[0].links.bottleneck.queue.red.max_th", "not above");
    refuse("at = \"2 s\"\nlinks.bottleneck.queue.blu = {}", "changes[0].links.bottleneck.queue", "blu");
}

#[test]
fn an_entry_that_changes_nothing() {
    refuse("at = \"2 s\"", "changes[0]", "the change at 2 s changes nothing");
    refuse("at = \"2 s\"\nlinks.bottleneck = {}", "changes[0]", "changes nothing");
}

/// A key of a link or a group, directly in an entry, is shown with its path.
#[test]
fn a_key_without_its_link_or_group() {
    for (key, hint) in [
        ("rate = \"1 Mbit/s\"", "did you mean `links.bottleneck.rate`?"),
        ("queue.red = {}", "did you mean `links.bottleneck.queue`?"),
        ("count = 2", "did you mean `flows.ftp.count`?"),
        ("bottleneck.rate = \"1 Mbit/s\"", "did you mean `links.bottleneck`?"),
        ("att = \"3 s\"", "did you mean `at`?"),
    ] {
        let name = key.split(['.', ' ']).next().unwrap();
        refuse(&format!("at = \"2 s\"\n{key}"), &format!("changes[0].{name}"), hint);
    }
    let other = "[links.other]\nrate = \"9 Mbit/s\"\ndelay = \"1 ms\"\nbuffer = \"9 packets\"";
    let text = format!("{PLAIN}\n{other}\n[[changes]]\nat = \"2 s\"\nrate = \"1 Mbit/s\"");
    let message = read(&text).expect_err("must be refused").to_string();
    assert!(message.contains("did you mean `links.NAME.rate`?"), "{message}");
}

#[test]
fn a_table_of_changes() {
    let message = read(&format!("{PLAIN}\n[changes]\nat = \"2 s\"")).expect_err("one table").to_string();
    assert!(message.contains(": changes: an array belongs here, not a table"), "{message}");
    assert!(message.contains("\nhint: write [[changes]]"), "{message}");
}

#[test]
fn what_follows_a_schedule_already() {
    let text = PLAIN.replace("delay =", "rate_schedule = [{ at = \"3 s\", rate = \"1 Mbit/s\" }]\ndelay =");
    let changes = "[[changes]]\nat = \"2 s\"\nlinks.bottleneck.rate = \"2 Mbit/s\"\n";
    let message = read(&format!("{text}\n{changes}")).expect_err("two schedules").to_string();
    assert!(
        message.contains("changes[0].links.bottleneck.rate: ") && message.contains("rate_schedule"),
        "{message}"
    );
}

/// A scenario that is written out reads as the same scenario, and is the same run.
#[test]
fn written_out_they_are_the_same() {
    let changes = "at = \"2 s\"\nlinks.bottleneck = { rate = \"2 Mbit/s\", queue.red = {}, buffer = \"30 packets\" }\n\
                   flows.ftp = { count = 9, rtt = \"60 ms\" }\n\
                   [[changes]]\nat = \"4 s\"\nlinks.bottleneck.rate = \"3 Mbit/s\"\n";
    let scenario = read(&with(changes)).expect("it is one");
    assert_eq!(scenario.links["bottleneck"].rate_schedule.len(), 2);
    assert_eq!((scenario.flows["ftp"].population.len(), scenario.changes.len()), (1, 1));
    let again = read(&scenario.to_toml()).expect("it reads back");
    assert_eq!((again.to_toml(), again.hash()), (scenario.to_toml(), scenario.hash()));
    assert_ne!(read(PLAIN).expect("it is one").hash(), scenario.hash());
}

const ROW: &str = "schema = 1\nname = \"row\"\nduration = \"9 s\"\n\
    [links.hop]\nhops = 3\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\nbuffer = \"20 packets\"\n\
    [flows.long]\ncount = 2\nrtt = \"20 ms\"\n\
    [flows.cross]\neach_hop_of = \"hop\"\ncount = 2\nrtt = \"20 ms\"\n[[changes]]\nat = \"2 s\"\n";

/// A change of a row is one of each link, or group, in it.
#[test]
fn a_row_changes_as_a_whole() {
    let whole =
        read(&format!("{ROW}links.hop = {{ rate = \"5 Mbit/s\", queue.red = {{}} }}\nflows.cross.count = 7"));
    let each: String = ["hop1", "hop2", "hop3"]
        .map(|hop| format!("links.{hop} = {{ rate = \"5 Mbit/s\", queue.red = {{}} }}\n"))
        .concat();
    let counts = "flows.cross1.count = 7\nflows.cross2.count = 7\nflows.cross3.count = 7";
    let each = read(&format!("{ROW}{each}{counts}")).expect("each by its name");
    let whole = whole.expect("the row by its name");
    assert_eq!(whole.to_toml(), each.to_toml());
    assert_eq!(whole.links["hop3"].rate_schedule.len(), 1);
    let one = read(&format!("{ROW}links.hop2.rate = \"5 Mbit/s\"")).expect("one of the row");
    assert!(one.links["hop1"].rate_schedule.is_empty() && one.links["hop2"].rate_schedule.len() == 1);
}

#[test]
fn mistakes_about_a_row_are_at_their_line() {
    let both = "links.hop.buffer = \"9 packets\"\nlinks.hop2.buffer = \"8 packets\"";
    let cases = [
        (both, "changes[0].links.hop2", 19),
        ("links.hop.buffer = \"0 packets\"", "changes[0].links.hop.buffer", 18),
    ];
    for (change, place, line) in cases {
        let message = read(&format!("{ROW}{change}")).expect_err("must be refused").to_string();
        assert!(message.contains(&format!(":{line}: {place}: ")), "{message}");
    }
}

const ROUND_TRIPS: &str = r#"
schema = 1
name = "round-trips"
duration = "60 s"
[links.l]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "1 BDP"
[flows.f]
count = 4
rtt = "60 ms"
[flows.g]
count = 4
rtt = "50 ms"
[[changes]]
at = "10 s"
flows.f.rtt = "200 ms"
"#;

/// Limits of the buffer in bytes, from each change of the queue on.
fn limits(scenario: &Scenario) -> Vec<f64> {
    let network = scenario.network();
    let port = &network.ports[0];
    port.changes.iter().map(|change| change.link.limit.in_bytes(port.mean_packet_size.bytes())).collect()
}

/// A buffer that a change gives is so much of the rate and the round trips of that instant, and stays.
#[test]
fn a_buffer_is_that_of_its_instant() {
    let text = |changes: &str| format!("{ROUND_TRIPS}{changes}");
    let buffer = "[[changes]]\nat = \"20 s\"\nlinks.l.buffer = \"1 BDP\"\n";
    let scenario = read(&text(buffer)).unwrap();
    let (near, start) = (|a: f64, b: f64| (a - b).abs() <= 1500.0, &scenario.network().ports[0].limit);
    assert!(near(limits(&scenario)[0], 250e3), "{:?}", limits(&scenario));
    assert!(matches!(start, Limit::Span(75_000)), "{start:?}");
    // In the same change; the longest round trip counts, whoever has it.
    let both = read(&ROUND_TRIPS.replace("\"200 ms\"", "\"20 ms\"\nlinks.l.buffer = \"1 BDP\"")).unwrap();
    assert!(near(limits(&both)[0], 62.5e3), "{:?}", limits(&both));
    // A later change of rate or queue leaves it as it is.
    let later = "[[changes]]\nat = \"30 s\"\nlinks.l.rate = \"1 Mbit/s\"\n\
                 [[changes]]\nat = \"40 s\"\nlinks.l.queue.codel = {}\n";
    let later = limits(&read(&text(&format!("{buffer}{later}"))).unwrap());
    assert!(later.len() == 2 && later.iter().all(|bytes| near(*bytes, 250e3)), "{later:?}");
}

/// A discipline takes buffer, rate and round trips from its link at that instant.
#[test]
fn a_queue_is_chosen_for_its_instant() {
    let max_th = |changes: &str| {
        let scenario = read(&format!("{ROUND_TRIPS}{changes}")).unwrap();
        let queue = scenario.changes.last().unwrap().links["l"].queue.clone();
        let Some(QueueConfig::Red(red)) = queue else { panic!("not RED: {queue:?}") };
        red.max_th.map(Level::value).unwrap()
    };
    let small = "[[changes]]\nat = \"20 s\"\nlinks.l.buffer = \"40 packets\"\n";
    let large = small.replace("40", "400");
    let red = "[[changes]]\nat = \"30 s\"\nlinks.l.queue.red = {}\n";
    assert!(max_th(&format!("{small}{red}")) < 22.0, "at most half of the buffer");
    assert!((160.0..175.0).contains(&max_th(&format!("{large}{red}"))), "the product at 200 ms");
}

/// A periodic schedule has the rate of its cycle.
#[test]
fn a_buffer_in_a_later_cycle() {
    let schedule =
        "rate_schedule = [{ at = \"10 s\", rate = \"2 Mbit/s\" }]\nrate_period = \"20 s\"\ndelay =";
    let change = "[[changes]]\nat = \"25 s\"\nlinks.l.buffer = \"100 ms\"\n";
    let text = format!("{ROUND_TRIPS}{change}").replace("delay =", schedule);
    let found = limits(&read(&text).unwrap());
    assert!((found[0] - 125e3).abs() <= 1500.0, "{found:?}");
}

/// A mistake is at its place in the file, whatever has been written out elsewhere before it.
#[test]
fn a_mistake_behind_a_change_of_a_rate() {
    let rate = "at = \"2 s\"\nlinks.bottleneck.rate = \"1 Mbit/s\"\n[[changes]]\n";
    refuse(
        &format!("{rate}at = \"3 s\"\nlinks.bottleneck.buffer = \"0 packets\""),
        "changes[1].links.bottleneck.buffer",
        "does not hold one packet",
    );
}

/// A change that sets a value of the queue needs that queue: under another it would choose the first again.
#[test]
fn a_value_of_a_queue_that_is_another() {
    let text = format!(
        "{}\n[variants.codel]\nlinks.bottleneck.queue.codel = {{}}\n[variants.red]\n\
         links.bottleneck.queue.red.gentle = true\n[variants.none]\nlinks.bottleneck.queue.codel = {{}}\nchanges = []\n",
        with("at = \"3 s\"\nlinks.bottleneck.queue.red.max_th = \"14 packets\"")
    );
    let document = Document::parse("held.toml", &text).unwrap();
    for kept in [document.scenario(), document.variant("red"), document.variant("none")] {
        kept.unwrap();
    }
    let error = document.variant("codel").unwrap_err();
    assert_eq!(error.path.as_deref(), Some("changes[0].links.bottleneck.queue.red"));
    assert_eq!(error.message, "sets a value of red, and the queue is codel then");
    assert!(error.line.is_some() && error.hint.unwrap().contains("changes = []"));
    let set = |path: &str, value: &str| document.with_overrides(&[(path.to_owned(), value.to_owned())]);
    assert!(set("links.bottleneck.queue.codel", "{}").scenario().is_err());
    // A whole queue, or one that is chosen where it was not there before, is another.
    let whole = "[{ at = \"3 s\", links.bottleneck.queue.red = { max_th = \"14 packets\" } }]";
    set("changes", whole).variant("codel").unwrap();
    let another = "[{ at = \"3 s\", links.bottleneck.queue.codel.target = \"9 ms\" }]";
    set("changes", another).scenario().unwrap();
    set("changes", another).variant("red").unwrap();
    let same = "[{ at = \"3 s\", links.bottleneck.queue.red.max_th = \"14 packets\" }]";
    let error = set("changes", same).variant("codel").unwrap_err();
    assert!(error.file.starts_with("--set changes="), "{error}");
    // One that chooses another queue does so whatever was there, in between too.
    let chosen = ["codel", "rem"].map(|name| (format!("links.bottleneck.queue.{name}"), "{}".to_owned()));
    set("changes", another).with_overrides(&chosen).scenario().unwrap();
    set("changes", another).with_overrides(&chosen).variant("codel").unwrap();
}
