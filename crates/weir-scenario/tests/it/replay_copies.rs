//! Packets that a router heard twice, where they came in and where they left, are replayed once.

use weir_scenario::{Recording, Towards};

use crate::captures::{datagram, pcap, pcapng_of};

const A: ([u8; 4], u16) = ([10, 0, 0, 1], 5000);
const B: ([u8; 4], u16) = ([10, 0, 0, 2], 80);

/// Nanoseconds.
const MS: u64 = 1_000_000;

/// A packet with an identification.
fn packet(bytes: u16, number: u16) -> Vec<u8> {
    let mut packet = datagram(bytes, A, B);
    packet[4..6].copy_from_slice(&number.to_be_bytes());
    packet
}

/// A packet one hop later.
fn forwarded(bytes: u16, number: u16) -> Vec<u8> {
    let mut packet = packet(bytes, number);
    packet[8] -= 1;
    packet
}

/// Packets that are replayed, in nanoseconds and bytes, and how many copies are not.
fn replayed(file: &[u8]) -> (Vec<(u64, u32)>, u64) {
    let recording = Recording::parse(file).unwrap();
    let trace = recording.trace(&Towards::Larger).unwrap();
    let packets = trace.packets.iter().map(|packet| (packet.at.as_nanos(), packet.bytes)).collect();
    (packets, recording.selection(&Towards::Larger).copies)
}

/// Linux cooked frames: outgoing or not, at an interface.
fn cooked(version: u8, interface: u32, outgoing: bool, ip: &[u8]) -> Vec<u8> {
    let kind = if outgoing { 4 } else { 0 };
    let mut frame = if version == 1 {
        let mut frame = vec![0; 16];
        (frame[1], frame[14]) = (kind, 8);
        frame
    } else {
        let mut frame = vec![0; 20];
        (frame[0], frame[10]) = (8, kind);
        frame[4..8].copy_from_slice(&interface.to_be_bytes());
        frame
    };
    frame.extend(ip);
    frame
}

#[test]
fn of_two_interfaces_the_first_counts() {
    let packets = [
        (0, 0, packet(1500, 1)),
        (0, MS, packet(1400, 2)),
        // The first waited for 3 ms, the second as long.
        (1, 3 * MS, forwarded(1500, 1)),
        (1, 4 * MS, forwarded(1400, 2)),
        // A third was dropped in between, and a fourth comes from the router itself.
        (0, 5 * MS, packet(1300, 3)),
        (1, 6 * MS, packet(1200, 4)),
    ];
    let borrowed: Vec<_> = packets.iter().map(|(at, nanos, packet)| (*at, *nanos, &packet[..])).collect();
    let kept = vec![(0, 1500), (MS, 1400), (5 * MS, 1300), (6 * MS, 1200)];
    assert_eq!(replayed(&pcapng_of(2, &borrowed)), (kept, 2));
}

#[test]
fn of_all_interfaces_the_first_counts() {
    for version in [1, 2] {
        let link = if version == 1 { 113 } else { 276 };
        let frames = [
            cooked(version, 2, false, &packet(1500, 1)),
            cooked(version, 3, true, &forwarded(1500, 1)),
            cooked(version, 3, false, &packet(1000, 2)),
            cooked(version, 2, true, &forwarded(1000, 2)),
        ];
        let packets: Vec<_> = (0..).zip(&frames).map(|(micros, frame)| (5, micros, &frame[..])).collect();
        assert_eq!(replayed(&pcap(link, &packets)), (vec![(0, 1500), (2000, 1000)], 2), "version {version}");
    }
}

/// At the same place, after more than a second, or with nothing that tells packets apart.
#[test]
fn what_is_no_copy_is_replayed() {
    let again = [(0, 0, packet(1500, 1)), (0, MS, packet(1500, 1)), (1, 2 * MS, packet(1500, 1))];
    let late = [(0, 0, packet(1500, 1)), (1, 1001 * MS, packet(1500, 1))];
    let plain = [(0, 0, packet(1500, 0)), (1, MS, packet(1500, 0))];
    for (packets, kept) in [(&again[..], 2), (&late, 2), (&plain, 2)] {
        let packets: Vec<_> = packets.iter().map(|(at, nanos, packet)| (*at, *nanos, &packet[..])).collect();
        assert_eq!(replayed(&pcapng_of(2, &packets)).0.len(), kept);
    }
}

/// Packets are remembered for a second, however many there are.
#[test]
fn copies_are_found_among_many() {
    let packets: Vec<_> = (0..20_000_u64).map(|n| packet(100 + (n % 7) as u16, 1 + n as u16)).collect();
    let twice = (0_u64..)
        .zip(&packets)
        .flat_map(|(n, packet)| [(0, n * MS, &packet[..]), (1, n * MS + MS / 2, &packet[..])]);
    let (kept, copies) = replayed(&pcapng_of(2, &twice.collect::<Vec<_>>()));
    assert_eq!((kept.len(), copies), (20_000, 20_000));
}
