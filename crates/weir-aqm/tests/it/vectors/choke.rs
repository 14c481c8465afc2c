//! CHOKe: matches of an arrival with what waits.

use weir_aqm::{
    Discipline, Limit, Link, PacketInfo, Reason,
    qdisc::{Candidate, Choke, ChokeParameters},
};
use weir_types::{Duration, Ecn, Instant, Streams};

use crate::support::{Event, Numbered, Trace, link, near, packet, packets, probability};

const A: u32 = 0;
const B: u32 = 1;
const C: u32 = 2;

/// The average is the queue; it is above `min_th` if anything waits, and RED never signals.
fn parameters() -> ChokeParameters {
    ChokeParameters {
        min_th: Some(packets(0.5)),
        max_th: Some(packets(1000.0)),
        max_p: probability(0.0),
        w_q: probability(1.0),
        ..ChokeParameters::default()
    }
}

fn choke(parameters: &ChokeParameters, seed: u64) -> Choke<Numbered> {
    let link = Link { limit: Limit::Packets(100), ..link() };
    parameters.build(link, Streams::new(seed), "aqm")
}

fn offer(choke: &mut Choke<Numbered>, id: u64, flow: u32, trace: &mut Trace) {
    let info = PacketInfo { flow, ..packet(Ecn::Ect0) };
    choke.enqueue(Numbered { id, info }, Instant::ZERO, trace);
}

/// A queue of A, B, A, C, filled one by one while the average is below `min_th`.
fn waiting(parameters: &ChokeParameters, seed: u64) -> Choke<Numbered> {
    let mut choke = choke(&ChokeParameters { min_th: Some(packets(3.5)), ..parameters.clone() }, seed);
    let mut trace = Trace::default();
    for (id, flow) in (0..).zip([A, B, A, C]) {
        offer(&mut choke, id, flow, &mut trace);
    }
    assert_eq!(trace.events, []);
    choke
}

fn leaves(choke: &mut Choke<Numbered>) -> Vec<u64> {
    std::iter::from_fn(|| choke.dequeue(Instant::ZERO, &mut Trace::default()))
        .map(|(packet, _)| packet.id)
        .collect()
}

const fn dropped(id: u64, waited: bool) -> Event {
    Event::Dropped { id, reason: Reason::Early, waited, now: Instant::ZERO }
}

/// The packet with index 2 is drawn for some seeds: an A costs both, a B meets no match.
#[test]
fn both_are_dropped_or_neither() {
    let mut met = [0_u32; 4];
    for seed in 0..400 {
        let (mut choke, mut trace) = (waiting(&parameters(), seed), Trace::default());
        offer(&mut choke, 4, A, &mut trace);
        let left = leaves(&mut choke);
        match &trace.events[..] {
            [] => assert_eq!(left, [0, 1, 2, 3, 4], "B or C was drawn"),
            [Event::Dropped { id: drawn @ (0 | 2), .. }, _] => {
                assert_eq!(trace.events, [dropped(*drawn, true), dropped(4, false)]);
                let rest: Vec<_> = (0..4).filter(|id| id != drawn).collect();
                assert_eq!(left, rest);
                met[*drawn as usize] += 1;
                // The same draw and an arrival of B: no match, and RED has no say either.
                let (mut choke, mut trace) = (waiting(&parameters(), seed), Trace::default());
                offer(&mut choke, 4, B, &mut trace);
                assert_eq!(trace.events, []);
                assert_eq!(leaves(&mut choke), [0, 1, 2, 3, 4]);
            }
            events => panic!("{events:?}"),
        }
    }
    // Each of four with the same probability: 100 on average, with a deviation of 8.7.
    assert!((65..135).contains(&met[0]) && (65..135).contains(&met[2]), "{met:?}");
}

#[test]
fn nothing_is_drawn_up_to_the_lower_threshold() {
    let parameters = ChokeParameters { min_th: Some(packets(4.0)), ..parameters() };
    let (mut choke, mut trace) = (choke(&parameters, 1), Trace::default());
    (0..5).for_each(|id| offer(&mut choke, id, A, &mut trace));
    assert_eq!(trace.events, [], "an average of 4 is not above 4");
    offer(&mut choke, 5, A, &mut trace);
    assert_eq!(trace.events.len(), 2);
}

/// The head is the candidate in the paper's variant; several draws may cost several packets.
#[test]
fn variants_compare_with_the_head_and_with_several() {
    let head = ChokeParameters { candidate: Candidate::Head, ..parameters() };
    let (mut choke, mut trace) = (waiting(&head, 1), Trace::default());
    offer(&mut choke, 4, A, &mut trace);
    assert_eq!(trace.events, [dropped(0, true), dropped(4, false)]);
    let (mut choke, mut trace) = (waiting(&head, 1), Trace::default());
    offer(&mut choke, 4, B, &mut trace);
    assert_eq!(trace.events, []);

    // Those at the head: B is the second.
    let two = ChokeParameters { draws: 2, ..head };
    let (mut choke, mut trace) = (waiting(&two, 1), Trace::default());
    offer(&mut choke, 4, B, &mut trace);
    assert_eq!(trace.events, [dropped(1, true), dropped(4, false)]);

    let many = ChokeParameters { draws: 100, ..parameters() };
    let (mut choke, mut trace) = (waiting(&many, 1), Trace::default());
    offer(&mut choke, 4, A, &mut trace);
    assert_eq!(trace.events.len(), 3, "both A and the arrival: {:?}", trace.events);
    assert_eq!(leaves(&mut choke), [1, 3]);
}

/// Without a match, RED decides; it may mark, a match is always dropped.
#[test]
fn red_has_the_last_word() {
    let red = ChokeParameters { max_th: Some(packets(0.6)), ecn: true, harddrop: false, ..parameters() };
    let (mut choke, mut trace) = (waiting(&red, 1), Trace::default());
    offer(&mut choke, 4, 9, &mut trace);
    assert_eq!(trace.events, [Event::Marked { id: 4, reason: Reason::Forced, now: Instant::ZERO }]);
}

/// A flow that never slows down is held to a part of what it sends, without being known: with n
/// times the arrivals of the others it does not get n times their departures.
#[test]
fn a_greedy_flow_chokes_itself() {
    let parameters = ChokeParameters { min_th: Some(packets(20.0)), ..parameters() };
    let mut port = weir_aqm::Port::new(choke(&parameters, 1), crate::support::rate(64_000_000));
    let (mut trace, mut draws) = (Trace::default(), crate::support::stream("arrivals"));
    let mut flows = Vec::new();
    let mut now = Instant::ZERO;
    for id in 0..200_000 {
        // A sends at the rate of the link, 32 others at a third of it together.
        let flow = if draws.chance(0.75) { A } else { 1 + (draws.uniform() * 32.0) as u32 };
        flows.push(flow);
        now += Duration::from_micros(125).mul_f64(-(1.0 - draws.uniform()).ln() * 0.75);
        port.offer(Numbered { id, info: PacketInfo { flow, ..packet(Ecn::NotEct) } }, now, &mut trace);
    }
    let sent = trace.events.iter().filter_map(|event| match event {
        Event::Sent { id, .. } => Some(flows[*id as usize]),
        _ => None,
    });
    let (greedy, all) = sent.fold((0, 0), |(greedy, all), flow| (greedy + u32::from(flow == A), all + 1));
    let share = f64::from(greedy) / f64::from(all);
    near(share, 0.68, 0.04);
}
