//! Values that are offered are valid, and bring what they need.

use weir_scenario::{Document, Need, Scale, needs};

use crate::PLAIN;

fn document() -> Document {
    Document::parse("plain.toml", PLAIN).unwrap()
}

#[test]
fn a_span_ends_at_the_last_valid_value_of_two_digits() {
    let delays = Scale { low: 1e-3, high: 1.0, log: true, whole: false, unit: "s" };
    let document = document().with_overrides(&[("links.bottleneck.queue.codel".to_owned(), "{}".to_owned())]);
    let span = |key: &str, now| {
        let path = format!("links.bottleneck.queue.codel.{key}");
        document.span(&[None], &[path], delays, now)
    };
    // A target is below the interval of 100 ms, an interval above the target of 5 ms.
    assert_eq!(span("target", 0.005), (1e-3, 0.099));
    assert_eq!(span("interval", 0.1), (0.0051, 1.0));
}

#[test]
fn whole_numbers_have_whole_ends() {
    let flows = Scale { low: 10.24, high: 1e5, log: true, whole: true, unit: "" };
    let path = "links.bottleneck.queue.fq-codel.flows".to_owned();
    assert_eq!(document().span(&[None], &[path], flows, 1024.0), (11.0, 65_000.0));
}

#[test]
fn a_value_says_what_it_needs() {
    let ecn = Need { path: "flows.ftp.tcp.ecn".to_owned(), value: Some("true"), name: "ECN" };
    assert_eq!(needs("flows.ftp.tcp.congestion.dctcp", "{}"), [ecn]);
    let feedback = &needs("flows.ftp.tcp.ecn", "false")[0];
    assert_eq!((&*feedback.path, feedback.value), ("flows.ftp.tcp.accecn", Some("false")));
    let marks = &needs("links.bottleneck.queue.rem.mark_at", "\"departure\"")[0];
    assert_eq!((&*marks.path, marks.value), ("links.bottleneck.queue.rem.ecn", Some("true")));
    assert_eq!(needs("links.bottleneck.queue.red.ecn", "false"), []);
}

/// A million CUBIC flows took 785 bytes each where the page was measured: 415 and 330 of them are those of the estimate.
#[test]
fn memory_grows_with_flows_and_time_with_the_rate() {
    let of = |key: &str, value: &str| {
        document().with_overrides(&[(key.to_owned(), value.to_owned())]).scenario().unwrap().demand()
    };
    let (few, many) = (of("flows.ftp.count", "10"), of("flows.ftp.count", "1000000"));
    assert!(few.memory < 2e6 && few.seconds < 1.0, "{few:?}");
    assert!((4e8..1e9).contains(&many.memory) && many.flows > 999_999.0, "{many:?}");
    let fast = of("links.bottleneck.rate", "100 Gbit/s");
    assert!((8_000.0..12_000.0).contains(&(fast.seconds / few.seconds)), "{fast:?}");
}
