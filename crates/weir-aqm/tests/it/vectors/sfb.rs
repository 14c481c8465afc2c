//! SFB: bins, the penalty box and the moving hash.

use proptest::prelude::*;
use weir_aqm::{
    Aqm, Backlog, Discipline, Limit, PacketInfo, Reason, Verdict,
    aqm::{AqmConfig, Sfb, SfbParameters},
    qdisc::Fifo,
};
use weir_types::{Duration, Ecn, Instant};

use crate::support::{Numbered, Trace, link, millis, near, packet, probability, read, stream, waiting};

fn build(parameters: &SfbParameters) -> Sfb {
    parameters.build(link(), stream("sfb"))
}

/// Room for as many packets as a test needs.
fn roomy() -> SfbParameters {
    SfbParameters { max: 1_000_000, ..SfbParameters::default() }
}

/// A packet of `flow` arrives; the verdict and the probability behind it.
fn arrive(sfb: &mut Sfb, flow: u32, now: Instant) -> (Verdict, f64) {
    let verdict = sfb.on_enqueue(PacketInfo { flow, ..packet(Ecn::NotEct) }, waiting(100), now);
    (verdict, read(sfb, "probability"))
}

/// So many packets of `flow` arrive; how many enter.
fn enter(sfb: &mut Sfb, flow: u32, packets: u32) -> u32 {
    (0..packets).filter(|_| arrive(sfb, flow, Instant::ZERO).0 == Verdict::Pass).count() as u32
}

/// So many packets of `flow` leave at the instant they arrived.
fn leave(sfb: &mut Sfb, flow: u32, packets: u32) {
    for _ in 0..packets {
        sfb.on_dequeue(PacketInfo { flow, ..packet(Ecn::NotEct) }, Duration::ZERO, waiting(0), Instant::ZERO);
    }
}

/// Returns true if two flows share a bin in one of the first `levels` levels.
fn meet(one: u32, other: u32, levels: u32) -> bool {
    let mut sfb = build(&SfbParameters { levels, ..roomy() });
    enter(&mut sfb, one, 1);
    enter(&mut sfb, other, 1);
    read(&sfb, "fullest") > 1.0
}

/// Returns true if two flows share the bins of all levels, so that signals caused by one hit the other.
fn share_all(one: u32, other: u32, levels: u32, parameters: &SfbParameters) -> bool {
    let certain = SfbParameters { levels, bin_size: 1, d1: probability(1.0), ..parameters.clone() };
    let mut sfb = build(&certain);
    enter(&mut sfb, one, 1);
    arrive(&mut sfb, other, Instant::ZERO).1 > 0.0
}

/// The least flow number that fits.
fn flow(fits: impl FnMut(&u32) -> bool) -> u32 {
    (1..100_000).find(fits).expect("a flow")
}

/// One neighbour of flow 0 shares its bin of the first level, another that of the second.
#[test]
fn the_least_probability_of_all_levels_counts() {
    let two = SfbParameters { levels: 2, ..roomy() };
    let first = flow(|&flow| meet(0, flow, 1) && !share_all(0, flow, 2, &two));
    let second = flow(|&flow| meet(0, flow, 2) && !meet(0, flow, 1) && !meet(first, flow, 2));
    let mut sfb = build(&two);
    // Twenty enter without a change; every arrival that finds them adds 0.001.
    let mut inside = [first, second].map(|flow| enter(&mut sfb, flow, 20));
    assert_eq!(inside, [20, 20]);
    inside[0] += enter(&mut sfb, first, 300);
    inside[1] += enter(&mut sfb, second, 100);

    // Less than bin_size waits, but not nothing: (0.3, 0.1) stays.
    leave(&mut sfb, first, inside[0] - 19);
    leave(&mut sfb, second, inside[1] - 19);
    let (verdict, p_min) = arrive(&mut sfb, 0, Instant::ZERO);
    near(p_min, 0.1, 1e-12);
    near(read(&sfb, "highest"), 0.3, 1e-12);
    if verdict == Verdict::Pass {
        leave(&mut sfb, 0, 1);
    }

    // Twenty in the one bin and none in the other: (0.301, 0.0998333).
    inside = [19 + enter(&mut sfb, first, 1), 19];
    while inside[0] < 20 {
        inside[0] += enter(&mut sfb, first, 1);
    }
    leave(&mut sfb, second, 19);
    near(arrive(&mut sfb, 0, Instant::ZERO).1, 0.099_833_3, 5e-8);
    near(read(&sfb, "highest"), 0.301, 1e-12);
}

/// The probability that a packet of `flow` would meet.
fn met_by(sfb: &Sfb, flow: u32, now: Instant) -> f64 {
    arrive(&mut sfb.clone(), flow, now).1
}

/// A flow that drives its bins to 1 harms no flow that has one bin of its own.
#[test]
fn flows_pay_for_themselves() {
    let harmed = |levels| {
        let mut sfb = build(&SfbParameters { levels, ..roomy() });
        enter(&mut sfb, 0, 100_000);
        near(met_by(&sfb, 0, Instant::ZERO), 1.0, 0.0);
        (1..=10_000).filter(|&flow| met_by(&sfb, flow, Instant::ZERO) > 0.0).count() as f64
    };
    // All of 8 levels of 16 bins are shared with probability 16^-8, and one level with 1/16.
    near(harmed(8), 0.0, 0.0);
    near(harmed(1), 10_000.0 / 16.0, 100.0);
}

/// Bins are chosen evenly, and in each level apart from the others.
#[test]
fn flows_are_spread_evenly_over_the_bins() {
    for (levels, bins, share) in [(1, 16, 16.0), (2, 16, 256.0), (3, 4, 64.0), (1, 256, 256.0)] {
        let parameters = SfbParameters { bins, ..roomy() };
        let sharing = (1..=20_000).filter(|&flow| share_all(0, flow, levels, &parameters)).count() as f64;
        let expected = 20_000.0 / share;
        near(sharing, expected, 5.0 * expected.sqrt());
    }
}

/// All bins of flow 0 at 1, and nothing waits.
fn unresponsive(parameters: &SfbParameters) -> Sfb {
    let mut sfb = build(&SfbParameters { d1: probability(1.0), bin_size: 1, ..parameters.clone() });
    assert_eq!(enter(&mut sfb, 0, 1), 1);
    sfb
}

/// Twenty at once, then one in 100 ms, however often it is asked.
#[test]
fn the_penalty_box_lets_few_pass() {
    let mut sfb = unresponsive(&roomy());
    let passed = (0..1000).filter(|_| arrive(&mut sfb, 0, millis(0)).0 == Verdict::Pass).count();
    assert_eq!(passed, 20);
    assert_eq!(arrive(&mut sfb, 0, millis(99)).0, Verdict::Drop(Reason::Forced));
    let passed: Vec<_> =
        (100..1000).filter(|&now| arrive(&mut sfb, 0, millis(now)).0 == Verdict::Pass).collect();
    assert_eq!(passed, [100, 200, 300, 400, 500, 600, 700, 800, 900]);
    // A long pause fills the bucket, and no more.
    let passed = (0..1000).filter(|_| arrive(&mut sfb, 0, millis(60_000)).0 == Verdict::Pass).count();
    assert_eq!(passed, 20);

    let mut sfb = unresponsive(&SfbParameters { penalty_burst: 0, ..roomy() });
    assert_eq!(arrive(&mut sfb, 0, millis(60_000)).0, Verdict::Drop(Reason::Forced));
}

/// From `max` packets in the emptiest of its bins on, a flow's packets are dropped.
#[test]
fn a_flow_has_so_much_room_and_no_more() {
    let mut sfb = build(&SfbParameters::default());
    let verdicts = (0..40).map(|_| arrive(&mut sfb, 0, Instant::ZERO)).collect::<Vec<_>>();
    // Of the five that found 20 to 24 none was signalled, by this seed.
    assert!(verdicts[..25].iter().all(|(verdict, _)| *verdict == Verdict::Pass));
    assert!(verdicts[25..].iter().all(|(verdict, _)| *verdict == Verdict::Drop(Reason::Forced)));
    near(verdicts[20].1, 0.001, 1e-12);
    near(verdicts[39].1, 0.020, 1e-12);
}

/// Above one half, a growing part of the signals is drops even where marks could be: of 0.75,
/// 2 (0.75 - 0.5) = 0.5.
#[test]
fn high_probabilities_drop_where_low_ones_mark() {
    let shares = |ecn, steps: u32| {
        let d2 = probability(0.0);
        let parameters = SfbParameters { d1: probability(0.25), d2, bin_size: 1, ecn, ..roomy() };
        let mut sfb = build(&parameters);
        // Each arrival that finds one waiting adds 0.25.
        let mut inside = enter(&mut sfb, 0, 1);
        for _ in 0..steps {
            inside += enter(&mut sfb, 0, 1);
        }
        leave(&mut sfb, 0, inside);
        let mut counts = (0, 0);
        for _ in 0..100_000 {
            let info = PacketInfo { flow: 0, ..packet(Ecn::Ect0) };
            match sfb.on_enqueue(info, waiting(0), Instant::ZERO) {
                Verdict::Mark(Reason::Early) => counts.0 += 1,
                Verdict::Drop(Reason::Early) => {
                    counts.1 += 1;
                    continue;
                }
                _ => {}
            }
            leave(&mut sfb, 0, 1);
        }
        near(read(&sfb, "probability"), 0.25 * f64::from(steps), 1e-12);
        (f64::from(counts.0) / 1e5, f64::from(counts.1) / 1e5)
    };
    for (ecn, steps, marks, drops) in [
        (true, 1, 0.25, 0.0),
        (true, 2, 0.5, 0.0),
        (true, 3, 0.25, 0.5),
        (false, 1, 0.0, 0.25),
        (false, 3, 0.0, 0.75),
    ] {
        let (marked, dropped) = shares(ecn, steps);
        near(marked, marks, 0.006);
        near(dropped, drops, 0.006);
    }
}

/// A refused packet is counted nowhere: a mark that cannot be carried out is a drop.
#[test]
fn only_what_enters_is_counted() {
    let parameters = SfbParameters { d1: probability(0.5), bin_size: 1, ecn: true, ..roomy() };
    let outcomes = |ecn| {
        let outcome = |seed: u32| {
            let mut sfb = parameters.build(link(), stream(&format!("sfb {seed}")));
            enter(&mut sfb, 0, 1);
            let verdict = sfb.on_enqueue(packet(ecn), waiting(1), Instant::ZERO);
            (verdict == Verdict::Pass, read(&sfb, "fullest"))
        };
        (0..30).map(outcome).collect::<Vec<_>>()
    };
    let (can, cannot) = (outcomes(Ecn::Ect0), outcomes(Ecn::NotEct));
    assert!(can.contains(&(true, 2.0)) && can.contains(&(false, 2.0)));
    assert!(!can.iter().any(|(_, waiting)| *waiting < 2.0));
    assert!(cannot.contains(&(true, 2.0)) && cannot.contains(&(false, 1.0)));
    assert!(!cannot.contains(&(false, 2.0)));
}

/// A full buffer draws nothing, changes nothing and moves no hash.
#[test]
fn a_full_buffer_changes_nothing() {
    let full = Backlog { limit: Limit::Packets(20), ..waiting(20) };
    let verdicts = |overflows_between| {
        let mut sfb = build(&SfbParameters { d1: probability(0.05), bin_size: 1, ..roomy() });
        (0..40)
            .map(|_| {
                for _ in 0..overflows_between {
                    let info = packet(Ecn::Ect0);
                    assert_eq!(sfb.on_enqueue(info, full, millis(900_000)), Verdict::Pass);
                }
                arrive(&mut sfb, 0, Instant::ZERO)
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(verdicts(0), verdicts(3));
}

/// A discipline that makes room by itself does not say whose packets it drops: the bins are
/// right again when nothing waits.
#[test]
fn lost_packets_are_forgotten_when_nothing_waits() {
    let mut sfb = build(&roomy());
    enter(&mut sfb, 0, 10);
    leave(&mut sfb, 0, 7);
    sfb.on_overflow(3, Instant::ZERO);
    near(read(&sfb, "fullest"), 3.0, 0.0);
    sfb.on_idle(Instant::ZERO);
    near(read(&sfb, "fullest"), 0.0, 0.0);
}

fn secs(secs: u64) -> Instant {
    millis(secs * 1000)
}

/// Two flows that share all their bins are parted when the hash moves, after 600 s.
#[test]
fn the_hash_moves() {
    let mut sfb = unresponsive(&SfbParameters { levels: 1, warm_up: Duration::ZERO, ..roomy() });
    let neighbours =
        |sfb: &Sfb, now| (1..5000).filter(|&flow| met_by(sfb, flow, now) > 0.0).collect::<Vec<_>>();
    let old = neighbours(&sfb, secs(600));
    near(old.len() as f64, 5000.0 / 16.0, 80.0);
    // Nothing is known under the new hash, until somebody sends.
    assert!(neighbours(&sfb, secs(601)).is_empty());
    for _ in 0..2 {
        arrive(&mut sfb, 0, secs(601));
    }
    let new = neighbours(&sfb, secs(602));
    near(new.len() as f64, 5000.0 / 16.0, 80.0);
    let still = new.iter().filter(|flow| old.contains(flow)).count();
    near(still as f64, 5000.0 / 256.0, 20.0);
    // And again.
    assert!(neighbours(&sfb, secs(1202)).is_empty());
}

/// Flows in the penalty box are known from the first moment under the new hash, and they alone.
#[test]
fn the_next_hash_is_warmed_up() {
    let share = |warm_up| {
        let mut sfb = unresponsive(&SfbParameters { d1: probability(0.01), warm_up, ..roomy() });
        // Into the penalty box, with 100 arrivals that find a packet waiting, before the warm-up.
        enter(&mut sfb, 0, 1000);
        near(arrive(&mut sfb, 0, secs(500)).1, 1.0, 0.0);
        // In the last minute it sends 10 packets a second, and so does flow 1.
        for tick in 5401..=6000 {
            arrive(&mut sfb, 0, millis(tick * 100));
            if arrive(&mut sfb, 1, millis(tick * 100)).0 == Verdict::Pass {
                let info = PacketInfo { flow: 1, ..packet(Ecn::NotEct) };
                sfb.on_dequeue(info, Duration::ZERO, waiting(0), millis(tick * 100));
            }
        }
        [0, 1].map(|flow| arrive(&mut sfb, flow, millis(600_001)).1)
    };
    for (warm_up, known) in [(Duration::from_secs(60), 1.0), (Duration::ZERO, 0.0)] {
        let [unresponsive, other] = share(warm_up);
        near(unresponsive, known, 0.0);
        near(other, 0.0, 0.0);
    }
}

proptest! {
    /// Whatever enters, leaves, across every change of the hash: with the queue empty,
    /// no bin holds anything.
    #[test]
    fn an_empty_queue_leaves_empty_bins(
        steps in prop::collection::vec((0_u32..10, 0_u64..4_000_000, any::<bool>()), 1..800),
        rehash in 1_u64..50,
        share in 0.0..0.99,
    ) {
        let rehash = Duration::from_millis(rehash);
        let parameters = SfbParameters {
            bin_size: 3, d1: probability(0.1), rehash, warm_up: rehash.mul_f64(share), ecn: true,
            ..SfbParameters::default()
        };
        let mut fifo = Fifo::new(build(&parameters), Limit::Packets(30));
        let (mut trace, mut now) = (Trace::default(), Instant::ZERO);
        for (id, (flow, gap, takes)) in (0..).zip(steps) {
            now += Duration::from_nanos(gap);
            let ecn = if flow % 2 == 0 { Ecn::Ect0 } else { Ecn::NotEct };
            fifo.enqueue(Numbered { id, info: PacketInfo { flow, ..packet(ecn) } }, now, &mut trace);
            if takes {
                fifo.dequeue(now, &mut trace);
            }
        }
        while fifo.dequeue(now, &mut trace).is_some() {
            now += Duration::from_micros(125);
        }
        near(read(fifo.aqm(), "fullest"), 0.0, 0.0);
    }
}

#[test]
fn parameters_are_checked_together() {
    let default = SfbParameters::default;
    for (parameters, name) in [
        (SfbParameters { levels: 0, ..default() }, "levels"),
        (SfbParameters { levels: 9, ..default() }, "levels"),
        (SfbParameters { bins: 0, ..default() }, "bins"),
        (SfbParameters { bins: 12, ..default() }, "bins"),
        (SfbParameters { bins: 512, ..default() }, "bins"),
        (SfbParameters { bin_size: 0, ..default() }, "bin_size"),
        (SfbParameters { max: 19, ..default() }, "max"),
        (SfbParameters { warm_up: Duration::from_secs(600), ..default() }, "warm_up"),
    ] {
        let invalid = AqmConfig::Sfb(parameters).check().expect_err(name);
        assert_eq!(invalid.parameter, name);
    }
}
