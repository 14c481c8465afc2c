//! Lessons as they are read, and what is wrong with them.

use weir_lesson::{Lesson, Operation};

const GOOD: &str = r#"# Bufferbloat

TCP fills any buffer. A sender slows down *only* after a packet is lost.

Shown: `average`

```toml
schema = 1
name = "bufferbloat"
title = "4 CUBIC flows on 20 Mbit/s"
duration = "20 s"

[links.bottleneck]
rate = "20 Mbit/s"
delay = "10 ms"
buffer = "600 packets"

[flows.cubic]
count = 4
rtt = "40 ms"
tcp.congestion.cubic = {}

[variants.a]
links.bottleneck.queue.drop-tail = {}

[variants.b]
links.bottleneck.queue.codel = {}
```

## Predict

The buffer shrinks to 150 packets. What happens to the delay of DropTail?

- [x] It falls to *less* than half. `below 0.5`
- [ ] It stays as it is. `0.5 to 1.5`
- [ ] It grows. `above 1.5`

Measured: `delay_mean in a / delay_mean in a before`

## Move

`links.bottleneck.buffer = "150 packets"`

## Why

A full buffer of 600 packets takes 240 ms to send, one of 150 takes 60.

- The link stays busy.
  `utilisation in a`
  `above 97%`
- CoDel hardly changes. `delay_mean in b - delay_mean in b before` `-1 to 1 ms`
"#;

fn message(text: &str) -> String {
    Lesson::parse("bufferbloat.md", text).expect_err("this is no lesson").to_string()
}

/// The lesson with another text in one place.
fn with(old: &str, new: &str) -> String {
    assert_eq!(GOOD.matches(old).count(), 1, "{old} stands once");
    GOOD.replace(old, new)
}

#[test]
fn a_lesson_has_its_parts() {
    let lesson = Lesson::parse("bufferbloat.md", GOOD).expect("it is a lesson");
    assert_eq!(lesson.title, "Bufferbloat");
    assert_eq!(
        lesson.text,
        "<p>TCP fills any buffer. A sender slows down <em>only</em> after a packet is lost.</p>"
    );
    assert_eq!(lesson.shows.as_deref(), Some("average"));
    assert!(lesson.scenario.starts_with("schema = 1\n") && lesson.scenario.ends_with("codel = {}\n"));
    assert_eq!(lesson.answers.len(), 3);
    assert_eq!(lesson.answers[0].html, "It falls to <em>less</em> than half.");
    assert_eq!(lesson.answers.iter().map(|answer| answer.right).collect::<Vec<_>>(), [true, false, false]);
    let (operation, second) = lesson.measured.second.as_ref().expect("two terms");
    assert_eq!((*operation, &*second.to_string()), (Operation::Over, "delay_mean in a before"));
    assert_eq!(lesson.measured.unit, "");
    let moved = lesson.moved.expect("something is moved");
    assert_eq!((&*moved.path, &*moved.value), ("links.bottleneck.buffer", "\"150 packets\""));
    assert!(lesson.why.contains("240 ms"));
    let claims: Vec<_> = lesson.claims.iter().map(|claim| (&*claim.text, &*claim.written)).collect();
    assert_eq!(claims, [("The link stays busy.", "above 97%"), ("CoDel hardly changes.", "-1 to 1 ms")]);
    assert_eq!(lesson.claims[1].measured.unit, "ms");
}

#[test]
fn one_answer_at_most_is_right() {
    let lesson = Lesson::parse("bufferbloat.md", GOOD).expect("it is a lesson");
    for value in [-1.0, 0.0, 0.3, 0.5, 0.500_001, 1.0, 1.5, 2.0, 1e9] {
        assert_eq!(lesson.answers.iter().filter(|answer| answer.range.contains(value)).count(), 1, "{value}");
    }
}

#[test]
fn html_of_the_author_is_text() {
    let lesson =
        Lesson::parse("l.md", &with("TCP fills any buffer.", "TCP <script>alert(1)</script> fills."));
    let text = lesson.expect("it is a lesson").text;
    assert!(text.contains("&lt;script&gt;") && !text.contains("<script>"), "{text}");
}

#[test]
fn a_lesson_may_compare_variants_as_they_are() {
    let text = with("delay_mean in a / delay_mean in a before", "delay_mean in a - delay_mean in b")
        .replace("## Move\n\n`links.bottleneck.buffer = \"150 packets\"`\n\n", "")
        .replace("- CoDel hardly changes. `delay_mean in b - delay_mean in b before` `-1 to 1 ms`\n", "")
        .replace("`below 0.5`", "`below 10 ms`")
        .replace("`0.5 to 1.5`", "`10 to 20 ms`")
        .replace("`above 1.5`", "`above 20 ms`");
    let lesson = Lesson::parse("l.md", &text).expect("it is a lesson");
    assert_eq!(lesson.measured.unit, "ms");
    assert_eq!(lesson.moved, None);
    assert_eq!(lesson.answers[1].range.low, Some(10.0));
}

#[test]
fn what_is_wrong_has_its_line_and_a_remedy() {
    let cases = [
        (with("# Bufferbloat\n", ""), "the lesson has no title\nhint: begin with: # The title"),
        (with("```toml", "```"), "bufferbloat.md:7: the beginning has no place for this"),
        (with("rate = \"20 Mbit/s\"", "rate = \"20 MB\""), "bufferbloat.md:14: links.bottleneck.rate"),
        (with("## Why", "## Because"), "bufferbloat.md:44: \"Because\" is no part, or stands twice"),
        (with("- [ ] It grows", "- It grows"), "bufferbloat.md:36: an answer has no box"),
        (
            with("`above 1.5`", "`above 1.2`"),
            "bufferbloat.md:36: two answers are right for one value: that of line 35 and this",
        ),
        (with("`above 1.5`", "`more`"), "bufferbloat.md:36: \"more\" is no range\nhint: write `below 2`"),
        (with(" `above 1.5`", ""), "bufferbloat.md:36: an answer has no range"),
        (with("- [x]", "- [ ]"), "3 answers, of which 0 are right"),
        (
            with("delay_mean in a / ", "latency in a / "),
            "bufferbloat.md:38: \"latency in a\" is no measure of a variant\nhint: measures: delay_mean",
        ),
        (
            with("delay_mean in a / ", "delay_mean in c / "),
            "bufferbloat.md:38: there is no variant \"c\"\nhint: variants: a, b",
        ),
        (with("delay_mean in a / ", "delay_mean / "), "bufferbloat.md:38: the quantity names no variant"),
        (
            with("delay_mean in a / ", "delay_mean of cubic in a / "),
            "hint: a flow group has goodput, loss, jain only",
        ),
        (
            with("delay_mean in a / ", "loss of tcp in a / "),
            "bufferbloat.md:38: there is no flow group \"tcp\"\nhint: flow groups: cubic",
        ),
        (
            with("delay_mean in a / ", "loss in a - "),
            "bufferbloat.md:38: loss and delay_mean have different units",
        ),
        (
            with("`links.bottleneck.buffer = \"150 packets\"`", "the buffer"),
            "bufferbloat.md:42: nothing is moved",
        ),
        (
            with("buffer = \"150 packets\"", "bufer = \"150 packets\""),
            "bufferbloat.md:42: links.bottleneck.bufer",
        ),
        (
            with("## Move\n\n`links.bottleneck.buffer = \"150 packets\"`\n", ""),
            "bufferbloat.md:38: nothing is moved, so there is no before",
        ),
        (
            with("A full buffer of 600 packets takes 240 ms to send, one of 150 takes 60.\n", ""),
            "the lesson has no reason",
        ),
        (with("  `utilisation in a`\n", ""), "bufferbloat.md:48: a claim is not measured"),
        (with("`utilisation in a`", "`utilisation in c`"), "bufferbloat.md:48: there is no variant \"c\""),
        (
            with("- The link stays busy.", "# More\n\n- The link stays busy."),
            "bufferbloat.md:48: Why has no place for this",
        ),
    ];
    for (text, said) in cases {
        let message = message(&text);
        assert!(message.contains(said), "expected {said:?} in\n{message}");
    }
}

/// No text ends the reader with a panic.
#[test]
fn pieces_of_a_lesson_are_refused() {
    for end in (0..GOOD.len()).filter(|end| GOOD.is_char_boundary(*end)) {
        let _ = Lesson::parse("l.md", &GOOD[..end]);
        let _ = Lesson::parse("l.md", &GOOD[end..]);
    }
}
