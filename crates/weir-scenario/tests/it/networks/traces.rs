//! Rates that change, and traces of opportunities.

use std::{fs, path::PathBuf};

use weir_aqm::Service;
use weir_scenario::{Direction, Document, Scenario, ScenarioError};

use super::{scenario, text};

/// A folder of its own, gone in the end.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("weir-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(super) fn write(&self, name: &str, content: &str) {
        fs::write(self.0.join(name), content).unwrap();
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }

    fn read(&self, link: &str) -> Result<Scenario, ScenarioError> {
        let text = text(&format!(
            "[links.l]\ndelay = \"1 ms\"\nbuffer = \"9 packets\"\n{link}\n[flows.f]\nrtt = \"9 ms\"\n"
        ));
        Document::parse(&self.path("net.toml"), &text)?.scenario()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_trace_takes_the_place_of_the_rate() {
    let folder = Folder::new("trace");
    folder.write("cell.down", "1\n1\n2\n4\n");
    let found = folder.read("trace = \"cell.down\"").unwrap();
    // 4 opportunities of 1504 bytes in 4 ms.
    assert_eq!(found.rate("l", Direction::Forward).bits_per_second(), 4 * 1504 * 8 * 250);
    let Service::Trace(trace) = found.service("l", Direction::Forward) else { panic!("no trace") };
    assert_eq!(trace.opportunities(), 4);
    // The resolved scenario says where the file is and what it held, and reads back from anywhere.
    let again = Document::parse("elsewhere/net.toml", &found.to_toml()).unwrap().scenario().unwrap();
    assert_eq!(again, found);
    assert!(matches!(again.service("l", Direction::Forward), Service::Trace(_)));
    // The rate that an AQM sees can be written.
    let found = folder.read("trace = \"cell.down\"\nrate = \"5 Mbit/s\"").unwrap();
    assert_eq!(found.rate("l", Direction::Forward).bits_per_second(), 5_000_000);
}

/// The key of a run depends on the content of a trace, not on its place.
#[test]
fn the_content_of_a_trace_is_part_of_the_key() {
    let (one, other) = (Folder::new("one"), Folder::new("other"));
    one.write("a", "1\n2\n");
    other.write("b", "1\n2\n");
    let hash = |folder: &Folder, file: &str| folder.read(&format!("trace = \"{file}\"")).unwrap().hash();
    let before = hash(&one, "a");
    assert_eq!(before, hash(&other, "b"));
    one.write("a", "1\n3\n");
    assert_ne!(hash(&one, "a"), before);
    let resolved = other.read("trace = \"b\"").unwrap().to_toml();
    other.write("b", "1\n2\n3\n");
    let error = Document::parse("net.toml", &resolved).unwrap().scenario().unwrap_err().to_string();
    assert!(error.contains("links.l.trace_digest: ") && error.contains("is not what it was"), "{error}");
}

#[test]
fn traces_that_are_none() {
    let folder = Folder::new("bad");
    for (content, words) in [
        ("1\n3\n2\n", "cell: line 3: the time 2 goes back behind 3"),
        ("1\n\n2.5\n", "cell: line 3: \"2.5\" is no time in whole milliseconds"),
        ("# times\n1\n", "cell: line 1: \"# times\" is no time"),
        ("-1\n", "cell: line 1: \"-1\" is no time"),
        ("", "cell: there is no line in it"),
        ("0\n0\n", "cell: line 2: all times are 0"),
    ] {
        folder.write("cell", content);
        for (lane, place) in [
            ("trace = \"cell\"", "net.toml:7: links.l.trace: "),
            (
                "rate = \"1 Mbit/s\"\nreverse = { buffer = \"9 packets\", trace = \"cell\" }",
                "net.toml:8: links.l.reverse.trace: ",
            ),
        ] {
            let error = folder.read(lane).expect_err(content).to_string();
            assert!(error.contains(place) && error.contains(words), "{content:?}: {error}");
            assert!(error.contains("\nhint: write a time in whole milliseconds"), "{error}");
        }
    }
    let error = folder.read("trace = \"nowhere\"").unwrap_err().to_string();
    assert!(error.contains("links.l.trace: ") && error.contains("cannot be read"), "{error}");
    folder.write("cell", "1\n");
    let error = folder
        .read("trace = \"cell\"\nrate_schedule = [{ at = \"1 s\", rate = \"1 Mbit/s\" }]")
        .unwrap_err()
        .to_string();
    assert!(error.contains("links.l.rate_schedule: the trace says already"), "{error}");
    let error = folder.read("rate = \"1 Mbit/s\"\ntrace_digest = \"12\"").unwrap_err().to_string();
    assert!(error.contains("links.l.trace_digest: there is no trace"), "{error}");
    let error = folder.read("").unwrap_err().to_string();
    assert!(error.contains("links.l: missing field `rate`\nhint: add rate"), "{error}");
}

#[test]
fn a_schedule_is_read_and_written() {
    let with = |schedule: &str| {
        text(&format!(
            "[links.l]\nrate = \"10 Mbit/s\"\nrate_schedule = {schedule}\ndelay = \"1 ms\"\nbuffer = \"9 packets\"\n\
             [flows.f]\nrtt = \"9 ms\"\n"
        ))
    };
    let found = crate::read(&with(
        "[{ at = \"2 s\", rate = \"5 Mbit/s\" }, { at = \"2.5 s\", rate = \"20 Mbit/s\" }]\nrate_period = \"4 s\"",
    ))
    .unwrap();
    assert_eq!(crate::read(&found.to_toml()).unwrap(), found);
    let Service::Scheduled(schedule) = found.service("l", Direction::Forward) else { panic!("no schedule") };
    // Two cycles: 2 s at 10, 0.5 s at 5, 1.5 s at 20 Mbit/s.
    assert_eq!(
        schedule.work(weir_types::Instant::from_nanos(8_000_000_000)),
        2 * 52_500_000 * Service::WORK_PER_BIT
    );
    for (schedule, line, place, words) in [
        ("[]\nrate_period = \"2 s\"", 7, "rate_period", "no rate_schedule to begin anew"),
        ("\"5 Mbit/s at 2 s\"", 6, "rate_schedule", "an array belongs here"),
        ("[[\"2 s\", \"5 Mbit/s\"]]", 6, "rate_schedule[0]", "a table belongs here, not an array"),
        ("[{ rate = \"5 Mbit/s\" }]", 6, "rate_schedule[0]", "missing field `at`"),
        (
            "[{ at = \"0 s\", rate = \"5 Mbit/s\" }]",
            6,
            "rate_schedule[0].at",
            "the rate from the start on is the link's own",
        ),
        (
            "[\n{ at = \"2 s\", rate = \"5 Mbit/s\" },\n{ at = \"2 s\", rate = \"6 Mbit/s\" },\n]",
            8,
            "rate_schedule[1].at",
            "the change at 2 s does not come after the one at 2 s",
        ),
        (
            "[{ at = \"2 s\", rate = \"5 Mbit/s\" }]\nrate_period = \"2 s\"",
            7,
            "rate_period",
            "the schedule begins anew after 2 s, before its change at 2 s",
        ),
        (
            "[{ at = \"1 ns\", rate = \"5 Mbit/s\" }]\nrate_period = \"2 ns\"",
            7,
            "rate_period",
            "a cycle of 2 ns changes the rate more than once in a microsecond",
        ),
        ("[{ at = \"2 s\", rate = \"5 Mbps\" }]", 6, "rate_schedule[0].rate", "ambiguous"),
        ("[\n{ at = \"2\", rate = \"5 Mbit/s\" }]", 7, "rate_schedule[0].at", "has no unit"),
        ("[{ at = \"2 s\", rat = \"5 Mbit/s\" }]", 6, "rate_schedule[0].rat", "did you mean `rate`?"),
    ] {
        let error = crate::read(&with(schedule)).expect_err(schedule).to_string();
        assert!(error.starts_with(&format!("plain.toml:{line}: links.l.{place}: ")), "{schedule}: {error}");
        assert!(error.contains(words) && error.contains("\nhint: "), "{schedule}: {error}");
    }
    assert!(scenario("links.l = { rate = \"1 Mbit/s\", delay = \"1 ms\", buffer = \"9 packets\" }\nflows.f = { rtt = \"9 ms\" }\n").links["l"].rate_schedule.is_empty());
}
