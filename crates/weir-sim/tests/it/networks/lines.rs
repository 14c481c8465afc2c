//! Lines that lose: as often as they should, counted apart from what queues drop, and drawn so that
//! queues make no difference.

use proptest::prelude::*;
use weir_sim::Measurements;

use super::{group, of, same};
use crate::{run, scenario, tables};

const DUMBBELL: &str = r#"
schema = 1
name = "lossy"
duration = "100 s"
[links.l]
rate = "20 Mbit/s"
delay = "5 ms"
buffer = "100 packets"
reverse = { buffer = "1000 packets" }
[flows.f]
count = 20
rtt = "20 ms"
start_jitter = "1 s"
"#;

/// Fails unless `lost` of `sent` are as many as chance gives with probability `p`, within five standard
/// deviations. One in a million such tests fails by chance.
#[track_caller]
fn likely(lost: f64, sent: f64, p: f64) {
    assert!(sent * p > 50.0, "{sent} packets tell nothing about {p}");
    let deviation = (sent * p * (1.0 - p)).sqrt();
    assert!((lost - sent * p).abs() < 5.0 * deviation, "{lost} of {sent} lost, with p = {p}");
}

#[test]
fn a_line_loses_as_often_as_it_says() {
    let bits: f64 = 8000.0;
    let ack_bits: f64 = 320.0;
    for (model, of_data) in [
        ("{ bernoulli = { per_packet = 0.02 } }", 0.02),
        ("{ bernoulli = { per_bit = 2e-6 } }", 1.0 - (1.0 - 2e-6_f64).powf(bits)),
    ] {
        let measured = run(&scenario(DUMBBELL, &[("links.l.loss", model)]), 1);
        let lost = of(&measured, "l", "forward", "all", "lost");
        // The SYNs of 20 flows are smaller; they are a ten thousandth of all.
        likely(lost, of(&measured, "l", "forward", "all", "departures"), of_data);
        assert!(
            of(&measured, "l", "reverse", "all", "lost").abs() < 0.5,
            "the other direction loses nothing"
        );
    }
    let model = ("links.l.reverse.loss.bernoulli.per_bit", "1e-4");
    let measured = run(&scenario(DUMBBELL, &[model]), 1);
    assert!(of(&measured, "l", "forward", "all", "lost").abs() < 0.5);
    let (lost, sent) =
        (of(&measured, "l", "reverse", "all", "lost"), of(&measured, "l", "reverse", "all", "departures"));
    likely(lost, sent, 1.0 - (1.0 - 1e-4_f64).powf(ack_bits));
}

/// One loss in n packets makes a sawtooth between W / 2 and W. It has n = 3/8 W^2 packets in W / 2 round
/// trips (Mathis, Semke, Mahdavi and Ott: *The macroscopic behavior of the TCP congestion avoidance
/// algorithm*, Computer Communication Review 27 (3), 1997).
#[test]
fn a_periodic_loss_makes_the_sawtooth_of_the_square_root() {
    for (every, n) in [("400", 400.0_f64), ("1600", 1600.0)] {
        let sets = [
            ("measure.warm_up", "\"20 s\""),
            ("links.l.rate", "\"1 Gbit/s\""),
            ("links.l.loss.periodic.every", every),
            ("flows.f", "{ count = 1, rtt = \"100 ms\", tcp.recovery.sack = {} }"),
        ];
        let measured = run(&scenario(DUMBBELL, &sets), 1);
        let (lost, sent) = (
            of(&measured, "l", "forward", "all", "lost"),
            of(&measured, "l", "forward", "all", "departures"),
        );
        assert!((lost - sent / n).abs() <= 1.0, "{lost} of {sent} lost");
        let rounds = (8.0 * n / 3.0).sqrt() / 2.0;
        let by_rounds = |rounds: f64| n * 8000.0 / (rounds * 0.1);
        // The repair of the loss takes one round trip more, and a window counts whole packets.
        let expected = by_rounds(rounds + 1.5)..by_rounds(rounds);
        let goodput = group(&measured, "f", "goodput") * 1e9;
        assert!(expected.contains(&goodput), "{goodput} bit/s, not in {expected:?}");
    }
}

/// Lost before the queue, a packet never arrives at it; lost behind, it has left it.
#[test]
fn before_the_queue_or_behind_it() {
    for (before, place) in [("true", "before"), ("false", "behind")] {
        let model =
            [("links.l.loss.bernoulli.per_packet", "0.02"), ("links.l.loss.bernoulli.before_queue", before)];
        let measured = run(&scenario(DUMBBELL, &model), 1);
        let count = |column| of(&measured, "l", "forward", "all", column);
        let (lost, arrivals, departures) = (count("lost"), count("arrivals"), count("departures"));
        let waiting = arrivals - departures - count("drops");
        assert!((0.0..=101.0).contains(&waiting), "{place}: {waiting} left waiting");
        let sent = group(&measured, "f", "sent");
        if before == "true" {
            likely(lost, arrivals + lost, 0.02);
            assert!((sent - arrivals - lost).abs() < 400.0, "{sent} sent, {arrivals} arrived, {lost} lost");
        } else {
            likely(lost, departures, 0.02);
            assert!((sent - arrivals).abs() < 400.0, "{sent} sent, {arrivals} arrived");
        }
        // What the line loses is no drop of the queue.
        assert_eq!(group(&measured, "f", "drops").to_bits(), count("drops").to_bits());
        assert_eq!(group(&measured, "f", "lost").to_bits(), lost.to_bits());
    }
}

/// Losses of one group are those of its packets.
#[test]
fn groups_lose_in_proportion() {
    let two = format!("{DUMBBELL}[flows.g]\ncount = 20\nrtt = \"40 ms\"\n");
    let measured = run(&scenario(&two, &[("links.l.loss.bernoulli.per_packet", "0.02")]), 1);
    let mut sum = 0.0;
    for name in ["f", "g"] {
        let (lost, sent) =
            (of(&measured, "l", "forward", name, "lost"), of(&measured, "l", "forward", name, "departures"));
        likely(lost, sent, 0.02);
        sum += lost;
    }
    assert!((sum - of(&measured, "l", "forward", "all", "lost")).abs() < 0.5);
}

/// A wireless source that asks its routers: as Reno where one of them knows nothing of ECN, and not
/// deterred by losses where all do.
#[test]
fn a_source_asks_its_path() {
    let run_with = |congestion: &str, queue: &str, capable: &str| {
        let sets = [
            ("links.l.loss.bernoulli.per_packet", "0.002"),
            ("flows.f", "{ count = 2, rtt = \"100 ms\", tcp = { ecn = true, min_rto = \"200 ms\" } }"),
            ("flows.f.tcp.congestion", congestion),
            ("links.l.queue", queue),
            ("links.l.ecn_capable", capable),
        ];
        run(&scenario(DUMBBELL, &sets), 1)
    };
    let goodput = |measured| group(measured, "f", "goodput");
    let mixed = "{ wireless = { mixed_path = true } }";
    // On a path with a legacy router it is Reno, ACK by ACK.
    let reno = run_with("{ reno = {} }", "{ drop-tail = {} }", "true");
    let legacy = run_with(mixed, "{ drop-tail = {} }", "false");
    same(&tables(&legacy).flows, &tables(&reno).flows);
    same(&tables(&legacy).links, &tables(&reno).links);
    // By its square root: 2 x 1.22 x 8 kbit / (100 ms x sqrt 0.002) = 4.4 Mbit/s, 22%.
    assert!(goodput(&reno) < 0.3, "{}", goodput(&reno));
    // Where all routers mark, it is the plain wireless source, which no square root holds back.
    let rem = "{ rem = { ecn = true } }";
    let (capable, plain) = (run_with(mixed, rem, "true"), run_with("{ wireless = {} }", rem, "true"));
    same(&tables(&capable).flows, &tables(&plain).flows);
    assert!(goodput(&capable) > 2.0 * goodput(&reno), "{} and {}", goodput(&capable), goodput(&reno));
}

/// Three packets in a hundred are lost. A source that takes no loss for congestion fills most of the link.
/// It needs a recovery that repairs more than one loss in a round trip, and time: the window stands still
/// during recovery (RFC 5681), which is nearly always.
#[test]
fn losses_alone_do_not_hold_a_wireless_source_back() {
    let tcp = "{ ecn = true, min_rto = \"200 ms\", congestion.wireless = {}, \
               recovery.sack = { detection = \"rack\", tlp = true } }";
    let sets = [
        ("duration", "\"300 s\""),
        ("measure.warm_up", "\"150 s\""),
        ("links.l.loss.bernoulli.per_packet", "0.03"),
        ("flows.f", "{ count = 2, rtt = \"100 ms\" }"),
        ("flows.f.tcp", tcp),
        ("links.l.queue", "{ rem = { ecn = true } }"),
    ];
    let goodput = group(&run(&scenario(DUMBBELL, &sets), 1), "f", "goodput");
    assert!(goodput > 0.8, "{goodput}");
}

fn lane() -> impl Strategy<Value = String> {
    let loss = prop_oneof![
        Just(String::new()),
        (0.0..0.3, any::<bool>()).prop_map(|(p, before)| format!(
            "loss.bernoulli = {{ per_packet = {p}, before_queue = {before} }}\n"
        )),
        (0.0..1e-4).prop_map(|p| format!("loss.bernoulli = {{ per_bit = {p} }}\n")),
        (0.0..0.1, 0.1..1.0, 0.0..0.1, any::<(bool, bool)>()).prop_map(
            |(bad, good, loss, (bits, before))| {
                let step = if bits { "bit" } else { "packet" };
                format!(
                    "loss.gilbert-elliott = {{ to_bad = {bad}, to_good = {good}, loss_good = {loss}, \
                 loss_bad = 0.9, step = \"{step}\", before_queue = {before} }}\n"
                )
            }
        ),
    ];
    let changes = prop_oneof![
        Just(String::new()),
        (50_u32..10_000, any::<bool>()).prop_map(|(rate, again)| {
            let period = if again { "rate_period = \"0.7 s\"\n" } else { "" };
            format!(
                "rate_schedule = [{{ at = \"0.3 s\", rate = \"{rate} kbit/s\" }}, \
                 {{ at = \"0.4 s\", rate = \"2 Mbit/s\" }}]\n{period}"
            )
        }),
    ];
    let queue = prop_oneof![
        Just(""),
        Just("queue.red = {}\n"),
        Just("queue.dualpi2 = {}\n"),
        Just("queue.fq-codel = {}\n")
    ];
    (loss, changes, queue).prop_map(|(loss, changes, queue)| format!("{loss}{changes}{queue}"))
}

/// Columns between 0 and 1, however short the period.
const SHARES: [&str; 4] = ["utilisation", "loss", "mark_fraction", "mark_fraction_product"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Every run checks that packets are conserved, and its tables have shares that are shares.
    #[test]
    fn packets_are_conserved_on_any_network(
        (there, back) in (lane(), lane()),
        rate in 100_u32..20_000,
        period in prop_oneof![Just(10), Just(40), Just(250)],
        reversed in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let back = back.replace('\n', ", ");
        let text = format!(
            r#"
            schema = 1
            name = "any"
            duration = "4 s"
            measure = {{ period = "{period} ms" }}
            [links.row]
            hops = 2
            rate = "{rate} kbit/s"
            delay = "3 ms"
            buffer = "20 packets"
            {there}reverse = {{ {back} buffer = "30 packets" }}
            [flows.long]
            count = 3
            rtt = "30 ms"
            packet_size = "1000 B"
            upload = {reversed}
            tcp.ecn = true
            [flows.each]
            each_hop_of = "row"
            count = 2
            rtt = "10 ms"
            packet_size = "1000 B"
            "#
        );
        let measured = run(&scenario(&text, &[]), seed);
        let tables = tables(&measured);
        for (name, column) in tables.links.columns.iter().chain(&tables.groups.columns) {
            let weir_sim::Column::Real(values) = column else { continue };
            prop_assert!(values.iter().all(|value| !value.is_infinite()), "{name}: {values:?}");
            // Undefined where nothing passed, except for the time that a link sends.
            if SHARES.contains(name) {
                // Of two groups one may have the nanosecond of which the other's packet fell short.
                let (sends, nanos) = (*name == "utilisation", 1e-8 / (f64::from(period) * 1e-3));
                let slack = if sends { nanos } else { 0.0 };
                let share = |value: &f64| (-slack..=1.0 + slack).contains(value) || value.is_nan() && !sends;
                prop_assert!(values.iter().all(share), "{name}: {values:?}");
            }
        }
    }
}

/// One flow whose window fits into the path, on a line that adds something.
fn one_flow(line: &[(&str, &str)]) -> Measurements {
    let mut sets = vec![
        ("duration", "\"20 s\""),
        ("measure.warm_up", "\"5 s\""),
        ("links.l.rate", "\"100 Mbit/s\""),
        ("flows.f", "{ count = 1, rtt = \"40 ms\", tcp = { receive_window = \"50 packets\" } }"),
    ];
    sets.extend_from_slice(line);
    run(&scenario(DUMBBELL, &sets), 1)
}

fn delivered(measured: &Measurements) -> f64 {
    of(measured, "l", "forward", "all", "departures")
}

/// A window of 50 packets in a round trip of 40 ms, and in one that is longer by what the line adds: half of
/// a grant interval, or the mean of the delays, more where packets wait for those before them.
#[test]
fn what_a_line_adds_lengthens_the_round_trip() {
    let plain = delivered(&one_flow(&[]));
    let grants = delivered(&one_flow(&[("links.l.aggregation.interval", "\"10 ms\"")]));
    // The round trip becomes a whole number of intervals.
    assert!((grants / plain - 0.8).abs() < 0.02, "{grants} of {plain}");
    let varied = delivered(&one_flow(&[("links.l.delay_variation.uniform.max", "\"10 ms\"")]));
    let ratio = varied / plain;
    assert!((40.0 / 50.0 - 0.01..40.0 / 45.0).contains(&ratio), "{ratio}: between the mean and the maximum");
}

/// Three packets that come too late look like a loss; on a line that keeps the order nothing is sent again.
#[test]
fn packets_that_overtake_look_like_losses() {
    let again = |reorder| {
        let normal = "{ normal = { mean = \"5 ms\", sd = \"2 ms\" }, reorder = REORDER }";
        let measured = one_flow(&[("links.l.delay_variation", &normal.replace("REORDER", reorder))]);
        group(&measured, "f", "retransmitted")
    };
    assert!(again("false").abs() < 0.5);
    assert!(again("true") > 10.0);
}

/// A bucket sends its burst at the peak after a pause. So a short transfer ends as on the faster link, and a
/// long one gets the rate.
#[test]
fn a_bucket_is_fast_for_a_short_time() {
    let sets = |line: &'static str| {
        let measured = run(
            &scenario(
                DUMBBELL,
                &[
                    ("duration", "\"20 s\""),
                    ("links.l", line),
                    ("flows.f", "{ count = 4, rtt = \"20 ms\" }"),
                    ("measure.warm_up", "\"5 s\""),
                ],
            ),
            1,
        );
        of(&measured, "l", "forward", "all", "utilisation")
    };
    let bucket = sets(
        "{ rate = \"10 Mbit/s\", delay = \"5 ms\", buffer = \"100 packets\", \
         token_bucket = { burst = \"100 kB\", peak = \"50 Mbit/s\" } }",
    );
    assert!((bucket - 1.0).abs() < 0.001, "{bucket}");
    // Its rate may change, by a schedule or in mid-run: it is full throughout, and packets are the integral of the
    // rates.
    let changing = sets(
        "{ rate = \"10 Mbit/s\", rate_schedule = [{ at = \"10 s\", rate = \"4 Mbit/s\" }], delay = \"5 ms\", \
         buffer = \"100 packets\", token_bucket = { burst = \"100 kB\", peak = \"50 Mbit/s\" } }",
    );
    assert!((changing - 1.0).abs() < 0.001, "{changing}");
}
