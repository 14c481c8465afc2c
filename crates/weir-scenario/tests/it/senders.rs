//! Congestion controls by name, their parameters by path, and presets.

use weir_scenario::Document;
use weir_tcp::{
    TcpParameters, TcpPreset,
    congestion::{CongestionConfig, CubicParameters, SlowStartConfig},
    recovery::{FullAckWindow, RecoveryConfig, SackParameters},
};
use weir_types::Duration;

use crate::{PLAIN, read};

/// Values needed by controls that live by marks, or by counts of them.
const MARKS: [(&str, &str); 3] =
    [("tcp.ecn", "true"), ("tcp.accecn", "true"), ("tcp.recovery.sack.detection", "rack")];

/// The congestion control of the plain scenario with these values set, and with ECN: some live by it.
fn chosen(overrides: &[(&str, &str)]) -> CongestionConfig {
    let mut set: Vec<_> =
        MARKS.iter().map(|(path, value)| (format!("flows.ftp.{path}"), (*value).to_owned())).collect();
    let written =
        |(path, value): &(&str, &str)| (format!("flows.ftp.tcp.congestion{path}"), (*value).to_owned());
    set.extend(overrides.iter().map(written));
    let document = Document::parse("plain.toml", PLAIN).unwrap().with_overrides(&set);
    let scenario = document.scenario().unwrap_or_else(|error| panic!("{error}"));
    scenario.flows["ftp"].tcp.congestion.clone()
}

#[test]
fn every_control_is_chosen_by_its_name() {
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

/// The TCP of the plain scenario with these lines and overrides.
fn tcp(lines: &str, overrides: &[(&str, &str)]) -> TcpParameters {
    let text = PLAIN.replace("count = 5", &format!("count = 5\n{lines}"));
    let set: Vec<_> =
        overrides.iter().map(|(path, value)| (format!("flows.ftp.{path}"), (*value).to_owned())).collect();
    let document = Document::parse("plain.toml", &text).unwrap().with_overrides(&set);
    let scenario = document.scenario().unwrap_or_else(|error| panic!("{error}"));
    scenario.flows["ftp"].tcp.clone()
}

#[test]
fn a_preset_gives_what_is_not_written() {
    for preset in TcpPreset::ALL {
        let written = tcp(&format!("tcp.preset = \"{}\"", preset.name()), &[]);
        assert_eq!(written, preset.parameters());
    }
    assert_eq!(tcp("tcp.preset = \"rfc\"", &[]), TcpParameters::default());
    assert_eq!(tcp("", &[("tcp.preset", "linux")]), TcpPreset::Linux.parameters());
}

#[test]
fn a_written_value_counts_wherever_it_is_written() {
    let linux = TcpPreset::Linux.parameters();
    let lines = "tcp = { min_rto = \"1 s\", preset = \"linux\", recovery.sack.tlp = false }";
    let written = tcp(lines, &[("tcp.congestion.cubic.slow_start", "standard"), ("tcp.delayed_ack", "0 s")]);
    let CongestionConfig::Cubic(cubic) = linux.congestion else { panic!("Linux has CUBIC") };
    let RecoveryConfig::Sack(sack) = linux.recovery else { panic!("Linux has SACK") };
    let expected = TcpParameters {
        min_rto: Duration::from_secs(1),
        delayed_ack: None,
        congestion: CongestionConfig::Cubic(CubicParameters {
            slow_start: SlowStartConfig::Standard,
            ..cubic
        }),
        recovery: RecoveryConfig::Sack(SackParameters { tlp: false, ..sack }),
        ..linux
    };
    assert_eq!(written, expected);
    let other = tcp("tcp.preset = \"linux\"", &[("tcp.congestion.cubic.slow_start.hystart++", "{}")]);
    let CongestionConfig::Cubic(cubic) = other.congestion else { panic!("Linux has CUBIC") };
    assert!(matches!(cubic.slow_start, SlowStartConfig::HystartPlus(_)));
}

#[test]
fn a_preset_reaches_into_the_chosen_control_and_recovery() {
    let ns2 = TcpPreset::Ns2;
    for name in CongestionConfig::NAMES {
        let path = format!("tcp.congestion.{name}");
        let set = [&[(&*path, "{}")], &MARKS[..]].concat();
        let expected = ns2.congestion_with(&CongestionConfig::from_name(name).unwrap());
        assert_eq!(tcp("tcp.preset = \"ns2\"", &set).congestion, expected, "{name}");
    }
    for name in RecoveryConfig::NAMES {
        let set = [(&*format!("tcp.recovery.{name}"), "{}")];
        let expected = ns2.recovery_with(&RecoveryConfig::from_name(name).unwrap());
        assert_eq!(tcp("tcp.preset = \"ns2\"", &set).recovery, expected, "{name}");
    }
    let RecoveryConfig::NewReno(newreno) =
        tcp("tcp.preset = \"ns2\"", &[("tcp.recovery.newreno.max_burst", "0")]).recovery
    else {
        panic!("ns-2 has NewReno")
    };
    assert_eq!((newreno.max_burst, newreno.full_ack_window), (None, FullAckWindow::Window));
}

/// A scenario with a preset is written out with every value and no preset, and is the same experiment.
#[test]
fn a_preset_is_resolved() {
    let text = PLAIN.replace("count = 5", "count = 5\ntcp.preset = \"linux\"");
    let scenario = read(&text).unwrap();
    let written = scenario.to_toml();
    assert!(!written.contains("preset"), "{written}");
    let again = read(&written).unwrap();
    assert_eq!((&again, again.hash()), (&scenario, scenario.hash()));
}

#[test]
fn an_unknown_preset_is_refused_and_a_value_of_a_preset_has_its_line() {
    let refused = |lines: &str| {
        let text = PLAIN.replace("count = 5", &format!("count = 5\n{lines}"));
        read(&text).expect_err("must be refused").to_string()
    };
    let message = refused("tcp.preset = \"linus\"");
    assert!(message.starts_with("plain.toml:13: flows.ftp.tcp.preset: "), "{message}");
    assert!(message.contains("did you mean `linux`?"), "{message}");
    let message = refused("tcp.preset = \"linux\"\ntcp.recovery.sack.detection = \"dupack\"");
    assert!(message.starts_with("plain.toml:13: flows.ftp.tcp.recovery.sack.tlp: "), "{message}");
}

/// Values that do nothing, or that no standard allows, are refused at their line.
#[test]
fn values_without_sense_are_refused() {
    let accurate = "ecn = true\naccecn = true\nrecovery.sack = {}\n";
    let linux = "preset = \"linux\"\n";
    for (lines, path, words) in [
        (format!("{accurate}push_every = 9"), "push_every", "delayed_ack = \"40 ms\""),
        (format!("{linux}push_every = 9"), "push_every", "accecn = true"),
        (format!("{linux}push_every = 0"), "push_every", "a whole number from 1 on belongs here, not 0"),
        (format!("{linux}sack_compression = \"101 ms\""), "sack_compression", "tcp_comp_sack_delay_ns"),
        ("congestion.ledbat.target = \"101 ms\"".to_owned(), "congestion.ledbat.target", "RFC 6817"),
        ("congestion.ledbat.gain = 2".to_owned(), "congestion.ledbat.gain", "RFC 6817"),
        (format!("{linux}congestion.bbr3.probe_rounds = 0"), "congestion.bbr3.probe_rounds", "63"),
    ] {
        let message = read(&format!("{PLAIN}[flows.ftp.tcp]\n{lines}\n")).expect_err("refused").to_string();
        let line = format!("{PLAIN}[flows.ftp.tcp]\n{lines}").lines().count();
        assert!(message.starts_with(&format!("plain.toml:{line}: flows.ftp.tcp.{path}: ")), "{message}");
        assert!(message.contains(words) && message.contains("\nhint: "), "{message}");
    }
}
