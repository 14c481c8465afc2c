//! DropTail against the least that can be written: a list and a limit.

use std::collections::VecDeque;

use proptest::prelude::*;
use weir_aqm::{Discipline, Limit, PacketInfo, Port, aqm::DropTail, qdisc::Fifo};
use weir_types::{Duration, Instant};

use super::{Operation, aqms::limit, operations};
use crate::support::{Event, Numbered, Trace, rate};

fn fits(waiting: &VecDeque<(u64, u32, Instant)>, bytes: u32, limit: Limit) -> bool {
    match limit {
        Limit::Packets(limit) => waiting.len() < limit as usize,
        Limit::Bytes(limit) | Limit::Span(limit) => {
            waiting.iter().map(|(_, bytes, _)| u64::from(*bytes)).sum::<u64>() + u64::from(bytes) <= limit
        }
    }
}

/// Departures as (packet, start, end), and the packets dropped.
type Served = (Vec<(u64, Instant, Instant)>, Vec<u64>);

/// A queue and a server with times as fractions, rounded down when they are read.
fn by_hand(operations: &[Operation], limit: Limit, rate: u128) -> Served {
    let (mut waiting, mut sent, mut dropped) = (VecDeque::new(), Vec::new(), Vec::new());
    let (mut now, mut free_at, mut fraction) = (Instant::ZERO, Instant::ZERO, 0);
    let mut serve = |waiting: &mut VecDeque<(u64, u32, Instant)>, until: Instant| {
        while let Some(&(id, bytes, arrived)) = waiting.front() {
            let start = free_at.max(arrived);
            if start > until {
                break;
            }
            fraction += u128::from(bytes) * 8_000_000_000;
            free_at = start + Duration::from_nanos((fraction / rate) as u64);
            fraction %= rate;
            sent.push((id, start, free_at));
            waiting.pop_front();
        }
    };
    for (id, operation) in (0..).zip(operations) {
        match *operation {
            Operation::Advance(nanos) => now += Duration::from_nanos(nanos),
            Operation::Offer(PacketInfo { bytes, .. }) => {
                serve(&mut waiting, now);
                if fits(&waiting, bytes, limit) {
                    waiting.push_back((id, bytes, now));
                } else {
                    dropped.push(id);
                }
            }
            Operation::Take | Operation::Rate(_) => {}
        }
        serve(&mut waiting, now);
    }
    serve(&mut waiting, Instant::MAX);
    (sent, dropped)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_fifo_is_a_list(limit in limit(), operations in operations()) {
        let mut fifo = Fifo::new(DropTail, limit);
        let mut list = VecDeque::new();
        let mut now = Instant::ZERO;
        for (id, operation) in (0..).zip(operations) {
            let mut trace = Trace::default();
            match operation {
                Operation::Advance(nanos) => now += Duration::from_nanos(nanos),
                Operation::Offer(info) => {
                    fifo.enqueue(Numbered { id, info }, now, &mut trace);
                    if fits(&list, info.bytes, limit) {
                        list.push_back((id, info.bytes, now));
                        prop_assert_eq!(trace.events, vec![]);
                    } else {
                        let dropped = matches!(trace.events[..], [Event::Dropped { id: dropped, .. }] if dropped == id);
                        prop_assert!(dropped);
                    }
                }
                Operation::Take => {
                    let taken = fifo.dequeue(now, &mut trace).map(|(packet, sojourn)| (packet.id, sojourn));
                    let expected = list.pop_front().map(|(id, _, arrived)| (id, now.since(arrived)));
                    prop_assert_eq!(taken, expected);
                }
                Operation::Rate(_) => {}
            }
        }
    }

    #[test]
    fn a_port_is_a_list_and_a_server(limit in limit(), bits in 1_000_000_u64..1_000_000_000, operations in operations()) {
        let mut port = Port::new(Fifo::new(DropTail, limit), rate(bits));
        let (mut trace, mut now) = (Trace::default(), Instant::ZERO);
        for (id, operation) in (0..).zip(&operations) {
            match *operation {
                Operation::Advance(nanos) => now += Duration::from_nanos(nanos),
                Operation::Offer(info) => port.offer(Numbered { id, info }, now, &mut trace),
                Operation::Take | Operation::Rate(_) => {}
            }
        }
        port.advance(now + Duration::from_secs(100), &mut trace);
        let (mut sent, mut dropped) = (Vec::new(), Vec::new());
        for event in trace.events {
            match event {
                Event::Sent { id, start, end, .. } => sent.push((id, start, end)),
                Event::Dropped { id, .. } => dropped.push(id),
                _ => {}
            }
        }
        prop_assert_eq!((sent, dropped), by_hand(&operations, limit, u128::from(bits)));
    }
}
