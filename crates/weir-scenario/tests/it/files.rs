//! Files that come with Weir.

use std::{fs, path::Path};

use weir_scenario::Document;
use weir_types::Duration;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn the_committed_schema_is_the_one_of_the_code() {
    let path = Path::new(ROOT).join("schema/scenario.schema.json");
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == weir_scenario::schema(), "{} is out of date: run `make schema`", path.display());
}

#[test]
fn every_scenario_that_comes_with_weir_can_be_run() {
    let mut files = Vec::new();
    for folder in ["python/weir/scenarios", "python/weir/scenarios/bench", "tests/validation"] {
        let entries = fs::read_dir(Path::new(ROOT).join(folder)).expect("a folder of scenarios");
        files.extend(entries.map(|entry| entry.expect("readable").path()));
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    assert!(files.len() >= 8, "{files:?}");
    for file in files {
        let document = Document::load(&file).unwrap_or_else(|error| panic!("{error}"));
        document.scenario().unwrap_or_else(|error| panic!("{error}"));
        for variant in document.variants() {
            document.variant(variant).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
fn the_population_of_the_rem_paper() {
    let path = Path::new(ROOT).join("python/weir/scenarios/rem-wireline.toml");
    let scenario = Document::load(&path).unwrap().scenario().unwrap();
    let starts: Vec<_> = scenario.flows["ftp"].lifetimes().iter().map(|flow| flow.start).collect();
    assert_eq!(starts.len(), 160);
    assert_eq!(starts.iter().filter(|start| start.is_zero()).count(), 20);
    assert_eq!(starts.iter().filter(|start| **start == Duration::from_secs(350)).count(), 20);
}

#[test]
fn those_who_came_last_leave_first() {
    let text = crate::PLAIN.replace(
        "count = 5",
        "count = 2\npopulation = [{ step = 2, every = \"1 s\", until = 5 }, { step = 3, every = \"2 s\", until = 2 }]",
    );
    let flows = crate::read(&text).unwrap().flows["ftp"].lifetimes();
    let seconds = |span: Duration| span.as_secs_f64();
    let lives: Vec<_> = flows.iter().map(|flow| (seconds(flow.start), flow.stop.map(seconds))).collect();
    let expected = [(1.0, None), (1.0, None), (2.0, Some(5.0)), (2.0, Some(5.0)), (3.0, Some(5.0))];
    assert_eq!(lives, expected);
    let text = crate::PLAIN.replace(
        "count = 5",
        "count = 2\npopulation = [{ at = \"3 s\", count = 4 }, { step = 3, every = \"2 s\", until = 0 }]",
    );
    let group = &crate::read(&text).unwrap().flows["ftp"];
    let changes: Vec<_> = group.population_changes().iter().map(|(at, n)| (seconds(*at), *n)).collect();
    assert_eq!(changes, [(3.0, 4), (5.0, 1), (7.0, 0)]);
}
