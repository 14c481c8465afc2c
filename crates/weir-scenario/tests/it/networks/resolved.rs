//! The resolved network: bottlenecks, load, limits.

use weir_scenario::{Direction, Network, Scenario};
use weir_types::Duration;

use super::text;

fn link(name: &str, rate: u32, more: &str) -> String {
    format!("[links.{name}]\nrate = \"{rate} Mbit/s\"\ndelay = \"1 ms\"\nbuffer = \"50 packets\"\n{more}\n")
}

fn read(links: &str, flows: &str) -> Scenario {
    crate::read(&text(&format!("{links}{flows}"))).unwrap_or_else(|error| panic!("{error}"))
}

fn bottleneck(network: &Network<'_>) -> (String, Option<String>) {
    (network.bottleneck.at.to_string(), network.bottleneck.ambiguity.clone())
}

#[test]
fn the_bottleneck_is_the_slowest_link_in_every_order() {
    let rates = [100, 20, 5];
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for count in [2, 3] {
        for order in orders {
            let rates = &order.map(|place| rates[place])[..count];
            let links: String = rates.iter().map(|rate| link(&format!("l{rate}"), *rate, "")).collect();
            let path: Vec<_> = rates.iter().map(|rate| format!("\"l{rate}\"")).collect();
            let flows = format!("[flows.f]\npath = [{}]\nrtt = \"40 ms\"\n", path.join(", "));
            let scenario = read(&links, &flows);
            let network = scenario.network();
            let least = rates.iter().min().unwrap();
            assert_eq!(bottleneck(&network), (format!("l{least}"), None), "{rates:?}");
            assert_eq!(network.paths[0].bottleneck, network.bottleneck);
            let bdp = f64::from(*least) * 1e6 * 0.04 / 12_000.0;
            assert!((network.paths[0].bdp_packets(&network) - bdp).abs() < 1e-9);
        }
    }
}

#[test]
fn a_bottleneck_that_could_be_another_is_said() {
    let path = "[flows.f]\npath = [\"a\", \"b\"]\nrtt = \"40 ms\"\n";
    let found = |a: &str, b: &str, more: &str| {
        let scenario = read(&format!("{more}{a}{b}"), path);
        bottleneck(&scenario.network())
    };
    let (at, why) = found(&link("a", 5, ""), &link("b", 5, ""), "");
    assert_eq!((&*at, why.as_deref()), ("a", Some("a and b have the same rate, 5 Mbit/s")));
    let named = found(&link("a", 5, ""), &link("b", 5, ""), "[measure]\nbottleneck = \"b\"\n");
    assert_eq!(named, ("b".to_owned(), None));
    let falls = "rate_schedule = [{ at = \"2 s\", rate = \"3 Mbit/s\" }]";
    let (at, why) = found(&link("a", 5, ""), &link("b", 9, falls), "");
    assert_eq!((&*at, why.as_deref()), ("a", Some("the bottleneck moves from a to b at 2 s")));
    // Both change at once, and the first stays the slower one.
    let lower = "rate_schedule = [{ at = \"2 s\", rate = \"1 Mbit/s\" }]";
    assert_eq!(found(&link("a", 5, lower), &link("b", 9, falls), ""), ("a".to_owned(), None));
    let (at, why) = found(&link("a", 5, ""), &link("b", 9, &format!("{falls}\nrate_period = \"3 s\"")), "");
    assert!(at == "a" && why.is_some());
}

#[test]
fn paths_with_different_bottlenecks() {
    let links = format!("{}{}", link("a", 5, "reverse = { buffer = \"9 packets\" }"), link("b", 4, ""));
    let flows = "[flows.f]\npath = [\"a\"]\nrtt = \"40 ms\"\n[flows.g]\npath = [\"b\"]\nrtt = \"40 ms\"\n\
                 [flows.h]\npath = [\"a\"]\nupload = true\nrtt = \"40 ms\"\n";
    let scenario = read(&links, flows);
    let network = scenario.network();
    let of_paths: Vec<_> = network.paths.iter().map(|path| path.bottleneck.at.to_string()).collect();
    assert_eq!(of_paths, ["a", "b", "a.reverse"]);
    let (at, why) = bottleneck(&network);
    assert_eq!((&*at, why.as_deref()), ("b", Some("paths have different bottlenecks: a, a.reverse, b")));
    let error = crate::read(&text(&format!("[measure]\nbottleneck = \"c\"\n{links}{flows}"))).unwrap_err();
    assert_eq!(error.path.as_deref(), Some("measure.bottleneck"));
    let error =
        crate::read(&text(&format!("[measure]\nbottleneck = \"b.reverse\"\n{links}{flows}"))).unwrap_err();
    assert!(error.to_string().contains("\"b\" has no queue in its reverse direction"), "{error}");
}

#[test]
fn load_and_rates_over_time() {
    let again = "rate_schedule = [{ at = \"1 s\", rate = \"2 Mbit/s\" }]\nrate_period = \"4 s\"";
    let flows = "[flows.f]\ncount = 2\npopulation = [{ step = 2, every = \"1 s\", until = 5 }]\nstop = \"6 s\"\n\
                 rtt = \"40 ms\"\n[flows.g]\nstart = \"2 s\"\nrtt = \"40 ms\"\n";
    let scenario = read(&link("a", 5, again), flows);
    let network = scenario.network();
    let port = &network.ports[0];
    assert_eq!((port.at.link, port.at.direction), ("a", Direction::Forward));
    let load: Vec<_> = port.load.iter().map(|one| (one.at.as_secs_f64(), one.before, one.after)).collect();
    assert_eq!(load, [(0.0, 0, 2), (1.0, 2, 4), (2.0, 4, 6), (6.0, 6, 1)]);
    let rates: Vec<_> = port
        .rate_changes(Duration::from_secs(9))
        .map(|(at, rate)| (at.as_secs_f64(), rate.bits_per_second() / 1_000_000))
        .collect();
    assert_eq!(rates, [(1.0, 2), (4.0, 5), (5.0, 2), (8.0, 5)]);
    assert_eq!(port.rate_at(Duration::from_secs(5)).bits_per_second(), 2_000_000);
}

#[test]
fn values_are_those_of_the_scenario_with_every_default() {
    let queue = "queue.fq = { aqm.red = {}, flows = 64 }\n";
    let row = "[links.row]\nhops = 2\nrate = \"3 Mbit/s\"\ndelay = \"1 ms\"\nbuffer = \"1 BDP\"\n";
    let scenario = read(
        &format!("{}{row}", link("a", 5, queue)),
        "[flows.f]\npath = [\"a\", \"row\"]\nrtt = \"40 ms\"\n",
    );
    let value = |path| scenario.value(path).map(|value| value.to_string());
    assert_eq!(value("links.a.queue.fq.flows").as_deref(), Some("64"));
    assert_eq!(value("links.a.queue.fq.aqm.red.max_p").as_deref(), Some("0.1"));
    assert_eq!(value("links.row.rate").as_deref(), Some("\"3 Mbit/s\""));
    assert_eq!(value("links.a.queue.fq.aqm.red.nothing"), None);
}
