//! Which links packets pass.

use std::{collections::BTreeSet, fmt::Write as _};

use proptest::prelude::*;
use weir_scenario::DirectedLink;
use weir_types::Duration;

use super::{link, scenario, text, ways};
use crate::read;

#[test]
fn the_way_is_found_written_down_and_read_back() {
    let links = ["ab a b", "bc b c", "ad a d", "de d e", "ec e c"];
    let links: String = links
        .map(|link_| {
            let (name, ends) = link_.split_once(' ').unwrap();
            link(name, ends)
        })
        .concat();
    let found = scenario(&format!(
        "{links}[flows.there]\nfrom = \"a\"\nto = \"c\"\nrtt = \"100 ms\"\n\
         [flows.round]\nfrom = \"a\"\nvia = [\"e\"]\nto = \"c\"\nrtt = \"100 ms\"\n\
         [flows.home]\nfrom = \"c\"\nto = \"a\"\nrtt = \"100 ms\"\n\
         [flows.said]\npath = [\"bc\", \"ab\"]\nrtt = \"100 ms\"\n"
    ));
    assert_eq!(ways(&found, "there"), ("ab bc".into(), "bc' ab'".into()));
    assert_eq!(ways(&found, "round"), ("ad de ec".into(), "ec' de' ad'".into()));
    assert_eq!(ways(&found, "home"), ("bc' ab'".into(), "ab bc".into()));
    assert_eq!(ways(&found, "said"), ("bc' ab'".into(), "ab bc".into()));
    let resolved = found.to_toml();
    assert!(resolved.contains("path = [\n    \"ad\",\n    \"de\",\n    \"ec\",\n]"), "{resolved}");
    assert!(!resolved.contains("via"), "{resolved}");
    let again = read(&resolved).unwrap();
    assert_eq!(again, found);
    assert_eq!(again.hash(), found.hash());
}

#[test]
fn of_equally_many_links_the_least_delay_decides() {
    let links = ["ab a b", "bd b d", "ac a c", "cd c d"].map(|it| it.split_once(' ').unwrap());
    let links = links.map(|(name, ends)| link(name, ends)).concat();
    let flows = "[flows.f]\nfrom = \"a\"\nto = \"d\"\nrtt = \"100 ms\"\n";
    let error = read(&text(&format!("{links}{flows}"))).unwrap_err().to_string();
    assert!(error.contains("2 ways from \"a\" to \"d\" have 2 links and a delay of 20 ms"), "{error}");
    let faster = format!("{links}{flows}").replacen("\"10 ms\"", "\"9 ms\"", 1);
    assert_eq!(ways(&scenario(&faster), "f").0, "ab bd");
}

#[test]
fn acks_take_the_links_that_are_named_or_found_for_them() {
    let one_way = |name: &str, ends: &str| {
        link(name, ends).replace("reverse = { buffer = \"50 packets\" }", "unidirectional = true")
    };
    let ring = [("ab", "a b"), ("bc", "b c"), ("ca", "c a")].map(|(name, ends)| one_way(name, ends)).concat();
    let found = scenario(&format!("{ring}[flows.f]\nfrom = \"a\"\nto = \"b\"\nrtt = \"100 ms\"\n"));
    assert_eq!(ways(&found, "f"), ("ab".into(), "bc ca".into()));
    assert_eq!(found.flows["f"].ack_path, ["bc", "ca"], "written down");
    assert_eq!(read(&found.to_toml()).unwrap(), found);

    let both = "[links.up]\nrate = \"1 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"9 packets\"\nunidirectional = true\n\
                [links.down]\nrate = \"9 Mbit/s\"\ndelay = \"20 ms\"\nbuffer = \"9 packets\"\nunidirectional = true\n";
    let flows = "[flows.f]\npath = [\"down\"]\nack_path = [\"up\"]\nrtt = \"25 ms\"\n";
    assert_eq!(ways(&scenario(&format!("{both}{flows}")), "f"), ("down".into(), "up".into()));
    // Both ways count, each with its own links.
    let error = read(&text(&format!("{both}{flows}")).replace("25 ms", "24 ms")).unwrap_err().to_string();
    assert!(error.contains("the links alone take 25 ms"), "{error}");
}

#[test]
fn datagrams_need_no_way_back() {
    let one_way = "links.up = { rate = \"1 Mbit/s\", delay = \"1 ms\", buffer = \"9 packets\", unidirectional = true }\n";
    let nodes =
        link("ab", "a b").replace("reverse = { buffer = \"50 packets\" }\n", "unidirectional = true\n");
    for traffic in ["cbr.rate = \"80 kbit/s\"", "on-off.rate = \"80 kbit/s\""] {
        for (links, way) in [(one_way, ""), (&nodes, "from = \"a\"\nto = \"b\"")] {
            let text = format!("{links}\n[flows.f]\nrtt = \"40 ms\"\n{way}\ntraffic.{traffic}\n");
            let scenario = scenario(&text);
            assert_eq!(ways(&scenario, "f").1, "", "{text}");
        }
    }
}

#[test]
fn reversed_flows_go_the_other_way() {
    let two = "links.one = { rate = \"1 Mbit/s\", delay = \"1 ms\", buffer = \"9 packets\", reverse = { buffer = \"9 packets\" } }\n\
               links.two = { rate = \"1 Mbit/s\", delay = \"1 ms\", buffer = \"9 packets\", reverse = { buffer = \"9 packets\" } }\n\
               flows.f = { path = [\"two\", \"one\"], upload = true, rtt = \"10 ms\" }\n";
    let found = scenario(two);
    assert_eq!(ways(&found, "f"), ("two' one'".into(), "one two".into()));
    // Data where data passes, ACKs where nothing else does.
    let network = found.network();
    let at = |direction| DirectedLink { link: "one", direction };
    let size = |direction| network.port(at(direction)).expect("a queue").mean_packet_size.bytes();
    assert_eq!(size(weir_scenario::Direction::Reverse), 1500);
    assert_eq!(size(weir_scenario::Direction::Forward), 40);
}

/// A network of up to seven nodes, some links without a queue in the other direction.
fn network() -> impl Strategy<Value = Vec<(usize, usize, u64, bool)>> {
    prop::collection::vec((0_usize..7, 0_usize..7, 1_u64..4, any::<bool>()), 1..14)
}

/// All ways from `here` to 6 that pass no node twice: their links and delays.
fn all_ways(
    links: &[(usize, usize, u64, bool)],
    here: usize,
    passed: &mut BTreeSet<usize>,
    way: &mut Vec<usize>,
    found: &mut Vec<(usize, u64, Vec<usize>)>,
) {
    if here == 6 {
        let delay = way.iter().map(|link| links[*link].2).sum();
        found.push((way.len(), delay, way.clone()));
        return;
    }
    for (index, (from, to, _, reverse)) in links.iter().enumerate() {
        for (a, b, open) in [(*from, *to, true), (*to, *from, *reverse)] {
            if a == here && open && passed.insert(b) {
                way.push(index);
                all_ways(links, b, passed, way, found);
                way.pop();
                passed.remove(&b);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Against trying all ways.
    #[test]
    fn the_best_way_is_found(links in network()) {
        let links: Vec<_> = links.into_iter().filter(|(from, to, ..)| from != to).collect();
        prop_assume!(!links.is_empty());
        let mut found = Vec::new();
        all_ways(&links, 0, &mut BTreeSet::from([0]), &mut Vec::new(), &mut found);
        found.sort();
        let mut written = String::new();
        for (index, (from, to, delay, reverse)) in links.iter().enumerate() {
            let reverse = if *reverse { "reverse = { buffer = \"9 packets\" }\n" } else { "" };
            write!(
                written,
                "[links.l{index}]\nfrom = \"n{from}\"\nto = \"n{to}\"\nrate = \"1 Mbit/s\"\n\
                 delay = \"{delay} ms\"\nbuffer = \"9 packets\"\n{reverse}"
            )
            .unwrap();
        }
        written += "[flows.f]\nfrom = \"n0\"\nto = \"n6\"\nrtt = \"100 ms\"\n";
        let read = read(&text(&written));
        match &found[..] {
            [] => {
                let error = read.unwrap_err().to_string();
                let named = ["there is no way", "there is no node", "there is no link", "no queue"];
                prop_assert!(named.iter().any(|words| error.contains(words)), "{error}");
            }
            [best, other, ..] if best.0 == other.0 && best.1 == other.1 => {
                let error = read.unwrap_err().to_string();
                let equal = found.iter().filter(|way| (way.0, way.1) == (best.0, best.1)).count();
                prop_assert!(error.contains(&format!("{equal} ways from \"n0\" to \"n6\"")), "{error}");
            }
            [best, ..] => {
                let scenario = read.unwrap_or_else(|error| panic!("{error}"));
                let group = &scenario.flows["f"];
                let names: Vec<_> = best.2.iter().map(|link| format!("l{link}")).collect();
                prop_assert_eq!(&group.path, &names);
                prop_assert_eq!(scenario.delay_of(&scenario.data_path(group)), Duration::from_millis(best.1));
            }
        }
    }
}
