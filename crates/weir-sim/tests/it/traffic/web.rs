//! Web sessions.

use super::{agree, completed, text};
use crate::{run, scenario, tables, value};

#[test]
fn a_session_has_its_pages_and_a_page_its_objects() {
    for from in ["end", "start"] {
        let group = format!(
            "count = 5\nstart_jitter = \"1 s\"\ntraffic.web = {{ pages = 3, objects = 4, inter_page = \"2 s\", \
             inter_page_from = \"{from}\", size = \"3 packets\" }}"
        );
        let measured = run(&scenario(&text("200 s", &group), &[]), 1);
        let of = |column| completed(&measured, "web", None, column);
        assert_eq!((of("count") as u32, of("unfinished") as u32), (5 * 3 * 4, 0), "{from}");
        let delivered = value(&tables(&measured).groups, &[("group", "web")], -1, "delivered");
        assert_eq!(delivered as u32, 5 * 3 * 4 * 3, "{from}");
    }
}

/// A page of one packet on an empty path: the round trip of the handshake, propagation, two transmissions.
const PAGE: f64 = 0.150_010_4;

/// A cycle is the time between pages and, where that begins at the end of a page, the page.
#[test]
fn the_time_between_pages_begins_where_it_should() {
    for (from, page) in [("end", PAGE), ("start", 0.0)] {
        let group = format!(
            "count = 20\ntraffic.web = {{ inter_page = \"2 s\", inter_page_from = \"{from}\", size = \"1 packet\" }}"
        );
        let scenario = scenario(&text("400 s", &group), &[("links.l.rate", "800 Mbit/s")]);
        let pages: Vec<_> =
            (0..12).map(|seed| completed(&run(&scenario, seed), "web", None, "count") / 20.0).collect();
        // Renewals X, the first at zero: t / E[X] + E[X^2] / (2 E[X]^2) of them by t, when t is long (Cox,
        // Renewal Theory, section 4.2). A page counts when it has arrived.
        let cycle = 2.0 + page;
        let square = 2.0 * 2.0 * 2.0 + 2.0 * 2.0 * page + page * page;
        agree(&pages, (400.0 - PAGE) / cycle + square / (2.0 * cycle * cycle), from);
    }
}

#[test]
fn sessions_can_come_one_after_the_other() {
    let group = "count = 400\ntraffic.web = { pages = 1, size = \"1 packet\", inter_session = \"100 ms\" }";
    let measured = run(&scenario(&text("80 s", group), &[("measure.period", "20 s")]), 1);
    assert_eq!(completed(&measured, "web", None, "count") as u32, 400);
    // 200 in the first half, a Poisson number.
    let sent = |period| value(&tables(&measured).groups, &[("group", "web")], period, "delivered");
    assert!((sent(0) - 200.0).abs() < 4.5 * 200.0_f64.sqrt(), "{}", sent(0));
    assert!(sent(3) < 0.5, "all have come by 60 s");
}

/// A page is a main object and as many others as the truncated Pareto distribution has on average.
#[test]
fn users_of_3gpp_read_parse_and_load() {
    let group = "count = 40\nstart_jitter = \"5 s\"\ntraffic.web-3gpp = { pages = 4, reading = \"5 s\" }";
    let fast = [("links.l.rate", "800 Mbit/s")];
    let measured = run(&scenario(&text("3000 s", group), &fast), 1);
    let (count, unfinished) =
        (completed(&measured, "web", None, "count"), completed(&measured, "web", None, "unfinished"));
    assert!(unfinished < 0.5, "{unfinished} never end");
    // 160 main objects; the mean number of the others is the sum of P(N >= k) for k from 3 to 54.
    let beyond = |k: f64| {
        let tail = |x: f64| (2.0 / x).powf(1.1);
        (tail(k) - tail(55.0)) / (1.0 - tail(55.0))
    };
    let embedded: f64 = (3..55).map(|k| beyond(f64::from(k))).sum();
    // A number from 0 to 52 deviates by 9 at most from so small a mean: 4.5 standard errors of 160.
    assert!((count / 160.0 - 1.0 - embedded).abs() < 4.5 * 9.0 / 160.0_f64.sqrt(), "{count} objects");
    // Implicit requests are faster by the way back.
    let implicit = scenario(
        &text("3000 s", group),
        &[fast[0], ("flows.web.traffic.web-3gpp.implicit_requests", "true")],
    );
    let same = run(&implicit, 1);
    assert_eq!(completed(&same, "web", None, "count") as u32, count as u32, "the same pages");
    assert_eq!(
        completed(&same, "web", None, "bytes") as u64,
        completed(&measured, "web", None, "bytes") as u64
    );
}
