//! Changes in mid-run: what can change, and what is said of what cannot.

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
    refuse(dual, "changes[0].links.bottleneck.queue", "neither come nor go");
    let wrong =
        "at = \"2 s\"\nlinks.bottleneck.queue.red = { min_th = \"9 packets\", max_th = \"3 packets\" }";
    refuse(wrong, "changes[0].links.bottleneck.queue.red.max_th", "not above");
    refuse("at = \"2 s\"\nlinks.bottleneck.queue.blu = {}", "changes[0].links.bottleneck.queue", "blu");
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

/// What is written out reads as the same scenario, and is the same run.
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
