//! DropTail: the buffer and nothing else.

use weir_aqm::{Discipline, Limit, PacketInfo, Port, Reason, aqm::DropTail, qdisc::Fifo};
use weir_types::{Ecn, Instant};

use crate::support::{Event, Numbered, Trace, packet, rate};

/// Offers packets of these sizes to a stopped link; how many stay, and why the rest went.
fn fill(limit: Limit, sizes: &[u32]) -> (u32, Vec<(u64, Reason)>) {
    let mut fifo = Fifo::new(DropTail, limit);
    let mut trace = Trace::default();
    for (id, &bytes) in (0..).zip(sizes) {
        let info = PacketInfo { bytes, ..packet(Ecn::Ect0) };
        fifo.enqueue(Numbered { id, info }, Instant::ZERO, &mut trace);
    }
    let gone = trace.events.into_iter().map(|event| match event {
        Event::Dropped { id, reason, waited: false, .. } => (id, reason),
        other => panic!("DropTail only drops arrivals, this is {other:?}"),
    });
    (fifo.backlog().packets, gone.collect())
}

#[test]
fn the_limit_is_what_may_wait() {
    let (stay, gone) = fill(Limit::Packets(3), &[1000; 5]);
    assert_eq!((stay, gone), (3, vec![(3, Reason::Overflow), (4, Reason::Overflow)]));
}

/// ns-2 counts the packet in service in its limit: 3 there is 2 here.
#[test]
fn one_less_is_the_limit_of_ns2() {
    let (stay, gone) = fill(Limit::Packets(3 - 1), &[1000; 5]);
    assert_eq!((stay, gone.len()), (2, 3));
}

/// A packet is dropped if it does not fit as a whole; a smaller one behind it still may.
#[test]
fn a_limit_in_bytes_is_filled_to_the_last_one() {
    let (stay, gone) = fill(Limit::Bytes(3000), &[1000, 1500, 501, 500, 1]);
    assert_eq!((stay, gone), (3, vec![(2, Reason::Overflow), (4, Reason::Overflow)]));
}

/// The packet on the wire does not wait: 1 + 3 of 5 are served.
#[test]
fn the_packet_in_service_does_not_count() {
    let mut port = Port::new(Fifo::new(DropTail, Limit::Packets(3)), rate(8_000_000));
    let mut trace = Trace::default();
    for id in 0..5 {
        port.offer(Numbered { id, info: packet(Ecn::NotEct) }, Instant::ZERO, &mut trace);
    }
    port.advance(Instant::from_nanos(1_000_000_000), &mut trace);
    let (mut ends, mut drops) = (Vec::new(), 0);
    for event in &trace.events {
        match event {
            Event::Sent { end, .. } => ends.push(end.as_nanos() / 1_000_000),
            Event::Dropped { .. } => drops += 1,
            _ => {}
        }
    }
    assert_eq!((ends, drops), (vec![1, 2, 3, 4], 1));
}
