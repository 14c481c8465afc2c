//! Runs of one scenario and seed have equal numbers, for any number of threads.

use std::{sync::Arc, time::Duration};

use weir_sim::{Batch, Job, Measurements, Monitor, Simulation, Stopped};

use crate::{TWENTY, run, scenario, tables};

fn everything(measured: &Measurements) -> String {
    format!("{:?}", tables(measured))
}

#[test]
fn the_same_seed_gives_the_same_numbers_and_another_does_not() {
    let scenario = scenario(TWENTY, &[("links.bottleneck.queue.red", "{}")]);
    let first = everything(&run(&scenario, 7));
    assert_eq!(first, everything(&run(&scenario, 7)));
    assert_ne!(first, everything(&run(&scenario, 8)));
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let jobs: Vec<_> = ["red", "rem", "drop-tail", "choke", "fq-codel", "fq-pie", "dualpi2"]
        .iter()
        .flat_map(|queue| {
            let queue = format!("links.bottleneck.queue.{queue}");
            let scenario = Arc::new(scenario(TWENTY, &[(&queue, "{}"), ("duration", "20 s")]));
            (1..4).map(move |seed| Job { scenario: Arc::clone(&scenario), seed, captures: Vec::new() })
        })
        .collect();
    let with = |threads| {
        let mut batch = Batch::start(jobs.clone(), threads, None, |work| work()).expect("threads");
        while !batch.wait(Duration::from_secs(1)) {}
        assert_eq!(batch.finished(), jobs.len());
        batch
            .take()
            .expect("all ended")
            .iter()
            .map(|run| everything(&run.as_ref().expect("no limit").0))
            .collect::<Vec<_>>()
    };
    assert_eq!(with(1), with(4));
}

#[test]
fn a_batch_stops_when_asked() {
    let scenario = Arc::new(scenario(TWENTY, &[("duration", "100000 s")]));
    let jobs =
        (0..4).map(|seed| Job { scenario: Arc::clone(&scenario), seed, captures: Vec::new() }).collect();
    let mut batch = Batch::start(jobs, 2, None, |work| work()).expect("threads");
    assert!(!batch.wait(Duration::from_millis(50)));
    batch.cancel();
    assert!(batch.take().is_none());
    assert!(batch.progress() < 1.0);
}

/// Variants share what is not theirs: starts and round trips do not move with the discipline.
#[test]
fn changing_the_discipline_leaves_the_other_draws_alone() {
    let uniform = ("flows.ftp.rtt", "{ uniform = { from = \"30 ms\", to = \"90 ms\" } }");
    let flows = |queue: &str| {
        let measured =
            run(&scenario(TWENTY, &[uniform, (&format!("links.bottleneck.queue.{queue}"), "{}")]), 5);
        let columns = tables(&measured).flows.columns;
        columns
            .into_iter()
            .filter(|(name, _)| ["flow", "rtt_ms", "start_s"].contains(name))
            .collect::<Vec<_>>()
    };
    assert_eq!(flows("red"), flows("rem"));
}

/// Many flows take time to make. Whoever stops a run then does not wait for them.
#[test]
fn a_run_stops_while_its_flows_are_made() {
    let kinds =
        ["bulk = {}", "cbr = { rate = \"1 kbit/s\" }", "on-off = { rate = \"1 kbit/s\" }", "web = {}"];
    for kind in kinds {
        let (name, table) = kind.split_once(" = ").expect("a key and a value");
        let key = format!("flows.ftp.traffic.{name}");
        let text = TWENTY.replace("tcp.min_rto = \"200 ms\"", "");
        let scenario = scenario(&text, &[(&key, table), ("flows.ftp.count", "100000")]);
        let monitor = Monitor::default();
        assert!(Simulation::watched(&scenario, 1, &monitor).is_ok(), "{kind}");
        monitor.cancel();
        let stopped = Simulation::watched(&scenario, 1, &monitor).err();
        assert_eq!(stopped, Some(Stopped::Asked), "{kind}");
    }
}
