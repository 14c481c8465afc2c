//! Traffic of a group: what may be said, what is refused, and what files may hold.

use std::{fs, path::PathBuf};

use weir_scenario::{Cdf, Document, Scenario, ScenarioError, Traffic};

use crate::{PLAIN, read};

/// The plain scenario with `lines` in its group, in place of its number of flows.
fn with(lines: &str) -> Result<Scenario, ScenarioError> {
    read(&PLAIN.replace("count = 5", lines))
}

#[track_caller]
fn refuse(lines: &str, place: &str, words: &[&str]) {
    let message = with(lines).expect_err("must be refused").to_string();
    // The last line is to blame, unless it is a key of the group before it.
    let line = if place.starts_with("traffic") { 11 + lines.lines().count() } else { 12 };
    let start = format!("plain.toml:{line}: flows.ftp.{place}");
    assert!(message.starts_with(&start), "{message:?} does not begin with {start:?}");
    for word in words {
        assert!(message.contains(word), "{message:?} lacks {word:?}");
    }
    assert!(message.contains("\nhint: "), "{message:?} has no hint");
}

const KINDS: &[&str] = &[
    "traffic.bulk = {}",
    "traffic.poisson = { rate = \"100 /s\", size = \"10 kB\" }",
    "traffic.poisson = { load = 0.5, size.cdf = \"web-search\" }",
    "traffic.poisson = { load = 0.5, size.cdf = \"hadoop\" }",
    "traffic.poisson = { load = 0.5, size.exponential.mean = \"10 kB\" }",
    "traffic.poisson = { load = 0.5, size.pareto = { mean = \"10 kB\", shape = 1.2, at_most = \"1 MB\" } }",
    "traffic.poisson = { rate = \"100/s\", size.pareto-ii = { mean = \"12 packets\", shape = 1.2 } }",
    "traffic.poisson = { load = 0.5, size.log-normal = { median = \"10 kB\", sigma = 1.0 } }",
    "count = 7\ntraffic.closed-loop = { size = \"10 kB\", think_time = \"1 s\" }",
    "count = 7\ntraffic.web = {}",
    "count = 7\ntraffic.web-3gpp = {}",
    "count = 7\ntraffic.cbr.rate = \"1 Mbit/s\"",
    "count = 7\ntraffic.on-off.rate = \"1 Mbit/s\"",
];

#[test]
fn every_kind_of_traffic_reads_back_as_it_was_written_out() {
    for kind in KINDS {
        let scenario = with(kind).unwrap_or_else(|error| panic!("{error}"));
        let again = read(&scenario.to_toml()).unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(again, scenario, "{kind}");
        assert_eq!(again.hash(), scenario.hash(), "{kind}");
    }
}

#[test]
fn saying_a_default_is_another_way_to_say_nothing() {
    let hash = |lines: &str| with(lines).unwrap_or_else(|error| panic!("{error}")).hash();
    assert_eq!(hash("count = 5\ntraffic.bulk = {}"), read(PLAIN).unwrap().hash());
    for (said, unsaid) in [
        ("traffic.web = { objects = 1 }", "traffic.web = {}"),
        ("traffic.web = { size.pareto-ii = { mean = \"12 packets\", shape = 1.2 } }", "traffic.web = {}"),
        ("traffic.web-3gpp = { request = \"328 B\" }", "traffic.web-3gpp = {}"),
        ("traffic.cbr = { rate = \"1 Mbit/s\", ecn = false }", "traffic.cbr.rate = \"1 Mbit/s\""),
    ] {
        assert_eq!(hash(said), hash(unsaid), "{said}");
    }
    let hashes: std::collections::HashSet<_> = KINDS.iter().map(|kind| hash(kind)).collect();
    assert_eq!(hashes.len(), KINDS.len(), "each kind is another experiment");
}

#[test]
fn another_choice_replaces_the_first() {
    let text = PLAIN.replace("count = 5", KINDS[1]);
    let document = Document::parse("plain.toml", &text).unwrap();
    let set = |path: &str, value: &str| {
        let scenario = document.with_overrides(&[(path.to_owned(), value.to_owned())]).scenario();
        scenario.unwrap_or_else(|error| panic!("{error}")).flows["ftp"].traffic.clone()
    };
    assert_eq!(set("flows.ftp.traffic.cbr.rate", "1 Mbit/s").name(), "cbr");
    let Traffic::Poisson(poisson) = set("flows.ftp.traffic.poisson.size.exponential.mean", "5 kB") else {
        panic!("still Poisson")
    };
    assert!(poisson.rate.is_some_and(|rate| (rate.per_second() - 100.0).abs() < 1e-9));
}

#[test]
fn what_does_not_go_together_is_refused() {
    let poisson = "traffic.poisson = { rate = \"100 /s\", size = \"10 kB\" }";
    refuse(&format!("count = 5\n{poisson}"), "count", &["not counted", "rate or load"]);
    refuse(&format!("start_jitter = \"1 s\"\n{poisson}"), "start_jitter", &["at a random instant anyway"]);
    refuse(
        &format!("population = [{{ step = 2, every = \"1 s\", until = 5 }}]\n{poisson}"),
        "population",
        &["no population"],
    );
    for datagrams in ["traffic.cbr.rate = \"1 Mbit/s\"", "traffic.on-off.rate = \"1 Mbit/s\""] {
        refuse(&format!("tcp.ecn = true\n{datagrams}"), "tcp", &["know nothing of TCP", "leave tcp out"]);
        refuse(&format!("send_jitter = \"1 ms\"\n{datagrams}"), "send_jitter", &["leave when it says"]);
    }
    refuse(
        "traffic.poisson = { rate = \"1 /s\", load = 0.5, size = \"10 kB\" }",
        "traffic.poisson.rate",
        &["both given"],
    );
    refuse("traffic.poisson = { size = \"10 kB\" }", "traffic.poisson", &["neither rate nor load"]);
    refuse(
        "traffic.poisson = { load = 0.5, size.exponential.mean = \"12 packets\" }",
        "traffic.poisson.load",
        &["whole packets", "in bytes"],
    );
    refuse("traffic.web = { pages = 0 }", "traffic.web.pages", &["without a page"]);
    refuse(
        "start_jitter = \"1 s\"\ntraffic.web = { inter_session = \"1 s\" }",
        "traffic.web.inter_session",
        &["start_jitter has no place"],
    );
}

#[test]
fn values_without_sense_are_refused() {
    for (lines, place, words) in [
        ("traffic.poisson = { load = 3, size = \"1 kB\" }", "poisson.load", "at most 2"),
        ("traffic.poisson = { rate = \"fast\", size = \"1 kB\" }", "poisson.rate", "100 /s"),
        ("traffic.poisson = { rate = \"0 /s\", size = \"1 kB\" }", "poisson.rate", "not a rate of arrivals"),
        ("traffic.poisson = { rate = 5, size = \"1 kB\" }", "poisson.rate", "\"100 /s\""),
        ("traffic.poisson = { rate = \"1000 /ms\", size = \"1 kB\" }", "", ""),
        ("traffic.poisson = { load = 0.5, size = \"0 B\" }", "poisson.size", "no size of a transfer"),
        ("traffic.poisson = { load = 0.5, size = 1000 }", "poisson.size", "has no unit"),
        ("traffic.poisson = { load = 0.5, size = {} }", "poisson.size", "one distribution"),
        ("traffic.poisson = { load = 0.5, size.paretto = {} }", "poisson.size", "did you mean `pareto`"),
        (
            "traffic.poisson = { load = 0.5, size.pareto = { mean = \"1 kB\", shape = 1 } }",
            "poisson.size.pareto.shape",
            "no mean",
        ),
        (
            "traffic.poisson = { load = 0.5, size.pareto = { mean = \"10 kB\", shape = 2, at_most = \"1 kB\" } }",
            "poisson.size.pareto.at_most",
            "leaves nothing",
        ),
        (
            "traffic.poisson = { load = 0.5, size.log-normal = { median = \"1 kB\", sigma = 9 } }",
            "poisson.size.log-normal.sigma",
            "at most 5",
        ),
        (
            "traffic.poisson = { load = 0.5, size.log-normal = { median = \"1 kB\", sigma = 1, at_least = \"900 MB\" } }",
            "poisson.size.log-normal.at_least",
            "next to nothing",
        ),
        ("traffic.on-off = { rate = \"1 bit/s\", on = \"1 us\" }", "on-off.on", "ten thousand times"),
        ("traffic.on-off = { rate = \"1 Mbit/s\", shape = 0.5 }", "on-off.shape", "no mean"),
        ("traffic.web-3gpp.large_packets = 2", "web-3gpp.large_packets", "not a share"),
        ("traffic.pois = {}", "", "did you mean `poisson`"),
        ("traffic.cbr = {}", "cbr", "missing field `rate`"),
        ("traffic = \"web\"", "", "a name without its parameters"),
    ] {
        if words.is_empty() {
            assert!(with(lines).is_ok(), "{lines}");
            continue;
        }
        let place = if place.is_empty() { "traffic".to_owned() } else { format!("traffic.{place}") };
        refuse(lines, &place, &[words]);
    }
}

#[test]
fn flows_that_come_and_go_have_no_numbers() {
    let text = format!("{PLAIN}\n[measure]\nseries = {{ interval = \"1 s\", flows = [\"ftp.0\"] }}\n");
    assert!(read(&text).is_ok());
    let message = read(&text.replace("count = 5", KINDS[1])).expect_err("none has a number").to_string();
    assert!(message.contains("there is no flow \"ftp.0\""), "{message}");
}

/// A folder of files that is gone with the test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("weir-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn load(&self, files: &[(&str, &[u8])], lines: &str) -> Result<Scenario, ScenarioError> {
        for (name, bytes) in files {
            fs::write(self.0.join(name), bytes).unwrap();
        }
        let path = self.0.join("plain.toml");
        fs::write(&path, PLAIN.replace("count = 5", lines)).unwrap();
        Document::load(&path)?.scenario()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const MINE: &str = "traffic.poisson = { load = 0.5, size.cdf = \"mine.cdf\" }";

#[test]
fn a_file_is_known_by_what_it_holds_and_not_by_where_it_is() {
    let (here, there) = (Folder::new("here"), Folder::new("there"));
    let first = here.load(&[("mine.cdf", b"1000 0\n2000 1\n")], MINE).unwrap();
    let moved = there.load(&[("mine.cdf", b"1000 0\n2000 1\n")], MINE).unwrap();
    assert_eq!(first.hash(), moved.hash());
    assert!(first.to_toml().contains(&here.0.display().to_string()), "the place is written out");
    // Elsewhere it is found as it was written out, and must be the same.
    assert_eq!(read(&first.to_toml()).unwrap(), first);
    let other = there.load(&[("mine.cdf", b"1000 0\n20000 1\n")], MINE).unwrap();
    assert_ne!(other.hash(), first.hash(), "another content is another experiment");
    fs::write(here.0.join("mine.cdf"), b"1000 0\n3000000 1\n").unwrap();
    let message = read(&first.to_toml()).expect_err("changed since").to_string();
    assert!(message.contains("is not what it was") && message.contains("digest"), "{message}");
}

#[test]
fn a_distribution_that_is_none_is_refused_with_its_line() {
    let folder = Folder::new("cdf");
    for (text, words) in [
        ("# sizes\n1000 0.5\n2000 0.9\n", "mine.cdf: line 3: the distribution ends at 0.9, not at 1"),
        ("1000 50\n2000 99\n", "line 2: the distribution ends at 99"),
        ("1000 0.5\n500 1\n", "line 2: 500 bytes come after 1000 bytes"),
        ("1000 0.5\n\n2000 0.4\n3000 1\n", "line 3: the share decreases from 0.5 to 0.4"),
        ("1000 0.5\n2000 one\n", "line 2: \"2000 one\" is not two numbers"),
        ("1000\n", "line 1: \"1000\" is not two numbers"),
        ("1000 0.5 3\n", "line 1: \"1000 0.5 3\" is not two numbers"),
        ("1000 -0.5\n2000 1\n", "line 1: 1000 bytes and a share of -0.5"),
        ("1000 0.5\n2000 nan\n", "line 2: 2000 bytes and a share of NaN"),
        ("1000 1\n", "line 1: a distribution needs two points"),
        ("", "line 1: a distribution needs two points"),
        ("0 0.5\n0 1\n", "all transfers have 0 bytes"),
    ] {
        let message = folder.load(&[("mine.cdf", text.as_bytes())], MINE).expect_err(text).to_string();
        assert!(message.contains("plain.toml:12: flows.ftp.traffic.poisson.size.cdf: mine.cdf"), "{message}");
        assert!(message.contains(words) && message.contains("\nhint: "), "{message:?} lacks {words:?}");
    }
    let message = folder.load(&[], &MINE.replace("mine", "no-such")).expect_err("no file").to_string();
    for words in ["no-such.cdf cannot be read", "web-search", "relative to the scenario's file"] {
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn a_distribution_is_linear_between_its_points() {
    let cdf = Cdf::parse("100 10\n100 20\n300 60 # comment\n300 80\n1000 100\n").unwrap();
    for (share, bytes) in [(0.0, 100.0), (0.15, 100.0), (0.4, 200.0), (0.7, 300.0), (0.9, 650.0)] {
        assert!((cdf.quantile(share) - bytes).abs() < 1e-9, "{share}: {}", cdf.quantile(share));
    }
    let mean = 0.2 * 100.0 + 0.4 * 200.0 + 0.2 * 300.0 + 0.2 * 650.0;
    assert!((cdf.mean() - mean).abs() < 1e-9, "{}", cdf.mean());
}
