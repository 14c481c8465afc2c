//! Look-ahead against the plain order of events: the same tables, bit for bit, on random networks.

use proptest::prelude::*;
use weir_scenario::Document;

use super::*;
use crate::{Tables, packet::Packet};

/// Looks at every port: endpoints then act in the order of the clock.
#[derive(Debug)]
struct Onlooker;

impl PacketObserver for Onlooker {
    fn observes(&self, _: u32) -> bool {
        true
    }

    fn arrived(&mut self, _: u32, _: &Packet, _: Instant, _: &ObservedFlow<'_>) {}

    fn departed(&mut self, _: u32, _: &Packet, _: Instant, _: &ObservedFlow<'_>) {}

    fn dropped(&mut self, _: u32) {}

    fn advance(&mut self, _: Instant) {}

    fn is_ok(&self) -> bool {
        true
    }
}

/// The tables of a run, but the number of its events.
fn tables(simulation: Simulation<'_>) -> Tables {
    let mut measured = simulation.run(&Monitor::default()).expect("nothing stops it");
    measured.events = 0;
    Tables::of_run(&measured)
}

/// Counts of every queue and group since the start.
fn counts(simulation: &mut Simulation<'_>) -> Vec<f64> {
    let (mut counts, mut departures) = (Vec::new(), Vec::new());
    simulation.look(|place, variable, value| {
        if matches!(variable, "departures" | "bytes" | "drops" | "marks" | "waited" | "came") {
            counts.push(value);
        }
        if matches!(place, Place::Queue(..)) && variable == "departures" {
            departures.push(value);
        }
    });
    for (port, departures) in departures.into_iter().enumerate() {
        let sojourns: u64 = simulation.sojourns(port).iter().map(|(_, packets)| packets).sum();
        assert_eq!(sojourns, departures as u64, "each departure has a sojourn time");
    }
    counts
}

/// Checks that tables are equal with look-ahead, in the order of the clock, and with pauses in which the run is looked
/// at.
fn check_same(text: &str, seed: u64, pauses: &[u64]) -> Result<(), TestCaseError> {
    let scenario = Document::parse("test.toml", text).and_then(|document| document.scenario());
    let scenario = scenario.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
    let ahead = Simulation::new(&scenario, seed);
    let mut onlooker = Onlooker;
    let in_order = Simulation::new(&scenario, seed).observed_by(&mut onlooker);
    let mut halting = Simulation::new(&scenario, seed);
    let mut before = Vec::new();
    for (index, pause) in pauses.iter().enumerate() {
        halting.follow(0, index % 2 == 0);
        halting.advance(Instant::from_nanos(*pause), &Monitor::default()).expect("nothing stops it");
        let counted = counts(&mut halting);
        prop_assert!(
            before.iter().zip(&counted).all(|(before, now)| before <= now),
            "{before:?} {counted:?}"
        );
        before = counted;
    }
    let in_order = tables(in_order);
    for other in [ahead, halting] {
        for ((name, other), (_, in_order)) in
            tables(other).into_named().iter().zip(in_order.clone().into_named())
        {
            for ((column, other), (_, in_order)) in other.columns.iter().zip(&in_order.columns) {
                // Not a number where nothing is counted: as text, both are the same.
                prop_assert_eq!(
                    format!("{other:?}"),
                    format!("{in_order:?}"),
                    "{}.{}\n{}",
                    name,
                    column,
                    text
                );
            }
        }
    }
    Ok(())
}

#[test]
fn each_packet_is_followed_through_its_queue() {
    let text = "schema = 1\nname = \"any\"\nduration = \"4 s\"\n[links.near]\nrate = \"8 Mbit/s\"\ndelay = \"5 ms\"\n\
                buffer = \"40 packets\"\nqueue.red = { ecn = true }\n[flows.marked]\ncount = 3\nrtt = \"30 ms\"\n\
                tcp.ecn = true\n[flows.dropped]\ncount = 3\nrtt = \"30 ms\"\n";
    let scenario = Document::parse("test.toml", text).and_then(|document| document.scenario()).unwrap();
    let mut simulation = Simulation::new(&scenario, 1);
    simulation.follow(0, true);
    let (mut waiting, mut returning, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    for pause in 1..=400 {
        simulation.advance(Instant::from_nanos(pause * 10_000_000), &Monitor::default()).unwrap();
        steps.extend(simulation.followed(0));
    }
    let count = |steps: &[Followed], step| steps.iter().filter(|one| one.step == step).count() as f64;
    let counted = [count(&steps, Step::Sent), count(&steps, Step::Dropped), count(&steps, Step::Marked)];
    let mut seen = Vec::new();
    simulation.look(|place, variable, value| {
        if matches!((place, variable), (Place::Queue(..), "departures" | "drops" | "marks")) {
            seen.push(value);
        }
    });
    assert_eq!(counted[..], seen[..]);
    assert!(counted.iter().all(|count| *count > 10.0), "{counted:?}");
    let rtt = Duration::from_nanos(30_000_000);
    for Followed { at, step, until, flow, number, .. } in steps {
        let leave =
            |all: &mut Vec<_>| all.swap_remove(all.iter().position(|one| *one == (flow, number)).unwrap());
        match step {
            Step::Arrived => waiting.push((flow, number)),
            Step::Dropped => drop(leave(&mut waiting)),
            Step::Sent => {
                leave(&mut waiting);
                assert!(until.unwrap() > at);
            }
            Step::Marked => {}
            Step::AckSent => returning.push((flow, number, until.unwrap())),
            Step::AckArrived => {
                let place = returning.iter().position(|one| *one == (flow, number, at)).unwrap();
                returning.swap_remove(place);
                assert!(until.is_none() && at > Instant::ZERO + rtt);
            }
        }
    }
}

/// The lines of a table, one of each list.
fn any_of(lines: &'static [&'static [&'static str]]) -> impl Strategy<Value = String> {
    let chosen: Vec<_> = lines.iter().map(|lines| prop::sample::select(*lines)).collect();
    chosen.prop_map(|chosen| chosen.join("\n"))
}

/// Settings that a link may have besides rate, delay and buffer.
fn link() -> impl Strategy<Value = String> {
    any_of(&[
        &[
            "",
            "queue.red = { ecn = true }",
            "queue.rem = {}",
            "queue.codel = {}",
            "queue.fq-codel = {}",
            "queue.dualpi2 = {}",
        ],
        &[
            "",
            "reverse = { buffer = \"20 packets\" }",
            "reverse = { buffer = \"30 packets\", rate = \"400 kbit/s\" }",
            "reverse = { buffer = \"30 packets\", rate = \"200 kbit/s\", queue.ack-filter = { mode = \"aggressive\" } }",
            "reverse = { buffer = \"40 packets\", rate = \"150 kbit/s\", queue.ack-filter = { aqm.codel = {} } }",
            "reverse = { buffer = \"60 packets\", rate = \"90 kbit/s\", queue.cake = { ack_filter = \"conservative\" } }",
        ],
        &["", "loss.bernoulli.per_packet = 0.01"],
        &[
            "",
            "rate_schedule = [{ at = \"1 s\", rate = \"1 Mbit/s\" }, { at = \"2 s\", rate = \"8 Mbit/s\" }]",
            "token_bucket = { burst = \"20 kB\" }",
            "token_bucket = { burst = \"6 kB\", peak = \"20 Mbit/s\" }",
        ],
        &[
            "",
            "delay_variation.uniform.max = \"3 ms\"",
            "delay_variation = { normal = { mean = \"4 ms\", sd = \"2 ms\" }, correlation = 0.6, reorder = true }",
            "aggregation = { interval = \"5 ms\" }",
            "aggregation = { interval = \"2 ms\", max_interval = \"9 ms\", packets = 3 }",
            "docsis = {}",
            "docsis = { channel = \"30 Mbit/s\", guaranteed_grant_rate = \"1 Mbit/s\" }",
            "docsis.request_to_grant = \"7 ms\"\ndelay_variation.uniform.max = \"3 ms\"",
        ],
    ])
}

/// Settings that every group of flows may have.
fn group() -> impl Strategy<Value = String> {
    any_of(&[
        &[
            "rtt = \"20 ms\"",
            "rtt = \"21.6 ms\"",
            "rtt = \"60 ms\"",
            "rtt.uniform = { from = \"20 ms\", to = \"80 ms\" }",
        ],
        &[
            "",
            "access = { rate = \"10 Mbit/s\" }",
            "access = { rate = \"7 Mbit/s\", receiver_delay = \"2 ms\" }",
        ],
        &["", "", "send_jitter = \"1 ms\""],
        &[
            "tcp.preset = \"rfc\"",
            "tcp.preset = \"ns2\"",
            "tcp.preset = \"linux\"",
            "tcp.preset = \"linux\"\ntcp.congestion.bbr1 = {}",
        ],
        &["", "tcp.ecn = true"],
        &["", "tcp.delayed_ack = \"40 ms\"", "tcp.delayed_ack = \"200 ms\""],
        &[
            "",
            "",
            "tcp.recovery.sack = {}\ntcp.pacing = {}",
            "tcp.recovery.sack = {}\ntcp.pacing = { tso = true, initial_burst = 1 }",
        ],
        &["", "tcp.handshake = true"],
        &["", "tcp.timestamps = true"],
    ])
}

/// Traffic of a group without an end.
const BULK: &[&str] = &[
    "count = 4",
    "count = 4\nstart_jitter = \"1 s\"",
    "count = 3\npopulation = [{ step = 2, every = \"1 s\", until = 5 }, { step = 1, every = \"0.5 s\", until = 4 }]",
    "count = 3\nstart = \"0.5 s\"\nstop = \"2.5 s\"",
];

/// Traffic of three groups: without an end, so that ports look ahead too, or any.
fn traffic() -> impl Strategy<Value = [&'static str; 3]> {
    let bulk = || prop::sample::select(BULK);
    let finite = || {
        prop::sample::select(
            &[
                "traffic.poisson = { load = 0.6, size = \"12 kB\" }",
                "traffic.poisson = { load = 0.3, size.pareto = { mean = \"20 kB\", shape = 1.3 } }",
                "count = 6\ntraffic.closed-loop = { size = \"30 kB\", think_time = \"0.2 s\" }",
            ][..],
        )
    };
    let any = || prop_oneof![bulk(), finite()];
    prop_oneof![[bulk(), bulk(), bulk()], [any(), any(), any()]]
}

/// Settings that may change in mid-run, where the scenario allows it.
const CHANGES: &[&str] = &[
    "links.near.queue.red = { ecn = true }",
    "links.near.queue.red = { min_th = \"3 packets\", max_th = \"9 packets\" }",
    "links.near.queue.codel = { target = \"2 ms\" }",
    "links.near.queue.fq-codel = { flows = 16 }",
    "links.near.queue.pie = {}",
    "links.near.queue.dualpi2 = { target = \"5 ms\" }",
    "links.near.buffer = \"6 packets\"",
    "links.near.rate = \"2 Mbit/s\"",
    "links.far.queue.rem = {}",
    "links.far.queue.drop-tail = {}",
    "links.far.buffer = \"100 packets\"",
    "links.far.reverse.buffer = \"4 packets\"",
    "links.far.rate = \"9 Mbit/s\"",
    "flows.long.rtt = \"26 ms\"",
    "flows.long.rtt = \"90 ms\"",
    "flows.cross.rtt = \"11 ms\"",
    "flows.short.count = 7",
    "flows.long.count = 1",
];

/// `text` with each of `changes`, at its instant, that the scenario allows.
fn with_changes(text: String, changes: &[(u64, &str)]) -> String {
    changes.iter().fold(text, |text, (at, change)| {
        let longer = format!("{text}[[changes]]\nat = \"{at} ns\"\n{change}\n");
        let reads = Document::parse("test.toml", &longer).and_then(|document| document.scenario()).is_ok();
        if reads { longer } else { text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn acting_ahead_changes_nothing(
        (near, far) in (link(), link()),
        (long, short, cross) in (group(), group(), group()),
        [first, second, third] in traffic(),
        delays in prop::sample::select(&["0 ms", "4 ms", "5 ms"][..]),
        measure in prop::sample::select(&["", "period = \"0.25 s\"", "warm_up = \"1 s\"\nseries = { interval = \"50 ms\", flows = [\"long\"] }"][..]),
        mut pauses in prop::collection::vec(0..4_000_000_000_u64, 0..8),
        mut changes in prop::collection::vec((1..4_000_000_000_u64, prop::sample::select(CHANGES)), 0..5),
        seed in any::<u64>(),
    ) {
        let text = format!(
            "schema = 1\nname = \"any\"\nduration = \"4 s\"\n[measure]\n{measure}\n\
             [links.near]\nrate = \"8 Mbit/s\"\ndelay = \"{delays}\"\nbuffer = \"40 packets\"\n{near}\n\
             [links.far]\nrate = \"4 Mbit/s\"\ndelay = \"3 ms\"\nbuffer = \"30 packets\"\n{far}\n\
             [flows.long]\npath = [\"near\", \"far\"]\n{first}\n{long}\n\
             [flows.short]\npath = [\"near\"]\n{second}\n{short}\n\
             [flows.cross]\npath = [\"far\"]\n{third}\n{cross}\n\
             [flows.datagrams]\npath = [\"near\", \"far\"]\nrtt = \"30 ms\"\ntraffic.cbr.rate = \"300 kbit/s\"\n"
        );
        pauses.sort_unstable();
        changes.sort_unstable();
        let text = with_changes(text, &changes);
        check_same(&text, seed, &pauses)?;
    }
}
