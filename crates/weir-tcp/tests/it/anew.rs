//! A connection that takes the place of another that has ended.

use std::{collections::VecDeque, sync::Arc};

use weir_tcp::{
    Flags, Header, Receiver, Segment, Sender, TcpParameters,
    congestion::{CongestionConfig, CubicParameters, DctcpParameters, VegasParameters},
    recovery::{LossDetection, RecoveryConfig, SackParameters},
};
use weir_types::{Duration, Ecn, Instant};

const DELAY: Duration = Duration::from_millis(20);

/// All data that left until the sender had nothing more to do, and the receiver. The path loses the
/// transmissions of these numbers (counted from 0) and marks every 17th packet.
fn transfer(parameters: &TcpParameters, first: u32, segments: u32, lost: &[u64]) -> (Vec<Segment>, Receiver) {
    let mut sender = Sender::new(0, 1000, Arc::new(parameters.clone())).counting_from(first);
    let mut receiver = Receiver::new(0, parameters).counting_from(first);
    let (mut data, mut acks) = (VecDeque::new(), VecDeque::new());
    let mut left = Vec::new();
    let mut now = Instant::ZERO;
    sender.start_with(segments, 300);
    for _ in 0..100_000 {
        while let Some(segment) = sender.poll_segment(now) {
            if !lost.contains(&(left.len() as u64)) {
                let marked = left.len() % 17 == 16 && segment.ecn() != Ecn::NotEct;
                let ecn = if marked { Ecn::Ce } else { segment.ecn() };
                data.push_back((now + DELAY, Segment { header: segment.header.with_ecn(ecn), ..segment }));
            }
            left.push(segment);
        }
        if sender.is_done() {
            return (left, receiver);
        }
        let next = |queue: &VecDeque<(Instant, Segment)>| queue.front().map_or(Instant::MAX, |(due, _)| *due);
        let due = [next(&data), next(&acks), sender.timeout(), receiver.timeout()].into_iter().min();
        now = due.filter(|due| *due < Instant::MAX).expect("something is to happen");
        if next(&data) == now {
            let (_, segment) = data.pop_front().expect("it is there");
            acks.extend(receiver.on_segment(&segment, now).map(|ack| (now + DELAY, ack)));
        } else if next(&acks) == now {
            let (_, ack) = acks.pop_front().expect("it is there");
            let options = receiver.options_of(&ack);
            sender.on_ack_with(&ack, &options, now);
        } else if receiver.timeout() == now {
            acks.extend(receiver.on_timeout().map(|ack| (now + DELAY, ack)));
        } else {
            sender.on_timeout(now);
        }
    }
    panic!("{segments} segments do not get through");
}

/// Every recovery with the controls that remember numbers.
fn connections() -> Vec<TcpParameters> {
    let plain = SackParameters::default();
    let modern = SackParameters { detection: LossDetection::Rack, prr: true, tlp: true, ..plain };
    let recoveries = [RecoveryConfig::default(), RecoveryConfig::Sack(plain), RecoveryConfig::Sack(modern)];
    let controls = [
        CongestionConfig::default(),
        CongestionConfig::Cubic(CubicParameters::default()),
        CongestionConfig::Dctcp(DctcpParameters::default()),
        CongestionConfig::Vegas(VegasParameters::default()),
    ];
    let pairs =
        recoveries.iter().flat_map(|recovery| controls.iter().map(move |control| (recovery, control)));
    pairs
        .map(|(recovery, congestion)| TcpParameters {
            recovery: recovery.clone(),
            congestion: congestion.clone(),
            ecn: true,
            timestamps: true,
            delayed_ack: Some(Duration::from_millis(40)),
            ..TcpParameters::default()
        })
        .collect()
}

#[test]
fn where_it_counts_from_changes_nothing_else() {
    for parameters in connections() {
        for lost in [vec![], vec![0], vec![3, 4, 30, 31, 35, 60], vec![40, 41, 42, 43, 44, 45, 46, 80, 81]] {
            let (plain, _) = transfer(&parameters, 0, 150, &lost);
            let (shifted, _) = transfer(&parameters, 7001, 150, &lost);
            let back =
                shifted.into_iter().map(|segment| Segment { number: segment.number - 7001, ..segment });
            assert_eq!(back.collect::<Vec<_>>(), plain, "{parameters:?} {lost:?}");
        }
    }
}

#[test]
fn a_transfer_has_the_size_it_was_given() {
    for parameters in connections() {
        for segments in [1, 2, 3, 10, 41] {
            let (left, receiver) = transfer(&parameters, 50, segments, &[1, 5, 6]);
            assert_eq!(receiver.delivered(), segments);
            let small = left.iter().filter(|segment| segment.bytes() == 300).map(|segment| segment.number);
            assert!(small.into_iter().all(|number| number == 50 + segments), "the last is the short one");
            let highest = left.iter().map(|segment| segment.number).max();
            assert_eq!(highest, Some(50 + segments), "nothing beyond the end");
        }
    }
}

#[test]
fn what_is_late_from_the_former_is_ignored() {
    for parameters in connections() {
        let mut sender = Sender::new(0, 1000, Arc::new(parameters.clone())).counting_from(500);
        let mut receiver = Receiver::new(0, &parameters).counting_from(500);
        let stale = Segment {
            stamp: Instant::ZERO,
            flow: 0,
            number: 499,
            header: Header::new(1000, Ecn::Ce, Flags::NONE),
        };
        assert_eq!(receiver.on_segment(&stale, Instant::ZERO), None);
        sender.start_with(10, 1000);
        let syn = sender.poll_segment(Instant::ZERO).expect("a SYN");
        let before = format!("{sender:?}");
        let ack = Segment { header: stale.header.with_flags(Flags::ACK.with(Flags::ECE, true)), ..stale };
        for _ in 0..4 {
            sender.on_ack(&ack, Instant::ZERO + DELAY);
        }
        assert_eq!(format!("{sender:?}"), before);
        let answer = receiver.on_segment(&syn, Instant::ZERO + DELAY).expect("an ACK");
        assert_eq!(answer.number, 501);
        assert!(!answer.flags().has(Flags::ECE), "the mark was not for it");
    }
}
