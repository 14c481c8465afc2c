//! A queue of the kernel, played by sockets: the fate of each packet is known.

use std::{collections::VecDeque, os::unix::net::UnixDatagram, time};

use etherparse::{Ipv4Header, PacketBuilder};
use proptest::prelude::*;
use weir_scenario::{Direction, KernelLink};
use weir_types::{Duration, Ecn, Instant, Rate};

use crate::{
    around::{Around, Clock},
    device::End,
    flows::Flows,
    frame::{self, Frame},
    kernel::{KernelQueue, Router},
    offload,
    slots::Slots,
};

const FLOWS: u8 = 3;
const IDENTITY: std::ops::Range<usize> = 4..6;
const BEHIND: Duration = Duration::from_millis(3);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Passes,
    Marked,
    Dropped,
}

fn link() -> KernelLink {
    KernelLink {
        link: "bottleneck".into(),
        direction: Direction::Forward,
        rate: Rate::from_bits_per_second(10_000_000).unwrap(),
        before: Duration::ZERO,
        delay: BEHIND,
    }
}

/// The relay's side of a device, and the kernel's.
fn device() -> (End, UnixDatagram) {
    let (ours, theirs) = UnixDatagram::pair().unwrap();
    theirs.set_nonblocking(true).unwrap();
    (End { file: ours.into(), ethernet: None, addresses: Vec::new() }, theirs)
}

fn packet(flow: u8, number: usize) -> Vec<u8> {
    let builder = PacketBuilder::ipv4([198, 18, 0, 2], [198, 18, 0, 1], 64);
    let mut out = Vec::new();
    builder.tcp(1000 + u16::from(flow), 5001, number as u32, 4000).write(&mut out, &[0; 100]).unwrap();
    out[1] |= Ecn::Ect0 as u8;
    // The kernel's senders count up from any number.
    out[IDENTITY].copy_from_slice(&((7 * number) as u16).to_be_bytes());
    mend(&mut out);
    out
}

fn mend(packet: &mut [u8]) {
    let header = Ipv4Header::from_slice(packet).unwrap().0;
    packet[10..12].copy_from_slice(&header.calc_header_checksum().to_be_bytes());
}

/// A queue of the kernel with the state around it.
struct Rig {
    queue: KernelQueue,
    into: UnixDatagram,
    out: UnixDatagram,
    clock: Clock,
    slots: Slots,
    flows: Flows,
    gone: Vec<Frame>,
}

impl Rig {
    fn new() -> Self {
        let ((into, read), (out, write)) = (device(), device());
        Self {
            queue: KernelQueue::new(&link(), Router { into, out }).unwrap(),
            into: read,
            out: write,
            clock: Clock(time::Instant::now()),
            slots: Slots::new(1500),
            flows: Flows::default(),
            gone: Vec::new(),
        }
    }

    fn advance(&mut self) {
        let Self { queue, clock, slots, flows, gone, .. } = self;
        queue.advance(clock.now(), &mut Around { clock: *clock, slots, flows, gone }).unwrap();
    }

    /// A packet comes; returns it as the kernel gets it.
    fn offer(&mut self, packet: &[u8]) -> Vec<u8> {
        let parsed = frame::parse(packet).unwrap();
        let flow = self.flows.count(parsed.key, parsed.bytes as u32);
        let slot = self.slots.put(packet).unwrap();
        let (bytes, ecn, label) = (parsed.bytes as u32, parsed.ecn, parsed.label());
        let now = self.clock.now();
        self.queue.offer(Frame { slot, bytes, flow, ecn, label, checked: true }, now);
        self.advance();
        let mut read = vec![0; 2000];
        let length = self.into.recv(&mut read).unwrap();
        read[offload::HEADER..length].to_vec()
    }

    /// A packet leaves the kernel, marked or not.
    fn leave(&mut self, mut packet: Vec<u8>, marked: bool) {
        packet[8] -= 1; // the time to live
        if marked {
            packet[1] |= Ecn::Ce as u8;
        }
        mend(&mut packet);
        self.out.send(&[&offload::header(false)[..], &packet].concat()).unwrap();
        self.advance();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Flows overtake each other; within a flow the order stays.
    #[test]
    fn every_packet_has_the_fate_that_the_kernel_gave_it(
        packets in prop::collection::vec((0..FLOWS, 0..3_u8, 0..=FLOWS), 1..200),
    ) {
        let mut rig = Rig::new();
        let (mut fates, mut left) = (Vec::new(), Vec::new());
        let mut inside: Vec<VecDeque<(usize, Vec<u8>)>> = vec![VecDeque::new(); usize::from(FLOWS)];
        for (number, (flow, fate, served)) in packets.into_iter().enumerate() {
            let fate = [Fate::Passes, Fate::Marked, Fate::Dropped][usize::from(fate)];
            let sent = packet(flow, number);
            let came = rig.offer(&sent);
            prop_assert_eq!(&came[IDENTITY], &(number as u16).to_be_bytes());
            let sum = Ipv4Header::from_slice(&came).unwrap().0.calc_header_checksum();
            prop_assert_eq!(&came[10..12], &sum.to_be_bytes());
            prop_assert_eq!(&came[12..], &sent[12..]);
            fates.push((flow, fate));
            if fate != Fate::Dropped {
                inside[usize::from(flow)].push_back((number, came));
            }
            // One packet of some flow leaves now and then.
            if let Some((number, packet)) = inside.get_mut(usize::from(served)).and_then(VecDeque::pop_front) {
                rig.leave(packet, fates[number].1 == Fate::Marked);
                left.push(number);
            }
        }
        let later = rig.clock.now() + BEHIND + BEHIND;
        let out: Vec<_> = std::iter::from_fn(|| rig.queue.take(later)).collect();
        prop_assert_eq!(out.len(), left.len());
        for ((_, frame), number) in out.iter().zip(&left) {
            // The packet is as it was, its identification too: the relay marks it.
            prop_assert_eq!(rig.slots.get_mut(frame.slot, 140), packet(fates[*number].0, *number));
            prop_assert_eq!(frame.ecn == Ecn::Ce, fates[*number].1 == Fate::Marked);
        }
        let gone = rig.gone.len();
        let (links, passed) = rig.queue.finish();
        prop_assert_eq!(passed.len(), fates.len());
        for (number, one) in passed.iter().enumerate() {
            let overtaken = left.iter().any(|later| *later > number && fates[*later].0 == fates[number].0);
            let has_left = left.contains(&number);
            prop_assert_eq!(one.left.is_some(), has_left);
            prop_assert_eq!(one.marked, has_left && fates[number].1 == Fate::Marked);
            prop_assert_eq!(one.dropped, fates[number].1 == Fate::Dropped && overtaken);
            prop_assert!(one.left.is_none_or(|left| left >= one.arrived));
        }
        let totals = links[0].1;
        let count = |has: fn(&crate::Passed) -> bool| passed.iter().filter(|one| has(one)).count() as u64;
        prop_assert_eq!(totals.arrivals, passed.len() as u64);
        prop_assert_eq!(totals.departures, left.len() as u64);
        prop_assert_eq!(totals.drops, count(|one| one.dropped));
        prop_assert_eq!(totals.marks, count(|one| one.marked));
        prop_assert_eq!(gone as u64, totals.drops);
    }
}

#[test]
fn what_is_no_packet_of_ours_is_not_taken_for_one() {
    let mut rig = Rig::new();
    let came = rig.offer(&packet(0, 0));
    // The number is inside, and the packet is another: a message of the router, one of another flow, IPv6, nothing.
    let mut message = Vec::new();
    let builder = PacketBuilder::ipv4([198, 18, 0, 2], [198, 18, 0, 1], 64).icmpv4_echo_request(1, 1);
    builder.write(&mut message, &[0; 112]).unwrap();
    let mut v6 = Vec::new();
    PacketBuilder::ipv6([0xfd; 16], [0xfe; 16], 64).udp(1, 2).write(&mut v6, &[0; 92]).unwrap();
    for other in [message, packet(1, 0), v6, vec![0x45], Vec::new()] {
        rig.out.send(&[&offload::header(false)[..], &other].concat()).unwrap();
        rig.advance();
    }
    assert_eq!(rig.queue.take(Instant::MAX).map(|(_, frame)| frame.flow), None);
    rig.leave(came, false);
    assert_eq!(rig.queue.take(Instant::MAX).map(|(_, frame)| frame.flow), Some(0));
}

#[test]
fn a_number_that_comes_again_ends_the_packet_that_had_it() {
    let mut rig = Rig::new();
    let first = rig.offer(&packet(0, 0));
    for number in 1..=1 << 16 {
        let came = rig.offer(&packet(1, number));
        rig.leave(came, false);
    }
    // The first packet of flow 0 had the number that the last of flow 1 had, and is taken for dropped.
    assert_eq!(rig.gone.len(), 1);
    rig.leave(first, false);
    let (links, passed) = rig.queue.finish();
    assert!(passed[0].dropped);
    assert_eq!((links[0].1.departures, links[0].1.drops), (1 << 16, 1));
}
