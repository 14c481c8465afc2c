//! Bad input: one clear message with file, line, path and hint.

use crate::{PLAIN, read};

/// Replaces `from` in the plain scenario and returns the error as a person sees it.
pub(super) fn spoil(from: &str, to: &str) -> String {
    let text = PLAIN.replace(from, to);
    assert_ne!(text, PLAIN, "nothing was replaced");
    read(&text).expect_err("must be refused").to_string()
}

/// The discipline of the plain scenario.
pub(super) const RED: &str = "queue.red = { min_th = \"5 packets\", max_th = \"15 packets\" }";

#[track_caller]
pub(super) fn expect(message: &str, place: &str, words: &[&str]) {
    assert!(message.starts_with(place), "{message:?} does not begin with {place:?}");
    for word in words {
        assert!(message.contains(word), "{message:?} lacks {word:?}");
    }
    assert!(message.contains("\nhint: "), "{message:?} has no hint");
}

#[test]
fn the_plain_scenario_is_fine() {
    assert!(read(PLAIN).is_ok());
}

#[test]
fn an_unknown_key() {
    let message = spoil("delay = ", "dely = ");
    expect(
        &message,
        "plain.toml:7: links.bottleneck.dely: ",
        &["unknown field `dely`", "did you mean `delay`?"],
    );
}

#[test]
fn an_unknown_discipline() {
    let message = spoil("queue.red", "queue.rad");
    expect(&message, "plain.toml:9: links.bottleneck.queue", &["unknown name `rad`", "did you mean `red`?"]);
    let message = spoil("queue.red", "queue.purple");
    expect(&message, "plain.toml:9: links.bottleneck.queue", &["known: drop-tail, red, rem"]);
}

#[test]
fn the_old_key_of_a_queue() {
    let message = spoil("queue.red", "aqm.red");
    expect(&message, "plain.toml:9: links.bottleneck.aqm", &["unknown field `aqm`", "did you mean `queue`?"]);
}

#[test]
fn a_choice_that_is_none_or_two() {
    let message = spoil(RED, "queue = \"red\"");
    expect(
        &message,
        "plain.toml:9: links.bottleneck.queue: \"red\" is a name without its parameters",
        &["queue.red = {}"],
    );
    let message = spoil(RED, "queue.fq.aqm = \"red\"");
    expect(&message, "plain.toml:9: links.bottleneck.queue.fq.aqm: ", &["aqm.red = {}"]);
    let message = spoil("queue.red = {", "queue.rem = {}\nqueue.red = {");
    expect(
        &message,
        "plain.toml:9: links.bottleneck.queue: 2 choices: `rem`, `red`",
        &["make exactly one choice here"],
    );
    let message = spoil(RED, "queue = {}");
    expect(&message, "plain.toml:9: links.bottleneck.queue: nothing is chosen", &["queue.NAME = {}"]);
    let two = "{ uniform = { from = \"40 ms\", to = \"50 ms\" }, exponential = { at_least = \"40 ms\", mean = \"50 ms\" } }";
    let message = spoil("\"40 ms\"", two);
    assert!(message.starts_with("plain.toml:13: flows.ftp.rtt: a round trip is drawn from one"), "{message}");
}

#[test]
fn a_scheduler_where_an_aqm_belongs() {
    let message = spoil(RED, "queue.fq.aqm.choke = {}");
    expect(
        &message,
        "plain.toml:9: links.bottleneck.queue.fq.aqm",
        &["unknown name `choke`", "choke is a scheduler", "queue.choke = {}"],
    );
}

#[test]
fn an_array_where_a_table_belongs() {
    for array in ["[]", "[\"5 packets\", \"15 packets\"]"] {
        let message = spoil(RED, &format!("queue.red = {array}"));
        expect(
            &message,
            "plain.toml:9: links.bottleneck.queue.red: a table belongs here, not an array",
            &["{}"],
        );
    }
    let message = spoil(RED, "queue = []");
    expect(&message, "plain.toml:9: links.bottleneck.queue: this is no choice", &["queue.NAME = {}"]);
}

#[test]
fn a_value_of_another_type() {
    for (written, told, hint) in [
        ("max_p = \"0.1\"", "max_p: a number belongs here, not the text \"0.1\"", "max_p = 0.1"),
        ("gentle = \"true\"", "gentle: true or false belongs here, not the text \"true\"", "gentle = true"),
        ("gentle = 1", "gentle: true or false belongs here, not 1", "weir schema"),
        ("w_q = {}", "w_q: a number belongs here, not a table", "weir schema"),
        (
            "min_th = []",
            "min_th: a queue level, such as \"20 packets\" belongs here, not an array",
            "weir schema",
        ),
    ] {
        let message = spoil(RED, &format!("queue.red = {{ {written} }}"));
        expect(&message, &format!("plain.toml:9: links.bottleneck.queue.red.{told}"), &[hint]);
    }
    let message = spoil("count = 5", "count = -1");
    expect(
        &message,
        "plain.toml:12: flows.ftp.count: a whole number from 0 on belongs here, not -1",
        &["weir schema"],
    );
}

#[test]
fn a_parameter_of_a_class_is_one_value() {
    let message = spoil(RED, "queue.python = { class = \"a:B\", parameters = { x = [1] } }");
    expect(
        &message,
        "plain.toml:9: links.bottleneck.queue.python.parameters.x: ",
        &["a parameter of a class is one value", "a number, a text, true or false"],
    );
}

#[test]
fn gains_beyond_all_reason() {
    for (aqm, parameter) in [
        ("pie.alpha = 1e300", "pie.alpha"),
        ("fq-pie.beta = 1e300", "fq-pie.beta"),
        ("dualpi2.coupling = 1e308", "dualpi2.coupling"),
        ("avq.alpha = 1e9", "avq.alpha"),
        ("rem.phi = 1e308", "rem.phi"),
        ("pi.a = 1e9", "pi.a"),
        ("fq.aqm.pi2.beta = 1e300", "fq.aqm.pi2.beta"),
    ] {
        let message = spoil(RED, &format!("queue.{aqm}"));
        expect(
            &message,
            &format!("plain.toml:9: links.bottleneck.queue.{parameter}: 1e"),
            &["far too much", "the published value is"],
        );
    }
}

#[test]
fn a_target_that_no_interval_can_show() {
    for name in ["codel", "fq-codel", "cobalt", "fq.aqm.codel"] {
        let message = spoil(RED, &format!("queue.{name}.target = \"100 ms\""));
        expect(
            &message,
            &format!("plain.toml:9: links.bottleneck.queue.{name}.target: a target of 100 ms"),
            &["not below the interval of 100 ms", "5 to 10%"],
        );
    }
}

#[test]
fn a_choice_without_effect() {
    let message = spoil(RED, "queue.rem.mark_at = \"departure\"");
    expect(&message, "plain.toml:9: links.bottleneck.queue.rem.mark_at: ", &["no effect", "ecn = true"]);
    assert!(read(&PLAIN.replace(RED, "queue.rem = { mark_at = \"departure\", ecn = true }")).is_ok());
}

#[test]
fn a_missing_key() {
    let message = spoil("rate = \"10 Mbit/s\"\n", "");
    expect(
        &message,
        "plain.toml:5: links.bottleneck: ",
        &["missing field `rate`", "add rate = \"64 Mbit/s\""],
    );
}

#[test]
fn variants_that_are_none() {
    for (variants, words) in [
        ("[variants]\na = 1", "a variant is a table"),
        ("[variants.\"a/b\"]", "not a plain name"),
        ("[variants.a]\nlabel = 1", "the label is not a text"),
    ] {
        let message = read(&format!("{PLAIN}\n{variants}\n")).expect_err("must be refused").to_string();
        expect(&message, "plain.toml:1", &[words]);
    }
}

#[test]
fn a_group_that_is_called_like_their_sum() {
    let message = spoil("[flows.ftp]", "[flows.all]");
    expect(&message, "plain.toml:11: flows.all: ", &["the sum of all groups"]);
}

#[test]
fn more_than_a_machine_can_hold() {
    let message = spoil("[links", "[measure]\nperiod = \"1 us\"\n[links");
    expect(&message, "plain.toml:6: measure.period: ", &["at most 100000"]);
    let message = spoil("\"50 packets\"", "\"99999999999 packets\"");
    expect(&message, "plain.toml:8: links.bottleneck.buffer: ", &["whole number"]);
    let message = spoil("\"50 packets\"", "\"1.6 packets\"");
    expect(&message, "plain.toml:8: links.bottleneck.buffer: ", &["whole number"]);
    let message = spoil(RED, "queue.rem.interval = \"1 ns\"");
    expect(&message, "plain.toml:9: links.bottleneck.queue.rem.interval: ", &["too short"]);
}

#[test]
fn a_wrong_unit() {
    let message = spoil("\"10 Mbit/s\"", "\"10 ms\"");
    expect(&message, "plain.toml:6: links.bottleneck.rate: ", &["\"ms\" is not a unit of a rate", "Mbit/s"]);
}

#[test]
fn an_ambiguous_unit() {
    let message = spoil("\"10 Mbit/s\"", "\"10 Mbps\"");
    expect(&message, "plain.toml:6: links.bottleneck.rate: ", &["ambiguous", "write \"Mbit/s\""]);
}

#[test]
fn no_unit() {
    let message = spoil("\"40 ms\"", "40");
    expect(&message, "plain.toml:13: flows.ftp.rtt: ", &["has no unit", "80 ms"]);
    let message = spoil("\"10 Mbit/s\"", "10");
    expect(&message, "plain.toml:6: links.bottleneck.rate: ", &["10 has no unit"]);
}

#[test]
fn a_rate_of_zero_or_less() {
    let message = spoil("\"10 Mbit/s\"", "\"0 Mbit/s\"");
    expect(&message, "plain.toml:6: links.bottleneck.rate: ", &["above zero"]);
    let message = spoil("\"10 Mbit/s\"", "\"-10 Mbit/s\"");
    expect(&message, "plain.toml:6: links.bottleneck.rate: ", &["negative"]);
}

#[test]
fn a_start_after_the_end() {
    let message = spoil("start = \"1 s\"", "start = \"11 s\"");
    expect(&message, "plain.toml:14: flows.ftp.start: ", &["when the run of 10 s is over"]);
    let message = spoil("start = \"1 s\"", "start = \"3 s\"\nstop = \"2 s\"");
    expect(&message, "plain.toml:15: flows.ftp.stop: ", &["not after their start at 3 s"]);
}

#[test]
fn a_run_that_is_too_long() {
    let message = spoil("duration = \"10 s\"", "duration = \"10000000 s\"");
    expect(&message, "plain.toml:3: duration: ", &["too long", "write 9007199.254740992 s or less"]);
}

#[test]
fn no_flows() {
    let message = spoil("count = 5", "count = 0");
    expect(&message, "plain.toml:", &["there are no flows"]);
    let (links, _) = PLAIN.split_once("[flows.ftp]").unwrap();
    let message = read(links).expect_err("must be refused").to_string();
    expect(&message, "plain.toml", &["there are no flows"]);
    let message = spoil("count = 5", "count = 4294967295");
    expect(&message, "plain.toml:12: flows.ftp.count: ", &["too many"]);
}

#[test]
fn thresholds_the_wrong_way_round() {
    let message = spoil("\"15 packets\"", "\"3 packets\"");
    expect(&message, "plain.toml:9: links.bottleneck.queue.red.max_th: ", &["not above min_th (5 packets)"]);
}

#[test]
fn a_buffer_smaller_than_one_packet() {
    let message = spoil("\"50 packets\"", "\"900 B\"");
    expect(&message, "plain.toml:8: links.bottleneck.buffer: ", &["does not hold one packet of 1500 B"]);
    let message = spoil("\"50 packets\"", "\"0.001 BDP\"");
    expect(&message, "plain.toml:8: links.bottleneck.buffer: ", &["does not hold one packet"]);
}

#[test]
fn a_negative_remainder_of_the_round_trip() {
    let message = spoil("\"40 ms\"", "\"15 ms\"");
    expect(
        &message,
        "plain.toml:13: flows.ftp.rtt: ",
        &["the links alone take 20 ms", "write at least \"20 ms\""],
    );
    let message = spoil("\"40 ms\"", "{ uniform = { from = \"15 ms\", to = \"60 ms\" } }");
    expect(&message, "plain.toml:13: flows.ftp.rtt", &["15 ms leaves less than nothing"]);
}

#[test]
fn a_file_that_is_not_there() {
    let path = std::path::Path::new("no/such/file.toml");
    let message = weir_scenario::Document::load(path).expect_err("is not there").to_string();
    expect(&message, "no/such/file.toml: cannot be read", &["weir list"]);
}

#[test]
fn a_path_over_links_that_do_not_exist() {
    let message = spoil("count = 5", "path = [\"nowhere\"]");
    expect(
        &message,
        "plain.toml:12: flows.ftp.path: ",
        &["there is no link \"nowhere\"", "links: bottleneck"],
    );
}

#[test]
fn a_population_that_cannot_be_read() {
    for (written, line, place, words) in [
        ("\"20 more every minute\"", 12, "population", "an array belongs here"),
        ("[[\"20 s\", 4]]", 12, "population[0]", "a table belongs here, not an array"),
        ("[{ at = \"20 s\" }]", 12, "population[0]", "step = 20, every = \"50 s\", until = 160"),
        ("[\n{ at = \"20 s\", count = 4, until = 5 }]", 13, "population[0]", "either the keys at and count"),
        ("[{ step = 0, every = \"1 s\", until = 9 }]", 12, "population[0].step", "a step of no flows"),
        ("[{ step = 1, every = \"0 s\", until = 9 }]", 12, "population[0].every", "no time between"),
        ("[{ step = 1, every = \"1 s\", until = 100000000 }]", 12, "population[0].until", "too many"),
        ("[{ at = \"2 s\", count = 100000000 }]", 12, "population[0].count", "too many"),
        ("[{ at = \"0 s\", count = 4 }]", 12, "population[0].at", "does not come after 1 s"),
        (
            "[{ step = 1, every = \"2 s\", until = 4 },\n{ at = \"7 s\", count = 9 }]\ncount = 1",
            13,
            "population[1].at",
            "the change at 7 s does not come after 7 s",
        ),
        ("[{ at = \"1 s\", counts = 4 }]", 12, "population[0].counts", "did you mean `count`?"),
    ] {
        let message = spoil("count = 5", &format!("population = {written}"));
        expect(&message, &format!("plain.toml:{line}: flows.ftp.{place}: "), &[words]);
    }
}

#[test]
fn a_schema_of_another_version() {
    let message = spoil("schema = 1", "schema = 2");
    expect(&message, "plain.toml:1: schema: ", &["schema 2", "reads schema = 1"]);
}

#[test]
fn measures_that_leave_nothing() {
    let message = spoil("[links", "[measure]\nwarm_up = \"10 s\"\n[links");
    expect(&message, "plain.toml:6: measure.warm_up: ", &["leaves nothing"]);
    let message = spoil("[links", "[measure]\nperiod = \"5 s\"\nsettle = \"5 s\"\n[links");
    expect(&message, "plain.toml:7: measure.settle: ", &["leaves nothing of a period"]);
    let message = spoil("[links", "[measure]\nseries = { interval = \"1 s\", flows = [\"ftp.5\"] }\n[links");
    expect(&message, "plain.toml:6: measure.series.flows: ", &["there is no flow \"ftp.5\""]);
}

#[test]
fn tcp_that_cannot_send() {
    let message = spoil("count = 5", "tcp = { initial_window = \"0 packets\" }");
    expect(&message, "plain.toml:12: flows.ftp.tcp.initial_window: ", &["nothing could ever be sent"]);
}

#[test]
fn guaranteed_grants_above_a_rate_of_the_link() {
    let plain = "rate = \"10 Mbit/s\"\n";
    let granted = format!("{plain}docsis = {{ guaranteed_grant_rate = \"5 Mbit/s\" }}\n");
    let slower = "rate_schedule = [{ at = \"5 s\", rate = \"2 Mbit/s\" }]\n";
    assert!(read(&PLAIN.replace(plain, &granted)).is_ok());
    expect(
        &spoil(plain, &format!("{granted}{slower}")),
        "plain.toml:7: links.bottleneck.docsis.guaranteed_grant_rate: ",
        &["more is granted than the lowest rate of the link, 2 Mbit/s", "write \"2 Mbit/s\" or less"],
    );
    expect(
        &spoil(plain, &granted.replace("5 M", "11 M")),
        "plain.toml:7: links.bottleneck.docsis.guaranteed_grant_rate: ",
        &["more is granted than the rate of the link, 10 Mbit/s"],
    );
}
