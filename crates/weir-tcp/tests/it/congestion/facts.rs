//! Facts about congestion controls are what the controls do.

use weir_tcp::{
    TcpParameters,
    congestion::{CongestionConfig, Facts, Marks},
    recovery::{LossDetection, RecoveryConfig, SackParameters},
};

use super::Bench;

fn all() -> impl Iterator<Item = CongestionConfig> {
    CongestionConfig::NAMES.iter().map(|name| CongestionConfig::from_name(name).expect("in the registry"))
}

fn rack() -> RecoveryConfig {
    RecoveryConfig::Sack(SackParameters { detection: LossDetection::Rack, ..SackParameters::default() })
}

/// The parameters that the facts ask for, and no more.
fn fitting(congestion: CongestionConfig) -> TcpParameters {
    let Facts { marks, samples, .. } = congestion.facts();
    let sack = RecoveryConfig::Sack(SackParameters::default());
    let recovery = match (samples, marks) {
        (true, _) => rack(),
        (false, Marks::Counted) => sack,
        _ => TcpParameters::default().recovery,
    };
    let (ecn, accecn) = (marks >= Marks::Wanted, marks >= Marks::Counted);
    TcpParameters { congestion, recovery, ecn, accecn, ..TcpParameters::default() }
}

#[test]
fn a_control_is_taken_with_what_it_asks_for_and_refused_without() {
    for congestion in all() {
        let (name, facts) = (congestion.name(), congestion.facts());
        let whole = fitting(congestion);
        whole.check().unwrap_or_else(|invalid| panic!("{name}: {invalid:?}"));
        let without_ecn = TcpParameters { ecn: false, accecn: false, ..whole.clone() }.check();
        assert_eq!(without_ecn.is_err(), facts.marks >= Marks::Needed, "{name} without ECN");
        let without_count = TcpParameters { accecn: false, ..whole.clone() }.check();
        assert_eq!(without_count.is_err(), facts.marks == Marks::Counted, "{name} without accurate feedback");
        let without_rack = TcpParameters { recovery: TcpParameters::default().recovery, ..whole }.check();
        assert_eq!(
            without_rack.is_err(),
            facts.samples || facts.marks == Marks::Counted,
            "{name} without SACK"
        );
    }
}

/// A mark changes no window of a control that ignores marks, and some window of every other, sooner or later.
#[test]
fn marks_are_to_a_control_what_its_facts_say() {
    for congestion in all() {
        let mut bench = Bench::new(&congestion, 20.0);
        let before = bench.window.cwnd;
        if bench.control.answers_marks() {
            bench.mark();
        }
        let answers = bench.window.cwnd < before || !bench.control.answers_marks();
        assert!(answers || congestion.facts().marks == Marks::Ignored, "{}", congestion.name());
        if congestion.facts().marks == Marks::Ignored {
            assert!((bench.window.cwnd - before).abs() < 1e-12, "{}", congestion.name());
        }
    }
}

#[test]
fn what_a_control_needs_is_said_as_a_file_writes_it() {
    let needs = |name| CongestionConfig::from_name(name).expect("in the registry").facts().needs();
    assert_eq!(needs("cubic"), []);
    assert_eq!(needs("dctcp"), [("ecn", "true")]);
    assert_eq!(needs("bbr1"), [("preset", "\"linux\"")]);
    assert_eq!(needs("prague"), [("ecn", "true"), ("accecn", "true"), ("recovery.sack", "{}")]);
}

/// The names are those of `tcp_congestion_ops` in `net/ipv4/tcp_NAME.c`; `prague` is in the kernel of L4S.
#[test]
fn a_control_that_linux_has_bears_its_name_there() {
    let named = all().filter_map(|control| Some((control.name(), control.facts().kernel_name?)));
    let expected = [
        ("reno", "reno"),
        ("cubic", "cubic"),
        ("scalable", "scalable"),
        ("vegas", "vegas"),
        ("dctcp", "dctcp"),
        ("prague", "prague"),
        ("bbr1", "bbr"),
        ("westwood-plus", "westwood"),
    ];
    assert!(named.eq(expected));
}
