//! How window laws are chosen: every one by its name, and what is within it by its path.

use weir_scenario::Document;
use weir_tcp::congestion::{CongestionConfig, SlowStartConfig};

use crate::{PLAIN, read};

/// The congestion control of the plain scenario with these values set, and with ECN: some live by it.
fn chosen(overrides: &[(&str, &str)]) -> CongestionConfig {
    let mut set = vec![("flows.ftp.tcp.ecn".to_owned(), "true".to_owned())];
    let written =
        |(path, value): &(&str, &str)| (format!("flows.ftp.tcp.congestion{path}"), (*value).to_owned());
    set.extend(overrides.iter().map(written));
    let document = Document::parse("plain.toml", PLAIN).unwrap().with_overrides(&set);
    let scenario = document.scenario().unwrap_or_else(|error| panic!("{error}"));
    scenario.flows["ftp"].tcp.congestion.clone()
}

#[test]
fn every_law_is_chosen_by_its_name() {
    for name in CongestionConfig::NAMES {
        let path = format!(".{name}");
        assert_eq!(chosen(&[(&path, "{}")]), CongestionConfig::from_name(name).unwrap());
        assert_eq!(chosen(&[(&path, "{}")]).name(), *name);
    }
}

#[test]
fn a_value_of_another_choice_replaces_the_choice() {
    let set = [(".cubic.slow_start.hystart.train", "false"), (".cubic.slow_start.hystart++.rounds", "3")];
    let CongestionConfig::Cubic(cubic) = chosen(&set) else { panic!("CUBIC was chosen") };
    assert!(matches!(cubic.slow_start, SlowStartConfig::HystartPlus(plus) if plus.rounds == 3));
    let CongestionConfig::Cubic(cubic) = chosen(&[(".cubic.slow_start", "standard")]) else {
        panic!("CUBIC was chosen")
    };
    assert_eq!(cubic.slow_start, SlowStartConfig::Standard);
}

#[test]
fn a_bad_value_is_named_by_its_path() {
    let text = PLAIN.replace("count = 5", "count = 5\ntcp.congestion.dctcp = { gain = 2.0 }");
    let message = read(&text).expect_err("must be refused").to_string();
    assert!(message.starts_with("plain.toml:13: flows.ftp.tcp.congestion.dctcp.gain: "), "{message}");
}
