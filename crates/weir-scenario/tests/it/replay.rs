//! Traces of packets that a group replays: CSV, pcap and pcapng.

use weir_scenario::{Trace, TracePacket};
use weir_types::{Duration, Ecn};

use crate::traffic::Folder;

fn packet(nanos: u64, bytes: u32, flow: u32) -> TracePacket {
    TracePacket { at: Duration::from_nanos(nanos), bytes, flow, ecn: Ecn::NotEct }
}

#[test]
fn a_csv_trace_is_read_to_the_nanosecond() {
    let text = "time,bytes,flow\n# later\n1700000000.000000001, 1500, a\n1700000000.000000002,40,b\n1700000001,60,a\n";
    let trace = Trace::parse(text.as_bytes()).unwrap();
    assert_eq!(trace.packets, [packet(0, 1500, 0), packet(1, 40, 1), packet(999_999_999, 60, 0)]);
    assert_eq!(trace.flows, 2);
    let trace = Trace::parse(b"-0.5,100\n.25,200\n1e0,300\n").unwrap();
    assert_eq!(
        trace.packets,
        [packet(0, 100, 0), packet(750_000_000, 200, 0), packet(1_500_000_000, 300, 0)]
    );
}

const REPLAY: &str = "traffic.replay.file = \"mine.csv\"";

#[test]
fn a_csv_trace_that_is_none_is_refused_with_its_line() {
    let folder = Folder::new("csv");
    for (text, words) in [
        ("time,bytes\n0.1,100\n0.3,100\n0.2,100\n", "mine.csv: line 4: the time goes back by 0.1 s"),
        ("time,bytes\n", "there is no packet in it"),
        ("", "there is no packet in it"),
        ("0.1,100\n0.2\n", "line 2: 1 field where there should be two"),
        ("0.1,100\nnow,100\n", "line 2: \"now\" is not a time"),
        ("0.1,100\n0.2,much\n", "line 2: \"much\" is not the size"),
        ("0.1,0\n", "line 1: \"0\" is not the size"),
        ("0.1,100,a,b\n", "line 1: 4 fields"),
    ] {
        let message = folder.load(&[("mine.csv", text.as_bytes())], REPLAY).expect_err(text).to_string();
        assert!(message.contains("plain.toml:12: flows.ftp.traffic.replay.file: mine.csv"), "{message}");
        assert!(message.contains(words) && message.contains("\nhint: "), "{message:?} lacks {words:?}");
    }
    let message = folder.load(&[], REPLAY.replace("mine", "none").as_str()).expect_err("no file").to_string();
    assert!(message.contains("none.csv cannot be read"), "{message}");
    let message =
        folder.load(&[], REPLAY.replace("mine.csv", ".").as_str()).expect_err("a folder").to_string();
    assert!(message.contains("is not a plain file"), "{message}");
    let message = folder.load(&[], REPLAY.replace("mine.csv", "").as_str()).expect_err("no name").to_string();
    assert!(message.contains("the name of the file is empty"), "{message}");
    let message = folder
        .load(&[("mine.csv", b"0,100\n")], &format!("count = 2\n{REPLAY}"))
        .expect_err("two")
        .to_string();
    assert!(message.contains("flows.ftp.count: replay is not counted"), "{message}");
}

/// A pcap with microseconds, and for each packet its time and frame; what was longer says so.
fn pcap(link: u32, packets: &[(u32, u32, &[u8])]) -> Vec<u8> {
    let mut file = Vec::new();
    file.extend(0xa1b2_c3d4_u32.to_le_bytes());
    file.extend([2, 0, 4, 0]);
    file.extend([0; 8]);
    file.extend(65_535_u32.to_le_bytes());
    file.extend(link.to_le_bytes());
    for (seconds, micros, frame) in packets {
        for number in [*seconds, *micros, frame.len() as u32, frame.len() as u32] {
            file.extend(number.to_le_bytes());
        }
        file.extend(*frame);
    }
    file
}

/// An IPv4 header with UDP ports, of a packet with `length` bytes: what a capture of headers keeps.
fn udp(length: u16, port: u16) -> Vec<u8> {
    let mut packet = vec![0x45, 0];
    packet.extend(length.to_be_bytes());
    packet.extend([0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    packet.extend(port.to_be_bytes());
    packet.extend([0, 53]);
    packet.extend((length - 20).to_be_bytes());
    packet.extend([0, 0]);
    packet
}

fn ethernet(tag: bool, kind: [u8; 2], payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![1; 12];
    if tag {
        frame.extend([0x81, 0, 0, 7]);
    }
    frame.extend(kind);
    frame.extend(payload);
    frame
}

#[test]
fn frames_that_nobody_knows_are_named() {
    let told = Trace::parse(&pcap(147, &[(5, 0, &udp(40, 1))])).expect_err("a user's own frames");
    assert_eq!(told.message, "packet 1: its link type 147 is not known");
}

#[test]
fn a_capture_is_read_whatever_its_frames() {
    let expected = [packet(0, 1500, 0), packet(1_500_000, 40, 1), packet(1_000_000_000, 1500, 0)];
    let (long, short) = (udp(1500, 1), udp(40, 2));
    let arp = ethernet(false, [8, 6], &[0; 28]);
    let raw = pcap(101, &[(5, 0, &long), (5, 1500, &short), (6, 0, &long)]);
    assert_eq!(Trace::parse(&raw).unwrap().packets, expected);
    let frames = [ethernet(false, [8, 0], &long), ethernet(true, [8, 0], &short)];
    let capture = pcap(1, &[(5, 0, &frames[0]), (5, 900, &arp), (5, 1500, &frames[1]), (6, 0, &frames[0])]);
    assert_eq!(Trace::parse(&capture).unwrap().packets, expected, "what is not IP is left out");
}

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let mut padded = body.to_vec();
    padded.resize(body.len().next_multiple_of(4), 0);
    let length = (padded.len() as u32 + 12).to_le_bytes();
    [&kind.to_le_bytes()[..], &length, &padded, &length].concat()
}

/// pcapng: a section, an interface whose clock counts nanoseconds, packets of raw IP.
fn pcapng(packets: &[(u64, &[u8])]) -> Vec<u8> {
    let section = [&0x1a2b_3c4d_u32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat();
    let interface = [&[101, 0, 0, 0, 0, 0, 4, 0][..], &[9, 0, 1, 0, 9, 0, 0, 0], &[0; 4]].concat();
    let mut file = [block(0x0a0d_0d0a, &section), block(1, &interface)].concat();
    for (nanos, frame) in packets {
        let (high, low) = ((nanos >> 32) as u32, *nanos as u32);
        let length = frame.len() as u32;
        let head = [0, high, low, length, length].map(u32::to_le_bytes).concat();
        file.extend(block(6, &[&head, *frame].concat()));
    }
    file
}

#[test]
fn pcapng_is_read_to_the_nanosecond() {
    let (long, short) = (udp(1500, 1), udp(40, 2));
    let start = 1_700_000_000_000_000_001;
    let trace = Trace::parse(&pcapng(&[(start, &long), (start + 1, &short)])).unwrap();
    assert_eq!(trace.packets, [packet(0, 1500, 0), packet(1, 40, 1)]);
}

#[test]
fn a_capture_that_is_damaged_is_refused_with_the_packet() {
    let (long, short) = (udp(1500, 1), udp(40, 2));
    let whole = pcap(101, &[(5, 0, &long), (5, 1500, &short), (6, 0, &long)]);
    let folder = Folder::new("pcap");
    let told = |bytes: &[u8]| folder.load(&[("mine.csv", bytes)], REPLAY).expect_err("damaged").to_string();
    for cut in [1, 20, 40] {
        let message = told(&whole[..whole.len() - cut]);
        assert!(message.contains("mine.csv: packet 3: the file ends within it"), "{cut}: {message}");
    }
    for cut in [4, 10, 23] {
        let message = told(&whole[..cut]);
        assert!(message.contains("packet 1: the file ends within it"), "{cut}: {message}");
    }
    assert!(told(&whole[..24]).contains("there is no packet"));
    let message = told(&pcap(101, &[(5, 9, &long), (5, 8, &short)]));
    assert!(message.contains("packet 2: the time goes back by 0.000001 s"), "{message}");
    let whole = pcapng(&[(5, &long), (9, &short)]);
    let message = told(&whole[..whole.len() - 3]);
    assert!(message.contains("packet 2: the file ends within it"), "{message}");
    let message = told(&pcap(1, &[(5, 0, &ethernet(false, [8, 6], &[0; 28]))]));
    assert!(message.contains("there is no packet"), "{message}");
}
