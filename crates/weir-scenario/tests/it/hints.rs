//! Hints name what was probably meant.

use crate::{
    PLAIN,
    mistakes::{RED, expect, spoil},
    read,
};

#[test]
fn a_file_that_is_not_toml() {
    let rate = "rate = \"10 Mbit/s\"";
    for (from, to, line, hint) in [
        (rate, "rate = 10 Mbit/s", 6, "quotation marks"),
        (rate, "rate = “10 Mbit/s”", 6, "straight quotation marks"),
        (rate, "rate = \"10 Mbit/s", 6, "ends with a quotation mark"),
        (rate, "rate == \"10 Mbit/s\"", 6, "one ="),
        (rate, "rate: \"10 Mbit/s\"", 6, "write =, not a colon: rate = \"10 Mbit/s\""),
        (rate, "rate \"10 Mbit/s\"", 6, "rate = VALUE"),
        (rate, "rate = \"10 Mbit/s\",", 6, "one KEY = VALUE in each line"),
        (rate, "rate = \"1 Mbit/s\"\nrate = \"10 Mbit/s\"", 7, "`rate` is written twice"),
        ("count = 5", "count = 5 // three", 12, "a comment begins with #"),
        ("count = 5", "tcp.ecn = True", 12, "lower case"),
        ("[links.bottleneck]", "[links.bottleneck", 5, "the [ in line 5 is not closed: add ]"),
        ("max_th = \"15 packets\" }", "max_th = \"15 packets\"", 11, "the { in line 9 is not closed: add }"),
        ("count = 5", "via = [\"a\", \"}\"", 13, "the [ in line 12 is not closed: add ]"),
    ] {
        let message = spoil(from, to);
        expect(&message, &format!("plain.toml:{line}: not TOML"), &[hint]);
        assert_eq!(message.contains("quotation"), hint.contains("quotation"), "{message}");
    }
    let message = read("{\"schema\": 1}").expect_err("must be refused").to_string();
    expect(&message, "plain.toml:1: not TOML", &["not JSON"]);
}

#[test]
fn a_key_in_another_table() {
    for (from, to, path, hint) in [
        ("duration =", "rate = \"1 Mbit/s\"\nduration =", "rate", "links.bottleneck.rate"),
        ("duration =", "warmup = \"1 s\"\nduration =", "warmup", "measure.warm_up"),
        ("duration =", "bottleneck.rate = \"1 Mbit/s\"\nduration =", "bottleneck", "links.bottleneck"),
        ("duration =", "queue.red = {}\nduration =", "queue", "links.bottleneck.queue"),
        ("count = 5", "ecn = true", "flows.ftp.ecn", "flows.ftp.tcp.ecn"),
        ("count = 5", "congestion.cubic = {}", "flows.ftp.congestion", "flows.ftp.tcp.congestion"),
        ("count = 5", "tcp = \"cubic\"", "flows.ftp.tcp", "flows.ftp.tcp.congestion.cubic = {}"),
        (
            "count = 5",
            "tcp.congestion.newreno = {}",
            "flows.ftp.tcp.congestion",
            "flows.ftp.tcp.recovery.newreno",
        ),
        ("queue.red", "red", "links.bottleneck.red", "links.bottleneck.queue.red"),
        (RED, "ecn = true\nqueue.red = {}", "links.bottleneck.ecn", "links.bottleneck.queue.red.ecn"),
    ] {
        let message = spoil(from, to);
        let path = format!(": {path}: ");
        assert!(message.contains(&path), "{message:?} lacks {path:?}");
        expect(&message, "plain.toml:", &[&format!("did you mean `{hint}`?")]);
    }
}

#[test]
fn the_word_of_another_simulator() {
    for (from, to, hint) in [
        ("rate =", "bandwidth =", "did you mean `rate`?"),
        ("delay =", "latency =", "did you mean `delay`?"),
        ("rtt =", "delay =", "did you mean `rtt`?"),
        ("count =", "cuont =", "did you mean `count`?"),
        ("count = 5", "mss = \"1 kB\"", "did you mean `packet_size`?"),
        (RED, "aqm = \"red\"", "did you mean `queue.red = {}`?"),
        (RED, "qdisc = \"fq_codel\"", "did you mean `queue.fq-codel = {}`?"),
        (RED, "queue = { type = \"red\", max_p = 0.1 }", "queue.red = {"),
        ("count = 5", "tcp.congestion_control = \"cubic\"", "did you mean `congestion.cubic = {}`?"),
        ("count = 5", "tcp.ecn = \"yes\"", "write ecn = true or ecn = false"),
        ("count = 5", "count = \"1-5\"", "--axis \"flows.ftp.count=1..5 by 1\""),
        ("\"50 packets\"", "\"50 pkts\"", "did you mean \"50 packets\"?"),
        ("\"50 packets\"", "\"2 bdp\"", "did you mean \"2 BDP\"?"),
    ] {
        let message = spoil(from, to);
        expect(&message, "plain.toml:", &[hint]);
        assert!(!message.contains("expected one of"), "{message}");
    }
}

#[test]
fn a_network_without_links() {
    let (before, rest) = PLAIN.split_once("[links.bottleneck]").expect("it has a link");
    let (_, after) = rest.split_once("[flows.ftp]").expect("it has flows");
    let message = read(&format!("{before}[flows.ftp]{after}")).expect_err("must be refused").to_string();
    expect(&message, "plain.toml: links: there is no link", &["add a table [links.bottleneck]"]);
}

#[test]
fn a_choice_without_what_it_needs() {
    let poisson = "{ load = 0.5, size = { cdf = \"web-search\" } }";
    for (written, hint) in [
        ("traffic = \"poisson\"", format!("traffic.poisson = {poisson}")),
        ("traffic.poisson.load = 0.9", format!("write for example poisson = {poisson}")),
    ] {
        let message = spoil("count = 5", written);
        expect(&message, "plain.toml:12: flows.ftp.traffic", &[&hint]);
    }
}

#[test]
fn a_congestion_control_by_another_of_its_names() {
    for name in ["ledbat++", "LEDBATpp"] {
        let message = spoil("count = 5", &format!("tcp.congestion.\"{name}\" = {{}}"));
        expect(&message, "plain.toml:12: flows.ftp.tcp.congestion", &["did you mean `ledbat-plus-plus`?"]);
    }
}

#[test]
fn bbr_has_a_version() {
    for written in
        ["congestion_control = \"bbr\"", "congestion = \"bbrv2\"", "cc = \"bbr\"", "congestion.bbr2 = {}"]
    {
        let message = spoil("count = 5", &format!("tcp.{written}"));
        expect(&message, "plain.toml:12: flows.ftp.tcp", &["`tcp.congestion.bbr1`", "`tcp.congestion.bbr3`"]);
        assert!(!message.contains("did you mean"), "{message}");
    }
    let message = spoil("duration =", "tcp.congestion_control = \"bbr\"\nduration =");
    expect(&message, "plain.toml:", &["tcp.congestion.bbr3"]);
    for name in ["tcp-bbr", "bbr"] {
        let message = spoil("count = 5", &format!("tcp = \"{name}\""));
        expect(
            &message,
            "plain.toml:12: flows.ftp.tcp: a table belongs here",
            &["BBR is `tcp.congestion.bbr1` (version 1)"],
        );
    }
    let message = spoil("count = 5", "tcp = \"linux\"");
    expect(&message, "plain.toml:12: ", &["did you mean `flows.ftp.tcp.preset = \"linux\"`?"]);
}

#[test]
fn the_name_of_a_congestion_control_elsewhere() {
    for (from, to, hint) in [
        ("duration =", "titel = \"Prague and BBR\"\nduration =", "did you mean `title`?"),
        ("[flows.ftp]", "[flow.prague]", "did you mean `flows`?"),
    ] {
        let message = spoil(from, to);
        expect(&message, "plain.toml:", &[hint]);
        assert!(!message.contains("pacing"), "{message}");
    }
    let text =
        PLAIN.replace("duration =", "prague.count = 3\nduration =").replace("flows.ftp", "flows.prague");
    let message = read(&text).expect_err("must be refused").to_string();
    expect(&message, "plain.toml:3: prague: ", &["did you mean `flows.prague`?"]);
}

#[test]
fn names_of_other_tools_lead_to_ours() {
    for (written, ours) in [
        ("piece_of_cake", "write `cake`"),
        ("pfifo", "`drop-tail`"),
        ("bfifo", "buffer = \"100 kB\""),
        ("pfifo_fast", "`drop-tail`"),
        ("ared", "`adaptive-red`"),
        ("prop_integral", "`pi`"),
        ("gred", "`red`"),
        ("fq_codel", "`fq-codel`"),
        ("sfq", "`fq`"),
        ("tbf", "token_bucket"),
        ("sqm", "`cobalt` is its AQM alone"),
        ("pie2", "is `pi2`; PIE (RFC 8033) is `pie`"),
        ("docsis_pie", "`docsis = {}` is a key of the link"),
        ("esfq", "`fq`"),
        ("veno", "a congestion control, which flows have: Reno with an estimate"),
        ("htb", "rate is the shaper"),
        ("netem", "properties of the link"),
    ] {
        for queue in [format!("queue.{written} = {{}}"), format!("queue = \"{written}\"")] {
            let message = spoil(RED, &queue);
            expect(&message, "plain.toml:9: links.bottleneck.queue", &[ours]);
        }
    }
    for (written, ours) in [
        ("bbr2", "bbr3"),
        ("westwood", "westwood-plus`"),
        ("htcp", "`cubic`"),
        ("stcp", "`scalable`"),
        ("nv", "`vegas`"),
        ("olia", "Multipath TCP"),
        ("prr", "detection = \"rack\""),
        ("quic", "no congestion control"),
        ("nstcp", "write `ns2`"),
        ("linux", "tcp.preset = \"linux\""),
    ] {
        let message = spoil("count = 5", &format!("tcp.congestion.{written} = {{}}"));
        expect(&message, "plain.toml:12: flows.ftp.tcp.congestion", &[ours]);
    }
    let message = spoil("count = 5", "tcp.preset = \"freebsd\"");
    expect(&message, "plain.toml:12: flows.ftp.tcp.preset", &["no such preset", "`rfc`"]);
    let message = spoil("count = 5", "tcp.recovery.rack = {}");
    expect(&message, "plain.toml:12: flows.ftp.tcp.recovery", &["detection = \"rack\""]);
    let message = spoil("count = 5", "tcp.recovery.frto = {}");
    expect(&message, "plain.toml:12: flows.ftp.tcp.recovery", &["no sender does", "`sack`"]);
}

#[test]
fn a_table_that_is_written_in_two_places() {
    let message = spoil("count = 5", "tcp = { ecn = true }\ntcp.sack = true");
    expect(&message, "plain.toml:13: not TOML", &["write a table in one place"]);
}

#[test]
fn a_filter_of_acks_by_its_names_in_tc() {
    for (written, hint) in [
        ("ack-filter = true", "queue.ack-filter = {}"),
        ("queue.ack_filter = true", "did you mean `queue.ack-filter = {}`?"),
        ("queue.ack-filter = true", "parameters: queue.ack-filter = {}"),
        ("queue.cake.ack_filter = true", "a choice is a name: ack_filter = \"off\", or \"conservative\", or"),
        ("queue.cake.ack_filter = \"ack-filter\"", "write \"conservative\""),
        ("queue.cake.ack_filter = \"ack-filter-aggressive\"", "write \"aggressive\""),
        ("queue.cake.ack_filter = \"no-ack-filter\"", "write \"off\""),
        ("queue.cake.ack-filter = true", "ack_filter: write \"conservative\""),
        ("queue.cake.ack-filter-aggressive = true", "ack_filter: write \"aggressive\""),
        ("queue.cake.no-ack-filter = true", "ack_filter: write \"off\""),
        ("queue.cake.dual-srchost = true", "did you mean `isolation = \"dual-srchost\"`?"),
        ("queue.ack-filter.mode = \"ack-filter-aggressive\"", "write \"aggressive\""),
        ("queue.ack-filter.mode = 2", "a choice is a name: mode = \"off\""),
        ("queue.no-ack-filter = {}", "queue.cake.ack_filter = \"off\""),
    ] {
        let message = spoil(RED, written);
        expect(&message, "plain.toml:9: links.bottleneck.", &[hint]);
        assert!(!message.contains("NAME"), "{message}");
    }
}
