//! Which packets of a capture are replayed: its directions, and their order.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use weir_scenario::{Recording, Scenario, Towards, Traffic};
use weir_types::Duration;

use crate::{
    captures::{datagram, datagram6, ethernet, pcap, pcapng_of},
    read,
    traffic::Folder,
};

const A: ([u8; 4], u16) = ([10, 0, 0, 1], 5000);
const B: ([u8; 4], u16) = ([10, 0, 0, 2], 80);
const C: ([u8; 4], u16) = ([10, 0, 0, 3], 5000);
const D: ([u8; 4], u16) = ([192, 0, 2, 4], 80);

/// Sizes of the packets of a direction.
fn sizes(file: &[u8], towards: &str) -> Vec<u32> {
    let towards: Towards = towards.parse().unwrap();
    let trace = Recording::parse(file).unwrap().trace(&towards).unwrap();
    trace.packets.iter().map(|packet| packet.bytes).collect()
}

/// Raw IP packets, a microsecond apart.
fn raw(packets: &[Vec<u8>]) -> Vec<u8> {
    let packets: Vec<_> = (0..).zip(packets).map(|(at, packet)| (5, at, &packet[..])).collect();
    pcap(101, &packets)
}

#[test]
fn of_two_directions_the_larger_is_replayed() {
    let there = |bytes| datagram(bytes, A, B);
    let back = |bytes| datagram(bytes, B, A);
    let file = raw(&[back(40), there(1500), back(41), there(1400), back(42)]);
    assert_eq!(sizes(&file, "larger"), [1500, 1400], "bytes decide, not packets");
    assert_eq!(sizes(&file, "both"), [40, 1500, 41, 1400, 42]);
    assert_eq!(sizes(&file, "10.0.0.1"), [40, 41, 42]);
    assert_eq!(sizes(&file, "10.0.0.2/32"), [1500, 1400]);
    assert_eq!(sizes(&file, "10.0.0.0/24"), [40, 1500, 41, 1400, 42]);
    let selection = Recording::parse(&file).unwrap().selection(&Towards::Larger);
    assert_eq!((selection.replayed.packets, selection.replayed.bytes), (2, 2900));
    assert_eq!((selection.left_out.packets, selection.left_out.bytes), (3, 123));
    assert_eq!(selection.replayed.to, Some([10, 0, 0, 2].into()));
    assert_eq!(selection.groups, Some(1));
    assert_eq!(selection.last, Duration::from_micros(3), "times count from the first packet of the file");
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&file).unwrap();
    assert_eq!(sizes(&packed.finish().unwrap(), "larger"), [1500, 1400]);
}

#[test]
fn a_network_with_both_sides_of_the_link_is_known() {
    let file = raw(&[datagram(1500, A, B), datagram(40, B, A), datagram(90, C, D), datagram(80, D, C)]);
    let recording = Recording::parse(&file).unwrap();
    let mixed = |towards: &str| recording.selection(&towards.parse().unwrap()).mixed;
    assert!(mixed("10.0.0.0/24"), "A and B");
    assert!(mixed("0.0.0.0/0"));
    assert!(!mixed("10.0.0.1"));
    assert!(!mixed("192.0.2.0/24"));
    assert!(!mixed("larger"));
    assert!(!mixed("both"), "it was asked for");
}

#[test]
fn the_order_of_the_file_does_not_matter() {
    // Of equal directions that of the earliest packet is the larger, wherever it is in the file.
    let (there, back) = (datagram(200, A, B), datagram(200, B, A));
    let file = pcap(101, &[(6, 0, &back), (5, 0, &there), (7, 0, &back), (7, 0, &there)]);
    let selection = Recording::parse(&file).unwrap().selection(&Towards::Larger);
    assert_eq!(selection.replayed.to, Some([10, 0, 0, 2].into()));
    assert_eq!((selection.late, selection.latest), (1, Duration::from_nanos(1_000_000_000)));
}

#[test]
fn of_equal_directions_that_of_the_first_packet_is_replayed() {
    let call = [datagram(200, B, A), datagram(201, A, B), datagram(201, B, A), datagram(200, A, B)];
    assert_eq!(sizes(&raw(&call), "larger"), [200, 201]);
}

#[test]
fn a_host_is_on_one_side_of_the_link_whatever_it_does() {
    // A downloads from B and uploads to D: its ACKs go the way of its upload.
    let (download, acks) = (datagram(1500, B, A), datagram(40, A, B));
    let (upload, answers) = (datagram(900, A, D), datagram(41, D, A));
    let file = raw(&[download.clone(), acks, upload, answers, download]);
    assert_eq!(sizes(&file, "larger"), [1500, 41, 1500]);
    assert_eq!(sizes(&file, "192.0.2.0/24"), [900]);
    // Ports may differ from those of the answers.
    let call = raw(&[datagram(500, A, B), datagram(90, (B.0, 7), (A.0, 9))]);
    assert_eq!(sizes(&call, "larger"), [500]);
    // Over the loopback a host talks with itself: its ports are the sides.
    let own = raw(&[datagram(600, A, (A.0, 80)), datagram(61, (A.0, 80), A), datagram(62, (A.0, 80), C)]);
    assert_eq!(sizes(&own, "larger")[0], 600);
    assert!(!sizes(&own, "larger").contains(&61));
}

#[test]
fn what_goes_to_groups_of_hosts_says_nothing_of_sides() {
    let group = ([224, 0, 0, 251], 5353);
    let file = raw(&[
        datagram(1500, A, B),
        datagram(700, A, group),
        datagram(701, B, group),
        datagram(40, B, A),
        datagram(702, A, ([255; 4], 67)),
    ]);
    assert_eq!(sizes(&file, "larger"), [1500, 700, 702]);
}

#[test]
fn one_direction_is_replayed_whole() {
    // Data of a download and ACKs of an upload, as a queue sees them arrive.
    let file = raw(&[datagram(1500, A, B), datagram(40, D, C), datagram(1500, A, B)]);
    for towards in ["larger", "both"] {
        assert_eq!(sizes(&file, towards), [1500, 40, 1500]);
    }
    assert!(!Recording::parse(&file).unwrap().is_two_way());
    let csv = Recording::parse(b"0,100,a\n1,200,b\n").unwrap();
    assert!(!csv.is_two_way());
    assert_eq!(csv.trace(&Towards::Both).unwrap().flows, 2);
}

#[test]
fn an_interface_that_hears_one_direction_is_one_side() {
    // The data of A to B, and beside them the ACKs of what D sends to C: from one side of the link.
    let packets = [
        (0, datagram(1500, A, B)),
        (1, datagram(40, B, A)),
        (1, datagram(1000, D, C)),
        (0, datagram(41, C, D)),
    ];
    let of = |interfaces: u32| {
        let at = |number: u32| if interfaces == 1 { 0 } else { number };
        let packets = (0..).zip(&packets).map(|(nanos, (number, packet))| (at(*number), nanos, &packet[..]));
        pcapng_of(interfaces, &packets.collect::<Vec<_>>())
    };
    assert_eq!(sizes(&of(2), "larger"), [1500, 41]);
    // With one interface nothing says that A and C are on the same side: each pair has a larger direction.
    assert_eq!(sizes(&of(1), "larger"), [1500, 1000]);
    assert_eq!(Recording::parse(&of(1)).unwrap().selection(&Towards::Larger).groups, Some(2));
    assert_eq!(Recording::parse(&of(2)).unwrap().selection(&Towards::Larger).groups, Some(1));
    // At both interfaces of a router hosts answer each other: they say nothing.
    let there = datagram(1500, A, B);
    let back = datagram(40, B, A);
    let file = pcapng_of(2, &[(0, 1, &there), (1, 2, &there), (1, 3, &back), (0, 4, &back)]);
    assert_eq!(sizes(&file, "larger"), [1500, 1500]);
}

#[test]
fn stations_tell_the_sides_of_hosts_that_have_nothing_to_do_with_each_other() {
    let frame = |from: u8, to: u8, packet: &[u8]| {
        let mut frame = ethernet(true, [8, 0], packet);
        frame[..12].copy_from_slice(&[[2, 0, 0, 0, 0, to], [2, 0, 0, 0, 0, from]].concat());
        frame
    };
    let frames = [
        frame(1, 2, &datagram(1500, A, B)),
        frame(2, 1, &datagram(40, B, A)),
        frame(2, 1, &datagram(1000, D, C)),
        frame(1, 2, &datagram(41, C, D)),
    ];
    let packets: Vec<_> = (0..).zip(&frames).map(|(at, frame)| (5, at, &frame[..])).collect();
    assert_eq!(sizes(&pcap(1, &packets), "larger"), [1500, 41]);
}

#[test]
fn ipv6_has_directions_too() {
    let file = raw(&[datagram6(1500, 1, 2), datagram6(60, 2, 1), datagram6(1400, 1, 2), datagram(90, A, B)]);
    assert_eq!(sizes(&file, "larger"), [1500, 1400, 90]);
    assert_eq!(sizes(&file, "2001:db8::1"), [60]);
    assert_eq!(sizes(&file, "2001:db8::/64"), [1500, 60, 1400]);
    assert_eq!(sizes(&file, "0.0.0.0/0"), [90]);
}

#[test]
fn packets_out_of_order_are_sorted() {
    let (one, two, three) = (datagram(100, A, B), datagram(200, C, B), datagram(300, A, B));
    let file = pcap(101, &[(5, 30, &one), (5, 20, &two), (5, 90, &three)]);
    let recording = Recording::parse(&file).unwrap();
    let packets = &recording.trace(&Towards::Larger).unwrap().packets;
    let found: Vec<_> = packets.iter().map(|one| (one.at.as_nanos(), one.bytes, one.flow)).collect();
    assert_eq!(found, [(0, 200, 0), (10_000, 100, 1), (70_000, 300, 1)]);
    let selection = recording.selection(&Towards::Larger);
    assert_eq!((selection.late, selection.latest), (1, Duration::from_micros(10)));
    let csv = Recording::parse(b"time,bytes\n0.1,1\n0.3,2\n0.3,3\n0.2,4\n0.1,5\n").unwrap();
    let packets = &csv.trace(&Towards::Larger).unwrap().packets;
    assert_eq!(
        packets.iter().map(|one| one.bytes).collect::<Vec<_>>(),
        [1, 5, 4, 2, 3],
        "equal ones keep their order"
    );
    assert_eq!(csv.selection(&Towards::Larger).late, 2);
}

fn load(folder: &Folder, file: &[u8], to: &str) -> Result<Scenario, String> {
    let lines = format!("traffic.replay = {{ file = \"mine.pcap\"{to} }}");
    folder.load(&[("mine.pcap", file)], &lines).map_err(|error| error.to_string())
}

#[test]
fn the_scenario_says_which_direction_it_has() {
    let folder = Folder::new("directions");
    let two = raw(&[datagram(1500, A, B), datagram(40, B, A)]);
    let packets = |scenario: &Scenario| match &scenario.flows["ftp"].traffic {
        Traffic::Replay(replay) => replay.trace.get().packets.len(),
        _ => panic!("no replay"),
    };
    let larger = load(&folder, &two, "").unwrap();
    assert_eq!(packets(&larger), 1);
    assert!(larger.to_toml().contains("\nto = \"larger\""), "{}", larger.to_toml());
    assert_eq!(load(&folder, &two, ", to = \"larger\"").unwrap().hash(), larger.hash());
    let listed = load(&folder, &two, ", to = [\"10.0.0.1\", \"10.0.0.2\"]").unwrap();
    assert_eq!(packets(&listed), 2);
    assert_eq!(read(&listed.to_toml()).unwrap().hash(), listed.hash());
    assert_ne!(listed.hash(), larger.hash());
    // One direction needs no word for it: its key is what it was.
    let one = load(&folder, &raw(&[datagram(1500, A, B)]), "").unwrap();
    assert!(!one.to_toml().contains("\nto = "), "{}", one.to_toml());
}

#[test]
fn a_direction_that_is_none_is_refused() {
    let folder = Folder::new("nowhere");
    let two = raw(&[datagram(1500, A, B), datagram(40, B, A)]);
    for (file, to, words) in [
        (&two, "\"192.0.2.0/24\"", "no packet of the capture goes there"),
        (&two, "\"192.0.2.0/33\"", "\"192.0.2.0/33\" is no network"),
        (&two, "\"nowhere\"", "\"larger\" or \"both\""),
        (&two, "[]", "a list without a network"),
        (&b"0,100\n".to_vec(), "\"10.0.0.1\"", "a CSV trace has no addresses"),
    ] {
        let message = load(&folder, file, &format!(", to = {to}")).expect_err(to);
        assert!(message.contains("plain.toml:12: flows.ftp.traffic.replay.to: "), "{message}");
        assert!(message.contains(words) && message.contains("\nhint: "), "{message:?} lacks {words:?}");
    }
}
