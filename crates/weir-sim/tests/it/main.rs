//! Promises of a run: physics, conservation, determinism.

mod ack_filter;
mod background;
mod changes;
mod determinism;
mod disciplines;
mod golden;
mod marks;
mod measures;
mod networks;
mod no_alloc;
mod physics;
mod recovery;
mod senders;
mod simulations;
mod synchronisation;
mod traffic;

use weir_scenario::{Document, Scenario};
use weir_sim::{Column, Measurements, Monitor, Simulation, Table, Tables};

/// Reads `text` with further values set by path. Packets have 1000 bytes, and all of the run is measured, unless
/// one or the other says otherwise.
fn scenario(text: &str, overrides: &[(&str, &str)]) -> Scenario {
    let mut set: Vec<_> =
        overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let says = |key| text.contains(key) || overrides.iter().any(|(path, _)| path.contains(key));
    let document = Document::parse("test.toml", text).unwrap_or_else(|error| panic!("{error}"));
    let read = |set: &[_]| document.with_overrides(set).scenario().unwrap_or_else(|error| panic!("{error}"));
    if !says("warm_up") {
        set.push(("measure.warm_up".into(), "0 s".into()));
    }
    if !says("packet_size") {
        let groups: Vec<_> = read(&set).flows.keys().cloned().collect();
        set.extend(groups.iter().map(|group| (format!("flows.{group}.packet_size"), "1000 B".into())));
    }
    read(&set)
}

fn run(scenario: &Scenario, seed: u64) -> Measurements {
    Simulation::new(scenario, seed).run(&Monitor::default()).expect("nobody stops it")
}

fn tables(measurements: &Measurements) -> Tables {
    Tables::of_run(measurements)
}

/// The value of `column` in the only row that has these `names` and this period.
#[track_caller]
fn value(table: &Table, names: &[(&str, &str)], period: i64, column: &str) -> f64 {
    let find = |name: &str| &table.columns.iter().find(|(found, _)| *found == name).expect(name).1;
    let Column::Integer(periods) = find("period") else { panic!("periods are counts") };
    let rows: Vec<_> = (0..periods.len())
        .filter(|row| periods[*row] == period)
        .filter(|row| {
            names.iter().all(|(name, wanted)| match find(name) {
                Column::Text(text) => {
                    let codes = text.codes::<u32>().expect("codes are u32");
                    text.names()[codes[*row] as usize] == *wanted
                }
                _ => panic!("{name} is not a name"),
            })
        })
        .collect();
    let [row] = rows[..] else { panic!("{} rows for {names:?}", rows.len()) };
    match find(column) {
        Column::Real(values) => values[row],
        Column::Integer(values) => values[row] as f64,
        _ => panic!("{column} is not a measure"),
    }
}

/// A measure of the bottleneck over the whole run.
fn of_link(measurements: &Measurements, column: &str) -> f64 {
    let all = [("direction", "forward"), ("class", "all"), ("group", "all")];
    value(&tables(measurements).links, &all, -1, column)
}

/// A measure of all flows over the whole run.
fn of_flows(measurements: &Measurements, column: &str) -> f64 {
    value(&tables(measurements).groups, &[("group", "all")], -1, column)
}

/// The mean of eight or ten differences, and the half width of its 95% interval (Student's t).
fn paired(differences: &[f64]) -> (f64, f64) {
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let variance = differences.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let t = match differences.len() {
        8 => 2.365,
        10 => 2.262,
        other => panic!("no quantile for {other} pairs"),
    };
    (mean, t * (variance / n).sqrt())
}

/// 20 flows on 10 Mbit/s with a round trip of 50 ms: 62.5 packets of bandwidth-delay product.
const TWENTY: &str = r#"
schema = 1
name = "twenty"
duration = "60 s"
measure.warm_up = "10 s"

[links.bottleneck]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "60 packets"

[flows.ftp]
count = 20
rtt = "50 ms"
start_jitter = "1 s"
tcp.min_rto = "200 ms"
"#;
