//! Networks that cannot be: one clear message each.

use super::{link, text};

/// The message about a network of a to b to c, and d, with these flows.
#[track_caller]
fn refuse(links: &str, flows: &str, place: &str, words: &[&str]) {
    let network = [link("ab", "a b"), link("bc", "b c"), link("cd", "c d")].concat();
    let links = if links.is_empty() { network } else { links.replace("NETWORK\n", &network) };
    let text = text(&format!("{links}[flows.f]\nrtt = \"100 ms\"\n{flows}\n"));
    let message = crate::read(&text).expect_err("must be refused").to_string();
    let line = |message: &str| message.split(':').nth(1).and_then(|line| line.parse::<usize>().ok());
    let number = line(&message).unwrap_or_else(|| panic!("{message:?} has no line"));
    assert!(number > 3, "{message}");
    assert!(message.contains(&format!(": {place}: ")), "{message:?} is not about {place}");
    for word in words {
        assert!(message.contains(word), "{message:?} lacks {word:?}");
    }
    assert!(message.contains("\nhint: "), "{message:?} has no hint");
}

#[test]
fn routes_over_what_does_not_exist() {
    refuse("", "from = \"a\"\nto = \"x\"", "flows.f.to", &["there is no node \"x\"", "nodes: a, b, c, d"]);
    refuse("", "from = \"x\"\nto = \"a\"", "flows.f.from", &["there is no node \"x\""]);
    refuse("", "from = \"a\"\nvia = [\"x\"]\nto = \"c\"", "flows.f.via", &["there is no node \"x\""]);
    refuse("", "path = [\"ab\", \"bx\"]", "flows.f.path", &["there is no link \"bx\"", "links: ab, bc, cd"]);
    refuse("", "path = [\"ab\"]\nack_path = [\"ba\"]", "flows.f.ack_path", &["there is no link \"ba\""]);
    refuse("", "path = [\"ab\"]\nfrom = \"x\"", "flows.f.from", &["there is no node \"x\""]);
    let island = format!("NETWORK\n{}", link("xy", "x y"));
    refuse(
        &island,
        "from = \"a\"\nto = \"x\"",
        "flows.f.to",
        &["there is no way from \"a\" to \"x\" for data"],
    );
}

#[test]
fn routes_with_one_end_or_none() {
    refuse("", "from = \"a\"", "flows.f.from", &["`to` is missing"]);
    refuse("", "to = \"a\"", "flows.f.to", &["`from` is missing"]);
    refuse("", "", "flows.f.path", &["several links and no path", "write from and to"]);
    refuse("", "from = \"a\"\nto = \"a\"", "flows.f.to", &["from \"a\" to itself"]);
}

#[test]
fn links_that_do_not_join() {
    refuse("", "path = [\"ab\", \"cd\"]", "flows.f.path", &["\"cd\" joins \"c\" and \"d\"", "come to \"b\""]);
    refuse("", "path = [\"ab\", \"bc\"]\nto = \"d\"", "flows.f.to", &["ends at \"c\", not at \"d\""]);
    refuse(
        "",
        "path = [\"ab\"]\nack_path = [\"bc\"]",
        "flows.f.ack_path",
        &["ACKs end at \"c\", not at the sender's \"a\""],
    );
    refuse("", "path = [\"ab\"]\nfrom = \"c\"", "flows.f.path", &["joins \"a\" and \"b\"", "come to \"c\""]);
}

#[test]
fn cycles() {
    let ring = format!("NETWORK\n{}{}", link("da", "d a"), link("ac", "a c"));
    refuse(&ring, "path = [\"ab\", \"bc\", \"ac\"]", "flows.f.path", &["cycle", "the node \"a\" twice"]);
    refuse(&ring, "path = [\"ab\", \"ab\"]", "flows.f.path", &["passes \"ab\" twice"]);
    refuse("", "from = \"a\"\nvia = [\"c\"]\nto = \"b\"", "flows.f.via", &["cycle", "the node \"b\" twice"]);
    refuse("", "path = [\"ab\", \"bc\"]\nvia = [\"b\"]", "flows.f.via", &["the path says already"]);
}

#[test]
fn no_way_back() {
    let one_way = |name: &str, ends: &str| {
        link(name, ends).replace("reverse = { buffer = \"50 packets\" }", "unidirectional = true")
    };
    let out = format!("NETWORK\n{}", one_way("out", "d e"));
    refuse(&out, "from = \"a\"\nto = \"e\"", "flows.f.ack_path", &["no way from \"e\" to \"a\" for ACKs"]);
    refuse(&out, "path = [\"cd\"]\nack_path = [\"out\"]", "flows.f.ack_path", &["ACKs end at \"e\""]);
    let pair = format!("NETWORK\n{}{}", one_way("ax", "a x"), one_way("ay", "a x"));
    refuse(
        &pair,
        "path = [\"ax\"]\nack_path = [\"ay\"]",
        "flows.f.ack_path",
        &["against \"ay\", which is one-way"],
    );
    refuse(
        &pair,
        "from = \"x\"\nto = \"a\"",
        "flows.f.to",
        &["there is no way from \"x\" to \"a\" for data"],
    );
    let plain = "links.up = { rate = \"1 Mbit/s\", delay = \"1 ms\", buffer = \"9 packets\", unidirectional = true }\n";
    refuse(plain, "", "flows.f.ack_path", &["no path back", "\"up\" is one-way", "ack_path = [...]"]);
    refuse(plain, "ack_path = [\"up\"]", "flows.f.ack_path", &["the same way as data"]);
    let both = "links.up = { rate = \"1 Mbit/s\", delay = \"1 ms\", buffer = \"9 packets\", unidirectional = true, \
                reverse = { buffer = \"9 packets\" } }\n";
    refuse(both, "", "links.up.unidirectional", &["one-way, and has another direction"]);
}

#[test]
fn data_where_no_queue_is() {
    let bare = link("ab", "a b").replace("reverse = { buffer = \"50 packets\" }\n", "");
    refuse(
        &bare,
        "from = \"b\"\nto = \"a\"",
        "flows.f.to",
        &["against \"ab\"", "has no queue", "links.ab.reverse"],
    );
    refuse(&bare, "path = [\"ab\"]\nfrom = \"b\"", "flows.f.path", &["against \"ab\"", "has no queue"]);
    let plain = "links.l = { rate = \"1 Mbit/s\", delay = \"1 ms\", buffer = \"9 packets\" }\n";
    refuse(plain, "upload = true", "flows.f.path", &["against \"l\"", "has no queue"]);
}

#[test]
fn nodes_on_some_links_only() {
    let some = "NETWORK\n[links.l]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\nbuffer = \"9 packets\"\n";
    refuse(
        some,
        "from = \"a\"\nto = \"b\"",
        "links.l",
        &["this one has no `from`", "every link from and to, or none"],
    );
    let half = "links.l = { from = \"a\", rate = \"1 Mbit/s\", delay = \"1 ms\", buffer = \"9 packets\" }\n";
    refuse(half, "", "links.l", &["this one has no `to`"]);
    let loops = "links.l = { from = \"a\", to = \"a\", rate = \"1 Mbit/s\", delay = \"1 ms\", buffer = \"9 packets\" }\n";
    refuse(loops, "", "links.l.to", &["from \"a\" back to itself"]);
    let plain = "links.l = { rate = \"1 Mbit/s\", delay = \"1 ms\", buffer = \"9 packets\" }\n";
    refuse(plain, "from = \"a\"\nto = \"b\"", "flows.f.from", &["the links have no nodes"]);
    refuse(plain, "path = [\"l\"]\nvia = [\"b\"]", "flows.f.via", &["the links have no nodes"]);
    refuse("", "path = [\"ab\"]\nupload = true", "flows.f.upload", &["where links have nodes"]);
}

#[test]
fn lines_that_lose_all_or_say_nothing() {
    let with = |loss: &str| {
        format!(
            "links.l = {{ rate = \"1 Mbit/s\", delay = \"1 ms\", buffer = \"9 packets\", loss.{loss} }}\n"
        )
    };
    let bernoulli = |inner: &str| with(&format!("bernoulli = {{ {inner} }}"));
    refuse(&bernoulli(""), "", "links.l.loss.bernoulli", &["nothing says how often"]);
    refuse(&bernoulli("per_packet = 0.1, per_bit = 0.1"), "", "links.l.loss.bernoulli", &["which?"]);
    refuse(
        &bernoulli("per_packet = 1.0"),
        "",
        "links.l.loss.bernoulli.per_packet",
        &["nothing ever gets through"],
    );
    refuse(&bernoulli("per_packet = 1.5"), "", "links.l.loss.bernoulli.per_packet", &["not a probability"]);
    let chain = |inner: &str| with(&format!("gilbert-elliott = {{ {inner} }}"));
    let place = "links.l.loss.gilbert-elliott";
    refuse(&chain("to_bad = 0.1, to_good = 0.0"), "", &format!("{place}.to_good"), &["never turns good"]);
    refuse(&chain("to_bad = 0.1"), "", place, &["missing field `to_good`"]);
    refuse(&chain("to_bad = 1.0, to_good = 0.5"), "", &format!("{place}.to_bad"), &["next to nothing"]);
    refuse(&with("periodic.every = 1"), "", "links.l.loss.periodic.every", &["nothing ever gets through"]);
    refuse(&with("burst = {}"), "", "links.l.loss", &["unknown name `burst`"]);
}

#[test]
fn a_router_that_knows_no_ecn_and_marks() {
    for (aqm, place) in [
        ("red = { ecn = true }", "red.ecn"),
        ("fq = { aqm.codel = { ecn = true } }", "fq.aqm.codel.ecn"),
        ("dualpi2 = {}", "dualpi2"),
    ] {
        let link = format!(
            "links.l = {{ rate = \"1 Mbit/s\", delay = \"1 ms\", buffer = \"99 packets\", ecn_capable = false, queue.{aqm} }}\n"
        );
        refuse(&link, "", &format!("links.l.queue.{place}"), &["the router marks, but ecn_capable = false"]);
    }
}
