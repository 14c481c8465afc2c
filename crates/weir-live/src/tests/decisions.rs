//! A simulation of the packets that came makes the decisions of the relay at the same instants,
//! whenever the relay is called.

use proptest::prelude::*;
use weir_aqm::{Label, qdisc::QueueConfig};
use weir_line::Totals;
use weir_scenario::{Document, Live, TracePacket, Way};
use weir_sim::{Followed, Monitor, Simulation, Step};
use weir_types::{Duration, Ecn, Instant};

use crate::{
    chain::Chain,
    flows::Flows,
    frame::{FlowKey, Frame},
};

const SEED: u64 = 7;

/// A packet: the time since the one before, bytes, flow, ECN bits.
type Arrival = (u64, u32, u32, Ecn);

fn live(queue: &str, extras: &str) -> Live {
    let text = format!(
        r#"
        schema = 1
        name = "live"
        duration = "10 s"
        links.first = {{ rate = "20 Mbit/s", delay = "3 ms", buffer = "60 packets", queue.{queue} = {{}}, {extras} }}
        links.second = {{ rate = "15 Mbit/s", delay = "2 ms", buffer = "40 kB" }}
        flows.f = {{ rtt = "20 ms", path = ["first", "second"] }}
        "#
    );
    Document::parse("live", &text).unwrap().scenario().unwrap().live(None, None).unwrap()
}

/// A result of a chain: the packets that came out and when, the totals of the ports, the packets that came in, and the
/// end.
struct Relayed {
    out: Vec<(Instant, u32)>,
    totals: Vec<Totals>,
    trace: Vec<TracePacket>,
    end: Instant,
}

/// Relays packets through a chain, which is called at the arrivals and at `calls`.
fn relayed(way: &Way, arrivals: &[Arrival], calls: &[u64]) -> Relayed {
    let mut chain = Chain::new(way, SEED);
    let (mut flows, mut gone, mut out, mut trace) = (Flows::default(), Vec::new(), Vec::new(), Vec::new());
    let mut calls = calls
        .iter()
        .scan(0, |at, gap| {
            *at += gap;
            Some(Instant::from_nanos(*at))
        })
        .peekable();
    let mut now = Instant::ZERO;
    for (gap, bytes, flow, ecn) in arrivals.iter().copied() {
        now += Duration::from_nanos(gap + 1);
        while let Some(at) = calls.next_if(|at| *at < now) {
            chain.advance(at, &mut flows, &mut gone);
            out.extend(std::iter::from_fn(|| chain.take(at)));
        }
        flows.count(key(flow), bytes);
        trace.push(TracePacket { at: now.since(Instant::ZERO), bytes, flow, ecn });
        chain.offer(Frame { slot: 0, bytes, flow, ecn, label: Label::default(), checked: false }, now);
    }
    let end = now + Duration::from_secs(10);
    while let Some(next) = chain.next_exit() {
        chain.advance(next, &mut flows, &mut gone);
        let before = out.len();
        out.extend(std::iter::from_fn(|| chain.take(next)));
        assert!(out[before..].iter().all(|(at, _)| *at == next), "nothing comes out before its time");
    }
    let out = out.into_iter().map(|(at, frame)| (at, frame.flow)).collect();
    let totals = chain.links().map(|(_, counts, ..)| counts.totals).collect();
    Relayed { out, totals, trace, end }
}

fn key(flow: u32) -> FlowKey {
    let address = [127, 0, 0, 1].into();
    FlowKey { from: address, to: address, protocol: 17, ports: (flow as u16, 1) }
}

/// Simulates the packets of `trace`: those that came out and when, and the totals of the ports.
fn simulated(
    way: &Way,
    trace: Vec<TracePacket>,
    flows: u32,
    end: Instant,
) -> (Vec<(Instant, u32)>, Vec<Totals>) {
    let trace = weir_scenario::Trace { packets: trace, flows };
    let scenario =
        way.with(trace.into(), end.since(Instant::ZERO), Duration::ZERO).expect("there are queues");
    let network = scenario.network();
    let last = network.ports.iter().position(|port| port.at.link == "second").unwrap();
    let mut simulation = Simulation::new(&scenario, SEED);
    simulation.follow(last, true);
    simulation.advance(end, &Monitor::default()).unwrap();
    let delay = scenario.links["second"].delay;
    let sent = |step: Followed| (step.step == Step::Sent).then(|| (step.until.unwrap() + delay, step.flow));
    let out = simulation.followed(last).into_iter().filter_map(sent).collect();
    let measured = Simulation::new(&scenario, SEED).run(&Monitor::default()).unwrap();
    let totals = network.paths[0].data.iter().map(|at| measured.totals(*at).unwrap());
    (out, totals.collect())
}

fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    let ecn = prop::sample::select(vec![Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce]);
    let gap = prop_oneof![0..3_u64, 0..900_000_u64, 0..60_000_000_u64];
    prop::collection::vec((gap, 40..1501_u32, 0..6_u32, ecn), 1..600)
}

const EXTRAS: [&str; 6] = [
    "",
    "loss.bernoulli = { per_packet = 0.05 }",
    "loss.periodic = { every = 7, before_queue = true }",
    r#"docsis = { channel = "300 Mbit/s" }"#,
    r#"delay_variation = { uniform = { max = "4 ms" }, reorder = true }"#,
    r#"rate_schedule = [{ at = "200 ms", rate = "1 Mbit/s" }, { at = "3 s", rate = "40 Mbit/s" }]"#,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_simulation_makes_the_same_decisions(
        queue in prop::sample::select(QueueConfig::NAMES).prop_filter("a relay reads no ACKs", |name| {
            QueueConfig::from_name(name).is_none_or(|queue| queue.ack_filter().is_none())
        }),
        extras in prop::sample::select(&EXTRAS[..]),
        arrivals in arrivals(),
        calls in prop::collection::vec(0..40_000_000_u64, 0..200),
    ) {
        let way = live(queue, extras).forward;
        // Flows count from 0, in the order of their first packets.
        let mut known = Vec::new();
        let arrivals: Vec<_> = arrivals.into_iter().map(|(gap, bytes, flow, ecn)| {
            let number = known.iter().position(|other| *other == flow).unwrap_or_else(|| { known.push(flow); known.len() - 1 });
            (gap, bytes, number as u32, ecn)
        }).collect();
        let Relayed { out, totals, trace, end } = relayed(&way, &arrivals, &calls);
        let (again, counted) = simulated(&way, trace, known.len() as u32, end);
        prop_assert_eq!(counted, totals);
        prop_assert_eq!(again, out);
    }
}
