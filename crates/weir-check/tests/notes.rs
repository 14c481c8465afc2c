//! Promises to a user: a note with its path and its remedy, and no note once the remedy is followed.

use weir_check::{Note, RULES, Severity, notes};
use weir_scenario::Document;

const PLAIN: &str = r#"
schema = 1
name = "plain"
duration = "60 s"
measure.warm_up = "10 s"

[links.a]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "2 BDP"

[flows.ftp]
count = 8
rtt = "60 ms"
packet_size = "1000 B"
start_jitter = "1 s"
"#;

/// Notes on the plain scenario with these values set.
fn found(values: &[(&str, &str)]) -> Vec<Note> {
    noted(PLAIN, None, values, &|_| None)
}

fn noted(
    text: &str,
    variant: Option<&str>,
    values: &[(&str, &str)],
    bytes: &dyn Fn(&str) -> Option<f64>,
) -> Vec<Note> {
    let values: Vec<_> =
        values.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let document = Document::parse("plain.toml", text).unwrap().with_overrides(&values);
    let read = variant.map_or_else(|| document.scenario(), |name| document.variant(name));
    notes(&read.unwrap(), &document, variant, bytes)
}

fn codes(notes: &[Note]) -> Vec<&str> {
    notes.iter().map(|note| note.code.as_str()).collect()
}

/// The note with this code, among those on the plain scenario with these values set.
#[track_caller]
fn one(code: &str, values: &[(&str, &str)]) -> Note {
    let found = found(values);
    let mut fitting = found.iter().filter(|note| note.code == code);
    let note = fitting.next().unwrap_or_else(|| panic!("{code} is not among {:?}", codes(&found))).clone();
    assert_eq!(fitting.next(), None, "{code} comes once");
    note
}

/// Checks that the note comes with the values of `causes`, and goes with those of `cures`.
#[track_caller]
fn comes_and_goes(
    code: &str,
    severity: Severity,
    path: &str,
    causes: &[(&str, &str)],
    cures: &[(&str, &str)],
) {
    let note = one(code, causes);
    assert_eq!((note.severity, note.path.as_str()), (severity, path));
    assert!(!note.hint.is_empty() && !note.message.ends_with('.'), "{note:?}");
    let after = found(&[causes, cures].concat());
    assert!(!codes(&after).contains(&code), "{after:?}");
}

const ECN: (&str, &str) = ("flows.ftp.tcp.ecn", "true");

#[test]
fn the_plain_scenario_has_no_notes() {
    assert_eq!(found(&[]), []);
}

#[test]
fn a_queue_that_marks_needs_senders_that_understand() {
    let red = ("links.a.queue", "{ red = { ecn = true } }");
    let path = "links.a.queue.red.ecn";
    comes_and_goes("ecn-without-senders", Severity::Warning, path, &[red], &[ECN]);
    let note = one("ecn-without-senders", &[red]);
    assert_eq!(note.message, "no flow here is ECN-capable, so red drops where it would mark");
    assert_eq!(note.hint, "flows.ftp.tcp.ecn = true");
}

#[test]
fn senders_that_understand_need_a_queue_that_marks() {
    let path = "flows.ftp.tcp.ecn";
    comes_and_goes(
        "ecn-without-marks",
        Severity::Note,
        path,
        &[ECN],
        &[("links.a.queue", "{ rem = { ecn = true } }")],
    );
    let dctcp = [ECN, ("flows.ftp.tcp.congestion.dctcp", "{}")];
    assert_eq!(one("ecn-without-marks", &dctcp).severity, Severity::Warning);
}

#[test]
fn packets_that_cannot_be_marked_are_dropped_where_others_are_marked() {
    let web = ("flows.web", "{ rtt = \"60 ms\", start_jitter = \"1 s\" }");
    let of_web = |values: &[(&str, &str)]| {
        let mut found = found(values);
        found.retain(|note| note.code == "drops-where-it-marks" && note.path == "flows.web.tcp.ecn");
        found
    };
    let bad = [ECN, web, ("links.a.queue", "{ step = {} }")];
    let notes = of_web(&bad);
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert_eq!(notes[0].severity, Severity::Warning);
    assert_eq!(notes[0].message, "step marks others, and drops web in its place");
    assert_eq!(of_web(&[&bad[..], &[("flows.web.tcp.ecn", "true")]].concat()), []);
}

#[test]
fn a_congestion_control_needs_what_makes_it_one() {
    let ledbat = ("flows.ftp.tcp.congestion.ledbat", "{ target = \"60 ms\" }");
    let path = "flows.ftp.tcp.congestion.ledbat.target";
    comes_and_goes(
        "target-out-of-reach",
        Severity::Warning,
        path,
        &[ledbat, ("links.a.buffer", "\"30 packets\"")],
        &[("links.a.buffer", "\"300 packets\"")],
    );
}

#[test]
fn a_level_of_the_queue_fits_path_and_buffer() {
    let red = ("links.a.queue", "{ red = { min_th = \"5 packets\", max_th = \"15 packets\" } }");
    let high = ("links.a.queue.red.max_th", "\"80 packets\"");
    comes_and_goes("threshold-below-bdp", Severity::Note, "links.a.queue.red.max_th", &[red], &[high]);
    let small = [red, ("links.a.buffer", "\"4 packets\"")];
    let note = one("threshold-above-buffer", &small);
    assert_eq!((note.severity, note.path.as_str()), (Severity::Warning, "links.a.queue.red.min_th"));
    assert_eq!(note.message, "5 packets is not below the buffer of 4 packets: red acts as DropTail");
}

#[test]
fn a_target_is_longer_than_a_packet() {
    let slow = [("links.a.rate", "\"1 Mbit/s\""), ("links.a.queue", "{ codel = {} }")];
    let cure = [("links.a.queue.codel.target", "\"15 ms\"")];
    let path = "links.a.queue.codel.target";
    comes_and_goes("target-below-packet", Severity::Warning, path, &slow, &cure);
}

#[test]
fn a_shaper_is_below_the_rate_of_its_link() {
    let above = ("links.a.queue", "{ cake = { bandwidth = \"20 Mbit/s\" } }");
    let path = "links.a.queue.cake.bandwidth";
    let cure = (path, "\"9.5 Mbit/s\"");
    comes_and_goes("shaper-above-rate", Severity::Warning, path, &[above], &[cure]);
    assert!(
        one("shaper-above-rate", &[above]).hint.starts_with("links.a.queue.cake.bandwidth = \"9.5 Mbit/s\"")
    );
}

#[test]
fn grants_let_the_rate_of_the_link_leave() {
    let few = ("links.a.aggregation", "{ interval = \"5 ms\", packets = 2 }");
    let path = "links.a.aggregation.packets";
    comes_and_goes("grants-below-rate", Severity::Warning, path, &[few], &[(path, "7")]);
}

#[test]
fn what_is_fixed_is_told_where_the_rate_changes() {
    let changing = [
        ("links.a.queue", "{ red = { min_th = \"20 packets\", max_th = \"80 packets\" } }"),
        ("changes", "[{ at = \"20 s\", links.a.rate = \"5 Mbit/s\" }]"),
    ];
    let cure = [("links.a.queue", "{ codel = {} }"), ("links.a.buffer", "\"200 packets\"")];
    comes_and_goes("fixed-while-rate-varies", Severity::Note, "links.a.buffer", &changing, &cure);
}

#[test]
fn something_is_random() {
    let alike = ("flows.ftp.start_jitter", "\"0 s\"");
    let path = "flows.ftp.start_jitter";
    comes_and_goes("flows-in-step", Severity::Warning, path, &[alike], &[(path, "\"1 s\"")]);
    let drawn = ("flows.ftp.rtt", "{ uniform = { from = \"20 ms\", to = \"90 ms\" } }");
    comes_and_goes(
        "drawn-rtts",
        Severity::Note,
        "flows.ftp.rtt",
        &[drawn],
        &[("flows.ftp.rtt", "\"60 ms\"")],
    );
}

#[test]
fn something_is_measured() {
    let all = ("measure.warm_up", "\"0 s\"");
    comes_and_goes(
        "no-warm-up",
        Severity::Note,
        "measure.warm_up",
        &[all],
        &[("measure.warm_up", "\"5 s\"")],
    );
    let gone = [("flows.ftp.stop", "\"5 s\"")];
    let cure = [("measure.warm_up", "\"1 s\"")];
    comes_and_goes("no-traffic-measured", Severity::Warning, "measure.warm_up", &gone, &cure);
}

#[test]
fn a_variant_has_notes_of_its_own() {
    let text = format!("{PLAIN}[variants.short]\nmeasure.warm_up = \"0 s\"\n");
    assert_eq!(noted(&text, None, &[], &|_| None), []);
    assert_eq!(codes(&noted(&text, Some("short"), &[], &|_| None)), ["no-warm-up"]);
}

#[test]
fn the_links_of_a_row_have_one_note() {
    let row = [("links.a.hops", "3"), ("flows.ftp.path", "[\"a\"]"), ("links.a.queue.red.ecn", "true")];
    assert_eq!(one("ecn-without-senders", &row).path, "links.a.queue.red.ecn");
}

#[test]
fn the_mean_size_of_packets_is_asked_for_where_there_are_several_sizes() {
    let long = ("links.a.buffer", "\"76000 packets\"");
    let web = ("flows.web", "{ rtt = \"60 ms\", start_jitter = \"1 s\", packet_size = \"200 B\" }");
    let asked = std::cell::RefCell::new(Vec::new());
    let bytes = |port: &str| {
        asked.borrow_mut().push(port.to_owned());
        Some(100.0)
    };
    assert!(codes(&noted(PLAIN, None, &[long], &bytes)).contains(&"buffer-never-fills"));
    assert!(asked.borrow().is_empty());
    assert!(!codes(&noted(PLAIN, None, &[long, web], &bytes)).contains(&"buffer-never-fills"));
    assert_eq!(*asked.borrow(), ["a"]);
}

#[test]
fn each_rule_has_a_code_and_a_meaning() {
    let mut codes: Vec<_> = RULES.iter().map(weir_check::Rule::code).collect();
    assert!(RULES.iter().all(|rule| rule.meaning().ends_with('.') && !rule.meaning().starts_with(' ')));
    assert!(codes.iter().all(|code| code.chars().all(|one| one.is_ascii_lowercase() || one == '-')));
    codes.sort();
    codes.dedup();
    assert_eq!(codes.len(), RULES.len());
}
