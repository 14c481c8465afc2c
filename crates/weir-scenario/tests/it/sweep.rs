//! `[sweep]`: what is varied, and how often it is run.

use serde_json::{Value, json};
use weir_scenario::{Document, ScenarioError};

use crate::{PLAIN, read};

const SWEEP: &str = r#"
[sweep]
replications = 10
until = ["goodput ±0.5%", "mean_queue ±1 packet"]
samples = 200
method = "lhs"

[sweep.axes]
"links.bottleneck.rate; links.bottleneck.buffer" = [["5 Mbit/s", "20 packets"], ["20 Mbit/s", "80 packets"]]
"flows.ftp.count" = "2..20 by 2"
"links.bottleneck.queue.red.max_p" = [0.05, 0.1]
"#;

fn sweep_of(text: &str) -> Result<Option<Value>, ScenarioError> {
    let scenario = read(&format!("{PLAIN}{text}"))?;
    Ok(scenario.sweep.map(|sweep| serde_json::from_str(&sweep.to_json()).unwrap()))
}

#[test]
fn a_sweep_is_handed_on_as_it_was_written() {
    let sweep = sweep_of(SWEEP).unwrap().unwrap();
    let expected = json!({
        "replications": 10,
        "until": ["goodput ±0.5%", "mean_queue ±1 packet"],
        "samples": 200,
        "method": "lhs",
        "axes": {
            "links.bottleneck.rate; links.bottleneck.buffer":
                [["5 Mbit/s", "20 packets"], ["20 Mbit/s", "80 packets"]],
            "flows.ftp.count": "2..20 by 2",
            "links.bottleneck.queue.red.max_p": [0.05, 0.1],
        },
    });
    // As texts: the order of the axes is kept.
    assert_eq!(sweep.to_string(), expected.to_string());
}

#[test]
fn what_is_left_out_is_not_there() {
    assert_eq!(sweep_of("").unwrap(), None);
    assert_eq!(sweep_of("[sweep]\n").unwrap(), Some(json!({ "axes": {} })));
}

#[test]
fn a_path_needs_no_quotation_marks() {
    let sweep =
        sweep_of("[sweep.axes]\nflows.ftp.count = [2, 4]\nlinks.bottleneck.rate = \"5..20 Mbit/s by 5\"\n");
    let axes = json!({ "flows.ftp.count": [2, 4], "links.bottleneck.rate": "5..20 Mbit/s by 5" });
    assert_eq!(sweep.unwrap(), Some(json!({ "axes": axes })));
}

#[test]
fn a_sweep_says_what_is_run_and_not_how_it_behaves() {
    let (plain, swept) = (read(PLAIN).unwrap(), read(&format!("{PLAIN}{SWEEP}")).unwrap());
    assert_eq!(swept.hash(), plain.hash());
    assert_eq!(swept.to_toml(), plain.to_toml());
    assert_eq!(swept.to_json(), plain.to_json());
}

#[test]
fn a_sweep_is_one_for_all_variants_and_can_be_set_from_outside() {
    let document = Document::parse("plain.toml", &format!("{PLAIN}{SWEEP}[variants.a]\nseed = 2\n")).unwrap();
    assert_eq!(document.variant("a").unwrap().sweep, document.scenario().unwrap().sweep);
    let set = [("sweep.replications", "3"), ("sweep.axes.flows.ftp.count", "[1, 2]")];
    let set = set.map(|(path, value)| (path.to_owned(), value.to_owned()));
    let sweep = document.with_overrides(&set).scenario().unwrap().sweep.unwrap();
    assert_eq!(sweep.replications, Some(3));
    assert_eq!(sweep.axes.0.len(), 3, "another set of values for the same axis");
    let axes: Value = serde_json::from_str(&sweep.to_json()).unwrap();
    assert_eq!(axes["axes"]["flows.ftp.count"], json!([1, 2]));
}

#[track_caller]
fn refuse(text: &str, place: &str, words: &[&str]) {
    let message = sweep_of(text).expect_err("must be refused").to_string();
    assert!(message.starts_with(place), "{message:?} does not begin with {place:?}");
    for word in words {
        assert!(message.contains(word), "{message:?} lacks {word:?}");
    }
    assert!(message.contains("\nhint: "), "{message:?} has no hint");
}

#[test]
fn mistakes_are_named_with_their_line() {
    refuse(
        "[sweep]\nreplicatons = 3\n",
        "plain.toml:16: sweep.replicatons: ",
        &["did you mean `replications`?"],
    );
    refuse(
        "[sweep]\nmethod = \"sobel\"\n",
        "plain.toml:16: sweep.method: ",
        &["`sobel`", "did you mean `sobol`?"],
    );
    refuse(
        "[sweep]\nreplications = \"3\"\n",
        "plain.toml:16: sweep.replications: ",
        &["a whole number from 0 on"],
    );
    refuse("[sweep]\nreplications = 0\n", "plain.toml:16: sweep.replications: ", &["1 or more"]);
    refuse(
        "[sweep]\nsamples = -1\n",
        "plain.toml:16: sweep.samples: ",
        &["a whole number from 0 on belongs here, not -1"],
    );
    refuse("[sweep]\nuntil = \"goodput ±1%\"\n", "plain.toml:16: sweep.until: ", &["an array"]);
    refuse("[sweep]\naxes = [\"flows.ftp.count\"]\n", "plain.toml:16: sweep.axes: ", &["a table"]);
    let axis = "[sweep.axes]\n\n\"flows.ftp.count\" = ";
    let place = "plain.toml:17: sweep.axes.flows.ftp.count: ";
    refuse(&format!("{axis}5\n"), place, &["an array of values, or a text", "[2, 4, 8]"]);
    refuse(&format!("{axis}[]\n"), place, &["an axis without values"]);
    refuse(&format!("{axis}[1.0, nan]\n"), place, &["finite"]);
    refuse(
        "[sweep.axes]\nflows.ftp.count = true\n",
        "plain.toml:16: sweep.axes.flows.ftp.count: ",
        &["a text"],
    );
    refuse(
        "[variants.a]\n\"sweep.replications\" = 3\n",
        "plain.toml:15: variants.a: ",
        &["outside of the variants"],
    );
}

#[test]
fn a_bad_value_from_outside_is_named_as_it_was_given() {
    let document = Document::parse("plain.toml", PLAIN).unwrap();
    let set = [("sweep.replications".to_owned(), "many".to_owned())];
    let error = document.with_overrides(&set).scenario().unwrap_err();
    assert_eq!((error.file.as_str(), error.line), ("--set sweep.replications=many", None));
    assert_eq!(error.path.as_deref(), Some("sweep.replications"));
}

#[test]
fn a_path_leads_through_a_choice() {
    use weir_scenario::choices_of;
    assert_eq!(choices_of("links.core.queue.red.max_th"), [("links.core.queue", "red")]);
    assert_eq!(
        choices_of("flows.ftp.tcp.congestion.reno.ssthresh_from"),
        [("flows.ftp.tcp.congestion", "reno")]
    );
    let fair = [("links.core.queue", "fq"), ("links.core.queue.fq.aqm", "red")];
    assert_eq!(choices_of("links.core.queue.fq.aqm.red.max_th"), fair);
    assert_eq!(choices_of("links.core.rate"), []);
    assert_eq!(choices_of("flows.ftp.rtt"), []);
    assert_eq!(choices_of("links.aqm.rate"), [], "what people call their links is no choice");
}

#[test]
fn a_scenario_knows_which_disciplines_it_has() {
    let red = read(PLAIN).unwrap();
    assert!(red.has_choice("links.bottleneck.queue.red.max_th"));
    assert!(!red.has_choice("links.bottleneck.queue.rem.target"));
    assert!(red.has_choice("links.bottleneck.rate"));
    assert!(red.has_choice("links.elsewhere.queue.rem.target"));
    let fair = read(&PLAIN.replace("queue.red = {", "queue.fq.aqm.red = {")).unwrap();
    assert!(fair.has_choice("links.bottleneck.queue.fq.aqm.red.max_th"));
    assert!(fair.has_choice("links.bottleneck.queue.fq.flows"));
    assert!(!fair.has_choice("links.bottleneck.queue.fq.aqm.rem.target"));
    assert!(!fair.has_choice("links.bottleneck.queue.red.max_th"));
}
