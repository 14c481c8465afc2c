//! Tins of CAKE: what each has of the rate.

use weir_aqm::{
    Discipline, Label, Limit, PacketInfo, Port,
    qdisc::{CakeParameters, Tins},
};
use weir_types::{Dscp, Ecn, Instant};

use super::{
    cake::{Labelled, Log, build},
    cake_sharing::{Greedy, shares},
};
use crate::support::{near, packet, rate};

fn of(dscp: u8) -> Label {
    Label { dscp: Dscp::new(dscp).expect("below 64"), ..Label::default() }
}

/// Parts of flows with these codepoints, all greedy.
fn parts(parameters: &CakeParameters, points: &[u8]) -> Vec<f64> {
    let flows: Vec<_> = points.iter().map(|dscp| Greedy { label: of(*dscp), bytes: 1000 }).collect();
    shares(parameters, &flows)
}

/// CS0, CS1, AF41 and EF: best effort, bulk, video and voice. A tin goes first up to its part of the rate, and has
/// all of it when it is alone.
#[test]
fn a_tin_has_its_part_and_no_more() {
    for (tins, points, expected) in [
        (Tins::Diffserv3, &[0, 46][..], &[0.75, 0.25][..]),
        (Tins::Diffserv3, &[0, 8], &[15.0 / 16.0, 1.0 / 16.0]),
        (Tins::Diffserv3, &[0, 8, 46], &[11.0 / 16.0, 1.0 / 16.0, 0.25]),
        (Tins::Diffserv3, &[46], &[1.0]),
        (Tins::Diffserv3, &[8], &[1.0]),
        (Tins::Diffserv4, &[0, 8, 34, 46], &[3.0 / 16.0, 1.0 / 16.0, 0.5, 0.25]),
        (Tins::Diffserv4, &[0, 34], &[0.5, 0.5]),
        // Five flows in the tin for voice have no more than one there.
        (Tins::Diffserv3, &[0, 46, 46, 46, 46, 46], &[0.75, 0.05, 0.05, 0.05, 0.05, 0.05]),
    ] {
        let parts = parts(&CakeParameters { tins, ..CakeParameters::default() }, points);
        for (part, expected) in parts.iter().zip(expected) {
            near(*part, *expected, 0.005);
        }
    }
}

/// Eight tins, each with seven eighths of the one before: the highest two have theirs, `(7/8)^7` and `(7/8)^6`, the
/// third the rest, and the others nothing.
#[test]
fn precedence_is_strict_up_to_the_part() {
    let points = [0, 8, 16, 24, 32, 40, 48, 56];
    let parts = parts(&CakeParameters { tins: Tins::Precedence, ..CakeParameters::default() }, &points);
    let expected = [0.0, 0.0, 0.0, 0.0, 0.0, 0.158_315, 0.448_795, 0.392_696];
    for (part, expected) in parts.into_iter().zip(expected) {
        near(part, expected, 0.005);
    }
}

/// Without a shaper, tins share by their quanta: 1024, 64 and 256; with video 512; and 256 times a power of 7/8.
#[test]
fn without_a_shaper_tins_share_by_quanta() {
    for (tins, points, quanta) in [
        (Tins::Diffserv3, &[0, 8, 46][..], &[1024.0, 64.0, 256.0][..]),
        (Tins::Diffserv4, &[0, 8, 34, 46], &[1024.0, 64.0, 512.0, 256.0]),
        (
            Tins::Precedence,
            &[0, 8, 16, 24, 32, 40, 48, 56],
            &[256.0, 224.0, 196.0, 171.0, 149.0, 130.0, 113.0, 98.0],
        ),
    ] {
        let parts = parts(&CakeParameters { tins, unlimited: true, ..CakeParameters::default() }, points);
        for (part, quantum) in parts.into_iter().zip(quanta) {
            near(part, quantum / quanta.iter().sum::<f64>(), 0.005);
        }
    }
}

/// Voice and bulk alone, at 1 ms a packet: both are beyond their parts, and the one that is due first goes. A packet
/// of voice at t makes the next due at t + 4, one of bulk at t + 16. The first of bulk is due at 0 and leaves at 1,
/// so the second is due at 16. Voice goes up to 13, when it is due at 16 as well. Bulk goes at 14, and then every 14.
#[test]
fn tins_beyond_their_parts_take_turns_by_time() {
    let (cake, _) = build(&CakeParameters::default(), 8_000_000, Limit::Packets(1000), 1);
    let (mut port, mut log) = (Port::new(cake, rate(8_000_000)), Log::default());
    for id in 0..100 {
        let info = PacketInfo { flow: (id % 2) as u32, ..packet(Ecn::Ect0) };
        port.offer(Labelled { id, info, label: of([46, 8][id as usize % 2]) }, Instant::ZERO, &mut log);
    }
    port.advance(Instant::from_nanos(50_000_000), &mut log);
    let bulk = log.sent.iter().filter(|sent| sent.packet.info.flow == 1);
    let starts: Vec<_> = bulk.map(|sent| sent.start.as_nanos() / 1_000_000).collect();
    assert_eq!(starts, [1, 14, 28, 42]);
}

/// Backlogs by tin, under the names of the classes.
#[test]
fn tins_are_classes() {
    let (mut cake, _) = build(&CakeParameters::default(), 8_000_000, Limit::Packets(1000), 1);
    let mut log = Log::default();
    for (id, dscp) in (0..).zip([0, 46, 46, 8, 48, 0, 0]) {
        let one = Labelled { id, info: packet(Ecn::NotEct), label: of(dscp) };
        cake.enqueue(one, Instant::ZERO, &mut log);
    }
    let backlogs: Vec<_> = cake
        .classes()
        .iter()
        .zip(0..)
        .map(|(name, class)| {
            let backlog = cake.class_backlog(class);
            (*name, backlog.packets, backlog.bytes)
        })
        .collect();
    assert_eq!(backlogs, [("best-effort", 3, 3000), ("bulk", 1, 1000), ("voice", 3, 3000)]);
}
