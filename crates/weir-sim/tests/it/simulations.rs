//! Any scenario that is accepted runs, and every run checks that packets are conserved.

use proptest::prelude::*;

use crate::{of_flows, of_link, run, scenario, tables};

fn queue() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("{ drop-tail = {} }".to_owned()),
        (0.0..20.0, 1.0..40.0, 0.01..1.0, any::<(bool, bool)>()).prop_map(
            |(low, width, p, (gentle, ecn))| {
                let high = low + width;
                format!(
                    "{{ red = {{ min_th = \"{low} packets\", max_th = \"{high} packets\", max_p = {p}, \
                 gentle = {gentle}, ecn = {ecn} }} }}"
                )
            }
        ),
        (1.0001..1.1, 0.01..1.0, 0.0001..0.1, any::<bool>()).prop_map(|(phi, alpha, gamma, ecn)| {
            format!("{{ rem = {{ phi = {phi}, alpha = {alpha}, gamma = {gamma}, ecn = {ecn} }} }}")
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn packets_are_conserved_and_shares_are_shares(
        queue in queue(),
        rate in 100_u32..50_000,
        buffer in 1_u32..200,
        (flows, others) in (1_u32..20, 0_u32..5),
        delays in (1_u32..50, 1_u32..50),
        switches in any::<(bool, bool, bool, bool)>(),
        seed in any::<u64>(),
    ) {
        let (ecn, access, reverse, delayed) = switches;
        let optional = |on: bool, text: &str| if on { text.to_owned() } else { String::new() };
        let text = format!(
            r#"
            schema = 1
            name = "any"
            duration = "4 s"
            [links.first]
            rate = "{rate} kbit/s"
            delay = "{} ms"
            buffer = "{buffer} packets"
            queue = {queue}
            {}
            [links.second]
            rate = "{rate} kbit/s"
            delay = "{} ms"
            buffer = "{buffer} packets"
            [flows.long]
            count = {flows}
            path = ["first", "second"]
            rtt.uniform = {{ from = "205 ms", to = "300 ms" }}
            start_jitter = "1 s"
            {}
            tcp = {{ ecn = {ecn} {} }}
            [flows.short]
            count = {others}
            path = ["second"]
            rtt = "100 ms"
            send_jitter = "1 ms"
            stop = "3 s"
            "#,
            delays.0,
            optional(reverse, "reverse = { buffer = \"20 packets\" }"),
            delays.1,
            optional(access, "access = { rate = \"10 Mbit/s\", receiver_delay = \"1 ms\" }"),
            optional(delayed, ", delayed_ack = \"100 ms\""),
        );
        let measured = run(&scenario(&text, &[]), seed);
        for link in ["first", "second"] {
            let names = [("link", link), ("direction", "forward"), ("group", "all")];
            let table = tables(&measured).links;
            let utilisation = crate::value(&table, &names, -1, "utilisation");
            prop_assert!((0.0..=1.0).contains(&utilisation), "{link}: {utilisation}");
            prop_assert!(crate::value(&table, &names, -1, "queue_max") <= f64::from(buffer));
        }
        for group in ["long", "short"] {
            let goodput = crate::value(&tables(&measured).groups, &[("group", group)], -1, "goodput");
            prop_assert!((0.0..=1.0).contains(&goodput), "{group}: {goodput}");
        }
    }
}

#[test]
fn a_single_flow_on_an_empty_path_fills_it() {
    let text = r#"
        schema = 1
        name = "alone"
        duration = "30 s"
        measure.warm_up = "10 s"
        links.l = { rate = "10 Mbit/s", delay = "10 ms", buffer = "1 BDP" }
        flows.f = { rtt = "20 ms" }
    "#;
    let measured = run(&scenario(text, &[]), 1);
    assert!(of_link(&measured, "utilisation") > 0.999);
    assert!(of_flows(&measured, "goodput") > 0.99);
}

/// Packets that overtake on a line cost a few events each, for a run of any length.
#[test]
fn events_grow_as_packets_where_packets_overtake() {
    let text = r#"
        schema = 1
        name = "overtaking"
        duration = "2 s"
        flows.f = { rtt = "50 ms", count = 4, tcp.preset = "linux" }
        [links.l]
        rate = "50 Mbit/s"
        delay = "5 ms"
        buffer = "1 BDP"
        delay_variation = { uniform.max = "1 ms", reorder = true }
    "#;
    for duration in ["2 s", "8 s"] {
        let measured = run(&scenario(text, &[("duration", duration)]), 1);
        let arrivals = of_link(&measured, "arrivals");
        let each = measured.events as f64 / arrivals;
        assert!(arrivals > 4000.0 && each < 4.0, "{duration}: {each} events for each of {arrivals} packets");
    }
}
