//! Variants and `--set`.

use weir_aqm::qdisc::QueueConfig;
use weir_scenario::Document;

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
fn a_bad_override_is_named_as_it_was_given() {
    let error = set(&[("links.bottleneck.rate", "20 Mbps")]).scenario().unwrap_err();
    assert_eq!(error.file, "--set links.bottleneck.rate=20 Mbps");
    assert_eq!((error.line, error.path.as_deref()), (None, Some("links.bottleneck.rate")));
    // The value that is wrong now was right before: the override is to blame, not the file.
    let error = set(&[("links.bottleneck.queue.red.min_th", "20 packets")]).scenario().unwrap_err();
    assert_eq!(error.path.as_deref(), Some("links.bottleneck.queue.red.max_th"));
    let error = set(&[("links.bottleneck.queue.rem", "{ target = \"1 ms\" }")]).scenario().unwrap_err();
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
