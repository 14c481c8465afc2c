//! One sender against ns-2.35, segment by segment: the traces of `tests/reference/newreno-*` and `reno-*`.
//!
//! With `WEIR_REFERENCE_OUT` in the environment the outcome is written there as JSON.

use std::{collections::BTreeSet, fs, path::PathBuf};

use serde_json::{Value, json};
use weir_tcp::{
    TcpParameters,
    congestion::{CongestionConfig, RenoParameters, SsthreshFrom},
    recovery::{FullAckWindow, NewRenoParameters, RecoveryConfig, RenoRecoveryParameters, TimerReset},
};
use weir_types::{Duration, PacketSize, Packets};

use crate::wire::{Kind, Row, Script, State, Wire};

/// Where the sender does not follow ns-2, and will not: trace, row of its file, what is seen.
const KNOWN: &[(&str, usize, &str)] = &[(
    "newreno-mark-then-timeout",
    79,
    "timeout: ssthresh 3, in ns-2 6. RFC 5681 halves at a timeout, whatever happened in an earlier window; \
     ns-2 leaves ssthresh if the last cut answered a mark",
)];

#[test]
fn every_trace_of_ns2_is_followed() {
    let names = names();
    assert_eq!(names.len(), 24, "{names:?}");
    let outcomes: Vec<(String, Value)> =
        names.into_iter().map(|name| (name.clone(), outcome(&name))).collect();
    if let Some(path) = std::env::var_os("WEIR_REFERENCE_OUT") {
        let traces: Vec<&Value> = outcomes.iter().map(|(_, outcome)| outcome).collect();
        let (compared, ticks) = timeouts();
        let all = json!({ "traces": traces, "timeouts": { "compared": compared, "largest_ticks": ticks } });
        fs::write(path, all.to_string()).expect("a path that can be written to");
    }
    for (name, outcome) in outcomes {
        let known = KNOWN.iter().find(|(trace, ..)| *trace == name);
        let expected = known.map_or(Value::Null, |(_, row, seen)| json!({ "row": row, "seen": seen }));
        let found = match &outcome["difference"] {
            Value::Null => Value::Null,
            difference => json!({
                "row": difference["row"],
                "seen": known.map_or(difference["seen"].clone(), |(.., seen)| (*seen).into()),
            }),
        };
        assert_eq!(found, expected, "{name}: {}", outcome["difference"]["seen"]);
    }
}

/// A tick of ns-2's clock has a random phase: a sample may be a tick less than ours, which is
/// rounded up, and the first timeout is three times the first sample.
#[test]
fn timeouts_follow_the_round_trip_as_in_ns2() {
    let (compared, ticks) = timeouts();
    assert!(compared > 100, "{compared} timeouts compared");
    assert!(ticks <= 3.0, "{ticks} ticks apart");
}

/// How many timeouts of the estimator's trace were compared, and the largest difference in ticks.
fn timeouts() -> (usize, f64) {
    let name = "newreno-estimator";
    let about = about(name);
    let ours = Wire::new(script(&about), parameters(name, &about)).run();
    let theirs = recorded(name);
    let first_loss = theirs.iter().position(|row| row.kind == Kind::Send && row.copy == Some(2));
    // From there on it is not every ACK that restarts the timer.
    let before = ours.iter().zip(&theirs).take(first_loss.expect("the trace has a loss"));
    let mut last = None;
    let apart: Vec<u64> = before
        .filter(|(mine, row)| row.kind == Kind::Ack && last.replace(mine.number) != Some(mine.number))
        .filter_map(|(mine, row)| Some(mine.state?.timer_ns.abs_diff(row.state?.timer_ns)))
        .collect();
    let largest = apart.iter().max().expect("there are ACKs");
    (apart.len(), *largest as f64 / whole_number(&about, "clock_tick_ns") as f64)
}

/// Compares one trace row by row.
fn outcome(name: &str) -> Value {
    let about = about(name);
    let ours = Wire::new(script(&about), parameters(name, &about)).run();
    let theirs = recorded(name);
    let same = ours.iter().zip(&theirs).take_while(|(mine, row)| differing(mine, row).is_none()).count();
    let difference = match (ours.get(same), theirs.get(same)) {
        (None, None) => Value::Null,
        // The first line of the file is its header.
        (mine, row) => json!({ "row": same + 2, "seen": seen(mine, row) }),
    };
    json!({
        "trace": name,
        "about": about["about"],
        "rows": theirs.len(),
        "segments": theirs.iter().filter(|row| row.kind == Kind::Send).count(),
        "same": same,
        "difference": difference,
        "known": KNOWN.iter().find(|(trace, ..)| *trace == name).map(|(.., seen)| seen),
    })
}

/// Difference of two rows, if there is any; windows must be equal in every bit. Two things are left out. One is the
/// window before the SYN is acknowledged, which is 1 in ns-2 and the initial window here. The other is the ECE by
/// which the ACK of the SYN agrees on ECN, which needs no agreement here.
fn differing(mine: &Row, row: &Row) -> Option<&'static str> {
    let window = |row: &Row| row.state.map(|state| (state.cwnd, state.ssthresh));
    let agreement = row.kind == Kind::Ack && row.number == Some(0);
    [
        ("time", mine.time_ns == row.time_ns),
        ("event", mine.kind == row.kind),
        ("number", mine.number == row.number),
        ("transmission", mine.copy == row.copy),
        ("flags", mine.flags == row.flags || agreement),
        ("window", window(mine) == window(row) || row.kind == Kind::Start),
    ]
    .into_iter()
    .find_map(|(what, equal)| (!equal).then_some(what))
}

fn seen(mine: Option<&Row>, row: Option<&Row>) -> String {
    match (mine, row) {
        (Some(mine), Some(row)) => {
            format!("{}: {mine:?}, in ns-2 {row:?}", differing(mine, row).unwrap_or("nothing"))
        }
        (mine, row) => format!("one ends: {mine:?}, in ns-2 {row:?}"),
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/reference")
}

fn names() -> Vec<String> {
    let files = fs::read_dir(folder()).expect("the traces are part of the repository");
    let mut names: Vec<String> = files
        .filter_map(|file| file.ok()?.file_name().into_string().ok())
        .filter_map(|file| Some(file.strip_suffix(".csv")?.to_owned()))
        .filter(|name| name.starts_with("newreno-") || name.starts_with("reno-"))
        .collect();
    names.sort();
    names
}

fn about(name: &str) -> Value {
    let text = fs::read_to_string(folder().join(format!("{name}.json"))).expect("beside every trace");
    serde_json::from_str(&text).expect("JSON")
}

fn whole_number(about: &Value, name: &str) -> u64 {
    about[name].as_u64().unwrap_or_else(|| panic!("{name} is not a number"))
}

fn switch(about: &Value, name: &str) -> bool {
    about[name].as_bool().unwrap_or_else(|| panic!("{name} is neither true nor false"))
}

fn script(about: &Value) -> Script {
    let pairs = |name: &str| serde_json::from_value(about[name].clone()).expect("a list of pairs");
    Script {
        lost: pairs("lost"),
        marked: pairs("marked"),
        rate_bits_per_second: whole_number(about, "rate_bits_per_second"),
        one_way_delay_ns: whole_number(about, "one_way_delay_ns"),
        segment_bytes: whole_number(about, "segment_bytes") as u32,
        end_ns: whole_number(about, "end_ns"),
    }
}

/// ns-2.35's sender in the words of our options.
fn parameters(name: &str, about: &Value) -> TcpParameters {
    let packets = |name| Packets(whole_number(about, name) as f64);
    let nanos = |name| Duration::from_nanos(whole_number(about, name));
    TcpParameters {
        congestion: CongestionConfig::Reno(RenoParameters {
            ssthresh_from: SsthreshFrom::Window,
            integer_ssthresh: true,
            ..RenoParameters::default()
        }),
        recovery: if name.starts_with("reno-") {
            RecoveryConfig::Reno(RenoRecoveryParameters { once_per_window: true, grow_on_exit: true })
        } else {
            RecoveryConfig::NewReno(NewRenoParameters {
                timer_reset: TimerReset::FirstPartialAck,
                full_ack_window: FullAckWindow::Window,
                max_burst: Some(2),
            })
        },
        initial_window: packets("initial_window"),
        initial_ssthresh: Some(packets("initial_ssthresh")),
        receive_window: Some(packets("receiver_window")),
        limited_transmit: switch(about, "limited_transmit"),
        cwnd_validation: false,
        min_rto: nanos("minimum_rto_ns"),
        initial_rto: nanos("initial_rto_ns"),
        clock_granularity: nanos("clock_tick_ns"),
        ecn: switch(about, "ecn"),
        ecn_on_retransmissions: Some(switch(about, "ecn")),
        ack_size: PacketSize::new(whole_number(about, "ack_bytes") as u32).expect("not zero"),
        ..TcpParameters::default()
    }
}

fn recorded(name: &str) -> Vec<Row> {
    let about = about(name);
    let text = fs::read_to_string(folder().join(format!("{name}.csv"))).expect("the trace is there");
    text.lines().skip(1).map(|line| row(line, &about)).collect()
}

fn row(line: &str, about: &Value) -> Row {
    let cells: Vec<&str> = line.split(',').collect();
    let [time, event, number, copy, flags, cwnd, ssthresh, _, _, srtt, rttvar, backoff] = cells[..] else {
        panic!("not twelve cells: {line}")
    };
    let time_ns = time.parse().expect("nanoseconds");
    let kind = match event {
        "start" => Kind::Start,
        "ack" => Kind::Ack,
        "timeout" => Kind::Timeout,
        "send" => Kind::Send,
        other => panic!("{other} in {line}"),
    };
    let word = |word: &str| {
        let known = ["ce", "cwr", "ece", "lost"];
        *known.iter().find(|known| **known == word).unwrap_or_else(|| panic!("{word} in {line}"))
    };
    let state = (!cwnd.is_empty()).then(|| {
        let whole = |cell: &str| cell.parse::<u64>().expect("a whole number");
        let ticks = (8 * whole(rttvar) + whole(srtt)) / 8;
        let timeout =
            (ticks * whole_number(about, "clock_tick_ns")).max(whole_number(about, "minimum_rto_ns"));
        State {
            cwnd: cwnd.parse().expect("a number"),
            ssthresh: ssthresh.parse().expect("a number"),
            timer_ns: time_ns + timeout * whole(backoff),
        }
    });
    Row {
        time_ns,
        kind,
        number: number.parse().ok(),
        copy: copy.parse().ok(),
        flags: flags.split_whitespace().map(word).collect::<BTreeSet<_>>(),
        state,
    }
}
