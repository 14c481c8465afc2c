//! Short forms are nothing but less to write.

use std::fmt::Write as _;

use weir_scenario::Document;

use super::{scenario, text, ways};

const PARKING_LOT: &str = r#"
[links.hop]
hops = 3
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "100 packets"
queue.red = {}
reverse = { buffer = "1000 packets" }

[flows.long]
count = 10
rtt = "80 ms"

[flows.cross]
each_hop_of = "hop"
count = 10
rtt = "40 ms"

[variants.rem]
"links.hop.queue.rem" = {}
"#;

#[test]
fn a_row_is_written_out() {
    let found = scenario(PARKING_LOT);
    assert_eq!(found.links.keys().collect::<Vec<_>>(), ["hop1", "hop2", "hop3"]);
    assert_eq!(found.flows.keys().collect::<Vec<_>>(), ["long", "cross1", "cross2", "cross3"]);
    assert_eq!(ways(&found, "long"), ("hop1 hop2 hop3".into(), "hop3' hop2' hop1'".into()));
    assert_eq!(ways(&found, "cross2"), ("hop2".into(), "hop2'".into()));
    let resolved = found.to_toml();
    assert!(!resolved.contains("hops") && !resolved.contains("each_hop_of"), "{resolved}");
    assert_eq!(crate::read(&resolved).unwrap(), found);
}

/// The short form and the form that is written out are one experiment.
#[test]
fn the_short_form_has_the_key_of_the_long_one() {
    let link = |name: &str| {
        format!(
            "[links.{name}]\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"100 packets\"\nqueue.red = {{}}\n\
             reverse = {{ buffer = \"1000 packets\" }}\n"
        )
    };
    let mut long = ["hop1", "hop2", "hop3"].map(link).concat();
    long += "[flows.long]\ncount = 10\nrtt = \"80 ms\"\npath = [\"hop1\", \"hop2\", \"hop3\"]\n";
    for hop in 1..=3 {
        write!(long, "[flows.cross{hop}]\ncount = 10\nrtt = \"40 ms\"\npath = [\"hop{hop}\"]\n").unwrap();
    }
    assert_eq!(scenario(&long).hash(), scenario(PARKING_LOT).hash());
    assert_eq!(scenario(&long), scenario(PARKING_LOT));
}

#[test]
fn the_short_form_can_be_overridden() {
    let document = Document::parse("net.toml", &text(PARKING_LOT)).unwrap();
    let rem = document.variant("rem").unwrap();
    assert!(rem.links.values().all(|link| link.queue.name() == "rem"));
    let set = |path: &str, value: &str| document.with_overrides(&[(path.to_owned(), value.to_owned())]);
    assert_eq!(set("links.hop.hops", "4").scenario().unwrap().flows.len(), 5);
    let slower = set("links.hop.rate", "5 Mbit/s").scenario().unwrap();
    assert!(slower.links.values().all(|link| link.rate.unwrap().bits_per_second() == 5_000_000));
    let few = set("flows.cross.count", "2").scenario().unwrap();
    assert!(["cross1", "cross3"].iter().all(|name| few.flows[*name].count == 2));
    // A parameter of an AQM that is not there makes no difference, whichever name it is set by.
    let red = document.scenario().unwrap();
    for link in ["hop", "hop2"] {
        assert!(red.has_choice(&format!("links.{link}.queue.red.max_p")));
        assert!(!red.has_choice(&format!("links.{link}.queue.rem.gamma")));
    }
}

/// Reversed flows pass a row from its end to its beginning.
#[test]
fn a_row_can_be_passed_backwards() {
    let text = PARKING_LOT.replace("count = 10\nrtt = \"80 ms\"", "upload = true\nrtt = \"80 ms\"");
    let found = scenario(&text);
    assert_eq!(ways(&found, "long"), ("hop3' hop2' hop1'".into(), "hop1 hop2 hop3".into()));
    assert_eq!(crate::read(&found.to_toml()).unwrap(), found);
}

/// Errors in something written out are shown where it was written.
#[test]
fn mistakes_point_at_the_short_form() {
    let error = |from: &str, to: &str| {
        let text = text(&PARKING_LOT.replace(from, to));
        let error = crate::read(&text).expect_err("must be refused").to_string();
        assert!(error.contains("\nhint: "), "{error}");
        error
    };
    let found = error("\"100 packets\"", "\"0 packets\"");
    assert!(found.starts_with("plain.toml:9: links.hop.buffer: the buffer does not hold"), "{found}");
    let found = error("rtt = \"40 ms\"", "rtt = \"15 ms\"");
    assert!(found.starts_with("plain.toml:20: flows.cross.rtt: "), "{found}");
    let found = error("hops = 3", "hops = 0");
    assert!(found.starts_with("plain.toml:6: links.hop.hops: 0 is no number of links"), "{found}");
    let found = error("hops = 3", "hops = 3\nfrom = \"a\"\nto = \"b\"");
    assert!(
        found.starts_with("plain.toml:6: links.hop.hops: a row of links with the nodes of one"),
        "{found}"
    );
    let found = error("each_hop_of = \"hop\"", "each_hop_of = \"hip\"");
    assert!(
        found.contains("flows.cross.each_hop_of: \"hip\" is no row of links\nhint: rows: hop"),
        "{found}"
    );
    let found = error("hops = 3\n", "");
    assert!(
        found.contains("\"hop\" is no row of links\nhint: write for example links.hop.hops = 3"),
        "{found}"
    );
    let found = error("each_hop_of = \"hop\"", "each_hop_of = \"hop\"\npath = [\"hop\"]");
    assert!(found.contains("flows.cross.each_hop_of: each group takes its own link"), "{found}");
    let found = error("[flows.long]", "[flows.cross2]");
    assert!(found.contains("the row has a group \"cross2\", and there is another"), "{found}");
    let found = error(
        "[flows.long]",
        "links.hop2 = { rate = \"1 Mbit/s\", delay = \"0 s\", buffer = \"9 packets\" }\n[flows.long]",
    );
    assert!(found.contains("queue") || found.contains("another of this name"), "{found}");
}
