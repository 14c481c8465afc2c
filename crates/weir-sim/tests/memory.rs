//! Runs that take more memory than they may end, and the others give what they always give. In a binary of its
//! own: the allocator counts.

use std::{sync::Arc, time::Duration};

use weir_scenario::{Document, Scenario};
use weir_sim::{Batch, CountingAllocator, Job, Measured, Memory, Part, Tables};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const LIMIT: u64 = 20_000_000;

const FLOOD: &str = r#"
schema = 1
name = "flood"
duration = "20 s"
measure.warm_up = "0 s"

[links.bottleneck]
rate = "1 Mbit/s"
delay = "1 ms"
buffer = "20 packets"

[flows.flood]
packet_size = "100 B"
rtt = "10 ms"
traffic.cbr = { rate = "2 Mbit/s" }
"#;

fn scenario(set: &[(&str, &str)]) -> Arc<Scenario> {
    let set: Vec<_> = set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let document = Document::parse("test.toml", FLOOD).unwrap().with_overrides(&set);
    Arc::new(document.scenario().unwrap_or_else(|error| panic!("{error}")))
}

/// Keeps all packets that it is sent, until the memory is full.
fn endless(rate: &str) -> Arc<Scenario> {
    scenario(&[("links.bottleneck.buffer", "\"100000000 packets\""), ("flows.flood.traffic.cbr.rate", rate)])
}

fn outcomes(runs: &[Arc<Scenario>], threads: usize, memory: Option<&Arc<Memory>>) -> Vec<Measured> {
    let job =
        |scenario: &Arc<Scenario>| Job { scenario: Arc::clone(scenario), seed: 1, captures: Vec::new() };
    let jobs = runs.iter().map(job).collect();
    let mut batch = Batch::start(jobs, threads, memory.cloned(), |work| work()).unwrap();
    while !batch.wait(Duration::from_secs(1)) {}
    batch.take().expect("no run was cancelled")
}

fn links(measured: &Measured) -> String {
    let (measurements, _) = measured.as_ref().expect("the run has ended by itself");
    format!("{:?}", Tables::of_run(measurements).links)
}

#[test]
fn the_largest_ends_and_the_others_go_on() {
    let memory = Arc::new(Memory::new(LIMIT));
    let (small, flood) = (scenario(&[]), endless("\"10 Gbit/s\""));
    let found = outcomes(&[Arc::clone(&small), Arc::clone(&flood), Arc::clone(&small)], 3, Some(&memory));
    let plain = outcomes(&[small], 1, None);
    assert_eq!(links(&found[0]), links(&plain[0]));
    assert_eq!(links(&found[2]), links(&plain[0]));
    let ended = found[1].as_ref().expect_err("it takes more than it may");
    assert!(ended.bytes > LIMIT * 9 / 10 && ended.bytes < 2 * LIMIT, "{ended:?}");
    assert_eq!(ended.mostly, Part::Packets);
    // The measurements count until they are dropped.
    assert!(memory.taken() > 0);
    drop(found);
    assert_eq!((memory.taken(), memory.largest()), (0, 0));
}

#[test]
fn a_run_alone_always_ends_at_the_same_instant() {
    let found = || {
        let memory = Arc::new(Memory::new(LIMIT));
        let mut found = outcomes(&[endless("\"10 Gbit/s\"")], 1, Some(&memory));
        found.remove(0).expect_err("it takes more than it may")
    };
    let (one, two) = (found(), found());
    assert_eq!(one, two);
    assert_eq!((one.all, one.others), (one.bytes, 0));
}

#[test]
fn of_two_that_grow_the_smaller_finishes() {
    // What the first has taken by its end fits, but not beside the second.
    let memory = Arc::new(Memory::new(LIMIT));
    let runs = [endless("\"5 Mbit/s\""), endless("\"10 Gbit/s\"")];
    let found = outcomes(&runs, 2, Some(&memory));
    assert_eq!(links(&found[0]), links(&outcomes(&runs[..1], 1, None)[0]));
    assert!(found[1].is_err());
}

#[test]
fn flows_without_end_end_while_they_are_made() {
    for traffic in ["cbr = { rate = \"1 kbit/s\" }", "bulk = {}", "web = {}", "web-3gpp = {}"] {
        let memory = Arc::new(Memory::new(LIMIT));
        let (kind, table) = traffic.split_once(" = ").unwrap();
        let key = format!("flows.flood.traffic.{kind}");
        let many =
            scenario(&[(&key, table), ("flows.flood.count", "1000000"), ("flows.flood.rtt", "\"100 ms\"")]);
        let found = outcomes(&[many], 1, Some(&memory));
        let ended = found[0].as_ref().expect_err("a million flows take more than they may");
        assert!(ended.bytes < 4 * LIMIT, "{kind}: {ended:?}");
        assert_eq!(ended.mostly, Part::Flows);
    }
}
