//! Variants and `--set`.

use weir_aqm::{aqm::RedParameters, qdisc::QueueConfig};
use weir_scenario::{Document, Scenario};
use weir_tcp::TcpParameters;
use weir_types::{Duration, Level};

use crate::{PLAIN, read};

fn set(pairs: &[(&str, &str)]) -> Document {
    let pairs: Vec<_> = pairs.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    Document::parse("plain.toml", PLAIN).unwrap().with_overrides(&pairs)
}

#[test]
fn values_are_set_by_path_with_or_without_quotation_marks() {
    let scenario = set(&[
        ("links.bottleneck.rate", "\"20 Mbit/s\""),
        ("links.bottleneck.delay", "5 ms"),
        ("flows.ftp.count", "7"),
        ("links.bottleneck.queue.red.gentle", "true"),
    ]);
    let scenario = scenario.scenario().unwrap();
    assert_eq!(scenario.links["bottleneck"].rate.unwrap().bits_per_second(), 20_000_000);
    assert_eq!(scenario.flows["ftp"].count, 7);
    let QueueConfig::Red(red) = &scenario.links["bottleneck"].queue else { panic!("not RED") };
    assert!(red.gentle);
    assert_eq!(red.max_th.unwrap().to_string(), "15 packets", "the rest stays");
}

#[test]
fn another_choice_replaces_the_first() {
    let scenario = set(&[("links.bottleneck.queue.rem.gamma", "0.002")]).scenario().unwrap();
    let QueueConfig::Rem(rem) = &scenario.links["bottleneck"].queue else { panic!("not REM") };
    assert_eq!(rem.gamma.to_string(), "0.002");
    let scenario = set(&[("links.bottleneck.queue", "{ drop-tail = {} }")]).scenario().unwrap();
    assert_eq!(scenario.links["bottleneck"].queue.name(), "drop-tail");
    let scenario = set(&[("flows.ftp.rtt", "{ uniform = { from = \"40 ms\", to = \"80 ms\" } }")]);
    assert_eq!(scenario.scenario().unwrap().flows["ftp"].rtt.minimum().to_string(), "40 ms");
}

#[test]
fn a_choice_may_be_set_by_its_name() {
    let scenario = set(&[("links.bottleneck.queue", "codel")]).scenario().unwrap();
    assert_eq!(scenario.links["bottleneck"].queue.name(), "codel");
    let scenario = set(&[("flows.ftp.tcp.congestion", "\"cubic\"")]).scenario().unwrap();
    assert_eq!(scenario.flows["ftp"].tcp.congestion.name(), "cubic");
    // It is the whole table, with its defaults.
    let scenario = set(&[("links.bottleneck.queue", "red")]).scenario().unwrap();
    assert_eq!(scenario, set(&[("links.bottleneck.queue.red", "{}")]).scenario().unwrap());
    // A round trip is a time or a choice.
    let scenario = set(&[("flows.ftp.rtt", "50 ms")]).scenario().unwrap();
    assert_eq!(scenario.flows["ftp"].rtt.minimum().to_string(), "50 ms");
    let error = set(&[("links.bottleneck.queue", "rad")]).scenario().unwrap_err();
    assert!(error.to_string().contains("did you mean `red`?"), "{error}");
}

#[test]
fn a_bad_override_is_named_as_it_was_given() {
    let error = set(&[("links.bottleneck.queue.rad", "{}")]).scenario().unwrap_err();
    assert_eq!((&*error.file, error.line), ("--set links.bottleneck.queue.rad={}", None));

    let error = set(&[("links.bottleneck.rate", "20 Mbps")]).scenario().unwrap_err();
    assert_eq!(error.file, "--set links.bottleneck.rate=20 Mbps");
    assert_eq!((error.line, error.path.as_deref()), (None, Some("links.bottleneck.rate")));
    // The value that is wrong now was right before: the override is to blame, not the file.
    let error = set(&[("links.bottleneck.queue.red.min_th", "20 packets")]).scenario().unwrap_err();
    assert_eq!(error.path.as_deref(), Some("links.bottleneck.queue.red.max_th"));
    let error = set(&[("links.bottleneck.queue.rem", "{ target = \"1 Mbit/s\" }")]).scenario().unwrap_err();
    assert_eq!(
        (error.file.starts_with("--set links.bottleneck.queue.rem="), error.line),
        (true, None),
        "{error}"
    );
    let error = set(&[("variants.a.seed", "3")]).scenario().unwrap_err();
    assert!(error.to_string().contains("cannot be set from outside"), "{error}");
    let error = set(&[("links.bottleneck.speed", "1")]).scenario().unwrap_err();
    assert!(error.to_string().contains("unknown field `speed`"), "{error}");
}

#[test]
fn a_misspelt_link_or_group_is_not_a_new_one() {
    let missing = "[links.NAME] with delay and buffer in the file";
    for (path, value, message, hint) in [
        (
            "links.botleneck.rate",
            "20 Mbit/s",
            "there is no link `botleneck`",
            "did you mean `links.bottleneck.rate`?",
        ),
        (
            "links.botleneck.queue.rem.gamma",
            "0.002",
            "there is no link `botleneck`",
            "did you mean `links.bottleneck.queue.rem.gamma`?",
        ),
        (
            "links.botleneck",
            "{ rate = \"1 Mbit/s\" }",
            "there is no link `botleneck`",
            "did you mean `links.bottleneck`?",
        ),
        ("flows.ftpp.rtt", "80 ms", "there is no group of flows `ftpp`", "did you mean `flows.ftp.rtt`?"),
        ("links.NAME.rate", "20 Mbit/s", "there is no link `NAME`", missing),
        ("flows.web.count", "5", "there is no group of flows `web`", "flows: ftp; for a new one"),
        ("links.bottleneck.aqm.rem.gamma", "0.002", "unknown field `aqm`", "did you mean `queue`?"),
    ] {
        let error = set(&[(path, value)]).scenario().unwrap_err();
        assert_eq!((error.line, error.file), (None, format!("--set {path}={value}")));
        assert!(error.message.contains(message), "{}", error.message);
        assert!(error.hint.clone().unwrap().contains(hint), "{:?}", error.hint);
    }
    for changes in [
        "links.botleneck.rate = \"20 Mbit/s\"",
        "\"links.botleneck.rate\" = \"20 Mbit/s\"",
        "links.botleneck = { rate = \"20 Mbit/s\" }",
        "flows.ftpp.rtt = \"80 ms\"",
    ] {
        let document = Document::parse("plain.toml", &format!("{PLAIN}[variants.a]\n{changes}")).unwrap();
        let error = document.variant("a").unwrap_err();
        assert_eq!(error.line, Some(16), "{error}");
        assert!(error.to_string().contains("there is no "), "{error}");
        assert!(error.to_string().contains("did you mean `"), "{error}");
    }
}

#[test]
fn a_whole_table_is_a_new_link_or_group() {
    let scenario =
        set(&[("flows.ftp2", "{ rtt = \"80 ms\" }"), ("flows.ftp2.count", "3")]).scenario().unwrap();
    assert_eq!(scenario.flows["ftp2"].count, 3);
    let variant = "[variants.a.flows.ftp2]\nrtt = \"80 ms\"\n[variants.b]\nflows.ftp2 = { rtt = \"80 ms\" }";
    let document = Document::parse("plain.toml", &format!("{PLAIN}{variant}")).unwrap();
    for name in ["a", "b"] {
        assert_eq!(document.variant(name).unwrap().flows.len(), 2);
    }
}

const VARIANTS: &str = r#"
[variants.droptail]
label = "DropTail"
"links.bottleneck.queue.drop-tail" = {}

[variants.rem]
links.bottleneck.queue.rem = { gamma = 0.002, ecn = true }

[variants.bad]
"links.bottleneck.queue.red.max_th" = "4 packets"
"#;

const TABLES: &str = r#"
schema = 1
name = "tables"
duration = "20 s"

[links.b]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "100 packets"
queue.red = { min_th = "20 packets", max_th = "80 packets", ecn = true }
reverse = { buffer = "50 packets", queue.red = { min_th = "10 packets", ecn = true } }

[flows.f]
count = 4
rtt = "60 ms"
tcp = { preset = "linux", congestion.dctcp = {}, ecn = true }
"#;

/// The variant `v` that `text` describes.
fn variant(text: &str) -> Scenario {
    let document = Document::parse("tables.toml", &format!("{TABLES}{text}")).unwrap();
    document.variant("v").unwrap()
}

fn red(queue: &QueueConfig) -> &RedParameters {
    let QueueConfig::Red(red) = queue else { panic!("not RED: {queue:?}") };
    red
}

/// A dotted key sets one value. A table that is written as such, in braces, under its own header or from outside,
/// replaces the whole table at its path.
#[test]
fn a_table_replaces_and_a_dotted_key_sets() {
    // What RED takes from the link if nothing is said.
    let derived = Some(Level::Packets(17.0));
    let five = Some(Level::Packets(5.0));
    for (text, min_th, ecn) in [
        ("[variants.v]\nlinks.b.queue.red.min_th = \"5 packets\"", five, true),
        ("[variants.v]\n\"links.b.queue.red.min_th\" = \"5 packets\"", five, true),
        (
            "[variants.v.links]\nb.queue.red.min_th = \"5 packets\"\nb.rate = \"1 Mbit/s\"\nb.delay = \"1 ms\"\nb.buffer = \"9 packets\"",
            five,
            false,
        ),
        ("[variants.v]\nlinks.b.queue.red = { min_th = \"5 packets\" }", five, false),
        ("[variants.v]\nlinks.b.queue = { red = { min_th = \"5 packets\" } }", five, false),
        ("[variants.v]\nlinks.b.queue = { red.min_th = \"5 packets\" }", five, false),
        ("[variants.v.links.b.queue]\nred.min_th = \"5 packets\"", five, false),
        ("[variants.v.links.b.queue.red]\nmin_th = \"5 packets\"", five, false),
        ("[variants.v]\nlinks.b.queue.red = {}", derived, false),
        ("[variants.v.links.b.queue.red]", derived, false),
    ] {
        let scenario = variant(text);
        let red = red(&scenario.links["b"].queue);
        assert_eq!((red.min_th, red.ecn), (min_th, ecn), "{text}");
    }
    for (path, value, ecn) in [
        ("links.b.queue.red.min_th", "5 packets", true),
        ("links.b.queue.red", "{ min_th = \"5 packets\" }", false),
        ("links.b.queue", "{ red = { min_th = \"5 packets\" } }", false),
        ("links.b.queue", "{ red.min_th = \"5 packets\" }", false),
        ("links.b.queue", "{ \"red.min_th\" = \"5 packets\" }", false),
    ] {
        let document = Document::parse("tables.toml", TABLES).unwrap();
        let set = document.with_overrides(&[(path.to_owned(), value.to_owned())]).scenario().unwrap();
        let red = red(&set.links["b"].queue);
        assert_eq!((red.min_th, red.ecn), (five, ecn), "{path} = {value}");
    }
}

/// A table that is replaced has lost its preset, too.
#[test]
fn a_table_of_tcp_is_that_of_the_rfcs_with_what_it_says() {
    let sack = variant("[variants.v]\nflows.f.tcp = { recovery.sack = {} }");
    let tcp = &sack.flows["f"].tcp;
    assert_eq!((tcp.congestion.name(), tcp.recovery.name(), tcp.ecn), ("reno", "sack", false));
    assert_eq!(tcp.min_rto, TcpParameters::default().min_rto);
    let dotted = variant("[variants.v]\nflows.f.tcp.recovery.sack = {}");
    let tcp = &dotted.flows["f"].tcp;
    assert_eq!((tcp.congestion.name(), tcp.recovery.name(), tcp.ecn), ("dctcp", "sack", true));
}

/// In braces two choices are two, not the second of them.
#[test]
fn two_choices_in_one_table_are_refused() {
    for text in [
        "[variants.v]\nlinks.b.queue = { red = {}, codel = {} }",
        "[variants.v]\nflows.f.tcp = { congestion.reno = {}, congestion.cubic = {} }",
        "[[changes]]\nat = \"2 s\"\nlinks.b.queue.red.min_th = \"5 packets\"\nlinks.b.queue.codel = {}\n[variants.v]",
    ] {
        let document = Document::parse("tables.toml", &format!("{TABLES}{text}")).unwrap();
        let error = document.variant("v").expect_err(text).to_string();
        assert!(error.contains("one"), "{error}");
    }
}

/// In mid-run a dotted key sets one value of the queue that is there then.
#[test]
fn a_change_follows_the_same_rule() {
    let changes = r#"
        [[changes]]
        at = "2 s"
        links.b.queue.red.min_th = "25 packets"
        [[changes]]
        at = "4 s"
        links.b.queue.red = { min_th = "30 packets", max_th = "60 packets" }
        [[changes]]
        at = "12 s"
        links.b.queue.red.gentle = true
        links.b.reverse.queue.red.max_th = "40 packets"
        [[changes]]
        at = "14 s"
        links.b.queue = { red = {} }
        [[changes]]
        at = "16 s"
        links.b.queue.codel.target = "3 ms"
        [[changes]]
        at = "18 s"
        links.b.queue.codel.interval = "80 ms"
        [variants.v]
    "#;
    let scenario = variant(changes);
    let at = |seconds: u64| {
        let change =
            scenario.changes.iter().find(|change| change.at == Duration::from_secs(seconds)).unwrap();
        &change.links["b"]
    };
    let thresholds = |seconds| {
        let red = red(at(seconds).queue.as_ref().unwrap());
        (red.min_th.map(Level::value), red.max_th.map(Level::value), red.ecn, red.gentle)
    };
    let gentle = RedParameters::default().gentle;
    assert_eq!(thresholds(2), (Some(25.0), Some(80.0), true, gentle));
    assert_eq!(thresholds(4), (Some(30.0), Some(60.0), false, gentle));
    assert_eq!(thresholds(12), (Some(30.0), Some(60.0), false, true));
    // The thresholds that RED takes from the link: a third of half of its buffer, and three times that.
    assert_eq!(thresholds(14), (Some(17.0), Some(51.0), false, gentle));
    let reverse = red(at(12).reverse.as_ref().unwrap().queue.as_ref().unwrap());
    assert_eq!((reverse.min_th.map(Level::value), reverse.ecn), (Some(10.0), true));
    let Some(QueueConfig::Codel(codel)) = &at(18).queue else { panic!("not CoDel") };
    assert_eq!((codel.target, codel.interval), (Duration::from_millis(3), Duration::from_millis(80)));
    assert_eq!(read(&scenario.to_toml()).unwrap(), scenario, "written out it is the same");
}

/// Changes from outside follow the same rule, and so do paths in quotation marks as Python writes them.
#[test]
fn changes_from_outside_follow_the_same_rule() {
    let document = Document::parse("tables.toml", TABLES).unwrap();
    let values = |changes: &str| {
        let scenario =
            document.with_overrides(&[("changes".to_owned(), changes.to_owned())]).scenario().unwrap();
        let red = red(scenario.changes[0].links["b"].queue.as_ref().unwrap()).clone();
        (red.min_th.map(Level::value), red.max_th.map(Level::value), red.ecn)
    };
    for one in [
        "links.b.queue.red.max_th = '60 packets'",
        "\"links.b.queue.red.max_th\" = '60 packets'",
        "links = { b = { queue.red.max_th = '60 packets' } }",
        "links = { \"b.queue.red.max_th\" = '60 packets' }",
        "links.b.buffer = '70 packets', \"links.b.queue.red.max_th\" = '60 packets'",
        "\"links.b.queue.red.max_th\" = '60 packets', \"links.b.buffer\" = '70 packets'",
    ] {
        assert_eq!(values(&format!("[{{ at = '3 s', {one} }}]")), (Some(20.0), Some(60.0), true), "{one}");
    }
    for whole in [
        "links.b.queue.red = { max_th = '60 packets' }",
        "\"links.b.queue.red\" = { max_th = '60 packets' }",
        "links.b.queue = { red.max_th = '60 packets' }",
        "links = { b = { queue = { red = { max_th = '60 packets' } } } }",
    ] {
        let found = values(&format!("[{{ at = '3 s', {whole} }}]"));
        assert_eq!(found, (Some(20.0), Some(60.0), false), "{whole}");
    }
}

#[test]
fn paths_in_quotation_marks_in_a_change() {
    let change = "[[changes]]\nat = \"3 s\"\n";
    let quoted = format!(
        "{change}\"links.b.queue.red.max_th\" = \"60 packets\"\n\"flows.f.rtt\" = \"90 ms\"\n[variants.v]"
    );
    assert_eq!(
        variant(&quoted),
        variant(&quoted.replace("\"links.b.queue.red.max_th\"", "links.b.queue.red.max_th"))
    );
    assert!(red(variant(&quoted).changes[0].links["b"].queue.as_ref().unwrap()).ecn);
    let text = format!("{TABLES}{change}\"links.b.bufer\" = \"3 packets\"\n");
    let error = Document::parse("tables.toml", &text).unwrap().scenario().unwrap_err();
    assert_eq!(error.path.as_deref(), Some("changes[0].links.b.bufer"));
    assert_eq!(error.line, Some(text.lines().count()));
}

/// In a table that replaces all links every one is new, however its keys are written.
#[test]
fn a_whole_table_of_links_has_new_ones() {
    let links = "{ new.rate = '1 Mbit/s', new.delay = '1 ms', new.buffer = '9 packets' }";
    let scenario = set(&[("links", links)]).scenario().unwrap();
    assert_eq!(scenario.links.keys().collect::<Vec<_>>(), ["new"]);
}

#[test]
fn variants_keep_their_order_and_labels() {
    let document = Document::parse("plain.toml", &format!("{PLAIN}{VARIANTS}")).unwrap();
    assert_eq!(document.variants(), ["droptail", "rem", "bad"]);
    assert_eq!(document.label("droptail"), "DropTail");
    assert_eq!(document.label("rem"), "rem");
    assert_eq!(document.variant("droptail").unwrap().links["bottleneck"].queue.name(), "drop-tail");
    assert_eq!(document.variant("rem").unwrap().links["bottleneck"].queue.name(), "rem");
    assert_eq!(document.scenario().unwrap().links["bottleneck"].queue.name(), "red");
}

#[test]
fn an_error_in_a_variant_points_at_its_line() {
    let document = Document::parse("plain.toml", &format!("{PLAIN}{VARIANTS}")).unwrap();
    let error = document.variant("bad").unwrap_err();
    assert_eq!(error.line, Some(24), "{error}");
    let error = document.variant("good").unwrap_err();
    assert!(error.hint.unwrap().contains("droptail, rem, bad"));
}

#[test]
fn the_resolved_scenario_says_everything_and_reads_back() {
    let scenario = read(PLAIN).unwrap();
    let resolved = scenario.to_toml();
    for default in [
        "w_q = 0.002",
        "warm_up = \"5 s\"",
        "min_rto = \"1 s\"",
        "mean_packet_size = \"1500 B\"",
        "path = [\"bottleneck\"]",
        "seed = 1",
    ] {
        assert!(resolved.contains(default), "{resolved}\nlacks {default}");
    }
    assert_eq!(read(&resolved).unwrap(), scenario);
}
